import { Database } from 'bun:sqlite'
import { migrations } from '../../src/db/migrations'

/** A database as an older program left it, with so many of the migrations. */
export function makeOlder(path: string, has: number): Database {
  const other = new Database(path)
  other.run('PRAGMA application_id = 0x4d554c54')
  other.run('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied TEXT NOT NULL)')
  for (const migration of migrations.slice(0, has)) {
    for (const part of migration.sql.split('--> statement-breakpoint')) other.run(part)
    other.query('INSERT INTO migrations VALUES (?, ?)').run(migration.name, 'before')
  }
  return other
}
