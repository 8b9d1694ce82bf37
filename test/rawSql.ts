import { getTableName, isTable } from 'drizzle-orm'
import { sqliteDialect } from '../src/db/dialect'
import { type Statement, statement } from '../src/db/statement'
import type { Storage } from '../src/db/storage'
import * as tables from '../src/db/tables'
import type { Db, Value } from '../src/db/types'

export const tableNames = Object.values(tables).filter(isTable).map(getTableName)

/** Rows as the engine has them, past all that the program makes of them. */
export async function rows<Row = Record<string, Value>>(
  db: Db,
  sql: string,
  values: Record<string, Value> = {},
): Promise<Row[]> {
  return await statement<string, Row>(sql)(db).all(values)
}

export async function change(
  tx: Db,
  sql: string,
  values: Record<string, Value> = {},
): Promise<void> {
  await statement<string>(sql)(tx).run(values)
}

/** One row of the columns it has; what it has not is as the table says. */
export async function insert(tx: Db, table: string, row: Record<string, Value>): Promise<void> {
  const columns = Object.keys(row)
  const places = columns.map((name) => `:${name}`)
  await change(tx, `insert into ${table} (${columns.join()}) values (${places.join()})`, row)
}

/** Many rows of the same columns, in few statements: each is a way to a server and back. */
export async function insertAll(
  tx: Db,
  table: string,
  all: readonly Record<string, Value>[],
): Promise<void> {
  const columns = Object.keys(all[0] ?? {})
  const made = new Map<number, (db: Db) => Statement<string, unknown>>()
  const ofSome = (count: number) => {
    const places = Array.from(
      { length: count },
      (_, at) => `(${columns.map((name) => `:${name}_${at}`).join()})`,
    )
    const sql = `insert into ${table} (${columns.join()}) values ${places.join()}`
    const known = made.get(count) ?? statement<string>(sql)
    made.set(count, known)
    return known
  }
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const some = all.slice(from, from + AT_ONCE)
    const values = some.flatMap((row, at) =>
      columns.map((name): [string, Value] => [`${name}_${at}`, row[name] ?? null]),
    )
    await ofSome(some.length)(tx).run(Object.fromEntries(values))
  }
}

const AT_ONCE = 200

/**
 * Every row of every table: the same rows, the same data. Which process does what for the next few
 * seconds is none, nor are faces, which say again what the rows say.
 */
export async function everyRow(db: Db): Promise<Record<string, Record<string, Value>[]>> {
  const kept = tableNames.filter((name) => name !== 'leases' && !name.endsWith('_faces'))
  const all = kept.map(async (name) => {
    const found = await rows(db, `select * from ${name}`)
    // A server gives them in the order in which they were last changed.
    const inOrder = found
      .map((row) => ({ row, key: JSON.stringify(row) }))
      .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    return [name, inOrder.map(({ row }) => row)] as const
  })
  return Object.fromEntries(await Promise.all(all))
}

/** Does the work while that cannot be done to rows: `insert on members`, of some or of all. */
export async function whileStopped<T>(
  { db, transact }: Pick<Storage, 'db' | 'transact'>,
  what: string,
  when: string,
  work: () => Promise<T>,
): Promise<T> {
  const trigger = `create trigger stop before ${what}`
  const [begin, end] =
    db.driver.dialect === sqliteDialect
      ? [
          [`${trigger} when ${when} begin select raise(abort, '${STOPPED}'); end`],
          'drop trigger stop',
        ]
      : [
          [
            `create function stop() returns trigger language plpgsql
             as $$ begin raise exception '${STOPPED}'; end $$`,
            `${trigger} for each row when (${when}) execute function stop()`,
          ],
          'drop function stop() cascade',
        ]
  await transact('new', async (tx) => {
    for (const sql of begin) await change(tx, sql)
  })
  return work().finally(() => transact('new', (tx) => change(tx, end)))
}

export const STOPPED = 'stopped by the test'

/** Another value than before: something was written since. The same value, the same rows. */
export async function versionOf(db: Db): Promise<string> {
  if (db.driver.dialect === sqliteDialect)
    return JSON.stringify(await rows(db, 'PRAGMA data_version'))
  const tables = await rows<{ name: string }>(
    db,
    `select relname as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'r' order by 1`,
  )
  const states = tables.map(({ name }) =>
    name === 'tokens'
      ? // That one was used is noted whenever there is time.
        `select string_agg((to_jsonb(t) - 'last_used')::text, ',' order by id) as state from tokens t`
      : `select count(*)::text || ' ' || coalesce(sum(xmin::text::int8), 0)::text as state from ${name}`,
  )
  return JSON.stringify(await rows(db, states.join(' union all ')))
}

/** How many rows each of the tables has. */
export async function countRows(db: Db, tables: readonly string[]): Promise<Record<string, Value>> {
  const { count } = db.driver.dialect
  const columns = tables.map((name) => `(select ${count()} from "${name}") as "${name}"`)
  return (await rows(db, `select ${columns.join()}`))[0] ?? {}
}
