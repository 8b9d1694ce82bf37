import { getTableName, isTable } from 'drizzle-orm'
import { sqliteDialect } from '../../src/db/dialect'
import type { Statement } from '../../src/db/query'
import type { Storage } from '../../src/db/storage'
import * as tables from '../../src/db/tables'
import type { Db, Value } from '../../src/db/types'
import { statement } from './rawStatement'

export const tableNames = Object.values(tables).filter(isTable).map(getTableName)

/** Reads rows as the engine stores them, without decoding. */
export async function rows<Row = Record<string, Value>>(
  db: Db,
  sql: string,
  values: Record<string, Value> = {},
): Promise<Row[]> {
  return await statement<string, Row>(sql)(db).all(values)
}

export async function execute(
  tx: Db,
  sql: string,
  values: Record<string, Value> = {},
): Promise<void> {
  await statement<string>(sql)(tx).run(values)
}

/** Inserts one row; columns that it does not have get the defaults of the table. */
export async function insert(tx: Db, table: string, row: Record<string, Value>): Promise<void> {
  const columns = Object.keys(row)
  const placeholders = columns.map((name) => `:${name}`)
  await execute(
    tx,
    `insert into ${table} (${quoted(columns)}) values (${placeholders.join()})`,
    row,
  )
}

/**
 * Inserts many rows with the same columns in few statements, because each is a round trip to a
 * server.
 */
export async function insertAll(
  tx: Db,
  table: string,
  all: readonly Record<string, Value>[],
): Promise<void> {
  const columns = Object.keys(all[0] ?? {})
  const statements = new Map<number, (db: Db) => Statement<string, unknown>>()
  const statementFor = (count: number) => {
    const placeholders = Array.from(
      { length: count },
      (_, at) => `(${columns.map((name) => `:${name}_${at}`).join()})`,
    )
    const sql = `insert into ${table} (${quoted(columns)}) values ${placeholders.join()}`
    const insertRows = statements.get(count) ?? statement<string>(sql)
    statements.set(count, insertRows)
    return insertRows
  }
  for (let from = 0; from < all.length; from += BATCH_SIZE) {
    const batch = all.slice(from, from + BATCH_SIZE)
    const values = batch.flatMap((row, at) =>
      columns.map((name): [string, Value] => [`${name}_${at}`, row[name] ?? null]),
    )
    await statementFor(batch.length)(tx).run(Object.fromEntries(values))
  }
}

const BATCH_SIZE = 200

/** Joins the names of columns, some of which are words of SQL. */
function quoted(columns: readonly string[]): string {
  return columns.map((name) => `"${name}"`).join()
}

/**
 * Reads all rows of all tables, to compare databases. Leaves out leases, which change every few
 * seconds, and rendered JSON, which is derived from the rows.
 */
export async function readAllRows(db: Db): Promise<Record<string, Record<string, Value>[]>> {
  const compared = tableNames.filter((name) => name !== 'leases' && !name.startsWith('rendered_'))
  const all = compared.map(async (name) => {
    const found = await rows(db, `select * from ${name}`)
    // PostgreSQL returns rows in the order of their last change.
    const sorted = found
      .map((row) => ({ row, key: JSON.stringify(row) }))
      .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    return [name, sorted.map(({ row }) => row)] as const
  })
  return Object.fromEntries(await Promise.all(all))
}

/**
 * Runs the work while a trigger makes an operation fail, such as `insert on members`, for rows that
 * match `when`.
 */
export async function withFailingTrigger<T>(
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
    for (const sql of begin) await execute(tx, sql)
  })
  return work().finally(() => transact('new', (tx) => execute(tx, end)))
}

export const STOPPED = 'stopped by the test'

/**
 * Returns a value that changes whenever rows are written, except leases and rendered JSON, which are
 * written in the background.
 */
export async function versionOf(db: Db): Promise<string> {
  if (db.driver.dialect === sqliteDialect)
    return JSON.stringify(await rows(db, 'PRAGMA data_version'))
  const tables = await rows<{ name: string }>(
    db,
    `select relname as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'r'
       and relname <> 'leases' and relname not like 'rendered%' order by 1`,
  )
  const states = tables.map(({ name }) =>
    name === 'tokens'
      ? // The time of the last use is written in the background.
        `select string_agg((to_jsonb(t) - 'last_used')::text, ',' order by id) as state from tokens t`
      : `select count(*)::text || ' ' || coalesce(sum(xmin::text::int8), 0)::text as state from ${name}`,
  )
  return JSON.stringify(await rows(db, states.join(' union all ')))
}

/** Counts the rows of each of the tables. */
export async function countRows(db: Db, tables: readonly string[]): Promise<Record<string, Value>> {
  const count = db.driver.dialect === sqliteDialect ? 'count(*)' : 'count(*)::float8'
  const columns = tables.map((name) => `(select ${count} from "${name}") as "${name}"`)
  return (await rows(db, `select ${columns.join()}`))[0] ?? {}
}
