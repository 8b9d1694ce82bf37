import { HOUR, SECOND } from '../../../../model/time'
import { appearance } from '../../appearance'
import { peakHour } from '../../insights'
import { membersById, nameOf } from '../../store'
import { insightsStrings } from '../../strings/insights'
import { type Table, textCell } from '../../table'
import { createFormatter } from '../../time'
import { tint } from '../avatar'
import { formatHour } from '../days'
import { Chart } from './chart'
import { useSelection } from './useSelection'

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const MARKS = [0, 6, 12, 18]
/** Of how many the sentence speaks. */
const DESCRIBED = 3

interface Props {
  /** In this order. */
  ids: readonly string[]
  hours: Readonly<Record<string, readonly number[]>>
}

/** A row of 24 cells for each, fuller where they were here longer. */
export function TimeOfDayHeatmap({ ids, hours }: Props) {
  const known = ids.filter((id) => hours[id])
  const { some, more } = useSelection(known)
  const of = (id: string) => hours[id] ?? []
  const told = known.slice(0, DESCRIBED).map((id) => describePeak(id, of(id)))
  return (
    <Chart
      title={insightsStrings.timeOfDay}
      point={insightsStrings.mostly(told.join(', '))}
      table={() => makeTable(known, of)}
      file="time-of-day.csv"
    >
      <div class="heat">
        {some.map((id) => (
          <div key={id} class="heat-row">
            <span class="heat-name" aria-hidden="true">
              {nameOf(id)}
            </span>
            <div
              class="cells tinted"
              role="img"
              aria-label={describePeak(id, of(id))}
              style={tint(membersById.value.get(id)?.color)}
            >
              <Cells hours={of(id)} />
            </div>
          </div>
        ))}
        <div class="heat-row heat-marks quiet small" aria-hidden="true">
          {MARKS.map((hour) => (
            <span key={hour}>{formatHour(hour)}</span>
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
  return insightsStrings.mostlyAround(nameOf(id), formatClock(hour))
}

/** As the clocks show it, whatever the day. */
function formatClock(hour: number): string {
  return createFormatter('UTC', appearance.value.clock).time(hour * HOUR)
}

/** "3:20": so that 24 of them fit in a row. */
function formatShort(seconds: number): string {
  const minutes = Math.floor((seconds * SECOND) / (60 * SECOND))
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

function makeTable(ids: readonly string[], of: (id: string) => readonly number[]): Table {
  return {
    columns: [insightsStrings.columns.who, ...HOURS.map(formatHour)],
    rows: ids.map((id) => [
      textCell(nameOf(id)),
      ...HOURS.map((hour) => {
        const seconds = of(id)[hour] ?? 0
        return { value: seconds, text: formatShort(seconds) }
      }),
    ]),
    csv: [
      ['member_id', 'member', ...HOURS],
      ...ids.map((id) => [id, nameOf(id), ...HOURS.map((hour) => of(id)[hour] ?? 0)]),
    ],
  }
}
