import { type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { incrementCounter } from '../changeCounters'
import { lockExclusively } from '../locks'
import { columnNames, type Placeholders, query } from '../query'
import type { Storage } from '../storage'
import * as everyTable from '../tables'
import { type Db, StorageError, type Value } from '../types'

/**
 * Copies all rows of one database into another that is empty, between any two engines.
 * SQL text, because the values of all tables are copied and compared as they are stored.
 */

interface Table {
  readonly table: SQLiteTable
  readonly name: string
  readonly columns: SQLiteColumn[]
  /** Primary key, which is also the order of reading. */
  readonly key: SQLiteColumn[]
  /** True if its IDs come from a sequence and are never reused. */
  readonly isNumbered: boolean
}

export type Progress = (done: number, total: number) => void

/** Rows in memory at a time: there may be millions. */
const PAGE = 500
/** The same for pictures, each of which may have 700,000 characters. */
const PICTURE_PAGE = 10

/**
 * Copies one snapshot of the source in one transaction of the target, which is committed only if
 * the rows are equal when they are read again. Returns the number of rows.
 */
export function copyDatabase(
  from: Pick<Storage, 'snapshot'>,
  to: Pick<Storage, 'transact' | 'location'>,
  onProgress: Progress = () => {},
): Promise<number> {
  const tables = tablesInOrder()
  return from.snapshot((source) =>
    to.transact(
      'new',
      async (target) => {
        await lockExclusively(target)
        await rejectFilled(target, to.location, tables)
        const rows = await countRows(source, tables)
        let done = 0
        const advance = (count: number) => {
          done += count
          // Every row is read twice: to be copied, and to be compared.
          onProgress(done, rows * 2)
        }
        for (const table of tables) await copyRows(source, target, table, advance)
        for (const table of tables) await compareRows(source, target, table, advance)
        for (const { table, isNumbered } of tables)
          if (isNumbered) await advanceSequence(source, target, table)
        // A node that already serves the target must drop its caches.
        for (const counter of ['credentials', 'webhooks'] as const)
          await incrementCounter(target, counter)
        return rows
      },
      'long',
    ),
  )
}

/** Throws unless all tables of the database are empty. */
export async function requireEmpty(db: Db, name: string): Promise<void> {
  await rejectFilled(db, name, tablesInOrder())
}

/**
 * Lists all tables with data, referenced tables first. Leaves out the state of running processes, and
 * counts, which the triggers of the target fill.
 */
function tablesInOrder(): Table[] {
  const { changeCounters, leases, taskRuns, pollVoteCounts, ...others } = everyTable
  const { discordCommands, discordSessions, discordStatus, ...copied } = others
  const inOrder: SQLiteTable[] = []
  const add = (table: SQLiteTable) => {
    if (inOrder.includes(table)) return
    for (const key of getTableConfig(table).foreignKeys) add(key.reference().foreignTable)
    inOrder.push(table)
  }
  for (const table of Object.values(copied)) add(table)
  return inOrder.map(describe)
}

function describe(table: SQLiteTable): Table {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const [composite] = primaryKeys
  return {
    table,
    name,
    columns,
    key: composite ? composite.columns : columns.filter(({ primary }) => primary),
    isNumbered: columns.some((column) => 'autoIncrement' in column && column.autoIncrement),
  }
}

async function rejectFilled(db: Db, name: string, tables: readonly Table[]): Promise<void> {
  const filled: string[] = []
  for (const { table, name } of tables)
    if (await query(() => sql`select 1 as one from ${table} limit 1`)(db).get({})) filled.push(name)
  if (filled.length > 0)
    throw new StorageError(
      `The database ${name} is not empty (it has ${filled.slice(0, 3).join(', ')}): the target must be empty.`,
    )
}

async function countRows(source: Db, tables: readonly Table[]): Promise<number> {
  let total = 0
  for (const { table } of tables) total += (await count(table)(source).get({}))?.count ?? 0
  return total
}

const count = (table: SQLiteTable) =>
  query(
    (_, __, dialect) => sql<{ count: number }>`select ${dialect.count()} as count from ${table}`,
  )

type Row = Readonly<Record<string, Value>>

async function copyRows(
  source: Db,
  target: Db,
  described: Table,
  advance: (count: number) => void,
): Promise<void> {
  const { table, columns } = described
  const names = columns.map(({ name }) => name)
  const insert = query(
    (_, { rows }: Placeholders<'rows'>, { rowsIn }) =>
      sql`insert into ${table} (${columnNames(...columns)}) ${rowsIn(rows, table, names)}`,
  )(target)
  for await (const page of pagesOf(source, described)) {
    await insert.run({ rows: JSON.stringify(page) })
    advance(page.length)
  }
}

async function compareRows(
  source: Db,
  target: Db,
  table: Table,
  advance: (count: number) => void,
): Promise<void> {
  const copied = pagesOf(target, table)
  for await (const page of pagesOf(source, table)) {
    const { value = [] } = await copied.next()
    if (JSON.stringify(value) !== JSON.stringify(page)) throw differing(table)
    advance(page.length)
  }
  if (!(await copied.next()).done) throw differing(table)
}

function differing({ name }: Table): StorageError {
  return new StorageError(`The copy of ${name} differs from its source: nothing was copied.`)
}

async function* pagesOf(db: Db, { table, columns, key }: Table): AsyncGenerator<Row[], void> {
  const names = columnNames(...key)
  const pageSize = table === everyTable.pictures ? PICTURE_PAGE : PAGE
  const createQuery = (where: (last: Placeholders<string>) => SQL) =>
    query(
      (_, last: Placeholders<string>) =>
        sql<Row>`select ${columnNames(...columns)} from ${table} ${where(last)}
          order by ${names} limit ${pageSize}`,
    )(db)
  let page = await createQuery(() => sql``).all({})
  const next = createQuery((last) => {
    const values = key.map(({ name }) => last[name])
    return sql`where (${names}) > (${sql.join(values, sql`, `)})`
  })
  for (;;) {
    const last = page.at(-1)
    if (!last) return
    yield page
    if (page.length < pageSize) return
    page = await next.all(last)
  }
}

/** Continues the sequence of the source, so that IDs of deleted rows are not reused either. */
async function advanceSequence(source: Db, target: Db, table: SQLiteTable): Promise<void> {
  const number = (await lastSequence(table)(source).get({}))?.number ?? 0
  for (const advance of target.driver.dialect.advanceSequence(table, sql`${number}`))
    await query(() => advance)(target).run({})
}

/** Selects the highest ID that was assigned to a row of the table. */
export const lastSequence = (table: SQLiteTable) =>
  query(
    (_, __, dialect) => sql<{ number: number }>`select ${dialect.lastSequence(table)} as number`,
  )
