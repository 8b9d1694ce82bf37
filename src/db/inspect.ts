import { constants, Database } from 'bun:sqlite'
import { pathToFileURL } from 'node:url'
import type { RenderJson } from '../model/renderedJson'
import type { Inspector } from './consistencyChecks'
import { isServerAddress } from './postgres/address'
import { inspectServer } from './postgres/doctor'
import { openServer, type ServerOptions } from './postgres/storage'
import { findWarnings, inspect, repair } from './sqlite/doctor'
import { classifyError, toStorageError } from './sqlite/errors'
import { isOurs, rejectForeign, requireUsableFile } from './sqlite/migrate'
import { pathOf } from './sqlite/storage'
import { requireNoInterruptedRestore, statOf } from './sqlite/tempFiles'
import { StorageError } from './types'

/** Opens a database as it is, of whichever kind. */
export async function openInspector(
  url: string,
  isToFix: boolean,
  renderJson: RenderJson,
  server: ServerOptions,
): Promise<Inspector> {
  if (!isServerAddress(url))
    return inspectorOf(openWithoutMigration(pathOf(url), isToFix), renderJson)
  const storage = openServer(url, 'full', renderJson, server, 'require')
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

function openWithoutMigration(path: string, isToFix: boolean): Database {
  let database: Database | undefined
  try {
    requireNoInterruptedRestore(path)
    if (!statOf(path)) throw new StorageError(`There is no database ${path}.`)
    database = openToInspect(path, isToFix)
    rejectForeign(database, path)
    requireUsableFile(database, path, 'require')
    return database
  } catch (cause) {
    database?.close()
    if (cause instanceof StorageError) throw cause
    const trouble = classifyError(path, cause)
    if (trouble === 'foreign')
      throw new StorageError(
        `${path} is not a database, or its beginning is damaged: restore a backup.`,
      )
    if (trouble === 'damaged')
      throw new StorageError(`${path} is damaged beyond reading: restore a backup.`)
    throw toStorageError(path, cause) ?? cause
  }
}

/** Also where nothing can be written, as long as all of it lies in the one file. */
function openToInspect(path: string, isToFix: boolean): Database {
  try {
    const database = new Database(path, { readwrite: true })
    database.run('PRAGMA busy_timeout = 5000')
    isOurs(database)
    if (isToFix) database.run('BEGIN IMMEDIATE; ROLLBACK')
    return database
  } catch (cause) {
    const trouble = classifyError(path, cause)
    const isWhole = (statOf(`${path}-wal`)?.size ?? 0) === 0
    const isKeptFromWriting = ['readonly', 'forbidden', 'full'].includes(trouble ?? '')
    if (isToFix || !isWhole || !isKeptFromWriting) throw cause
    // SQLite asks for no lock and no log of what it is told will not change.
    const { href } = pathToFileURL(path)
    const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants
    return new Database(`${href}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
  }
}
