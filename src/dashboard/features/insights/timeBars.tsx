import { parseInstant, SECOND } from '../../../model/core/time'
import { formatter } from '../../core/appearance'
import { membersById, nameOf } from '../../core/store'
import type { Cell, Table } from '../../lib/table'
import { textCell } from '../../lib/table'
import { formatDuration } from '../../lib/time'
import { insightsStrings, strings } from '../../texts/texts'
import { Avatar, tint } from '../../ui/avatar'
import { Chart } from './chart'
import type { Total } from './insights'
import { useSelection } from './useSelection'

/** Bar chart of fronting time by member. */
export function TimeBars({ members }: { members: readonly Total[] }) {
  const { shown, more } = useSelection(members)
  const [first] = members
  if (!first) return null
  const length = ({ time }: Total) => `${(time / Math.max(1, first.time)) * 100}%`
  return (
    <Chart
      title={insightsStrings.timeHere}
      summary={insightsStrings.longest(
        nameOf(first.member),
        formatDuration(first.time * SECOND),
        formatShare(first.share),
      )}
      table={() => makeTable(members)}
      file="time-here.csv"
    >
      <ol class="bars">
        {shown.map((total) => {
          const member = membersById.value.get(total.member)
          return (
            <li key={total.member} class="tinted" style={tint(member?.color)}>
              <Avatar of={member} size="s" />
              <div class="about">
                <bdi class="name">{nameOf(total.member)}</bdi>
                <span class="fill" style={{ width: length(total) }} />
              </div>
              <div class="figure">
                <b>{formatDuration(total.time * SECOND)}</b>
                <br />
                <span class="quiet small">{formatShare(total.share)}</span>
              </div>
            </li>
          )
        })}
      </ol>
      {more}
    </Chart>
  )
}

/** Formats a share in whole per cent. */
export function formatShare(share: number): string {
  const percent = Math.round(share * 100)
  return percent === 0 && share > 0 ? insightsStrings.lessThanOne : insightsStrings.percent(percent)
}

export function timeCell(seconds: number): Cell {
  return {
    value: seconds,
    text: seconds === 0 ? insightsStrings.none : formatDuration(seconds * SECOND),
  }
}

function makeTable(members: readonly Total[]): Table {
  const { columns } = insightsStrings
  return {
    columns: [
      columns.who,
      columns.time,
      columns.share,
      columns.stays,
      columns.longest,
      columns.shortest,
      columns.average,
      columns.median,
      columns.last,
    ],
    rows: members.map((total) => [
      textCell(nameOf(total.member)),
      timeCell(total.time),
      { value: total.share, text: insightsStrings.percent(Math.round(total.share * 1000) / 10) },
      { value: total.stints, text: strings.number(total.stints) },
      timeCell(total.longest),
      timeCell(total.shortest),
      timeCell(total.average),
      timeCell(total.median),
      lastCell(total.last),
    ]),
    csv: [
      [
        'member_id',
        'member',
        'seconds',
        'share',
        'stints',
        'longest',
        'shortest',
        'average',
        'median',
        'last',
      ],
      ...members.map((total) => [
        total.member,
        nameOf(total.member),
        total.time,
        total.share,
        total.stints,
        total.longest,
        total.shortest,
        total.average,
        total.median,
        total.last ?? '',
      ]),
    ],
  }
}

/** A member who fronts at the end of the span sorts after all others. */
function lastCell(last: string | null): Cell {
  const at = last === null ? null : parseInstant(last)
  return at === null
    ? { value: Number.POSITIVE_INFINITY, text: insightsStrings.stillHere }
    : { value: at, text: formatter.value.dayAndTime(at) }
}
