import { constants, Database } from 'bun:sqlite'
import { pathToFileURL } from 'node:url'
import type { Inspector } from '../db/finding'
import { isServerAddress } from '../db/postgres/address'
import { openServer } from '../db/postgres/storage'
import { classifyError, toStorageError } from '../db/sqlite/errors'
import { isOurs, rejectForeign, requireUsableFile } from '../db/sqlite/migrate'
import { pathOf } from '../db/sqlite/storage'
import { requireNoInterruptedRestore, statOf } from '../db/sqlite/tempFiles'
import type { ServerOptions } from '../db/storage'
import { StorageError } from '../db/types'
import type { RenderJson } from '../model/core/schemaHash'
import { inspectServer } from './postgresDoctor'
import { findWarnings, inspect, repair } from './sqliteDoctor'

/** Opens a database for inspection, without migrating it. */
export async function openInspector(
  url: string,
  canRepair: boolean,
  renderJson: RenderJson,
  server: ServerOptions,
): Promise<Inspector> {
  if (!isServerAddress(url))
    return inspectorOf(openWithoutMigration(pathOf(url), canRepair), renderJson)
  const storage = openServer(url, { renderJson, server, use: 'require' })
  try {
    await storage.ready
    return inspectServer(storage, renderJson)
  } catch (cause) {
    await storage.close()
    throw cause
  }
}

function inspectorOf(database: Database, renderJson: RenderJson): Inspector {
  return {
    inspect: () => inspect(database, renderJson),
    repair: () => repair(database, renderJson),
    findWarnings: () => findWarnings(database),
    close: async () => database.close(),
  }
}

function openWithoutMigration(path: string, canRepair: boolean): Database {
  let database: Database | undefined
  try {
    requireNoInterruptedRestore(path)
    if (!statOf(path)) throw new StorageError(`There is no database ${path}.`)
    database = openToInspect(path, canRepair)
    rejectForeign(database, path)
    requireUsableFile(database, path, 'require')
    return database
  } catch (cause) {
    database?.close()
    if (cause instanceof StorageError) throw cause
    const fault = classifyError(path, cause)
    if (fault === 'foreign')
      throw new StorageError(
        `${path} is not a database, or its beginning is damaged: restore a backup.`,
      )
    if (fault === 'damaged')
      throw new StorageError(`${path} is too damaged to be read: restore a backup.`)
    throw toStorageError(path, cause) ?? cause
  }
}

/** Opens a file for inspection, read-only if it cannot be written and has no write-ahead log. */
function openToInspect(path: string, canRepair: boolean): Database {
  try {
    const database = new Database(path, { readwrite: true })
    database.run('PRAGMA busy_timeout = 5000')
    isOurs(database)
    if (canRepair) database.run('BEGIN IMMEDIATE; ROLLBACK')
    return database
  } catch (cause) {
    const fault = classifyError(path, cause)
    const isWalEmpty = (statOf(`${path}-wal`)?.size ?? 0) === 0
    const isUnwritable = ['readonly', 'forbidden', 'full'].includes(fault ?? '')
    if (canRepair || !isWalEmpty || !isUnwritable) throw cause
    // SQLite needs neither a lock nor a log for an immutable file.
    const { href } = pathToFileURL(path)
    const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants
    return new Database(`${href}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
  }
}
