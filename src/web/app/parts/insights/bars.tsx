import { parseInstant, SECOND } from '../../../../model/time'
import type { Total } from '../../insights'
import { spell } from '../../look'
import { membersById, nameOf } from '../../store'
import type { Cell, Table } from '../../table'
import { textCell } from '../../table'
import { spellLength } from '../../time'
import { insightsWords } from '../../words/insights'
import { Face, tint } from '../face'
import { Chart } from './chart'
import { useSome } from './some'

/** A bar for each, as long as their time here. */
export function TimeHere({ members }: { members: readonly Total[] }) {
  const { some, more } = useSome(members)
  const [first] = members
  if (!first) return null
  const length = ({ time }: Total) => `${(time / Math.max(1, first.time)) * 100}%`
  return (
    <Chart
      title={insightsWords.timeHere}
      point={insightsWords.longest(
        nameOf(first.member),
        spellLength(first.time * SECOND),
        spellShare(first.share),
      )}
      table={() => makeTable(members)}
      file="time-here.csv"
    >
      <ol class="bars">
        {some.map((one) => {
          const member = membersById.value.get(one.member)
          return (
            <li key={one.member} class="tinted" style={tint(member?.color)}>
              <Face of={member} size="s" />
              <div class="about">
                <span class="name">{nameOf(one.member)}</span>
                <span class="fill" style={{ width: length(one) }} />
              </div>
              <div class="figure">
                <b>{spellLength(one.time * SECOND)}</b>
                <br />
                <span class="quiet small">{spellShare(one.share)}</span>
              </div>
            </li>
          )
        })}
      </ol>
      {more}
    </Chart>
  )
}

/** In whole per cent. */
export function spellShare(share: number): string {
  const percent = Math.round(share * 100)
  return percent === 0 && share > 0 ? insightsWords.lessThanOne : insightsWords.percent(percent)
}

export function timeCell(seconds: number): Cell {
  return {
    value: seconds,
    text: seconds === 0 ? insightsWords.none : spellLength(seconds * SECOND),
  }
}

function makeTable(members: readonly Total[]): Table {
  const { columns } = insightsWords
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
    rows: members.map((one) => [
      textCell(nameOf(one.member)),
      timeCell(one.time),
      { value: one.share, text: insightsWords.percent(Math.round(one.share * 1000) / 10) },
      { value: one.stints, text: String(one.stints) },
      timeCell(one.longest),
      timeCell(one.shortest),
      timeCell(one.average),
      timeCell(one.median),
      lastCell(one.last),
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
      ...members.map((one) => [
        one.member,
        nameOf(one.member),
        one.time,
        one.share,
        one.stints,
        one.longest,
        one.shortest,
        one.average,
        one.median,
        one.last ?? '',
      ]),
    ],
  }
}

/** Whoever is here at the end was here later than anybody. */
function lastCell(last: string | null): Cell {
  const at = last === null ? null : parseInstant(last)
  return at === null
    ? { value: Number.POSITIVE_INFINITY, text: insightsWords.atTheEnd }
    : { value: at, text: `${spell.value.day(at)}, ${spell.value.time(at)}` }
}
