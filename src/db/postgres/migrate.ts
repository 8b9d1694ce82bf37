import { StorageError } from '../handle'
import { serverMigrations } from '../migrations'
import type { Upgrade } from '../storage'
import type { Address } from './address'
import type { Pool } from './connections'
import { explain, unusable } from './trouble'

/** Whoever migrates holds this ("MULT"), so any number of nodes may start at once. */
const LOCK = 0x4d554c54
const OURS = 'Multitude'

/** Brings the database to this program's tables, in one transaction, and ends the connection. */
export async function migrate(sql: Pool, { name }: Address): Promise<Upgrade | null> {
  try {
    await sql.unsafe('begin').simple()
    await sql.unsafe(`select pg_advisory_xact_lock(${LOCK})`).simple()
    const before = await appliedTo(sql, name)
    const known = new Set(serverMigrations.map((one) => one.name))
    const unknown = [...before].filter((one) => !known.has(one))
    if (unknown.length > 0)
      throw new StorageError(
        `The database ${name} was made by a newer Multitude (${unknown.join(', ')}); update this program.`,
      )
    const pending = serverMigrations.filter((one) => !before.has(one.name))
    for (const one of pending) await apply(sql, one)
    await sql.unsafe('commit').simple()
    const from = [...before].sort().at(-1)
    return from === undefined || pending.length === 0 ? null : { from, copy: null }
  } catch (cause) {
    const explained = explain(cause)
    if (explained instanceof StorageError) throw explained
    throw unusable(name, (explained as Error).message)
  } finally {
    sql.close()
  }
}

/** Refuses what this program would have to migrate first; changes nothing, and ends the connection. */
export async function refuseUnready(sql: Pool, { name }: Address): Promise<null> {
  try {
    const tables = await tablesIn(sql)
    if (!tables.some(isOurs))
      throw new StorageError(
        tables.length === 0
          ? `The database ${name} is empty: "multitude migrate" makes its tables.`
          : `${name} is a database of another program, not Multitude’s.`,
      )
    const done = await namesIn(sql)
    const known = new Set(serverMigrations.map((one) => one.name))
    if ([...done].some((one) => !known.has(one)))
      throw new StorageError(`${name} was made by a newer Multitude; update this program.`)
    if (serverMigrations.some((one) => !done.has(one.name)))
      throw new StorageError(
        `${name} was made by an older Multitude; run "multitude migrate" first.`,
      )
    return null
  } finally {
    sql.close()
  }
}

interface Found {
  table: string
  comment: string | null
}

function isOurs({ table, comment }: Found): boolean {
  return table === 'migrations' && comment === OURS
}

async function tablesIn(sql: Pool): Promise<Found[]> {
  return await sql.unsafe(`
    select c.relname as table, obj_description(c.oid, 'pg_class') as comment from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v')`)
}

async function namesIn(sql: Pool): Promise<Set<string>> {
  const rows: { name: string }[] = await sql.unsafe('select name from migrations')
  return new Set(rows.map((row) => row.name))
}

/** Names of the migrations that it has; makes the table of them where nothing is yet. */
async function appliedTo(sql: Pool, name: string): Promise<Set<string>> {
  const tables = await tablesIn(sql)
  if (tables.some(isOurs)) return namesIn(sql)
  if (tables.length > 0)
    throw new StorageError(`${name} is a database of another program, not Multitude’s.`)
  await sql.unsafe(
    'create table migrations (name text collate "C" primary key, applied text collate "C" not null)',
  )
  await sql.unsafe(`comment on table migrations is '${OURS}'`)
  return new Set()
}

async function apply(sql: Pool, { name, sql: text }: { name: string; sql: string }): Promise<void> {
  await sql.unsafe(text).simple()
  await sql.unsafe('insert into migrations values ($1, $2)', [name, new Date().toISOString()])
}
