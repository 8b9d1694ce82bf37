import { BYTE_ORDER_MARK, csvLine } from '../../model/core/csv'
import { language } from '../texts/texts'

/** Table that can be sorted by each column and exported as CSV. */

export interface Cell {
  /** Sort key. */
  readonly value: number | string
  readonly text: string
}

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** Includes a header row; figures are not rounded. */
  readonly csv: readonly (readonly (string | number)[])[]
}

export interface Order {
  readonly column: number
  readonly isAscending: boolean
}

export function textCell(text: string): Cell {
  return { value: text, text }
}

/** Returns true for text columns: these sort ascending first, figures descending. */
export function isTextColumn({ rows }: Table, column: number): boolean {
  return typeof rows[0]?.[column]?.value === 'string'
}

/** Stable sort. */
export function sortRows(table: Table, { column, isAscending }: Order): Table['rows'] {
  const collator = new Intl.Collator(language.value, { sensitivity: 'base', numeric: true })
  const compare = ({ value: a }: Cell, { value: b }: Cell) =>
    typeof a === 'number' && typeof b === 'number'
      ? Math.sign(a - b) || 0
      : collator.compare(String(a), String(b))
  const sign = isAscending ? 1 : -1
  return table.rows.toSorted((a, b) => {
    const [cell, other] = [a[column], b[column]]
    return cell && other ? sign * compare(cell, other) : 0
  })
}

export function formatCsv({ csv }: Pick<Table, 'csv'>): string {
  return BYTE_ORDER_MARK + csv.map(csvLine).join('')
}
