import { Database } from 'bun:sqlite'
import { closeSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { backUp, copyFit, prepareRestored, restore } from './backup'
import { discard } from './copy'
import { copyEverything, type Progress, refuseFilled } from './copying'
import { createDb } from './driver'
import { openFile, pathOf } from './file'
import { StorageError } from './handle'
import { flush, flushFolder, partialName, removePartials, statOf } from './leftovers'
import { temporaryFolderOf } from './open'
import { pack, withUnpacked } from './pack'
import { isServerAddress } from './postgres/address'
import { openServer, type ServerOptions } from './postgres/storage'
import { statement } from './statement'
import { reasonOf } from './trouble'

/** Backups of a database of either kind, which are always whole files. */

export async function makeBackup(
  url: string,
  to: string,
  isPacked: boolean,
  server: ServerOptions,
  onProgress?: Progress,
): Promise<void> {
  const write = (plain: string) => writePlain(url, plain, server, onProgress)
  await (isPacked ? pack(to, write) : write(to))
}

async function writePlain(
  url: string,
  to: string,
  server: ServerOptions,
  onProgress?: Progress,
): Promise<void> {
  if (!isServerAddress(url)) return backUp(url, to)
  const storage = openServer(url, 'full', undefined, server, 'require')
  try {
    await storage.opened
    await writeFile(to, async (partial) => {
      const file = openFile(`file:${partial}`, 'normal', undefined, undefined, 'create')
      try {
        await copyEverything(storage, file, onProgress)
      } finally {
        await file.close()
      }
      foldIntoOne(partial)
    })
  } finally {
    await storage.close()
  }
}

/** What a restore did. */
export interface Restored {
  /** Where what was there before is kept. */
  readonly aside: string | null
  /** The tokens there are now: restoring brings back revoked ones. */
  readonly tokens: readonly { system: string; name: string }[]
}

export async function restoreBackup(
  url: string,
  from: string,
  server: ServerOptions,
  onProgress?: Progress,
): Promise<Restored> {
  return withUnpacked(from, temporaryFolderOf(url), (plain) =>
    isServerAddress(url)
      ? restoreToServer(url, plain, server, onProgress)
      : restoreToFile(url, plain),
  )
}

async function restoreToFile(url: string, from: string): Promise<Restored> {
  const aside = restore(url, from, new Date())
  const database = new Database(pathOf(url), { readonly: true })
  try {
    return { aside, tokens: await tokens(createDb(database)).all({}) }
  } finally {
    database.close()
  }
}

/** Nothing is put in the place of what a server has: it has to be empty. */
async function restoreToServer(
  url: string,
  from: string,
  server: ServerOptions,
  onProgress?: Progress,
): Promise<Restored> {
  const storage = openServer(url, 'full', undefined, server, 'create')
  const folder = mkdtempSync(join(tmpdir(), 'multitude-restore-'))
  try {
    await storage.opened
    await refuseFilled(storage.db, storage.name)
    // A copy, because the backup may be an older program's, and stays as it is.
    const arriving = join(folder, 'arriving.db')
    copyFit(from, arriving)
    prepareRestored(arriving, (await lastEventId(storage.db).get({}))?.id ?? 0)
    const file = openFile(`file:${arriving}`, 'normal', undefined, undefined, 'upgradeUncopied')
    try {
      await copyEverything(file, storage, onProgress)
    } finally {
      await file.close()
    }
    return { aside: null, tokens: await tokens(storage.db).all({}) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await storage.close()
  }
}

/** Under another name until it is whole, and for its owner alone. */
async function writeFile(to: string, write: (partial: string) => Promise<void>): Promise<void> {
  const partial = partialName(to)
  try {
    if (statOf(to)) throw new StorageError(`${to} exists already.`)
    removePartials(dirname(to))
    closeSync(openSync(partial, 'wx', 0o600))
    await write(partial)
    renameSync(partial, to)
    flushFolder(dirname(to))
  } catch (cause) {
    if (cause instanceof StorageError || !(cause instanceof Error) || !('code' in cause))
      throw cause
    throw new StorageError(`The backup ${to} cannot be written: ${reasonOf(to, cause)}.`)
  } finally {
    discard(partial)
  }
}

/** So that nothing beside it belongs to it, and it can be read where nothing can be written. */
function foldIntoOne(path: string): void {
  const database = new Database(path, { readwrite: true })
  try {
    database.run('PRAGMA journal_mode = DELETE')
  } finally {
    database.close()
  }
  flush(path, 'r+')
}

const tokens = statement<never, { system: string; name: string }>(`
   select systems.hid as system, tokens.name from tokens
   join systems on systems.id = tokens.system_id order by systems.id, tokens.id`)

const lastEventId = statement<never, { id: number }>(
  ({ given }) => `select ${given('events')} as id`,
)
