import { HOUR, type Instant, MINUTE } from '../../../model/time'
import { formatter } from '../appearance'
import { now } from '../clock'
import { type Earlier, earlier } from '../drafts'
import { switchAt } from '../history'
import { isForeignZone, nameOf, switches, zone } from '../store'
import { strings } from '../strings'
import { fieldsOf, formatAgo, instantOf } from '../time'
import { ChipGroup } from './chipGroup'
import { ProblemText } from './problemText'
import { TimeFields } from './timeFields'

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
function morningOf(at: Instant, timeZone: string): { date: string; time: string } {
  const { date, time } = fieldsOf(at, timeZone)
  return { date, time: MORNINGS.find((hour) => hour < time) ?? '00:00' }
}

interface Props {
  onChange: () => void
}

/** Toggles the panel for a past time. */
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

function choose(kind: Earlier['kind']): void {
  const fields =
    kind === 'morning'
      ? morningOf(now.value, zone.value)
      : fieldsOf(now.value - (kind === '15' ? 15 * MINUTE : HOUR), zone.value)
  earlier.value = { kind, ...fields }
}

/** Asks for the time of a past switch and describes the result. */
export function PastTimePanel({ problem, onChange }: Props & { problem: string }) {
  const when = earlier.value
  if (when === null) return null
  const morning = morningOf(now.value, zone.value)
  const formattedMorning = formatter.value.time(
    instantOf(morning.date, morning.time, zone.value) ?? now.value,
  )
  const options: [Earlier['kind'], string][] = [
    ['15', strings.ago.minutes(15)],
    ['60', strings.ago.hours(1)],
    ['morning', strings.thisMorning(formattedMorning)],
    ['typed', strings.pickTime],
  ]
  return (
    <ChipGroup
      kind="card earlier"
      legend={strings.when}
      options={options}
      value={when.kind}
      onChange={(kind) => {
        choose(kind)
        onChange()
      }}
    >
      {when.kind === 'typed' && (
        <TimeFields
          date={when.date}
          time={when.time}
          problem={problem}
          onChange={(fields) => {
            earlier.value = { kind: 'typed', ...fields }
            onChange()
          }}
        />
      )}
      {when.kind !== 'typed' && problem !== '' && <ProblemText text={problem} />}
      <p role="status">{describeTime(momentOf(when, now.value, zone.value))}</p>
    </ChipGroup>
  )
}

/** Names the time zone where it is not the device's, because the time is in it. */
export function describeFuture(): string {
  return isForeignZone.value ? strings.inFutureIn(zone.value) : strings.inFuture
}

function describeTime(at: Instant | null): string {
  if (at === null) return strings.notATime
  if (at > now.value) return describeFuture()
  const fronters = switchAt(switches.value, at)?.members ?? []
  return strings.willBeLogged(
    formatter.value.moment(at, now.value),
    formatAgo(now.value - at),
    fronters.map(nameOf),
  )
}
