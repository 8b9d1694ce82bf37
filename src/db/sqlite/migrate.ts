import { Database } from 'bun:sqlite'
import { getTableName } from 'drizzle-orm'
import { sqliteDialect } from '../dialect'
import { leaseHoldersSql } from '../leaseSql'
import { type Migration, migrations } from '../migrations'
import { requireNoOtherProcess, requireUsableSchema, type SchemaUse } from '../schema'
import type { Upgrade } from '../storage'
import { leases } from '../tables'
import { StorageError } from '../types'
import { reasonOf } from './errors'
import { preUpgradeName, statOf } from './tempFiles'
import { copyConsistent } from './vacuumCopy'

/** SQLite application ID ("MULT"), so that the database of another program is never migrated. */
const APPLICATION_ID = 0x4d554c54

/** Throws unless the schema of the file allows this use. Only reads. */
export function requireUsableFile(reader: Database, path: string, use: SchemaUse): void {
  const tables = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name <> 'migrations'"
  const hasTables = reader.query(tables).get() !== null
  requireUsableSchema(path, { applied: appliedTo(reader), hasTables }, migrations, use)
}

/**
 * Runs the pending migrations in one transaction, so that the older release can still use the file
 * after an interruption. Returns the upgrade; null for a new or current database.
 */
export function migrate(writer: Database, copiesBeforeUpgrade: boolean): Upgrade | null {
  if (!isSigned(writer)) sign(writer)
  // A current database needs no write lock, which another process may hold for long.
  if (pendingMigrations(writer).length === 0) return null
  // Rebuilding a table must not cascade; `apply` checks the foreign keys.
  writer.run('PRAGMA foreign_keys = OFF')
  const work = writer.transaction((): Upgrade | null => {
    const [last] = [...appliedTo(writer)].toSorted().slice(-1)
    // Another process may have migrated while this one waited for the lock.
    const names = new Set(pendingMigrations(writer))
    if (names.size === 0) return null
    const pending = migrations.filter(({ name }) => names.has(name))
    requireNoOtherProcess(writer.filename, pending, leaseHolders(writer))
    // The transaction prevents writes between the copy and the upgrade.
    const copy = last !== undefined && copiesBeforeUpgrade ? keepCopy(writer.filename) : null
    for (const migration of pending) apply(writer, migration)
    return last === undefined ? null : { from: last, copy }
  })
  return work.immediate()
}

export function pendingMigrations(reader: Database): string[] {
  const done = appliedTo(reader)
  return migrations.map(({ name }) => name).filter((name) => !done.has(name))
}

/** Lists the migrations that only a newer release knows. */
export function unknownMigrations(reader: Database): string[] {
  const names = new Set(migrations.map(({ name }) => name))
  return [...appliedTo(reader)].filter((name) => !names.has(name))
}

/** Returns whether the file has our application ID. */
export function isOurs(reader: Database): boolean {
  const id = reader.query<{ application_id: number }, []>('PRAGMA application_id').get()
  return id?.application_id === APPLICATION_ID
}

function apply(writer: Database, { name, sql }: Migration): void {
  for (const statement of sql.split('--> statement-breakpoint')) writer.run(statement)
  const dangling = writer.query('PRAGMA foreign_key_check').all()
  if (dangling.length > 0) throw new StorageError(`Migration ${name} would break references.`)
  writer.query('INSERT INTO migrations VALUES (?, ?)').run(name, new Date().toISOString())
}

/** Copies with a second connection, because `VACUUM INTO` cannot run in a transaction. */
function keepCopy(path: string): string {
  const copy = preUpgradeName(path, new Date())
  const source = new Database(path, { readonly: true })
  try {
    copyConsistent(source, copy, statOf(path))
    return copy
  } catch (cause) {
    throw new StorageError(
      `The database ${path} cannot be copied before its upgrade: ${reasonOf(copy, cause)}. "multitude migrate --no-backup" upgrades without a copy.`,
    )
  } finally {
    source.close()
  }
}

/** Throws if the file is a database of another program. Only reads. */
export function rejectForeign(reader: Database, path: string): void {
  // Read in this order, because a new database gets its application ID before its first table.
  const tables = reader.query('SELECT 1 FROM sqlite_master LIMIT 1').all()
  if (tables.length > 0 && !isOurs(reader))
    throw new StorageError(`The file ${path} is a database of another program, not Multitude’s.`)
}

function isSigned(reader: Database): boolean {
  return hasTable(reader, 'migrations')
}

/** Lists the holders of unexpired leases; none in a database from before leases. */
function leaseHolders(reader: Database): string[] {
  if (!hasTable(reader, getTableName(leases))) return []
  const rows = reader.query<{ holder: string }, []>(leaseHoldersSql(sqliteDialect)).all()
  return rows.map(({ holder }) => holder)
}

export function hasTable(reader: Database, name: string): boolean {
  return reader.query('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== null
}

function sign(writer: Database): void {
  writer.run(`PRAGMA application_id = ${APPLICATION_ID}`)
  writer.run('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied TEXT NOT NULL)')
}

function appliedTo(database: Database): Set<string> {
  if (!isSigned(database)) return new Set()
  const rows = database.query<{ name: string }, []>('SELECT name FROM migrations').all()
  return new Set(rows.map(({ name }) => name))
}
