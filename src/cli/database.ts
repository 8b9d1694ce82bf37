import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDeps, serverOptions } from '../app'
import type { Config } from '../config'
import { openStorage } from '../db/open'
import { isServerAddress, parseAddress } from '../db/postgres/address'
import { pathOf } from '../db/sqlite/storage'
import { statOf } from '../db/sqlite/tempFiles'
import type { Upgrade } from '../db/storage'
import type { StorageError } from '../db/types'
import { type CommandFlags, type DatabaseUse, Failure } from './command'

/** A flag of those that are there to upgrade; others take the careful way. */
export const noBackup: CommandFlags = {
  'no-backup': { type: 'boolean', doc: 'Keep no copy of a database that is upgraded' },
}

/** Finds what is wrong with the address of a database, without opening it. */
export function findAddressProblem(url: string): string | null {
  try {
    if (isServerAddress(url)) parseAddress(url)
    else pathOf(url)
    return null
  } catch (cause) {
    return (cause as StorageError).message
  }
}

/** Opens the database of the settings for a command. */
export function openDatabase(config: Config, use: DatabaseUse, closedFiles: readonly string[]) {
  const isNew = !hasDatabase(config)
  if (isNew && use === 'require')
    throw new Failure(explainMissing(pathOf(config.DATABASE_URL), closedFiles))
  if (isNew && use === 'rehearse') return openPassing(config)
  const opened = openDeps(config, undefined, undefined, use === 'rehearse' ? 'require' : use)
  const { location } = opened.storage
  if (isNew) process.stderr.write(`multitude: a new database was made: ${location}\n`)
  opened.storage.ready.then(
    (upgrade) =>
      upgrade && process.stderr.write(`multitude: ${describeUpgrade(location, upgrade)}\n`),
    // Whoever asks it something is told.
    () => {},
  )
  return opened
}

/** Without a copy of how it was. Whoever opens it next finds nothing to do. */
export async function upgradeUncopied(config: Config): Promise<Upgrade | null> {
  if (!hasDatabase(config)) return null
  const { DATABASE_URL, DURABILITY } = config
  const storage = openStorage(
    DATABASE_URL,
    DURABILITY,
    undefined,
    undefined,
    'upgradeUncopied',
    serverOptions(config),
  )
  const upgrade = await storage.ready
  await storage.close()
  return upgrade
}

/** How an open database is named on the command line. */
export function addressOf({ location }: { readonly location: string }): string {
  return location.includes('://') ? location : `file:${location}`
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
  // A server says by itself whether it is there.
  if (isServerAddress(DATABASE_URL)) return true
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
