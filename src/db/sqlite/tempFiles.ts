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

/** What a process leaves behind that was killed while it wrote a backup or restored one. */

/** Logs that belong to the file they lie beside, and that SQLite plays into whatever lies there. */
export const WAL_SUFFIXES = ['-wal', '-journal'] as const

/** Where a backup is written until it is whole. */
export function partialName(to: string): string {
  return `${to}.${process.pid}.partial`
}

/** Where a restored database is written until it takes its place. */
export function restoringName(path: string): string {
  return join(dirname(path), `.restoring-${process.pid}-${basename(path)}`)
}

export function previousName(path: string, now: Date): string {
  return `${path}.before-${now.toISOString().replaceAll(/[-:.]/g, '')}`
}

/** Where a database is kept as it was before an upgrade. */
export function preUpgradeName(path: string, now: Date): string {
  return `${path}.pre-upgrade-${now.toISOString().replaceAll(/[-:.]/g, '')}`
}

/** How many copies from before upgrades are kept: the way back is rarely longer. */
const KEPT_COPIES = 3

/** Removes the oldest copies of a database from before its upgrades, when there is a new one. */
export function removeOldCopies(path: string): void {
  const start = `${basename(path)}.pre-upgrade-`
  const copies = namesIn(dirname(path)).filter(
    (name) => name.startsWith(start) && /^\d{8}T\d{9}Z$/.test(name.slice(start.length)),
  )
  for (const name of copies.toSorted().slice(0, -KEPT_COPIES))
    try {
      rmSync(join(dirname(path), name))
    } catch {
      // One that somebody has locked away takes room, and is in nobody's way.
    }
}

/** The file itself, where a link leads to it: its logs lie beside it, not beside the link. */
export function realPath(path: string): string {
  return statOf(path) ? realpathSync(path) : path
}

/** Undefined where there is nothing; throws where it may not be known. */
export function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

/** Removes the backups of a folder that nobody writes any more. */
export function removePartials(folder: string): void {
  for (const name of namesIn(folder)) {
    const [, pid] = /\.(\d+)\.partial(?:-journal|-wal|-shm)?$/.exec(name) ?? []
    // As they were called before they carried the number of their process.
    const isOld = /^multitude-\d{8}T\d{6}Z\.db\.partial(-journal)?$/.test(name)
    if (isOld || (pid !== undefined && !isOthers(pid))) rmSync(join(folder, name), { force: true })
  }
}

/** Removes what was to take the place of this database, unless its restore still runs. */
export function removeRestoring(path: string): void {
  for (const { name, pid } of restoringOf(path))
    if (!isOthers(pid)) rmSync(join(dirname(path), name), { force: true })
}

export function requireNoOtherRestore(path: string): void {
  const other = restoringOf(path).find(({ pid }) => isOthers(pid))
  if (other)
    throw new StorageError(
      `Another restore of ${path} is under way (process ${other.pid}); if it is not, remove ${join(dirname(path), other.name)}.`,
    )
}

/** A restore that was killed before its rename has changed nothing but names: these are put back. */
export function undoInterrupted(path: string): void {
  for (const aside of hardLinksOf(path)) {
    for (const end of WAL_SUFFIXES) {
      if (statOf(`${aside}${end}`)) renameSync(`${aside}${end}`, `${path}${end}`)
      // Which does nothing, where both are names of one file.
      rmSync(`${aside}${end}`, { force: true })
    }
    rmSync(aside)
  }
}

/** A new database is not made where one may only have lost its name, nor half of a pair opened. */
export function requireNoInterruptedRestore(path: string): void {
  const isThere = (statOf(path)?.size ?? 0) > 0
  const asides = isThere ? hardLinksOf(path) : previousFilesOf(path)
  if (isThere && asides.length === 0) return
  const left = [...asides, ...restoringOf(path).map(({ name }) => join(dirname(path), name))]
  if (left.length === 0) return
  const names = left.join(', ')
  if (isThere)
    throw new StorageError(
      `A restore of ${path} was interrupted, and left ${names}: run "multitude restore" again.`,
    )
  const [newest] = asides.toSorted().slice(-1)
  throw new StorageError(
    `There is no database ${path}, but a restore left ${names}: run "multitude restore" again${newest ? `, or with ${newest}` : ''}; to begin anew, move what it left away.`,
  )
}

/** Makes the folder and the file, unless something speaks against it. */
export function prepareFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    requireNoInterruptedRestore(path)
    const file = statOf(path)
    if (file && !file.isFile()) throw new StorageError(`The database ${path} is not a file.`)
    accessSync(dirname(path), constants.W_OK)
    if (file) accessSync(path, constants.R_OK | constants.W_OK)
    // Private from its first moment on; SQLite gives the files beside it the same mode.
    else closeSync(openSync(path, 'a', 0o600))
  } catch (cause) {
    throw (
      toStorageError(path, cause) ??
      new StorageError(`The database ${path} cannot be written: check the folder’s permissions.`)
    )
  }
}

/** Makes the names in a folder outlast a loss of power. */
export function fsyncDir(folder: string): void {
  // Windows neither needs nor allows it.
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

/** Those set aside that are this very file: the restore did not come to its rename. */
function hardLinksOf(path: string): string[] {
  const file = statOf(path)
  if (!file || file.nlink < 2) return []
  return previousFilesOf(path).filter((aside) => {
    const other = statOf(aside)
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
    const [, pid, of] = /^\.restoring-(\d+)(?:-(.+)|\.db)$/.exec(name) ?? []
    const isOurs = of === undefined || of.replace(/-journal$/, '') === basename(path)
    return pid !== undefined && isOurs ? [{ name, pid }] : []
  })
}

/** Whether a process of that number lives, and is not this one. */
function isOthers(pid: string): boolean {
  if (Number(pid) === process.pid) return false
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** None where there is no folder. */
function namesIn(folder: string): string[] {
  return statOf(folder)?.isDirectory() ? readdirSync(folder) : []
}
