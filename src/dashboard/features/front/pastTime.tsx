import { HOUR, type Instant, MINUTE } from '../../../model/core/time'
import { type Earlier, earlier } from '../../core/drafts'
import { isForeignZone, zone } from '../../core/store'
import { now } from '../../lib/clock'
import { fieldsOf, instantOf } from '../../lib/time'
import { strings } from '../../texts/texts'

/** Candidate hours for "this morning", preferred first. */
const MORNINGS = ['08:00', '06:00', '04:00', '00:00']

/** Returns the chosen time; null if none is chosen or it is invalid. */
export function momentOf(when: Earlier | null, at: Instant, timeZone: string): Instant | null {
  if (when === null) return null
  if (when.kind === '15') return at - 15 * MINUTE
  if (when.kind === '60') return at - HOUR
  return instantOf(when.date, when.time, timeZone)
}

/** Returns a time this morning that has already passed. */
export function morningOf(at: Instant, timeZone: string): { date: string; time: string } {
  const { date, time } = fieldsOf(at, timeZone)
  return { date, time: MORNINGS.find((hour) => hour < time) ?? '00:00' }
}

interface Props {
  onChange: () => void
}

export function PastTimeButton({ onChange }: Props) {
  const isOpen = earlier.value !== null
  const toggle = () => {
    if (isOpen) earlier.value = null
    else choose('15')
    onChange()
  }
  return (
    <button type="button" class="plain" aria-expanded={isOpen} onClick={toggle}>
      {strings.happenedEarlier}
    </button>
  )
}

/** Chooses one of the offered times. */
export function choose(kind: Earlier['kind']): void {
  const fields =
    kind === 'morning'
      ? morningOf(now.value, zone.value)
      : fieldsOf(now.value - (kind === '15' ? 15 * MINUTE : HOUR), zone.value)
  earlier.value = { kind, ...fields }
}

/** Names the time zone where it is not the device's, because the time is in it. */
export function describeFuture(): string {
  return isForeignZone.value ? strings.inFutureIn(zone.value) : strings.inFuture
}
