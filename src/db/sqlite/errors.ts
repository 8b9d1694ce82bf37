import { SQLiteError } from 'bun:sqlite'
import { accessSync, constants, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DrizzleQueryError } from 'drizzle-orm'
import { type DomainError, unavailable } from '../../model/errors'
import { StorageError, type StorageFault } from '../types'

interface Words {
  /** Why, in the middle of a sentence. */
  reason: string
  /** The whole line, where the reason alone would not say what to do. */
  line?: (path: string) => string
  /** What a client is told who may try again later. All other troubles are no condition that passes. */
  passing?: { reason: string; retryAfter: number }
}

/** Every trouble with the file: what the operator reads, and what a client is answered. */
const faults: Record<StorageFault, Words> = {
  foreign: {
    reason: 'it is not a database',
    line: (path) => `The file ${path} is not a Multitude database.`,
  },
  damaged: {
    reason: 'it is damaged',
    line: (path) =>
      `The database ${path} is damaged: "multitude doctor" says how badly; "multitude restore" puts a backup in its place.`,
  },
  forbidden: {
    reason: 'this user is not allowed to',
    line: (path) =>
      `The database ${path} cannot be used: this user may not read and write it and its folder.`,
    passing: { reason: 'the database cannot be written', retryAfter: 60_000 },
  },
  readonly: {
    reason: 'the disk or folder is read-only',
    passing: { reason: 'the database is read-only', retryAfter: 60_000 },
  },
  full: {
    reason: 'the disk is full',
    passing: { reason: 'the disk is full', retryAfter: 60_000 },
  },
  locked: {
    reason: 'another program keeps it locked',
    line: (path) => `The database ${path} is locked by another program; try again later.`,
    passing: { reason: 'the database is locked', retryAfter: 5_000 },
  },
  crowded: {
    reason: 'too many files are open',
    passing: { reason: 'too many files are open', retryAfter: 5_000 },
  },
  failing: {
    reason: 'the disk fails to read or write',
    passing: { reason: 'the disk fails', retryAfter: 60_000 },
  },
  gone: {
    reason: 'it was deleted or replaced while it was open',
    line: (path) =>
      `The database ${path} was deleted or replaced while it was open: what is written would be lost. Start again.`,
    passing: { reason: 'the database is gone', retryAfter: 60_000 },
  },
}

/** What is said by codes alone. */
const byCode: [code: RegExp, trouble: StorageFault][] = [
  [/^SQLITE_NOTADB$/, 'foreign'],
  [/^SQLITE_CORRUPT/, 'damaged'],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'locked'],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)$/, 'full'],
  [/^(EACCES|EPERM|SQLITE_PERM|SQLITE_AUTH)$/, 'forbidden'],
  [/^EROFS$/, 'readonly'],
  [/^(EMFILE|ENFILE)$/, 'crowded'],
  [/^EIO$/, 'failing'],
]

/** SQLite says the same of many causes: which one it is shows at the file itself. */
const byProbe: [code: RegExp, unless: StorageFault][] = [
  [/^SQLITE_READONLY/, 'readonly'],
  [/^SQLITE_(IOERR|CANTOPEN)/, 'failing'],
]

/**
 * What really failed: a query builder tells its whole query around it, with all values, and these
 * are nobody's business.
 */
export function unwrapped(cause: unknown): unknown {
  return cause instanceof DrizzleQueryError ? unwrapped(cause.cause) : cause
}

/** What is wrong with the file, if that is what made something fail. */
export function classifyError(path: string, cause: unknown): StorageFault | null {
  if (cause instanceof StorageError) return cause.trouble ?? null
  const code = codeOf(cause)
  const known = byCode.find(([pattern]) => pattern.test(code))
  if (known) return known[1]
  const vague = byProbe.find(([pattern]) => pattern.test(code))
  return vague ? (probeFile(path) ?? vague[1]) : null
}

/** Turns what the system says into one line for the operator; null for what is no trouble of a file. */
export function toStorageError(path: string, cause: unknown): StorageError | null {
  if (cause instanceof StorageError) return cause
  const trouble = classifyError(path, cause)
  // The system names the file where it was not the database.
  const { path: named } = (cause ?? {}) as { path?: unknown }
  if (trouble && typeof named === 'string' && named !== path && named !== dirname(path))
    return new StorageError(`${named} cannot be used: ${faults[trouble].reason}.`, trouble)
  if (trouble) return storageError(path, trouble)
  return cause instanceof SQLiteError
    ? new StorageError(`The database ${path} cannot be used: ${cause.message}.`)
    : null
}

export function storageError(path: string, trouble: StorageFault): StorageError {
  const { line, reason } = faults[trouble]
  return new StorageError(line?.(path) ?? `${path} cannot be used: ${reason}.`, trouble)
}

/** Why, in a few words, for a sentence about something else. */
export function reasonOf(path: string, cause: unknown): string {
  const trouble = classifyError(path, cause)
  return trouble ? faults[trouble].reason : (cause as Error).message.replace(/\.$/, '')
}

/** What a client is answered while it lasts; null for what does not pass. */
export function unavailableReason(trouble: StorageFault | null): DomainError | null {
  const passing = trouble && faults[trouble].passing
  return passing ? unavailable(passing.reason, passing.retryAfter) : null
}

/** So little room that the next write may fail. */
const NEARLY_FULL_BYTES = 4 * 1024 * 1024
const FULL_BYTES = 64 * 1024

export function isDiskNearlyFull(path: string, least = NEARLY_FULL_BYTES): boolean {
  try {
    const { bavail, bsize, blocks } = statfsSync(dirname(path))
    // Some file systems do not tell their size.
    return blocks > 0 && bavail * bsize < least
  } catch {
    return false
  }
}

function probeFile(path: string): StorageFault | null {
  for (const [place, rights] of [
    [dirname(path), constants.W_OK | constants.X_OK],
    [path, constants.R_OK | constants.W_OK],
  ] as const) {
    try {
      accessSync(place, rights)
    } catch (cause) {
      const code = codeOf(cause)
      const known = byCode.find(([pattern]) => pattern.test(code))
      if (known) return known[1]
    }
  }
  return isDiskNearlyFull(path, FULL_BYTES) ? 'full' : null
}

function codeOf(cause: unknown): string {
  const { code } = (cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
