import { SECOND } from '../../../model/core/time'
import type { Pair } from '../../../model/insights/pairs'
import { membersById, nameOf } from '../../core/store'
import { type Table, textCell } from '../../lib/table'
import { formatDuration } from '../../lib/time'
import { insightsStrings, listNames, strings } from '../../texts/texts'
import { Avatar } from '../../ui/avatar'
import { Chart } from './chart'
import { timeCell } from './timeBars'
import { useSelection } from './useSelection'

/** Pairs of co-fronters by shared time, longest first. */
export function TogetherTable({ pairs }: { pairs: readonly Pair[] }) {
  const { shown, more } = useSelection(pairs)
  const [first] = pairs
  if (!first)
    return (
      <section class="card chart">
        <h2>{insightsStrings.together}</h2>
        <p class="quiet">{insightsStrings.nobodyTogether}</p>
      </section>
    )
  return (
    <Chart
      title={insightsStrings.together}
      summary={insightsStrings.mostTogether(
        first.members.map(nameOf),
        formatDuration(first.time * SECOND),
      )}
      table={() => makeTable(pairs)}
      file="often-together.csv"
    >
      <ol class="switches">
        {shown.map((pair) => (
          <li key={pair.members.join()}>
            <span class="avatars">
              {pair.members.map((id) => (
                <Avatar key={id} of={membersById.value.get(id)} size="s" />
              ))}
            </span>
            <span class="about">
              <bdi class="name">{namesOf(pair)}</bdi>
              <br />
              <span class="quiet small">
                {formatDuration(pair.time * SECOND)} · {insightsStrings.times(pair.times)}
              </span>
            </span>
          </li>
        ))}
      </ol>
      {more}
    </Chart>
  )
}

function namesOf({ members }: Pair): string {
  return listNames(members.map(nameOf))
}

function makeTable(pairs: readonly Pair[]): Table {
  const { who, time, times } = insightsStrings.columns
  return {
    columns: [who, time, times],
    rows: pairs.map((pair) => [
      textCell(namesOf(pair)),
      timeCell(pair.time),
      { value: pair.times, text: strings.number(pair.times) },
    ]),
    csv: [
      ['member_id', 'member', 'other_id', 'other', 'seconds', 'times'],
      ...pairs.map(({ members: [member, other], time, times }) => [
        member,
        nameOf(member),
        other,
        nameOf(other),
        time,
        times,
      ]),
    ],
  }
}
