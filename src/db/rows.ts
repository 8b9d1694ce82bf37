import type { Entity } from '../model/entity'
import type { Field } from '../model/field'
import type { Db } from './handle'
import { type Statement, statement, type Value } from './statement'

/** Rows of a field table, read and written by statements of their own: no query is built for one. */

/** Turns what SQLite gives into the values of the fields; what is beside them stays as it is. */
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

/** Changes the given keys of the row with that number. */
export function createUpdater(table: string) {
  // One statement for each set of keys that somebody changes together.
  const made = new Map<string, (db: Db) => Statement<unknown>>()
  return (tx: Db, id: number, changed: object): void => {
    const keys = Object.keys(changed)
    const name = keys.join()
    let update = made.get(name)
    if (!update) {
      const sets = keys.map((key) => `${key} = :${key}`).join(', ')
      update = statement([...keys, 'id'], `update ${table} set ${sets} where id = :id`)
      if (made.size < MOST_UPDATES) made.set(name, update)
    }
    const values = Object.values(changed).map(encode)
    update(tx).run(...values, id)
  }
}

/** Inserts whole rows of the given columns, and gives their number. */
export function createInserter(table: string, columns: readonly string[]) {
  const insert = statement<{ id: number }>(
    columns,
    `insert into ${table} (${columns.join()}) values (${columns.map((name) => `:${name}`).join()}) returning id`,
  )
  return (tx: Db, row: object): number => {
    const values = row as Readonly<Record<string, unknown>>
    const made = insert(tx).get(...columns.map((name) => encode(values[name])))
    return made?.id ?? 0
  }
}

/** Inserts whole rows, or puts them in the place of those with the same key. */
export function createUpserter(
  table: string,
  key: readonly string[],
  columns: readonly string[],
): (tx: Db, row: object) => void {
  const all = [...key, ...columns]
  const upsert = statement(
    all,
    `insert into ${table} (${all.join()}) values (${all.map((name) => `:${name}`).join()})
     on conflict (${key.join()}) do update
     set ${columns.map((name) => `${name} = excluded.${name}`).join()}`,
  )
  return (tx, row) => {
    const values = row as Readonly<Record<string, unknown>>
    upsert(tx).run(...all.map((name) => encode(values[name])))
  }
}

const MOST_UPDATES = 1000

type Decoder = (stored: unknown) => unknown

function decoderOf({ kind }: Field): Decoder | null {
  switch (kind) {
    case 'flag':
      return (stored) => (stored === null ? null : stored === 1)
    case 'proxyTags':
    case 'texts':
    case 'snowflakes':
      return (stored) => JSON.parse(stored as string)
    default:
      return null
  }
}

function encode(value: unknown): Value {
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'object' ? JSON.stringify(value) : (value as Value)
}
