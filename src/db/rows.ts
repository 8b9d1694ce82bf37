import { getTableColumns, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Entity, Row } from '../model/core/entity'
import { encodeRow, type Placeholders, query, type Statement } from './query'
import type { Db, MaybePromise } from './types'

/** Lists the columns of a field table: fields and privacy levels. */
export function columnsOfEntity<E extends Entity>(entity: E): (keyof Row<E> & string)[] {
  return [...entity.entries.map(([key]) => key), ...entity.levels] as (keyof Row<E> & string)[]
}

export type TableWithId = SQLiteTable & { id: SQLiteColumn }

/** A table of rows that a system owns and that clients name by a UUID. */
export type OwnedTable = TableWithId & {
  uuid: SQLiteColumn
  system_id: SQLiteColumn
  import_id: SQLiteColumn
}

/** Builds a function that inserts a row with the given columns and returns its ID. */
export function createInserter<T extends TableWithId>(table: T, columns: readonly ColumnOf<T>[]) {
  const insert = query((db, values: Placeholders<string>) =>
    db.insert(table).values(pick<T['$inferInsert']>(values, columns)).returning({ id: table.id }),
  )
  return async (tx: Db, row: object): Promise<number> =>
    Number((await insert(tx).get(encodeRow(columns, row)))?.id ?? 0)
}

/** Builds a function that inserts a row, or replaces the row with the same key. */
export function createUpserter<T extends SQLiteTable>(
  table: T,
  key: readonly ColumnOf<T>[],
  columns: readonly ColumnOf<T>[],
): (tx: Db, row: object) => MaybePromise<unknown> {
  const all = [...key, ...columns]
  const columnsByName: Record<string, SQLiteColumn> = getTableColumns(table)
  const upsert = query((db, values: Placeholders<string>) =>
    db
      .insert(table)
      .values(pick<T['$inferInsert']>(values, all))
      .onConflictDoUpdate({
        target: key.flatMap((name) => columnsByName[name] ?? []),
        set: pick<T['$inferInsert']>(
          Object.fromEntries(columns.map((name) => [name, sql`excluded.${sql.identifier(name)}`])),
          columns,
        ),
      }),
  )
  return (tx, row) => upsert(tx).run(encodeRow(all, row))
}

type ColumnOf<T extends SQLiteTable> = keyof T['$inferInsert'] & string

export function pick<Insert>(values: Record<string, unknown>, names: readonly string[]): Insert {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Insert
}

/** Builds a function that updates the given keys of the row with an ID. */
export function createUpdater(table: TableWithId) {
  // One cached statement per set of changed keys.
  const cache = new Map<string, (db: Db) => Statement<string, unknown>>()
  return (tx: Db, id: number, changed: object): MaybePromise<unknown> => {
    const keys = Object.keys(changed)
    const name = keys.join()
    let update = cache.get(name)
    if (!update) {
      update = query((db, values: Placeholders<string>) =>
        db.update(table).set(pick(values, keys)).where(sql`${table.id} = ${values.id}`),
      )
      if (cache.size < MAX_CACHED) cache.set(name, update)
    }
    return update(tx).run({ ...encodeRow(keys, changed), id })
  }
}

/** Limit of cached statements per table. */
const MAX_CACHED = 1000
