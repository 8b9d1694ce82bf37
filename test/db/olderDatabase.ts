import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { migrations } from '../../src/db/migrations'

/** Contents of the databases by number of migrations, because copying is faster than migrating. */
const contents = new Map<number, Buffer>()

/** Creates a database of an older release, with the first `has` migrations. */
export function makeOlder(path: string, has: number): Database {
  const known = contents.get(has) ?? createContents(has)
  contents.set(has, known)
  writeFileSync(path, known)
  return new Database(path)
}

function createContents(has: number): Buffer {
  const database = new Database(':memory:')
  database.run('PRAGMA application_id = 0x4d554c54')
  database.run('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied TEXT NOT NULL)')
  for (const migration of migrations.slice(0, has)) {
    for (const part of migration.sql.split('--> statement-breakpoint')) database.run(part)
    database.query('INSERT INTO migrations VALUES (?, ?)').run(migration.name, 'before')
  }
  return database.serialize()
}
