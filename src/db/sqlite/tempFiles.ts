import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StorageError } from '../types'
import { toStorageError } from './errors'

/** Temporary files of backups and restores, also those that a killed process left. */

/** Suffixes of logs that SQLite applies to the database file of the same name. */
export const WAL_SUFFIXES = ['-wal', '-journal'] as const

/** Path of a backup until it is complete. */
export function partialName(to: string): string {
  return `${to}.${process.pid}.partial`
}

/** Path of a restored database until it replaces the current one. */
export function restoringName(path: string): string {
  return join(dirname(path), `.restoring-${process.pid}-${basename(path)}`)
}

export function previousName(path: string, now: Date): string {
  return `${path}.before-${now.toISOString().replaceAll(/[-:.]/g, '')}`
}

/** Path of the copy of a database from before an upgrade. */
export function preUpgradeName(path: string, now: Date): string {
  return `${path}.pre-upgrade-${now.toISOString().replaceAll(/[-:.]/g, '')}`
}

/** Number of copies from before upgrades that are kept. */
const KEPT_COPIES = 3

/** Deletes the oldest database copies that were made before upgrades. */
export function removeOldCopies(path: string): void {
  const start = `${basename(path)}.pre-upgrade-`
  const copies = namesIn(dirname(path)).filter(
    (name) => name.startsWith(start) && /^\d{8}T\d{9}Z$/.test(name.slice(start.length)),
  )
  for (const name of copies.toSorted().slice(0, -KEPT_COPIES))
    try {
      rmSync(join(dirname(path), name))
    } catch {
      // A copy that cannot be deleted only takes space.
    }
}

/** Resolves links, because SQLite stores the logs beside the file and not beside the link. */
export function realPath(path: string): string {
  return statOf(path) ? realpathSync(path) : path
}

/** Returns undefined if the file does not exist; throws if it cannot be accessed. */
export function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

/** Deletes incomplete backups of a folder whose process has ended. */
export function removePartials(folder: string): void {
  for (const name of namesIn(folder)) {
    const [, pid] = /\.(\d+)\.partial(?:-journal|-wal|-shm)?$/.exec(name) ?? []
    // Older releases used names without a process ID.
    const isOldName = /^multitude-\d{8}T\d{6}Z\.db\.partial(-journal)?$/.test(name)
    if (isOldName || (pid !== undefined && !isOtherProcess(pid)))
      rmSync(join(folder, name), { force: true })
  }
}

/** Deletes the files of interrupted restores of this database, unless their process still runs. */
export function removeRestoring(path: string): void {
  for (const { name, pid } of restoringOf(path))
    if (!isOtherProcess(pid)) rmSync(join(dirname(path), name), { force: true })
}

export function requireNoOtherRestore(path: string): void {
  const other = restoringOf(path).find(({ pid }) => isOtherProcess(pid))
  if (other)
    throw new StorageError(
      `Another restore of ${path} is under way (process ${other.pid}); if it is not, remove ${join(dirname(path), other.name)}.`,
    )
}

/** Undoes a restore that was killed before its rename, by restoring the names of the logs. */
export function undoInterrupted(path: string): void {
  for (const previous of hardLinksOf(path)) {
    for (const end of WAL_SUFFIXES) {
      if (statOf(`${previous}${end}`)) renameSync(`${previous}${end}`, `${path}${end}`)
      // The rename does nothing if both names are links to one file.
      rmSync(`${previous}${end}`, { force: true })
    }
    rmSync(previous)
  }
}

/**
 * Throws after an interrupted restore, so that no empty database is created in place of a renamed
 * one, and none is opened without its logs.
 */
export function requireNoInterruptedRestore(path: string): void {
  const isThere = (statOf(path)?.size ?? 0) > 0
  const previousFiles = isThere ? hardLinksOf(path) : previousFilesOf(path)
  if (isThere && previousFiles.length === 0) return
  const left = [...previousFiles, ...restoringOf(path).map(({ name }) => join(dirname(path), name))]
  if (left.length === 0) return
  const names = left.join(', ')
  if (isThere)
    throw new StorageError(
      `A restore of ${path} was interrupted, and left ${names}: run "multitude restore" again.`,
    )
  const [newest] = previousFiles.toSorted().slice(-1)
  throw new StorageError(
    `There is no database ${path}, but a restore left ${names}: run "multitude restore" again${newest ? `, or with ${newest}` : ''}; to begin anew, move what it left away.`,
  )
}

/** Creates folder and file, or throws if the database cannot be used. */
export function prepareFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    requireNoInterruptedRestore(path)
    const file = statOf(path)
    if (file && !file.isFile()) throw new StorageError(`The database ${path} is not a file.`)
    accessSync(dirname(path), constants.W_OK)
    if (file) accessSync(path, constants.R_OK | constants.W_OK)
    // Readable by its owner only; SQLite gives the logs the same mode.
    else closeSync(openSync(path, 'a', 0o600))
  } catch (cause) {
    throw (
      toStorageError(path, cause) ??
      new StorageError(`The database ${path} cannot be written: check the folder’s permissions.`)
    )
  }
}

/** Flushes a folder, so that its names survive a power failure. */
export function fsyncDir(folder: string): void {
  // Windows neither needs nor allows this.
  if (process.platform !== 'win32') fsync(folder, 'r')
}

export function fsync(path: string, flags: 'r' | 'r+'): void {
  const file = openSync(path, flags)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Lists previous files that are hard links to the current file: the restore was interrupted before
 * its rename.
 */
function hardLinksOf(path: string): string[] {
  const file = statOf(path)
  if (!file || file.nlink < 2) return []
  return previousFilesOf(path).filter((previous) => {
    const other = statOf(previous)
    return other?.ino === file.ino && other.dev === file.dev
  })
}

function previousFilesOf(path: string): string[] {
  const start = `${basename(path)}.before-`
  return namesIn(dirname(path))
    .filter((name) => name.startsWith(start) && !WAL_SUFFIXES.some((end) => name.endsWith(end)))
    .map((name) => join(dirname(path), name))
}

function restoringOf(path: string): { name: string; pid: string }[] {
  return namesIn(dirname(path)).flatMap((name) => {
    const [, pid, base] = /^\.restoring-(\d+)(?:-(.+)|\.db)$/.exec(name) ?? []
    const isOurs = base === undefined || base.replace(/-journal$/, '') === basename(path)
    return pid !== undefined && isOurs ? [{ name, pid }] : []
  })
}

/** Returns whether another process with this ID exists. */
function isOtherProcess(pid: string): boolean {
  if (Number(pid) === process.pid) return false
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Lists a folder; empty if it does not exist. */
function namesIn(folder: string): string[] {
  return statOf(folder)?.isDirectory() ? readdirSync(folder) : []
}
