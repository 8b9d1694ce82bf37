import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDeps } from '../app'
import type { Config } from '../config'
import { statOf } from '../db/leftovers'
import type { Upgrade } from '../db/migrate'
import { openStorage, pathOf } from '../db/open'
import { type CommandFlags, Failure, type Making } from './command'

/** A flag of those that are there to upgrade; others take the careful way. */
export const noBackup: CommandFlags = {
  'no-backup': { type: 'boolean', doc: 'Keep no copy of a database that is upgraded' },
}

/** Opens the database of the settings. Where there is none, one is made only if that may be. */
export function openDatabase(config: Config, making: Making, closedFiles: readonly string[]) {
  const path = pathOf(config.DATABASE_URL)
  const isNew = !hasDatabase(config)
  if (isNew && making === false) throw new Failure(explainMissing(path, closedFiles))
  if (isNew && making === 'passing') return openPassing(config)
  const opened = openDeps(config)
  if (isNew) process.stderr.write(`multitude: a new database was made: ${path}\n`)
  const { upgrade } = opened.storage
  if (upgrade) process.stderr.write(`multitude: ${describeUpgrade(path, upgrade)}\n`)
  return opened
}

/** Without a copy of how it was. Whoever opens it next finds nothing to do. */
export function upgradeUncopied(config: Config): Upgrade | null {
  if (!hasDatabase(config)) return null
  const { DATABASE_URL, DURABILITY } = config
  const { upgrade, close } = openStorage(DATABASE_URL, DURABILITY, undefined, undefined, false)
  close()
  return upgrade
}

/** What was done, and how to go back. */
export function describeUpgrade(path: string, { from, copy }: Upgrade): string {
  const done = `the database ${path} was upgraded from ${from}`
  if (copy === null) return `${done}, and no copy was kept.`
  return `${done}. To go back, stop the server, put the old program in place, and with it "multitude restore ${copy}"; else delete that copy when all is well.`
}

/** For trying something out: an empty database elsewhere, which is gone once it is closed. */
function openPassing(config: Config): ReturnType<typeof openDeps> {
  const folder = mkdtempSync(join(tmpdir(), 'multitude-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const { storage, deps } = openDeps({
      ...config,
      DATABASE_URL: `file:${join(folder, 'dry-run')}`,
    })
    const close = () => {
      storage.close()
      remove()
    }
    return { storage: { ...storage, close }, deps }
  } catch (cause) {
    remove()
    throw cause
  }
}

export function hasDatabase({ DATABASE_URL }: Config): boolean {
  try {
    return statOf(pathOf(DATABASE_URL)) !== undefined
  } catch (cause) {
    // Where a folder would have to be, there is a file.
    if ((cause as NodeJS.ErrnoException).code === 'ENOTDIR') return false
    throw cause
  }
}

function explainMissing(path: string, closedFiles: readonly string[]): string {
  const unread =
    closedFiles.length > 0 ? ` (and ${closedFiles.join(' and ')} cannot be read by this user)` : ''
  return `There is no database ${path}${unread}: --database names another, "multitude migrate" makes one.`
}
