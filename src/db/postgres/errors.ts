import { DomainError, error, unavailable } from '../../model/errors'
import { StorageError } from '../types'

/** How soon whoever was refused may try again: a standby is promoted in about that time. */
const RETRY_MS = 2_000

/** The connection is gone, or nothing comes through it. */
export function lost(): DomainError {
  return unavailable('the database does not answer', RETRY_MS)
}

/** It went away while a commit was under way. */
export function unknownOutcome(): DomainError {
  return unavailable('the database does not answer: whether it was kept is not known', RETRY_MS)
}

/** One line for the operator. */
export function unusable(name: string, reason: string): StorageError {
  return new StorageError(`The database ${name} cannot be used: ${reason.replace(/\.$/, '')}.`)
}

/** PostgreSQL's own number of an error; a query builder may have wrapped it. */
export function codeOf(cause: unknown): string {
  const { errno, code, cause: inner } = (cause ?? {}) as Record<string, unknown>
  if (typeof errno === 'string') return errno
  if (typeof code === 'string' && code.startsWith('ERR_POSTGRES')) return code
  return inner === undefined ? '' : codeOf(inner)
}

/** Whether no rule of the server's pg_hba.conf lets the connection in. */
export function isRefusedByRule(cause: unknown): boolean {
  return codeOf(cause) === '28000' && String(cause).includes('pg_hba.conf')
}

/** Why a certificate is not trusted, and what to do about it; null where it is not about one. */
export function certificateError(cause: unknown, rootCert: string): string | null {
  const { code, message = '' } = (cause ?? {}) as { code?: unknown; message?: string }
  if (typeof code !== 'string') return null
  if (/^E(NOENT|ACCES|PERM|ISDIR)$/.test(code)) return 'the file of PGSSLROOTCERT cannot be read'
  if (code === 'ERR_BORINGSSL') return 'the file of PGSSLROOTCERT has no certificates'
  if (!/CERT|ALTNAME|CHAIN/.test(code)) return null
  const isUnknownCa = rootCert === '' && !code.includes('ALTNAME')
  const remedy = isUnknownCa ? '; PGSSLROOTCERT names a file with the certificate of its CA' : ''
  return message.replace(/\.$/, '') + remedy
}

/** Whether nothing more can be asked there. 25006: it is a standby now, and takes no writes. */
export function isLoss(cause: unknown): boolean {
  return /^(ERR_POSTGRES_(CONNECTION|LIFETIME|IDLE)|08|57P0|25006)/.test(codeOf(cause))
}

/** Whether the server had no room for one more connection. */
export function isTooManyConnections(cause: unknown): boolean {
  return codeOf(cause) === '53300'
}

/** Whether the same work may succeed if it is done again: somebody else was there first. */
export function isRetryable(cause: unknown): boolean {
  return /^(23505|40P01|40001)$/.test(codeOf(cause))
}

/** What is told of a failure that says something about the data or the server; else the failure. */
export function explain(cause: unknown): unknown {
  if (cause instanceof DomainError) return cause
  const code = codeOf(cause)
  if (isLoss(cause)) return lost()
  // What it hangs on was there when it was looked up, and is not any more.
  if (code === '23503') return error('conflict', 'it was deleted meanwhile')
  if (isRetryable(cause)) return error('conflict', 'others wrote the same meanwhile')
  return passing[code.slice(0, 5)] ?? cause
}

/** What passes by itself, or when the operator has seen to it. */
const passing: Record<string, DomainError | undefined> = {
  '55P03': unavailable('the database is locked', 5_000),
  '25P03': unavailable('it took too long', 2_000),
  '53100': unavailable('the disk is full', 60_000),
  '53200': unavailable('the database has no memory left', 5_000),
  '53300': unavailable('the database has too many connections', 5_000),
  '53400': unavailable('the database is at a limit', 5_000),
}
