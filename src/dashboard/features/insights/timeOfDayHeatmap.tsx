import { SECOND } from '../../../model/core/time'
import { formatter } from '../../core/appearance'
import { membersById, nameOf } from '../../core/store'
import { type Table, textCell } from '../../lib/table'
import { insightsStrings } from '../../texts/texts'
import { tint } from '../../ui/avatar'
import { Chart } from './chart'
import { peakHour } from './insights'
import { useSelection } from './useSelection'

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const MARKS = [0, 6, 12, 18]
/** Number of members in the summary. */
const DESCRIBED = 3

interface Props {
  /** In the order to show. */
  ids: readonly string[]
  hours: Readonly<Record<string, readonly number[]>>
}

/** Heatmap with one row per member and a cell for each hour. */
export function TimeOfDayHeatmap({ ids, hours }: Props) {
  const idsWithHours = ids.filter((id) => hours[id])
  const { shown, more } = useSelection(idsWithHours)
  const hoursOf = (id: string) => hours[id] ?? []
  const peaks = idsWithHours.slice(0, DESCRIBED).map((id) => describePeak(id, hoursOf(id)))
  return (
    <Chart
      title={insightsStrings.timeOfDay}
      summary={insightsStrings.peaks(peaks)}
      table={() => makeTable(idsWithHours, hoursOf)}
      file="time-of-day.csv"
    >
      <div class="heat">
        {shown.map((id) => (
          <div key={id} class="heat-row">
            <span class="heat-name" aria-hidden="true">
              <bdi>{nameOf(id)}</bdi>
            </span>
            <div
              class="cells tinted"
              role="img"
              aria-label={describePeak(id, hoursOf(id))}
              style={tint(membersById.value.get(id)?.color)}
            >
              <Cells hours={hoursOf(id)} />
            </div>
          </div>
        ))}
        <div class="heat-row heat-marks quiet small" aria-hidden="true">
          {MARKS.map((hour) => (
            <span key={hour}>{formatter.value.hour(hour)}</span>
          ))}
        </div>
      </div>
      {more}
    </Chart>
  )
}

function Cells({ hours }: { hours: readonly number[] }) {
  const most = Math.max(1, ...hours)
  return (
    <>
      {HOURS.map((hour) => (
        <i key={hour} style={{ '--part': `${((hours[hour] ?? 0) / most) * 100}%` }} />
      ))}
    </>
  )
}

function describePeak(id: string, hours: readonly number[]): string {
  const hour = peakHour(hours)
  if (hour === null) return insightsStrings.atAllHours(nameOf(id))
  return insightsStrings.mostlyAround(nameOf(id), formatter.value.clock(hour))
}

/** Formats "3:20", short enough for 24 columns. */
function formatShort(seconds: number): string {
  const minutes = Math.floor((seconds * SECOND) / (60 * SECOND))
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

function makeTable(ids: readonly string[], hoursOf: (id: string) => readonly number[]): Table {
  return {
    columns: [insightsStrings.columns.who, ...HOURS.map(formatter.value.hour)],
    rows: ids.map((id) => [
      textCell(nameOf(id)),
      ...HOURS.map((hour) => {
        const seconds = hoursOf(id)[hour] ?? 0
        return { value: seconds, text: formatShort(seconds) }
      }),
    ]),
    csv: [
      ['member_id', 'member', ...HOURS],
      ...ids.map((id) => [id, nameOf(id), ...HOURS.map((hour) => hoursOf(id)[hour] ?? 0)]),
    ],
  }
}
