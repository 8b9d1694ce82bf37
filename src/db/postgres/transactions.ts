import { sql } from 'drizzle-orm'
import { isUnavailable } from '../../model/core/errors'
import type { RenderJson } from '../../model/core/schemaHash'
import type { Clock } from '../../runtime/timers/clock'
import { withTimeout } from '../../runtime/timers/withTimeout'
import { postgresDialect } from '../dialect'
import { createKeyedQueue } from '../keyedQueue'
import { toText } from '../query'
import type { LockKey, Transact, WorkKind, WriteObserver, WriteStats } from '../storage'
import { systems } from '../tables'
import type { Db } from '../types'
import { createDb } from './driver'
import { explain, isLoss, isRetryable, unknownOutcome } from './errors'
import type { Primary } from './primary'
import type { PooledConnection } from './primaryPool'

/** Attempts of a transaction that conflicts with others. */
const MAX_ATTEMPTS = 4
/** A commit that takes longer waits for a standby that is down. */
const COMMIT_LIMIT_MS = 3_000
/** Higher, because a large transaction takes time to reach the standby. */
const LONG_COMMIT_LIMIT_MS = 60_000

export interface TransactionParts {
  readonly primary: Primary
  readonly clock: Clock
  readonly ready: Promise<unknown>
  readonly renderJson: RenderJson | undefined
  /** Called when a transaction of this node revoked credentials. */
  readonly invalidateCredentials: () => void
  readonly writeStats: WriteStats
  readonly observer: WriteObserver | undefined
}

/**
 * Every transaction begins by locking the row of its lock key, so that code that reads and then
 * decides has one writer on all nodes. Transactions of other keys do not wait for it.
 */
export function createTransact({
  primary,
  clock,
  ready,
  renderJson,
  invalidateCredentials,
  writeStats,
  observer,
}: TransactionParts): Transact {
  // Transactions that need the same row wait here, without a connection.
  const runInOrder = createKeyedQueue<string>()

  const writerOn = (connection: PooledConnection): Db => {
    connection.db ??= createDb(connection.query, renderJson, (name) => {
      if (name === 'credentials') connection.hasRevokedCredentials = true
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
    // Not awaited: the first statement of the work is sent in the same round trip.
    const begun = connection.exec(beginSql(lockKey, kind))
    begun.catch(() => {})
    try {
      const result = await work(writerOn(connection))
      await begun
      const commitStart = performance.now()
      await commit(connection, kind, clock).catch((cause) => {
        observer?.countFailedCommit()
        throw cause
      })
      observer?.countCommit(1, (performance.now() - commitStart) / 1000)
      if (connection.hasRevokedCredentials) invalidateCredentials()
      connection.release(true)
      return result
    } catch (cause) {
      await undo(connection, cause)
      // If `begin` failed, its error is thrown instead of those that followed from it.
      await begun
      throw cause
    }
  }

  const attemptRepeatedly = async <T>(
    lockKey: LockKey,
    work: (tx: Db) => Promise<T>,
    kind: WorkKind | undefined,
  ): Promise<T> => {
    for (let tries = 1; ; tries++)
      try {
        return await attempt(lockKey, work, kind)
      } catch (cause) {
        if (tries === MAX_ATTEMPTS || !isRetryable(cause)) throw explain(cause)
      }
  }

  return (lockKey, work, kind) => {
    writeStats.waiting++
    const run = (key: LockKey) =>
      keysOf(key).reduceRight(
        (next, name) => () => runInOrder(name, next),
        () => attemptRepeatedly(key, work, kind),
      )()
    const done = typeof lockKey === 'function' ? lockKey().then(run) : run(lockKey)
    return done.finally(() => {
      writeStats.waiting--
    })
  }
}

async function commit(
  connection: PooledConnection,
  kind: WorkKind | undefined,
  clock: Clock,
): Promise<void> {
  const limitMs = kind === 'long' ? LONG_COMMIT_LIMIT_MS : COMMIT_LIMIT_MS
  const committed = connection.exec('commit').catch((cause) => {
    throw isLoss(cause) || isUnavailable(cause) ? unknownOutcome() : cause
  })
  const onTimeout = () => {
    throw unknownOutcome()
  }
  await withTimeout(committed, limitMs, onTimeout, clock)
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

const settingsOfKind = {
  short: '',
  quick: '',
  // A slice need not survive a power failure, so its commit does not wait for the disk.
  slice: '; set local synchronous_commit = off',
  long: `; set local idle_in_transaction_session_timeout = '60s'`,
}

/** SQL text, because it is sent in one round trip with `begin`. */
const { text: SYSTEM_WHERE_ID } = toText(
  sql`select ${systems.id} from ${systems} where ${systems.id}`,
  postgresDialect,
)

function beginSql(lockKey: LockKey, kind: WorkKind | undefined): string {
  const begin = `begin${settingsOfKind[kind ?? 'short']}`
  if (lockKey === 'new') return begin
  if (typeof lockKey === 'object' && 'system' in lockKey)
    return `${begin}; ${SYSTEM_WHERE_ID} = ${Number(lockKey.system)} for no key update`
  if (typeof lockKey === 'object' && 'systems' in lockKey)
    return `${begin}; ${SYSTEM_WHERE_ID} in (${lockKey.systems.map(Number).join()}) order by id for no key update`
  return `${begin}; select pg_advisory_xact_lock(${lockOf(keysOf(lockKey)[0] ?? '')})`
}

/** Names of what a transaction waits for, in the order in which it waits. */
function keysOf(lockKey: LockKey): string[] {
  if (lockKey === 'new') return []
  if (typeof lockKey === 'string') return [lockKey]
  if ('system' in lockKey) return [`system ${lockKey.system}`]
  if ('systems' in lockKey)
    return [...new Set(lockKey.systems)].sort((a, b) => a - b).map((id) => `system ${id}`)
  return ['guild' in lockKey ? `guild ${lockKey.guild}` : `account ${lockKey.account}`]
}

/** Keys whose hashes collide merely wait for each other. */
function lockOf(key: string): number {
  return Bun.hash.crc32(key)
}
