import { Database } from 'bun:sqlite'
import type { Finding } from '../finding'
import { migrations } from '../migrations'

/** Checks of a file that do not depend on the meaning of its rows. */

/** Lists damage that makes a file unusable: corruption and foreign key violations. */
export function checkHealth(database: Database): string[] {
  return [...findIntegrityErrors(database), ...findForeignKeyViolations(database)].map(
    ({ problem }) => problem,
  )
}

/** Lists integrity errors and missing tables. */
export function findCorruption(database: Database, expected: readonly SchemaEntry[]): Finding[] {
  return [...findIntegrityErrors(database), ...findMissingTables(database, expected)]
}

function findIntegrityErrors(database: Database): Finding[] {
  return integrityOf(database)
    .filter((problem) => problem !== 'ok')
    .map((problem) => ({
      check: 'integrity',
      problem,
      // An index can be rebuilt; lost rows need a backup.
      ...(/index/i.test(problem) && { fix: () => reindex(database) }),
    }))
}

export function reindex(database: Database): void {
  database.run('REINDEX')
}

function integrityOf(database: Database): string[] {
  try {
    return database
      .query<{ integrity_check: string }, []>('PRAGMA integrity_check(20)')
      .all()
      .map((row) => row.integrity_check)
  } catch (cause) {
    return [(cause as Error).message]
  }
}

function findMissingTables(database: Database, expected: readonly SchemaEntry[]): Finding[] {
  return findMissing(database, 'table', expected).map(({ name }) => ({
    check: 'tables',
    problem: `the table ${name} is missing`,
  }))
}

export function findMissingIndexes(
  database: Database,
  expected: readonly SchemaEntry[],
): Finding[] {
  return (['index', 'trigger'] as const).flatMap((type) =>
    findMissing(database, type, expected).map(({ name, sql }) => ({
      check: type === 'index' ? 'indexes' : 'triggers',
      problem: `the ${type} ${name} is missing`,
      fix: () => void database.run(sql),
    })),
  )
}

/** Lists what the schema of the migrations has and the file lacks. */
function findMissing(
  database: Database,
  type: SchemaEntry['type'],
  expected: readonly SchemaEntry[],
): SchemaEntry[] {
  const names = new Set(schemaOf(database).map(({ name }) => name))
  return expected.filter((entry) => entry.type === type && !names.has(entry.name))
}

export interface SchemaEntry {
  type: 'table' | 'index' | 'trigger'
  name: string
  sql: string
}

/** Runs all migrations in memory and returns the schema, which takes longer than other checks. */
export function migratedSchema(): SchemaEntry[] {
  const database = new Database(':memory:')
  for (const { sql } of migrations)
    for (const statement of sql.split('--> statement-breakpoint')) database.run(statement)
  const schema = schemaOf(database)
  database.close()
  return schema
}

function schemaOf(database: Database): SchemaEntry[] {
  return database
    .query<SchemaEntry, []>('SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL')
    .all()
}

export function findForeignKeyViolations(database: Database): Finding[] {
  return database
    .query<{ table: string; rowid: number; parent: string; fkid: number }, []>(
      'PRAGMA foreign_key_check',
    )
    .all()
    .map(({ table, rowid, parent, fkid }) => ({
      check: 'references',
      problem: `row ${rowid} of ${table} names a missing row of ${parent}`,
      fix: () => applyOnDelete(database, table, rowid, fkid),
    }))
}

/** Applies the `on delete` action of a foreign key whose row is missing. */
function applyOnDelete(database: Database, table: string, rowid: number, key: number): void {
  const reference = database
    .query<{ from: string; on_delete: string }, [string, number]>(
      'SELECT "from", on_delete FROM pragma_foreign_key_list(?) WHERE id = ?',
    )
    .get(table, key)
  const change =
    reference?.on_delete === 'SET NULL'
      ? `UPDATE "${table}" SET "${reference.from}" = NULL`
      : `DELETE FROM "${table}"`
  database.query(`${change} WHERE rowid = ?`).run(rowid)
}
