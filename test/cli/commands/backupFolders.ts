import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportReport } from '../../../src/service/transfer/import/importRun'
import { fixture } from '../../formats/fixture'
import { withRawDatabase } from '../../service/transfer/importFixture'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { runJson } from '../../tools/runInProcess'
import { emptyFolder } from '../../tools/serverProcess'

/** Folder with a database and a backup; the name of the system was changed after the backup. */
const home = folderWithDatabase()
writeFileSync(join(home, 'system.json'), fixture('pluralkit.json'))
await runJson<ImportReport>(['import', 'system.json', '--new', '--no-accounts'], { cwd: home })
await runJson(['backup', 'good.db'], { cwd: home })
withRawDatabase(join(home, 'data/multitude.db'), (database) =>
  database.run("UPDATE systems SET name = 'After the backup'"),
)

// The folder is deleted after the tests of the file that loads this one first.
const database = readFileSync(join(home, 'data/multitude.db'))
const backup = readFileSync(join(home, 'good.db'))

/** Creates a folder with the database and the backup. */
export function copyWithBackup() {
  const cwd = emptyFolder()
  const path = join(cwd, 'data.db')
  writeFileSync(path, database, { mode: 0o600 })
  writeFileSync(join(cwd, 'good.db'), backup, { mode: 0o600 })
  return { cwd, path, env: { DATABASE_URL: `file:${path}` } }
}
