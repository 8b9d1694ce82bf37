import { Database } from 'bun:sqlite'
import { migrations } from '../../src/db/migrations'

/** Creates a database of an older release, with the first `has` migrations. */
export function makeOlder(path: string, has: number): Database {
  const database = new Database(path)
  database.run('PRAGMA application_id = 0x4d554c54')
  database.run('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied TEXT NOT NULL)')
  for (const migration of migrations.slice(0, has)) {
    for (const part of migration.sql.split('--> statement-breakpoint')) database.run(part)
    database.query('INSERT INTO migrations VALUES (?, ?)').run(migration.name, 'before')
  }
  return database
}
