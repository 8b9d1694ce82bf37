import { useState } from 'preact/hooks'
import { announce } from '../../actions'
import { insightsStrings } from '../../strings/insights'
import { isOfWords, type Order, sortRows, type Table } from '../../table'
import { useSelection } from './useSelection'

const ROWS = 60

/** A table whose headings sort it, which is said aloud. */
export function SortTable({ title, table }: { title: string; table: Table }) {
  const [order, setOrder] = useState<Order | null>(null)
  const rows = order ? sortRows(table, order) : table.rows
  const { some, more } = useSelection(rows, ROWS, ROWS)
  const sortBy = (column: number) => {
    const isFirst = order?.column !== column
    const next = { column, isUp: isFirst ? isOfWords(table, column) : !order.isUp }
    setOrder(next)
    announce(describeOrder(table, next))
  }
  const stateOf = (column: number) =>
    order?.column !== column ? undefined : order.isUp ? 'ascending' : 'descending'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll must be reached by keys, too
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
          {some.map(([head, ...cells], at) => (
            <tr key={`${head?.text}${at}`}>
              <th scope="row">{head?.text}</th>
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

function describeOrder(table: Table, { column, isUp }: Order): string {
  const name = table.columns[column] ?? ''
  if (isOfWords(table, column))
    return isUp ? insightsStrings.sortedText(name) : insightsStrings.sortedBack(name)
  return isUp ? insightsStrings.sortedUp(name) : insightsStrings.sortedDown(name)
}
