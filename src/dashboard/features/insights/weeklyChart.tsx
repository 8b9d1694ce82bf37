import { parseInstant } from '../../../model/core/time'
import { formatter } from '../../core/appearance'
import { membersById, nameOf } from '../../core/store'
import type { Table } from '../../lib/table'
import { insightsStrings, strings } from '../../texts/texts'
import { tint } from '../../ui/avatar'
import { Chart } from './chart'
import { dayIn, type Figures, leaderOf, type Period, type Stack, stackPeriods } from './insights'
import { timeCell } from './timeBars'

/** Number of members whose colours can still be distinguished. */
const MAX_SHOWN = 8
/** Number of labels that fit on a phone. */
const LABELS = 5

/** Stacked bars per week, or per month for long spans. */
export function WeeklyChart({ by, periods, members }: Pick<Figures, 'by' | 'periods' | 'members'>) {
  const shown = members.slice(0, MAX_SHOWN).map(({ member }) => member)
  const stacks = stackPeriods(periods, shown)
  const most = Math.max(1, ...stacks.map(({ sum }) => sum))
  const title = by === 'week' ? insightsStrings.weeks : insightsStrings.months
  const summary = describeLeader(by, periods)
  const hasOthers = stacks.some(({ others }) => others > 0)
  return (
    <Chart
      title={title}
      summary={summary}
      table={() => makeTable(by, stacks, shown)}
      file={`${by}s.csv`}
    >
      <div class="weeks">
        <div class="weeks-picture">
          <div class="stacks" role="img" aria-label={insightsStrings.chart(title, summary)}>
            {stacks.map((stack) => (
              <Column key={stack.period.start} stack={stack} shown={shown} most={most} />
            ))}
          </div>
          <div class="stack-labels quiet small" aria-hidden="true">
            {labelsOf(by, periods).map(({ text, count }) => (
              <span key={text} style={{ '--count': String(count) }}>
                {text}
              </span>
            ))}
          </div>
        </div>
        <ul class="legend">
          {shown.map((id) => (
            <li key={id} class="tinted" style={tint(membersById.value.get(id)?.color)}>
              <bdi>{nameOf(id)}</bdi>
            </li>
          ))}
          {hasOthers && <li class="tinted others">{insightsStrings.others}</li>}
        </ul>
      </div>
    </Chart>
  )
}

interface ColumnProps {
  stack: Stack
  shown: readonly string[]
  most: number
}

function Column({ stack: { parts, others, sum }, shown, most }: ColumnProps) {
  return (
    <span class="stack">
      <span class="pile" style={{ height: `${(sum / most) * 100}%` }}>
        {shown.map((id, index) => {
          const seconds = parts[index] ?? 0
          const { color } = membersById.value.get(id) ?? {}
          return (
            seconds > 0 && (
              <i key={id} class="tinted" style={{ ...tint(color), flexGrow: String(seconds) }} />
            )
          )
        })}
        {others > 0 && <i class="tinted others" style={{ flexGrow: String(others) }} />}
      </span>
    </span>
  )
}

function describeLeader(by: Figures['by'], periods: readonly Period[]): string {
  const leader = leaderOf(periods)
  if (!leader) return ''
  const describe = by === 'week' ? insightsStrings.ledWeeks : insightsStrings.ledMonths
  return describe(nameOf(leader.id), leader.count, periods.length)
}

/** Each label covers several columns, so that all labels are readable. */
function labelsOf(by: Figures['by'], periods: readonly Period[]) {
  const format = by === 'week' ? formatter.value.shortDay : formatter.value.shortMonth
  const step = Math.ceil(periods.length / LABELS)
  return periods
    .filter((_, index) => index % step === 0)
    .map((period, index) => ({
      text: format(dayIn(period)),
      count: Math.min(step, periods.length - index * step),
    }))
}

function makeTable(by: Figures['by'], stacks: readonly Stack[], shown: readonly string[]): Table {
  const { week, month, switches, nobody } = insightsStrings.columns
  const name = by === 'week' ? formatter.value.day : formatter.value.month
  return {
    columns: [
      by === 'week' ? week : month,
      switches,
      nobody,
      ...shown.map(nameOf),
      insightsStrings.others,
    ],
    rows: stacks.map(({ period, parts, others }) => [
      { value: parseInstant(period.start) ?? 0, text: name(dayIn(period)) },
      { value: period.switches, text: strings.number(period.switches) },
      timeCell(period.nobody),
      ...parts.map(timeCell),
      timeCell(others),
    ]),
    csv: [
      ['start', 'end', 'member_id', 'member', 'seconds'],
      ...stacks.flatMap(({ period: { start, end, members } }) =>
        Object.entries(members).map(([id, seconds]) => [start, end, id, nameOf(id), seconds]),
      ),
    ],
  }
}
