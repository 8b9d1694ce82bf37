import { SQLiteError } from 'bun:sqlite'
import { accessSync, constants, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DrizzleQueryError } from 'drizzle-orm'
import { type DomainError, unavailable } from '../../model/core/errors'
import { StorageError, type StorageFault } from '../types'

interface FaultTexts {
  /** Reason, for the middle of a sentence. */
  reason: string
  /** Complete line, if the reason alone does not name the remedy. */
  line?: (path: string) => string
  /** Reason in the response to a client, which may retry. Missing if the fault is not temporary. */
  temporary?: { reason: string; retryAfter: number }
}

/** Texts of all faults, for the operator and for clients. */
const faults: Record<StorageFault, FaultTexts> = {
  foreign: {
    reason: 'it is not a database',
    line: (path) => `The file ${path} is not a Multitude database.`,
  },
  damaged: {
    reason: 'it is damaged',
    line: (path) =>
      `The database ${path} is damaged: "multitude doctor" lists the damage; "multitude restore" replaces the database by a backup.`,
  },
  forbidden: {
    reason: 'this user is not allowed to',
    line: (path) =>
      `The database ${path} cannot be used: this user may not read and write it and its folder.`,
    temporary: { reason: 'the database cannot be written', retryAfter: 60_000 },
  },
  readonly: {
    reason: 'the disk or folder is read-only',
    temporary: { reason: 'the database is read-only', retryAfter: 60_000 },
  },
  full: {
    reason: 'the disk is full',
    temporary: { reason: 'the disk is full', retryAfter: 60_000 },
  },
  locked: {
    reason: 'another program keeps it locked',
    line: (path) => `The database ${path} is locked by another program; try again later.`,
    temporary: { reason: 'the database is locked', retryAfter: 5_000 },
  },
  crowded: {
    reason: 'too many files are open',
    temporary: { reason: 'too many files are open', retryAfter: 5_000 },
  },
  failing: {
    reason: 'the disk fails to read or write',
    temporary: { reason: 'the disk fails', retryAfter: 60_000 },
  },
  gone: {
    reason: 'it was deleted or replaced while it was open',
    line: (path) =>
      `The database ${path} was deleted or replaced while it was open: what is written would be lost. Start again.`,
    temporary: { reason: 'the database is gone', retryAfter: 60_000 },
  },
}

/** Faults that follow from the error code alone. */
const byCode: [code: RegExp, fault: StorageFault][] = [
  [/^SQLITE_NOTADB$/, 'foreign'],
  [/^SQLITE_CORRUPT/, 'damaged'],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'locked'],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)$/, 'full'],
  [/^(EACCES|EPERM|SQLITE_PERM|SQLITE_AUTH)$/, 'forbidden'],
  [/^EROFS$/, 'readonly'],
  [/^(EMFILE|ENFILE)$/, 'crowded'],
  [/^EIO$/, 'failing'],
]

/** Codes that SQLite uses for many causes; the cause is found by probing the file. */
const ambiguousCodes: [code: RegExp, unless: StorageFault][] = [
  [/^SQLITE_READONLY/, 'readonly'],
  [/^SQLITE_(IOERR|CANTOPEN)/, 'failing'],
]

/**
 * Returns the original error, because the query builder's error contains the query with all values,
 * which may be private.
 */
export function unwrapped(cause: unknown): unknown {
  return cause instanceof DrizzleQueryError ? unwrapped(cause.cause) : cause
}

/** Returns the fault of the file that caused an error, or null. */
export function classifyError(path: string, cause: unknown): StorageFault | null {
  if (cause instanceof StorageError) return cause.fault ?? null
  const code = codeOf(cause)
  const match = byCode.find(([pattern]) => pattern.test(code))
  if (match) return match[1]
  const ambiguous = ambiguousCodes.find(([pattern]) => pattern.test(code))
  return ambiguous ? (probeFile(path) ?? ambiguous[1]) : null
}

/** Converts an error into one line for the operator; null if it is not about a file. */
export function toStorageError(path: string, cause: unknown): StorageError | null {
  if (cause instanceof StorageError) return cause
  const fault = classifyError(path, cause)
  // The error names another file than the database.
  const { path: named } = (cause ?? {}) as { path?: unknown }
  if (fault && typeof named === 'string' && named !== path && named !== dirname(path))
    return new StorageError(`${named} cannot be used: ${faults[fault].reason}.`, fault)
  if (fault) return storageError(path, fault)
  return cause instanceof SQLiteError
    ? new StorageError(`The database ${path} cannot be used: ${cause.message}.`)
    : null
}

export function storageError(path: string, fault: StorageFault): StorageError {
  const { line, reason } = faults[fault]
  return new StorageError(line?.(path) ?? `${path} cannot be used: ${reason}.`, fault)
}

/** Returns the reason of an error, for the middle of a sentence. */
export function reasonOf(path: string, cause: unknown): string {
  const fault = classifyError(path, cause)
  return fault ? faults[fault].reason : (cause as Error).message.replace(/\.$/, '')
}

/** Returns the error for clients while a fault lasts; null if it is not temporary. */
export function unavailableReason(fault: StorageFault | null): DomainError | null {
  const temporary = fault && faults[fault].temporary
  return temporary ? unavailable(temporary.reason, temporary.retryAfter) : null
}

/** With less space, the next write may fail. */
const NEARLY_FULL_BYTES = 4 * 1024 * 1024
const FULL_BYTES = 64 * 1024

export function isDiskNearlyFull(path: string, least = NEARLY_FULL_BYTES): boolean {
  try {
    const { bavail, bsize, blocks } = statfsSync(dirname(path))
    // Some file systems do not report their size.
    return blocks > 0 && bavail * bsize < least
  } catch {
    return false
  }
}

function probeFile(path: string): StorageFault | null {
  for (const [target, rights] of [
    [dirname(path), constants.W_OK | constants.X_OK],
    [path, constants.R_OK | constants.W_OK],
  ] as const) {
    try {
      accessSync(target, rights)
    } catch (cause) {
      const code = codeOf(cause)
      const match = byCode.find(([pattern]) => pattern.test(code))
      if (match) return match[1]
    }
  }
  return isDiskNearlyFull(path, FULL_BYTES) ? 'full' : null
}

function codeOf(cause: unknown): string {
  const { code } = (cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
