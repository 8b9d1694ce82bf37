import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { migrations } from '../../src/db/migrations'
import { makeOlder } from '../db/olderDatabase'
import { emptyFolder } from '../tools/serverProcess'

/** Databases of other versions, and the errors of commands that reject them. */
export const otherVersions: [age: string, make: (path: string) => void, complaint: RegExp][] = [
  [
    'older',
    (path) => makeOlder(path, migrations.length - 1).close(),
    /was made by an older Multitude; run "multitude migrate" first\.\n$/,
  ],
  [
    'newer',
    (path) => {
      const database = makeOlder(path, migrations.length)
      database.run("INSERT INTO migrations VALUES ('9999_later', '')")
      database.close()
    },
    /was made by a newer Multitude \(9999_later\); update this program\.\n$/,
  ],
]

/** Creates a folder with an empty file in place of the database. */
export function createEmpty() {
  const cwd = emptyFolder()
  const path = join(cwd, 'data', 'multitude.db')
  mkdirSync(dirname(path))
  writeFileSync(path, '')
  return { cwd, path }
}
