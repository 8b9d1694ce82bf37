import type { Instant } from '../../../model/core/time'
import { formatter } from '../../core/appearance'
import { type Earlier, earlier } from '../../core/drafts'
import { switchAt } from '../../core/history'
import { nameOf, switches, zone } from '../../core/store'
import { now } from '../../lib/clock'
import { formatAgo, instantOf } from '../../lib/time'
import { strings } from '../../texts/texts'
import { ChipGroup } from '../../ui/chipGroup'
import { TimeFields } from '../../ui/form/timeFields'
import { ProblemText } from '../../ui/problemText'
import { choose, describeFuture, momentOf, morningOf } from './pastTime'

interface Props {
  problem: string
  onChange: () => void
}

/** Asks for the time of a past switch and describes the result. */
export function PastTimePanel({ problem, onChange }: Props) {
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
