import { postgresDialect } from '../dialect'
import { leaseHoldersSql } from '../leaseSql'
import { type Migration, serverMigrations } from '../migrations'
import {
  type FoundSchema,
  requireNoOtherProcess,
  requireUsableSchema,
  type SchemaUse,
} from '../schema'
import type { Upgrade } from '../storage'
import { StorageError } from '../types'
import type { Address } from './address'
import type { Pool } from './connections'
import { explain, unusable } from './errors'

/** Advisory lock of migrations ("MULT"), so that several nodes may start at once. */
const LOCK = 0x4d554c54
const OURS = 'Multitude'

/** Checks or migrates the schema, depending on `use`, and closes the connection. */
export async function prepareSchema(
  sql: Pool,
  { name }: Address,
  use: SchemaUse,
): Promise<Upgrade | null> {
  try {
    if (use === 'require') {
      await findSchema(sql, name, use)
      return null
    }
    return await migrate(sql, name, use)
  } catch (cause) {
    const explained = explain(cause)
    if (explained instanceof StorageError) throw explained
    throw unusable(name, (explained as Error).message)
  } finally {
    sql.close()
  }
}

/** Runs the pending migrations in one transaction. */
async function migrate(sql: Pool, name: string, use: SchemaUse): Promise<Upgrade | null> {
  await sql.unsafe('begin').simple()
  await sql.unsafe(`select pg_advisory_xact_lock(${LOCK})`).simple()
  const { applied, isSigned } = await findSchema(sql, name, use)
  if (!isSigned) await sign(sql)
  const pending = serverMigrations.filter((migration) => !applied.has(migration.name))
  if (applied.size > 0 && pending.length > 0)
    requireNoOtherProcess(name, pending, await leaseHolders(sql))
  for (const migration of pending) await apply(sql, migration)
  await sql.unsafe('commit').simple()
  const from = [...applied].sort().at(-1)
  return from === undefined || pending.length === 0 ? null : { from, copy: null }
}

/** Reads the schema, and throws unless it allows this use. */
async function findSchema(
  sql: Pool,
  name: string,
  use: SchemaUse,
): Promise<FoundSchema & { isSigned: boolean }> {
  const tables = await tablesIn(sql)
  const isSigned = tables.some(isOurs)
  if (!isSigned && tables.length > 0)
    throw new StorageError(`${name} is a database of another program, not Multitude’s.`)
  const applied = isSigned ? await namesIn(sql) : new Set<string>()
  const schema = { applied, isSigned, hasTables: tables.length > 1 }
  requireUsableSchema(name, schema, serverMigrations, use)
  return schema
}

interface TableComment {
  table: string
  comment: string | null
}

function isOurs({ table, comment }: TableComment): boolean {
  return table === 'migrations' && comment === OURS
}

async function tablesIn(sql: Pool): Promise<TableComment[]> {
  return await sql.unsafe(`
    select c.relname as table, obj_description(c.oid, 'pg_class') as comment from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v')`)
}

async function namesIn(sql: Pool): Promise<Set<string>> {
  const rows: { name: string }[] = await sql.unsafe('select name from migrations')
  return new Set(rows.map((row) => row.name))
}

async function sign(sql: Pool): Promise<void> {
  await sql.unsafe(
    'create table migrations (name text collate "C" primary key, applied text collate "C" not null)',
  )
  await sql.unsafe(`comment on table migrations is '${OURS}'`)
}

async function leaseHolders(sql: Pool): Promise<string[]> {
  const rows: { holder: string }[] = await sql.unsafe(leaseHoldersSql(postgresDialect))
  return rows.map(({ holder }) => holder)
}

async function apply(sql: Pool, { name, sql: text }: Migration): Promise<void> {
  await sql.unsafe(text).simple()
  await sql.unsafe('insert into migrations values ($1, $2)', [name, new Date().toISOString()])
}
