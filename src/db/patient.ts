import { constants, Database } from 'bun:sqlite'
import { pathToFileURL } from 'node:url'
import type { RenderJson } from '../model/renderedJson'
import type { Patient } from './checks'
import { examine, findNotes, repair } from './doctor'
import { pathOf } from './file'
import { StorageError } from './handle'
import { refuseInterrupted, statOf } from './leftovers'
import { isOurs, refuseForeign, refuseUnfitFile } from './migrate'
import { isServerAddress } from './postgres/address'
import { examineServer } from './postgres/doctor'
import { openServer, type ServerOptions } from './postgres/storage'
import { explainTrouble, troubleOf } from './trouble'

/** Opens a database as it is, of whichever kind. */
export async function openPatient(
  url: string,
  isToFix: boolean,
  render: RenderJson,
  server: ServerOptions,
): Promise<Patient> {
  if (!isServerAddress(url)) return patientIn(openAsItIs(pathOf(url), isToFix), render)
  const storage = openServer(url, 'full', render, server, 'require')
  try {
    await storage.opened
    return examineServer(storage, render)
  } catch (cause) {
    await storage.close()
    throw cause
  }
}

function patientIn(database: Database, render: RenderJson): Patient {
  return {
    examine: () => examine(database, render),
    repair: () => repair(database, render),
    findNotes: () => findNotes(database),
    close: async () => database.close(),
  }
}

function openAsItIs(path: string, isToFix: boolean): Database {
  let database: Database | undefined
  try {
    refuseInterrupted(path)
    if (!statOf(path)) throw new StorageError(`There is no database ${path}.`)
    database = openToLook(path, isToFix)
    refuseForeign(database, path)
    refuseUnfitFile(database, path, 'require')
    return database
  } catch (cause) {
    database?.close()
    if (cause instanceof StorageError) throw cause
    const trouble = troubleOf(path, cause)
    if (trouble === 'foreign')
      throw new StorageError(
        `${path} is not a database, or its beginning is damaged: restore a backup.`,
      )
    if (trouble === 'damaged')
      throw new StorageError(`${path} is damaged beyond reading: restore a backup.`)
    throw explainTrouble(path, cause) ?? cause
  }
}

/** Also where nothing can be written, as long as all of it lies in the one file. */
function openToLook(path: string, isToFix: boolean): Database {
  try {
    const database = new Database(path, { readwrite: true })
    database.run('PRAGMA busy_timeout = 5000')
    isOurs(database)
    if (isToFix) database.run('BEGIN IMMEDIATE; ROLLBACK')
    return database
  } catch (cause) {
    const trouble = troubleOf(path, cause)
    const isWhole = (statOf(`${path}-wal`)?.size ?? 0) === 0
    const isKeptFromWriting = ['readonly', 'forbidden', 'full'].includes(trouble ?? '')
    if (isToFix || !isWhole || !isKeptFromWriting) throw cause
    // SQLite asks for no lock and no log of what it is told will not change.
    const { href } = pathToFileURL(path)
    const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants
    return new Database(`${href}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
  }
}
