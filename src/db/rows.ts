import { getTableColumns, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Entity, Row } from '../model/entity'
import type { Field } from '../model/field'
import { type Placeholders, query, type Statement, type Values } from './query'
import type { Db, MaybePromise, Value } from './types'

/**
 * Builds a function that decodes the fields of a stored row in place; other columns stay unchanged.
 */
export function createDecoder(entity: Entity): <T extends object>(raw: T) => T {
  const decoders = entity.entries.flatMap(([key, field]) => {
    const decode = decoderOf(field)
    return decode ? [[key, decode] as const] : []
  })
  return (raw) => {
    const row = raw as Record<string, unknown>
    for (const [key, decode] of decoders) row[key] = decode(row[key])
    return raw
  }
}

/** Lists the columns of a field table: fields and privacy levels. */
export function columnsOfEntity<E extends Entity>(entity: E): (keyof Row<E> & string)[] {
  return [...entity.entries.map(([key]) => key), ...entity.levels] as (keyof Row<E> & string)[]
}

/** A table whose rows have an ID. */
export type TableWithId = SQLiteTable & { id: SQLiteColumn }

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
  const known: Record<string, SQLiteColumn> = getTableColumns(table)
  const upsert = query((db, values: Placeholders<string>) =>
    db
      .insert(table)
      .values(pick<T['$inferInsert']>(values, all))
      .onConflictDoUpdate({
        target: key.flatMap((name) => known[name] ?? []),
        set: pick<T['$inferInsert']>(
          Object.fromEntries(columns.map((name) => [name, sql`excluded.${sql.identifier(name)}`])),
          columns,
        ),
      }),
  )
  return (tx, row) => upsert(tx).run(encodeRow(all, row))
}

type ColumnOf<T extends SQLiteTable> = keyof T['$inferInsert'] & string

function pick<Insert>(values: Record<string, unknown>, names: readonly string[]): Insert {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Insert
}

const MAX_CACHED = 1000

type Decoder = (stored: unknown) => unknown

function decoderOf({ columnType }: Field): Decoder | null {
  switch (columnType) {
    case 'text':
    case 'integer':
      return null
    case 'flag':
      return (value) => (value === null ? null : value === 1)
    case 'json':
      return (value) => JSON.parse(value as string)
  }
}

/** Encodes the values of a row as they are stored; encoded values stay unchanged. */
export function encodeRow(columns: readonly string[], row: object): Values<string> {
  const values = row as Readonly<Record<string, unknown>>
  const encoded: Record<string, Value> = {}
  for (const name of columns) encoded[name] = encode(values[name])
  return encoded
}

function encode(value: unknown): Value {
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'object' ? JSON.stringify(value) : (value as Value)
}
