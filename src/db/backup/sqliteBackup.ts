import { Database, SQLiteError } from 'bun:sqlite'
import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { getTableName, type SQL, sql, type Table } from 'drizzle-orm'
import { sqliteDialect } from '../dialect'
import { columnNames, toText } from '../query'
import { classifyError, reasonOf, toStorageError } from '../sqlite/errors'
import { checkHealth } from '../sqlite/integrity'
import {
  hasTable,
  isOurs,
  rejectForeign,
  requireUsableFile,
  unknownMigrations,
} from '../sqlite/migrate'
import { pathOf } from '../sqlite/storage'
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
} from '../sqlite/tempFiles'
import { copy, copyConsistent, copyOwnership, discard } from '../sqlite/vacuumCopy'
import {
  discordCommands,
  discordSessions,
  discordStatus,
  events,
  extUsage,
  friendInvites,
  loginCodes,
  prunedEvents,
  pushQueue,
  pushTargets,
  sessions,
  setupCodes,
  systems,
} from '../tables'
import { StorageError } from '../types'

/** Writes a complete and consistent copy, also while other processes write. */
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
 * Replaces the database by a backup, and returns the new path of the replaced file, or null. A
 * single rename switches from the old file to the new one, so that the path always has a complete
 * database.
 */
export function restore(url: string, from: string, now: Date): string | null {
  let path = pathOf(url)
  let restoring = ''
  let previousDb: Database | null = null
  try {
    path = realPath(path)
    mkdirSync(dirname(path), { recursive: true })
    requireNoOtherRestore(path)
    removeRestoring(path)
    undoInterrupted(path)
    const before = statOf(path)
    if (before && !before.isFile()) throw new StorageError(`The database ${path} is not a file.`)
    restoring = restoringName(path)
    copyValidated(from, restoring)
    copyOwnership(before, path, restoring)
    if (before) previousDb = lockExclusively(path)
    prepareRestored(restoring, previousDb ? lastEventIdOf(previousDb) : 0)
    const previous = previousName(path, now)
    try {
      movePrevious(path, previous)
      // Windows cannot replace an open file.
      if (process.platform === 'win32') previousDb?.close()
      renameSync(restoring, path)
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
    previousDb?.close()
    if (restoring) discard(restoring)
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

/** Copies a backup, unless it is damaged or not a Multitude database. */
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
    // A full disk concerns the target, all other faults the backup.
    const failedPath = classifyError(to, cause) === 'full' ? to : from
    throw new StorageError(`${from} cannot be restored: ${reasonOf(failedPath, cause)}.`)
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

/** Gap for IDs that clients may have stored and a replaced, unreadable database had assigned. */
const SKIPPED_EVENT_IDS = 1_000_000

/**
 * Removes sessions with their push targets, queued pushes, login links, set-up links and invitations
 * of friends, and skips event IDs that the backup or the replaced database has assigned. Discord would send messages since the backup again to a resumed
 * session, and commands may have been registered since. An older backup may not have all of the
 * tables. SQL text, because this is one synchronous transaction on a file that is no database of the
 * server yet.
 */
export function prepareRestored(path: string, replacedEventId: number): void {
  const database = new Database(path, { readwrite: true })
  try {
    database.transaction(() => {
      const has = (table: Table) => hasTable(database, getTableName(table))
      const run = (statement: SQL) => void database.run(textOf(statement))
      const stateTables = [discordSessions, discordCommands, discordStatus]
      for (const table of [sessions, loginCodes, setupCodes, ...stateTables])
        if (has(table)) run(sql`delete from ${table}`)
      // The code of an invitation that was used or withdrawn since would give access again.
      if (has(friendInvites)) {
        const { system_id: inviter, name } = friendInvites
        const { system_id: counted, text_bytes } = extUsage
        run(sql`update ${extUsage} set ${columnNames(text_bytes)} = ${text_bytes} - coalesce(
          (select sum(${sqliteDialect.size(name)}) from ${friendInvites} where ${inviter} = ${counted}), 0)`)
        run(sql`delete from ${friendInvites}`)
      }
      // This connection does not enforce foreign keys, so rows of the sessions are not deleted yet.
      if (has(pushTargets)) {
        run(sql`delete from ${pushQueue}`)
        run(sql`delete from ${pushTargets} where ${pushTargets.session_id} is not null`)
      }
      const last = Math.max(lastEventIdOf(database), replacedEventId) + SKIPPED_EVENT_IDS
      sqliteDialect.advanceSequence(events, sql`${last}`).forEach(run)
      // Streams that resume get a gap, because the events since the backup are lost.
      const { system_id, last_event_id } = prunedEvents
      if (has(prunedEvents))
        run(sql`insert or replace into ${prunedEvents} (${columnNames(system_id, last_event_id)})
          select ${systems.id}, ${last} from ${systems}`)
    })()
  } finally {
    database.close()
  }
  fsync(path, 'r+')
}

function textOf(statement: SQL): string {
  return toText(statement, sqliteDialect).text
}

/** Returns the highest event ID; 0 if it cannot be read. */
function lastEventIdOf(database: Database): number {
  try {
    const last = textOf(sql`select ${sqliteDialect.lastSequence(events)} as id`)
    return database.query<{ id: number }, []>(last).get()?.id ?? 0
  } catch (cause) {
    if (cause instanceof SQLiteError) return 0
    throw cause
  }
}

/**
 * Checkpoints the log and locks out other processes until the connection is closed. Null if the
 * file is too damaged for that, because a restore must be able to replace it.
 */
function lockExclusively(path: string): Database | null {
  let current: Database | undefined
  try {
    current = new Database(path, { readwrite: true })
    current.run('PRAGMA busy_timeout = 500')
    // Leaving WAL mode needs exclusive access, so it fails while a server runs.
    current.run('PRAGMA journal_mode = DELETE')
    current.run('BEGIN EXCLUSIVE')
    return current
  } catch (cause) {
    current?.close()
    const fault = classifyError(path, cause)
    if (fault === 'locked')
      throw new StorageError(`The database ${path} is in use: stop the server first.`)
    // A process that cannot access the file cannot tell whether another process is using it.
    if (fault === 'forbidden' || !(cause instanceof SQLiteError))
      throw toStorageError(path, cause) ?? cause
    return null
  }
}

/**
 * Gives the current file and its remaining logs a second name, and removes the logs from the first
 * one, because SQLite would apply them to the new file.
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
  } catch (linkError) {
    if ((linkError as NodeJS.ErrnoException).code === 'EEXIST') throw linkError
    // Some file systems do not support hard links.
    try {
      copyFileSync(path, to)
      fsync(to, 'r+')
    } catch (cause) {
      rmSync(to, { force: true })
      throw cause
    }
  }
}
