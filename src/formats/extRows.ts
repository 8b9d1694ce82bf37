import type { BundleExtRow } from './bundle'

/**
 * Sorts rows for the import, which takes the newest rows if there are too many. Rows of the same time
 * keep their order: the rows are given oldest first, and of these the last one is listed first.
 */
export function newestFirst(rows: readonly BundleExtRow[], time: string): BundleExtRow[] {
  return rows.toSorted((a, b) => Number(b.values[time] ?? 0) - Number(a.values[time] ?? 0))
}
