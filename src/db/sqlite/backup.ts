import { Database, SQLiteError } from 'bun:sqlite'
import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { sqliteDialect } from '../dialect'
import { StorageError } from '../types'
import { classifyError, reasonOf, toStorageError } from './errors'
import { checkHealth } from './integrity'
import { isOurs, rejectForeign, requireUsableFile, unknownMigrations } from './migrate'
import { pathOf } from './storage'
import {
  fsync,
  fsyncDir,
  previousName,
  realPath,
  removeRestoring,
  requireNoInterruptedRestore,
  requireNoOtherRestore,
  restoringName,
  statOf,
  undoInterrupted,
  WAL_SUFFIXES,
} from './tempFiles'
import { copy, copyConsistent, copyOwnership, discard } from './vacuumCopy'

/** Writes a whole and consistent copy, also while others write. */
export function backUp(url: string, to: string): void {
  const path = pathOf(url)
  const source = openToCopy(path)
  try {
    removeRestoring(path)
    copyConsistent(source, to)
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    throw new StorageError(`The backup ${to} cannot be written: ${reasonOf(to, cause)}.`)
  } finally {
    source.close()
  }
}

/**
 * Puts a backup in the place of the database, which is kept aside. Gives where it is kept. At every
 * moment there is a whole database in that place: the old one until the one rename, the new one
 * after it.
 */
export function restore(url: string, from: string, now: Date): string | null {
  let path = pathOf(url)
  let arriving = ''
  let old: Database | null = null
  try {
    path = realPath(path)
    mkdirSync(dirname(path), { recursive: true })
    requireNoOtherRestore(path)
    removeRestoring(path)
    undoInterrupted(path)
    const before = statOf(path)
    if (before && !before.isFile()) throw new StorageError(`The database ${path} is not a file.`)
    arriving = restoringName(path)
    copyValidated(from, arriving)
    copyOwnership(before, path, arriving)
    if (before) old = lockExclusively(path)
    prepareRestored(arriving, old ? lastEventIdOf(old) : 0)
    const previous = previousName(path, now)
    try {
      movePrevious(path, previous)
      // Windows puts nothing in the place of a file that is open.
      if (process.platform === 'win32') old?.close()
      renameSync(arriving, path)
    } catch (cause) {
      undoInterrupted(path)
      throw cause
    }
    fsyncDir(dirname(path))
    return before ? previous : null
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    throw new StorageError(`${from} cannot be restored: ${reasonOf(path, cause)}.`)
  } finally {
    old?.close()
    if (arriving) discard(arriving)
  }
}

function openToCopy(path: string): Database {
  try {
    requireNoInterruptedRestore(path)
    if (!statOf(path)) throw new StorageError(`There is no database ${path}.`)
    const source = new Database(path, { readonly: true })
    source.run('PRAGMA busy_timeout = 30000')
    rejectForeign(source, path)
    requireUsableFile(source, path, 'require')
    return source
  } catch (cause) {
    throw toStorageError(path, cause) ?? cause
  }
}

/** What is not a whole database of ours must not take the place of one. */
export function copyValidated(from: string, to: string): void {
  let candidate: Database | undefined
  try {
    if (!statOf(from)) throw new StorageError(`There is no file ${from}.`)
    candidate = new Database(from, { readonly: true })
    const problems = explainUnfit(candidate)
    if (problems.length > 0)
      throw new StorageError(`${from} cannot be restored: ${problems.slice(0, 3).join('; ')}.`)
    copy(candidate, to)
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    // Too little room is no fault of the file that was to come.
    const place = classifyError(to, cause) === 'full' ? to : from
    throw new StorageError(`${from} cannot be restored: ${reasonOf(place, cause)}.`)
  } finally {
    candidate?.close()
  }
}

function explainUnfit(candidate: Database): string[] {
  if (!isOurs(candidate)) return ['it is not a Multitude database']
  const unknown = unknownMigrations(candidate)
  if (unknown.length > 0) return [`it was made by a newer Multitude (${unknown.join(', ')})`]
  return checkHealth(candidate)
}

/** Clients remember IDs that a replaced database has given, also one that cannot be read. */
const SKIPPED_EVENT_IDS = 1_000_000

/**
 * Ends what must not come back with a backup: sessions, login links, and IDs of events that the
 * backup or the replaced database has given. An older backup may not have all of the tables.
 */
export function prepareRestored(path: string, replacedEventId: number): void {
  const database = new Database(path, { readwrite: true })
  try {
    database.transaction(() => {
      const has = (table: string) =>
        database.query('SELECT 1 FROM sqlite_master WHERE name = ?').get(table) !== null
      for (const table of ['sessions', 'login_codes'])
        if (has(table)) database.run(`DELETE FROM ${table}`)
      const last = Math.max(lastEventIdOf(database), replacedEventId) + SKIPPED_EVENT_IDS
      for (const sql of sqliteDialect.advanceSequence('events'))
        database.query(sql).run({ number: last })
      // Streams that resume from before get a gap: the events since the backup are lost.
      if (has('pruned_events'))
        database
          .query(
            'INSERT OR REPLACE INTO pruned_events (system_id, newest) SELECT id, ? FROM systems',
          )
          .run(last)
    })()
  } finally {
    database.close()
  }
  fsync(path, 'r+')
}

/** The largest ID that was given to an event; 0 where that cannot be read. */
function lastEventIdOf(database: Database): number {
  try {
    const sql = `SELECT ${sqliteDialect.lastSequence('events')} AS id`
    return database.query<{ id: number }, []>(sql).get()?.id ?? 0
  } catch (cause) {
    if (cause instanceof SQLiteError) return 0
    throw cause
  }
}

/**
 * Folds the log in and keeps everybody else out until it is closed. Null for what is too damaged
 * for that, which is what it is replaced for.
 */
function lockExclusively(path: string): Database | null {
  let current: Database | undefined
  try {
    current = new Database(path, { readwrite: true })
    current.run('PRAGMA busy_timeout = 500')
    // Leaving the write-ahead log needs the file for oneself: it fails while a server runs.
    current.run('PRAGMA journal_mode = DELETE')
    current.run('BEGIN EXCLUSIVE')
    return current
  } catch (cause) {
    current?.close()
    const trouble = classifyError(path, cause)
    if (trouble === 'locked')
      throw new StorageError(`The database ${path} is in use: stop the server first.`)
    // Whoever may not look at it cannot know that nobody uses it.
    if (trouble === 'forbidden' || !(cause instanceof SQLiteError))
      throw toStorageError(path, cause) ?? cause
    return null
  }
}

/**
 * Under a second name, with the logs that could not be folded in; these then leave their place,
 * because a log that stayed would be played into the new file.
 */
function movePrevious(path: string, previous: string): void {
  for (const end of ['', ...WAL_SUFFIXES])
    if (statOf(`${path}${end}`)) link(`${path}${end}`, `${previous}${end}`)
  fsyncDir(dirname(path))
  for (const end of [...WAL_SUFFIXES, '-shm']) rmSync(`${path}${end}`, { force: true })
  fsyncDir(dirname(path))
}

function link(path: string, to: string): void {
  try {
    linkSync(path, to)
  } catch (refused) {
    if ((refused as NodeJS.ErrnoException).code === 'EEXIST') throw refused
    // Some file systems give a file no second name.
    try {
      copyFileSync(path, to)
      fsync(to, 'r+')
    } catch (cause) {
      rmSync(to, { force: true })
      throw cause
    }
  }
}
