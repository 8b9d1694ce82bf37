import { Database } from 'bun:sqlite'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withRawDatabase } from '../../service/transfer/importFixture'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { runJson } from '../../tools/runInProcess'
import { emptyFolder } from '../../tools/serverProcess'

/** The system is named "Then" in the backup and "Now" in the write-ahead log of the database. */
const home = folderWithDatabase()
await runJson(['system', 'create', '--name', 'Then'], { cwd: home })
await runJson(['backup', 'then.db'], { cwd: home })
const source = join(home, 'data/multitude.db')
const writer = new Database(source)
writer.run('PRAGMA wal_autocheckpoint = 0')
writer.run("UPDATE systems SET name = 'Now'")
export const databaseFile = readFileSync(source)
export const databaseLog = readFileSync(`${source}-wal`)
const backup = readFileSync(join(home, 'then.db'))
writer.close()

/** Creates a folder as a killed server leaves it. */
export function copyOfKilled() {
  const cwd = emptyFolder()
  const path = join(cwd, 'data.db')
  writeFileSync(path, databaseFile, { mode: 0o600 })
  writeFileSync(`${path}-wal`, databaseLog)
  writeFileSync(join(cwd, 'then.db'), backup, { mode: 0o600 })
  return { cwd, path, env: { DATABASE_URL: `file:${path}` } }
}

export const leftoversIn = (folder: string) =>
  readdirSync(folder).filter((name) => /restoring|partial|-wal|-shm|-journal/.test(name))

/** Reads the name of the system in a copy of the folder, because opening a database changes files. */
export function nameIn({ cwd, path }: { cwd: string; path: string }): unknown {
  const copy = emptyFolder()
  cpSync(cwd, copy, { recursive: true })
  return withRawDatabase(
    join(copy, path.slice(cwd.length)),
    (database) => database.query<{ name: string }, []>('SELECT name FROM systems').get()?.name,
  )
}
