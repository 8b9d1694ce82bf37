import type { Bucket } from '../../../model/insights/calendar'
import { formatter } from '../../core/appearance'
import { nameOf } from '../../core/store'
import { formatDuration } from '../../lib/time'
import { historyStrings, listNames } from '../../texts/texts'
import { nameDay, piecesIn, type ShownProps } from './dayPieces'

/** Same data as the chart of the days, one row per stint. */
export function DaysTable({ days, only }: ShownProps & { days: readonly Bucket[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access
    <section class="wide" aria-label={historyStrings.table} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {[
              historyStrings.day,
              historyStrings.from,
              historyStrings.to,
              historyStrings.who,
              historyStrings.durationColumn,
            ].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.flatMap((day) =>
            piecesIn(day, only).map((piece) => (
              <tr key={piece.from}>
                <th scope="row">{nameDay(day)}</th>
                <td>{formatter.value.time(piece.from)}</td>
                <td>{formatter.value.time(piece.to)}</td>
                <td>{listNames(piece.members.map(nameOf))}</td>
                <td>{formatDuration(piece.to - piece.from)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </section>
  )
}
