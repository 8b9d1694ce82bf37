import { Database } from 'bun:sqlite'
import { join } from 'node:path'

/** Changes rows of the database in the folder, like another program. */
export function changeDatabase(cwd: string, sql: string): void {
  const database = new Database(join(cwd, 'data/multitude.db'))
  database.run('pragma busy_timeout = 5000')
  database.run(sql)
  database.close()
}
