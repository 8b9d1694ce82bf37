import { isUnavailable } from '../../model/errors'
import type { RenderJson } from '../../model/renderedJson'
import { createKeyedQueue } from '../keyedQueue'
import type { LockKey, Transact, WorkKind, WriteStats } from '../storage'
import type { Db } from '../types'
import { createDb } from './driver'
import { explain, isLoss, isRetryable, unknownOutcome } from './errors'
import type { Primary } from './primary'
import type { PooledConnection } from './primaryPool'

/** How often work is done again that met somebody else's. */
const MAX_TRIES = 4
/** A commit that takes longer waits for a standby that is not there. */
const COMMIT_LIMIT_MS = 3_000
/** Much has to reach that standby first. */
const LONG_COMMIT_LIMIT_MS = 60_000

export interface TransactionParts {
  readonly primary: Primary
  readonly ready: Promise<unknown>
  readonly renderJson: RenderJson | undefined
  /** Told when a token or the like was ended here. */
  readonly invalidateCredentials: () => void
  readonly writeStats: WriteStats
}

/**
 * Every transaction begins by holding the row of its subject: what reads and then decides does so
 * in a world with one writer, on whichever node, and nobody else waits for it.
 */
export function createTransact({
  primary,
  ready,
  renderJson,
  invalidateCredentials,
  writeStats,
}: TransactionParts): Transact {
  // Who would wait for the same row waits here, without a connection.
  const inLine = createKeyedQueue<string>()

  const writerOn = (connection: PooledConnection): Db => {
    connection.db ??= createDb(connection.query, renderJson, (name) => {
      if (name === 'keys') connection.hasRevokedCredentials = true
    })
    return connection.db
  }

  const attempt = async <T>(
    lockKey: LockKey,
    work: (tx: Db) => Promise<T>,
    kind: WorkKind | undefined,
  ): Promise<T> => {
    await ready
    const connection = await primary.current().acquire()
    connection.hasRevokedCredentials = false
    // Not waited for: what the work asks first follows in the same breath.
    const begun = connection.exec(beginning(lockKey, kind))
    begun.catch(() => {})
    try {
      const result = await work(writerOn(connection))
      await begun
      const committing = performance.now()
      await commit(connection, kind).catch((cause) => {
        writeStats.observer?.countFailedCommit()
        throw cause
      })
      writeStats.observer?.countCommit(1, (performance.now() - committing) / 1000)
      if (connection.hasRevokedCredentials) invalidateCredentials()
      connection.release(true)
      return result
    } catch (cause) {
      await undo(connection, cause)
      // What came of a beginning that failed says nothing.
      await begun
      throw cause
    }
  }

  const insist = async <T>(
    lockKey: LockKey,
    work: (tx: Db) => Promise<T>,
    kind: WorkKind | undefined,
  ): Promise<T> => {
    for (let tries = 1; ; tries++)
      try {
        return await attempt(lockKey, work, kind)
      } catch (cause) {
        if (tries === MAX_TRIES || !isRetryable(cause)) throw explain(cause)
      }
  }

  return (lockKey, work, kind) => {
    writeStats.waiting++
    const doFor = (whom: LockKey) =>
      whom === 'new'
        ? insist(whom, work, kind)
        : inLine(keyOf(whom), () => insist(whom, work, kind))
    const done = typeof lockKey === 'function' ? lockKey().then(doFor) : doFor(lockKey)
    return done.finally(() => {
      writeStats.waiting--
    })
  }
}

async function commit(connection: PooledConnection, kind: WorkKind | undefined): Promise<void> {
  let isLate = false
  const late = Promise.withResolvers<never>()
  const limit = kind === 'long' ? LONG_COMMIT_LIMIT_MS : COMMIT_LIMIT_MS
  const timer = setTimeout(() => {
    isLate = true
    late.reject(unknownOutcome())
  }, limit)
  try {
    await Promise.race([connection.exec('commit'), late.promise])
  } catch (cause) {
    throw isLate || isLoss(cause) || isUnavailable(cause) ? unknownOutcome() : cause
  } finally {
    clearTimeout(timer)
  }
}

async function undo(connection: PooledConnection, cause: unknown): Promise<void> {
  if (isLoss(cause) || isUnavailable(cause)) return connection.release(false)
  try {
    await connection.exec('rollback')
    connection.release(true)
  } catch {
    connection.release(false)
  }
}

const ofKind = {
  short: '',
  // What need not survive a power cut is not waited for.
  slice: '; set local synchronous_commit = off',
  long: `; set local idle_in_transaction_session_timeout = '60s'`,
}

function beginning(lockKey: LockKey, kind: WorkKind | undefined): string {
  const begin = `begin${ofKind[kind ?? 'short']}`
  if (lockKey === 'new') return begin
  if (typeof lockKey === 'object' && 'system' in lockKey)
    return `${begin}; select id from systems where id = ${Number(lockKey.system)} for no key update`
  return `${begin}; select pg_advisory_xact_lock(${lockOf(keyOf(lockKey))})`
}

function keyOf(lockKey: Exclude<LockKey, 'new'>): string {
  if (typeof lockKey === 'string') return lockKey
  if ('system' in lockKey) return `system ${lockKey.system}`
  return 'guild' in lockKey ? `guild ${lockKey.guild}` : `account ${lockKey.account}`
}

/** Two that share a number only wait for each other. */
function lockOf(key: string): number {
  return Bun.hash.crc32(key)
}
