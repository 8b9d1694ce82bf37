import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDeps, serverOptions } from '../app/app'
import { openStorage } from '../db/open'
import { isServerAddress, parseAddress } from '../db/postgres/address'
import { pathOf } from '../db/sqlite/storage'
import { statOf } from '../db/sqlite/tempFiles'
import type { Upgrade } from '../db/storage'
import type { StorageError } from '../db/types'
import type { Config } from '../runtime/config/config'
import { type CommandFlags, type DatabaseUse, Failure } from './command'

/** Flag of the commands that upgrade the database. */
export const noBackup: CommandFlags = {
  'no-backup': { type: 'boolean', doc: 'Do not keep a copy of the database when it is upgraded' },
}

/** Checks the address of a database without opening it. Returns the problem, or null. */
export function findAddressProblem(url: string): string | null {
  try {
    if (isServerAddress(url)) parseAddress(url)
    else pathOf(url)
    return null
  } catch (cause) {
    return (cause as StorageError).message
  }
}

export function openDatabase(config: Config, use: DatabaseUse, unreadableFiles: readonly string[]) {
  const isNew = !hasDatabase(config)
  if (isNew && use === 'require')
    throw new Failure(explainMissing(pathOf(config.DATABASE_URL), unreadableFiles))
  if (isNew && use === 'rehearse') return openTemporary(config)
  const opened = openDeps(config, { use: use === 'rehearse' ? 'require' : use })
  const { location } = opened.storage
  if (isNew) process.stderr.write(`multitude: created database ${location}\n`)
  opened.storage.ready.then(
    (upgrade) =>
      upgrade && process.stderr.write(`multitude: ${describeUpgrade(location, upgrade)}\n`),
    // The first query reports the failure.
    () => {},
  )
  return opened
}

/** Upgrades the database without a copy, so that opening it afterwards has nothing to upgrade. */
export async function upgradeUncopied(config: Config): Promise<Upgrade | null> {
  if (!hasDatabase(config)) return null
  const { DATABASE_URL, DURABILITY } = config
  const storage = openStorage(DATABASE_URL, {
    durability: DURABILITY,
    use: 'upgradeUncopied',
    server: serverOptions(config),
  })
  const upgrade = await storage.ready
  await storage.close()
  return upgrade
}

/** Address of an open database, as the command line accepts it. */
export function databaseUrlOf({ location }: { readonly location: string }): string {
  return location.includes('://') ? location : `file:${location}`
}

/** Describes an upgrade and how to roll it back. */
export function describeUpgrade(path: string, { from, copy }: Upgrade): string {
  const done = `database ${path} upgraded from ${from}`
  if (copy === null) return `${done}; no copy was kept.`
  return `${done}. To roll back, stop the server, install the old version and run "multitude restore ${copy}" with it. Otherwise delete the copy when you no longer need it.`
}

/** Opens an empty temporary database, which is deleted when it is closed. */
function openTemporary(config: Config): ReturnType<typeof openDeps> {
  const folder = mkdtempSync(join(tmpdir(), 'multitude-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const { storage, deps } = openDeps({
      ...config,
      DATABASE_URL: `file:${join(folder, 'dry-run')}`,
    })
    const close = async () => {
      await storage.close()
      remove()
    }
    return { storage: { ...storage, close }, deps }
  } catch (cause) {
    remove()
    throw cause
  }
}

export function hasDatabase({ DATABASE_URL }: Config): boolean {
  // A connection to the server will show whether its database exists.
  if (isServerAddress(DATABASE_URL)) return true
  try {
    return statOf(pathOf(DATABASE_URL)) !== undefined
  } catch (cause) {
    // A part of the path is a file.
    if ((cause as NodeJS.ErrnoException).code === 'ENOTDIR') return false
    throw cause
  }
}

function explainMissing(path: string, unreadableFiles: readonly string[]): string {
  const unread =
    unreadableFiles.length > 0
      ? ` (and this user cannot read ${unreadableFiles.join(' and ')})`
      : ''
  return `There is no database ${path}${unread}. Use --database for another one, or create it with "multitude migrate".`
}
