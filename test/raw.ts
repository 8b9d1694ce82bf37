import { ofFile } from '../src/db/dialect'
import type { Db, Value } from '../src/db/handle'
import { statement } from '../src/db/statement'

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

/** Another value than before: something was written since. The same value, the same rows. */
export async function versionOf(db: Db): Promise<string> {
  if (db.driver.dialect === ofFile) return JSON.stringify(await rows(db, 'PRAGMA data_version'))
  const tables = await rows<{ name: string }>(
    db,
    `select relname as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'r' order by 1`,
  )
  const states = tables.map(
    ({ name }) =>
      `select count(*)::text || ' ' || coalesce(max(xmin::text), '') as state from ${name}`,
  )
  return JSON.stringify(await rows(db, states.join(' union all ')))
}

/** How many rows each of the tables has. */
export async function countRows(db: Db, tables: readonly string[]): Promise<Record<string, Value>> {
  const { count } = db.driver.dialect
  const columns = tables.map((name) => `(select ${count()} from "${name}") as "${name}"`)
  return (await rows(db, `select ${columns.join()}`))[0] ?? {}
}
