import { CSV_MARK, csvLine } from '../../model/csv'

/** A table that can be sorted by each of its columns, and taken away. */

export interface Cell {
  /** What it is sorted by. */
  readonly value: number | string
  readonly text: string
}

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** With a head, in exact figures. */
  readonly csv: readonly (readonly (string | number)[])[]
}

export interface Order {
  readonly column: number
  readonly isUp: boolean
}

export function textCell(text: string): Cell {
  return { value: text, text }
}

/** Whether a column is of words: those are read from A on, figures from the most on. */
export function isOfWords({ rows }: Table, column: number): boolean {
  return typeof rows[0]?.[column]?.value === 'string'
}

/** Where equal, rows stay as they were. */
export function sortRows(table: Table, { column, isUp }: Order): Table['rows'] {
  const collator = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })
  const compare = ({ value: a }: Cell, { value: b }: Cell) =>
    typeof a === 'number' && typeof b === 'number'
      ? Math.sign(a - b) || 0
      : collator.compare(String(a), String(b))
  const sign = isUp ? 1 : -1
  return table.rows.toSorted((a, b) => {
    const [one, other] = [a[column], b[column]]
    return one && other ? sign * compare(one, other) : 0
  })
}

export function formatCsv({ csv }: Pick<Table, 'csv'>): string {
  return CSV_MARK + csv.map(csvLine).join('')
}
