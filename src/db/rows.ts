import type { Entity } from '../model/entity'
import type { Field } from '../model/field'
import { type Statement, statement, type Values } from './statement'
import type { Db, MaybePromise, Value } from './types'

/** Reads and writes rows of field tables by prepared SQL, without the query builder. */

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
export function columnNames(entity: Entity): string[] {
  return [...entity.entries.map(([key]) => key), ...entity.levels]
}

/** Builds a function that updates the given keys of the row with an ID. */
export function createUpdater(table: string) {
  // One cached statement per set of changed keys.
  const cache = new Map<string, (db: Db) => Statement<string, unknown>>()
  return (tx: Db, id: number, changed: object): MaybePromise<unknown> => {
    const keys = Object.keys(changed)
    const name = keys.join()
    let update = cache.get(name)
    if (!update) {
      const sets = keys.map((key) => `${key} = :${key}`).join(', ')
      update = statement<string>(`update ${table} set ${sets} where id = :id`)
      if (cache.size < MAX_CACHED) cache.set(name, update)
    }
    return update(tx).run({ ...encodeRow(keys, changed), id })
  }
}

/** Builds a function that inserts a row with the given columns and returns its ID. */
export function createInserter(table: string, columns: readonly string[]) {
  const insert = statement<string, { id: number }>(
    `insert into ${table} (${columns.join()}) values (${columns.map((name) => `:${name}`).join()}) returning id`,
  )
  return async (tx: Db, row: object): Promise<number> =>
    (await insert(tx).get(encodeRow(columns, row)))?.id ?? 0
}

/** Builds a function that inserts a row, or replaces the row with the same key. */
export function createUpserter(
  table: string,
  key: readonly string[],
  columns: readonly string[],
): (tx: Db, row: object) => MaybePromise<unknown> {
  const all = [...key, ...columns]
  const upsert = statement<string>(
    `insert into ${table} (${all.join()}) values (${all.map((name) => `:${name}`).join()})
     on conflict (${key.join()}) do update
     set ${columns.map((name) => `${name} = excluded.${name}`).join()}`,
  )
  return (tx, row) => upsert(tx).run(encodeRow(all, row))
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
