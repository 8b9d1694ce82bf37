import { useState } from 'preact/hooks'
import { announce } from '../../core/actions'
import { isTextColumn, type Order, sortRows, type Table } from '../../lib/table'
import { insightsStrings } from '../../texts/texts'
import { useSelection } from './useSelection'

const ROWS = 60

/** Table sortable by its headings; the order is announced to screen readers. */
export function SortTable({ title, table }: { title: string; table: Table }) {
  const [order, setOrder] = useState<Order | null>(null)
  const rows = order ? sortRows(table, order) : table.rows
  const { shown, more } = useSelection(rows, ROWS, ROWS)
  const sortBy = (column: number) => {
    const isFirst = order?.column !== column
    const next = { column, isAscending: isFirst ? isTextColumn(table, column) : !order.isAscending }
    setOrder(next)
    announce(describeOrder(table, next))
  }
  const stateOf = (column: number) =>
    order?.column !== column ? undefined : order.isAscending ? 'ascending' : 'descending'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access
    <section class="wide" aria-label={insightsStrings.tableOf(title)} tabIndex={0}>
      <table class="sorted">
        <thead>
          <tr>
            {table.columns.map((name, column) => (
              <th key={name} scope="col" aria-sort={stateOf(column)}>
                <button type="button" class="plain" onClick={() => sortBy(column)}>
                  {name}
                  <span class="arrow" aria-hidden="true">
                    {arrows[stateOf(column) ?? 'none']}
                  </span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(([head, ...cells], index) => (
            <tr key={`${head?.text}${index}`}>
              <th scope="row">
                <bdi>{head?.text}</bdi>
              </th>
              {cells.map(({ value, text }, column) => (
                <td key={table.columns[column + 1]}>
                  <data value={String(value)}>{text}</data>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </section>
  )
}

const arrows = { ascending: '↑', descending: '↓', none: '↕' }

function describeOrder(table: Table, { column, isAscending }: Order): string {
  const name = table.columns[column] ?? ''
  if (isTextColumn(table, column))
    return isAscending ? insightsStrings.sortedText(name) : insightsStrings.sortedBack(name)
  return isAscending ? insightsStrings.sortedUp(name) : insightsStrings.sortedDown(name)
}
