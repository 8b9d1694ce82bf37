import { DomainError, error, unavailable } from '../../model/core/errors'
import { StorageError } from '../types'

/** Retry-After of the responses, about the time in which a standby is promoted. */
const RETRY_MS = 2_000

/** The connection is lost, or the server does not answer. */
export function lost(): DomainError {
  return unavailable('the database does not answer', RETRY_MS)
}

/** The connection was lost during a commit. */
export function unknownOutcome(): DomainError {
  return unavailable('the database does not answer: the outcome of the change is unknown', RETRY_MS)
}

/** Builds the error for the operator. */
export function unusable(name: string, reason: string): StorageError {
  return new StorageError(`The database ${name} cannot be used: ${reason.replace(/\.$/, '')}.`)
}

/** Returns PostgreSQL's error code, also if the query builder wrapped the error. */
export function codeOf(cause: unknown): string {
  const { errno, code, cause: inner } = (cause ?? {}) as Record<string, unknown>
  if (typeof errno === 'string') return errno
  if (typeof code === 'string' && code.startsWith('ERR_POSTGRES')) return code
  return inner === undefined ? '' : codeOf(inner)
}

/** Returns whether the server rejected the connection because no entry of pg_hba.conf allows it. */
export function isRefusedByRule(cause: unknown): boolean {
  return codeOf(cause) === '28000' && String(cause).includes('pg_hba.conf')
}

/** Explains why a certificate is not trusted, with the remedy; null for other errors. */
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

/** Returns whether the primary is lost. 25006: the server is a standby now and rejects writes. */
export function isLoss(cause: unknown): boolean {
  return /^(ERR_POSTGRES_(CONNECTION|LIFETIME|IDLE)|08|57P0|25006)/.test(codeOf(cause))
}

/** Returns whether the server has reached its connection limit. */
export function isTooManyConnections(cause: unknown): boolean {
  return codeOf(cause) === '53300'
}

export function isCanceled(cause: unknown): boolean {
  return codeOf(cause) === '57014'
}

/** Returns whether a transaction may succeed if retried: another one conflicted with it. */
export function isRetryable(cause: unknown): boolean {
  return /^(23505|40P01|40001)$/.test(codeOf(cause))
}

/** Maps a failure of the data or the server to a domain error; returns other failures unchanged. */
export function explain(cause: unknown): unknown {
  if (cause instanceof DomainError) return cause
  const code = codeOf(cause)
  if (isLoss(cause)) return lost()
  // The referenced row was deleted after it was read.
  if (code === '23503') return error('conflict', 'it was deleted meanwhile')
  if (isRetryable(cause)) return error('conflict', 'other requests wrote the same meanwhile')
  return temporary[code.slice(0, 5)] ?? cause
}

/** Errors that end by themselves or after the operator has acted. */
const temporary: Record<string, DomainError | undefined> = {
  '55P03': unavailable('the database is locked', 5_000),
  '25P03': unavailable('the transaction took too long', 2_000),
  '53100': unavailable('the disk is full', 60_000),
  '53200': unavailable('the database has no memory left', 5_000),
  '53300': unavailable('the database has too many connections', 5_000),
  '53400': unavailable('the database is at a limit', 5_000),
}
