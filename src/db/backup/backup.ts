import { Database } from 'bun:sqlite'
import { closeSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { temporaryFolderOf } from '../open'
import { isServerAddress } from '../postgres/address'
import { openServer } from '../postgres/storage'
import { query } from '../query'
import { createDb } from '../sqlite/driver'
import { reasonOf } from '../sqlite/errors'
import { openSqlite, pathOf } from '../sqlite/storage'
import { fsync, fsyncDir, partialName, removePartials, statOf } from '../sqlite/tempFiles'
import { discard } from '../sqlite/vacuumCopy'
import type { ServerOptions } from '../storage'
import { events, tokens } from '../tables'
import { StorageError } from '../types'
import { visibleSystems } from '../visible'
import { compressBackup, withDecompressed } from './compression'
import { copyDatabase, lastSequence, type Progress, requireEmpty } from './copyDatabase'
import { backUp, copyValidated, prepareRestored, restore } from './sqliteBackup'

/** Backup and restore for both engines. A backup is always a complete SQLite file. */

export async function makeBackup(
  url: string,
  to: string,
  isCompressed: boolean,
  server: ServerOptions,
  onProgress?: Progress,
): Promise<void> {
  const write = (plain: string) => writePlain(url, plain, server, onProgress)
  await (isCompressed ? compressBackup(to, write) : write(to))
}

async function writePlain(
  url: string,
  to: string,
  server: ServerOptions,
  onProgress?: Progress,
): Promise<void> {
  if (!isServerAddress(url)) return backUp(url, to)
  const storage = openServer(url, { server, use: 'require' })
  try {
    await storage.ready
    await writeFile(to, async (partial) => {
      const file = openSqlite(`file:${partial}`, { durability: 'normal', use: 'create' })
      try {
        await copyDatabase(storage, file, onProgress)
      } finally {
        await file.close()
      }
      mergeWal(partial)
    })
  } finally {
    await storage.close()
  }
}

export interface Restored {
  /** Path of the database that was replaced; null if there was none. */
  readonly previous: string | null
  /** All tokens after the restore, because revoked ones may be valid again. */
  readonly tokens: readonly { system: string; name: string }[]
}

export async function restoreBackup(
  url: string,
  from: string,
  server: ServerOptions,
  onProgress?: Progress,
): Promise<Restored> {
  return withDecompressed(from, temporaryFolderOf(url), (plain) =>
    isServerAddress(url)
      ? restoreToServer(url, plain, server, onProgress)
      : restoreToFile(url, plain),
  )
}

async function restoreToFile(url: string, from: string): Promise<Restored> {
  const previous = restore(url, from, new Date())
  const database = new Database(pathOf(url), { readonly: true })
  try {
    return { previous, tokens: await remainingTokens(createDb(database)).all({}) }
  } finally {
    database.close()
  }
}

/** Restores into PostgreSQL, which must be empty: existing rows are never replaced. */
async function restoreToServer(
  url: string,
  from: string,
  server: ServerOptions,
  onProgress?: Progress,
): Promise<Restored> {
  const storage = openServer(url, { server, use: 'create' })
  const folder = mkdtempSync(join(tmpdir(), 'multitude-restore-'))
  try {
    await storage.ready
    await requireEmpty(storage.db, storage.location)
    // Work on a copy: the backup may have an older schema, and must not be changed.
    const restoring = join(folder, 'restoring.db')
    copyValidated(from, restoring)
    prepareRestored(restoring, (await lastSequence(events)(storage.db).get({}))?.number ?? 0)
    const file = openSqlite(`file:${restoring}`, { durability: 'normal', use: 'upgradeUncopied' })
    try {
      await copyDatabase(file, storage, onProgress)
    } finally {
      await file.close()
    }
    return { previous: null, tokens: await remainingTokens(storage.db).all({}) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await storage.close()
  }
}

/** Writes a file under a temporary name until it is complete, readable by its owner only. */
async function writeFile(to: string, write: (partial: string) => Promise<void>): Promise<void> {
  const partial = partialName(to)
  try {
    if (statOf(to)) throw new StorageError(`${to} exists already.`)
    removePartials(dirname(to))
    closeSync(openSync(partial, 'wx', 0o600))
    await write(partial)
    renameSync(partial, to)
    fsyncDir(dirname(to))
  } catch (cause) {
    if (cause instanceof StorageError || !(cause instanceof Error) || !('code' in cause))
      throw cause
    throw new StorageError(`The backup ${to} cannot be written: ${reasonOf(to, cause)}.`)
  } finally {
    discard(partial)
  }
}

/** Leaves WAL mode, so that the backup is one file and can be read from a read-only folder. */
function mergeWal(path: string): void {
  const database = new Database(path, { readwrite: true })
  try {
    database.run('PRAGMA journal_mode = DELETE')
  } finally {
    database.close()
  }
  fsync(path, 'r+')
}

const remainingTokens = query((db) =>
  db
    .select({ system: sql<string>`${visibleSystems.hid}`.as('system'), name: tokens.name })
    .from(tokens)
    .innerJoin(visibleSystems, eq(visibleSystems.id, tokens.system_id))
    .orderBy(visibleSystems.id, tokens.id),
)
