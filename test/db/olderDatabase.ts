import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { migrations } from '../../src/db/migrations'

/** Contents of the databases by number of migrations, because copying is faster than migrating. */
const contents = new Map<number, Buffer>()

/** Creates a database of an older release, with the first `has` migrations. */
export function makeOlder(path: string, has: number): Database {
  if (contents.size === 0) fillContents()
  writeFileSync(path, contents.get(has) ?? Buffer.alloc(0))
  return new Database(path)
}

function fillContents(): void {
  const database = new Database(':memory:')
  database.run('PRAGMA application_id = 0x4d554c54')
  database.run('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied TEXT NOT NULL)')
  contents.set(0, database.serialize())
  for (const [at, migration] of migrations.entries()) {
    for (const part of migration.sql.split('--> statement-breakpoint')) database.run(part)
    database.query('INSERT INTO migrations VALUES (?, ?)').run(migration.name, 'before')
    contents.set(at + 1, database.serialize())
  }
  database.close()
}
