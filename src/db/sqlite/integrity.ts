import { Database } from 'bun:sqlite'
import type { Finding } from '../consistencyChecks'
import { migrations } from '../migrations'

/** What can be wrong with a file, beside what is in its rows. */

/** Damage that no program may work on: a broken file, or broken references. */
export function checkHealth(database: Database): string[] {
  return [...findIntegrityErrors(database), ...findForeignKeyViolations(database)].map(
    ({ problem }) => problem,
  )
}

/** What keeps it from being read, and what is not as it was made. */
export function findCorruption(database: Database): Finding[] {
  return [...findIntegrityErrors(database), ...findMissingTables(database)]
}

function findIntegrityErrors(database: Database): Finding[] {
  return integrityOf(database)
    .filter((problem) => problem !== 'ok')
    .map((problem) => ({
      check: 'integrity',
      problem,
      // Only what is derived can be made again; lost rows need a backup.
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

function findMissingTables(database: Database): Finding[] {
  return missing(database, 'table').map(({ name }) => ({
    check: 'tables',
    problem: `the table ${name} is missing`,
  }))
}

export function findMissingIndexes(database: Database): Finding[] {
  return (['index', 'trigger'] as const).flatMap((type) =>
    missing(database, type).map(({ name, sql }) => ({
      check: type === 'index' ? 'indexes' : 'triggers',
      problem: `the ${type} ${name} is missing`,
      fix: () => void database.run(sql),
    })),
  )
}

/** What the migrations make, against what is there. */
function missing(
  database: Database,
  type: 'table' | 'index' | 'trigger',
): { name: string; sql: string }[] {
  const list = 'SELECT name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL'
  const model = new Database(':memory:')
  for (const { sql } of migrations)
    for (const statement of sql.split('--> statement-breakpoint')) model.run(statement)
  const expected = model.query<{ name: string; sql: string }, [string]>(list).all(type)
  model.close()
  const there = database.query<{ name: string }, [string]>(list).all(type)
  const names = new Set(there.map(({ name }) => name))
  return expected.filter(({ name }) => !names.has(name))
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
      fix: () => release(database, table, rowid, fkid),
    }))
}

/** Does what would have been done when the row it names went. */
function release(database: Database, table: string, rowid: number, key: number): void {
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
