import type { MaybePromise } from './types'

/** Reads a long list in pages, each after the last row of the one before. */
export async function* readPages<Row, Position>(
  first: Position,
  read: (after: Position) => MaybePromise<readonly Row[]>,
  positionOf: (last: Row) => Position,
): AsyncGenerator<readonly Row[]> {
  for (let after = first; ; ) {
    const page = await read(after)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = positionOf(last)
  }
}

/** The same for rows in the order of their IDs. */
export function readPagesById<Row extends { readonly id: number }>(statement: {
  all(values: { after: number }): MaybePromise<readonly Row[]>
}): AsyncGenerator<readonly Row[]> {
  return readPages(
    0,
    (after) => statement.all({ after }),
    ({ id }) => id,
  )
}
