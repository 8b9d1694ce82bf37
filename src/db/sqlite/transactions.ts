import { type Database, SQLiteError } from 'bun:sqlite'
import { error } from '../../model/core/errors'
import type { Durability, Transact, WorkKind, WriteObserver, WriteStats } from '../storage'
import type { Db } from '../types'
import { classifyError, storageError, toStorageError } from './errors'
import type { Health } from './health'

const BUSY_PAUSE_MS = 5
/** Limit of `busyLimit` after the previous transaction has already timed out. */
const SHORT_BUSY_LIMIT_MS = 1_000

/** Maximum number of transactions that share a commit. */
const MAX_PER_COMMIT = 64
/** Maximum number of turns of the event loop that a commit waits for further transactions. */
const MAX_TURNS = 4

interface QueuedWork {
  readonly kind: WorkKind | undefined
  /**
   * Runs the work. Returns false if it failed: it was rolled back to its savepoint, or is to be rolled
   * back by the caller if it is alone. SQLite would keep a copy of each page for a savepoint.
   */
  run(isAlone: boolean): Promise<boolean>
  /** Settles the promise of the caller, with the cause if the whole commit failed. */
  settle(lost?: unknown): void
}

interface TransactionQueueOptions {
  readonly writer: Database
  /** Handle on the writer, for the work. */
  readonly tx: Db
  readonly path: string
  readonly health: Health
  readonly durability: Durability
  /** Time limit for a file that another process has locked. */
  readonly busyLimit: number
  readonly beforeCommit: () => void
  readonly stats: WriteStats
  readonly observer: WriteObserver | undefined
}

/**
 * Runs transactions one at a time on the write connection, in the order of the calls. Queued
 * transactions share a commit, because the disk takes as long for one as for many, but each can
 * fail alone. Drizzle's `transaction` is synchronous here and would commit before async work ends.
 */
export function createTransactionQueue({
  writer,
  tx,
  path,
  health,
  durability,
  busyLimit,
  beforeCommit,
  stats,
  observer,
}: TransactionQueueOptions): Transact {
  const begin = writer.query('BEGIN IMMEDIATE')
  const commit = writer.query('COMMIT')
  const rollback = writer.query('ROLLBACK')
  const save = writer.query('SAVEPOINT piece')
  const release = writer.query('RELEASE piece')
  const undo = writer.query('ROLLBACK TO piece')
  const queue: QueuedWork[] = []
  let isRunning = false

  const createQueuedWork = <T>(
    work: (tx: Db) => Promise<T>,
    kind: WorkKind | undefined,
    resolve: (value: T) => void,
    reject: (cause: unknown) => void,
  ): QueuedWork => {
    let outcome: { value: T } | { cause: unknown }
    return {
      kind,
      async run(isAlone) {
        if (!isAlone) save.run()
        try {
          outcome = { value: await work(tx) }
        } catch (cause) {
          // Some failures, such as a full disk, make SQLite roll back the whole transaction.
          if (!writer.inTransaction) throw cause
          outcome = { cause }
          health.recordFailure(cause)
          if (!isAlone) undo.run()
        }
        if (!isAlone) release.run()
        return 'value' in outcome
      },
      settle(lost) {
        if (lost !== undefined) return reject(lost)
        return 'value' in outcome
          ? resolve(outcome.value)
          : reject(explainCause(path, outcome.cause))
      },
    }
  }

  const commitTogether = async (batch: QueuedWork[]) => {
    const startedAt = performance.now()
    let lost: unknown
    const isUnflushed = durability === 'full' && isUnflushedKind(batch[0]?.kind)
    try {
      if (isUnflushed) writer.run('PRAGMA synchronous = normal')
      const limitMs = health.isLockedOut() ? Math.min(busyLimit, SHORT_BUSY_LIMIT_MS) : busyLimit
      await retryWhileBusy(path, limitMs, () => begin.run())
      health.requireInPlace()
      let hasSuccess = false
      const isAlone = batch.length === 1
      for (const item of batch) if (await item.run(isAlone)) hasSuccess = true
      if (hasSuccess) {
        beforeCommit()
        commit.run()
        health.recordSuccess()
        observer?.countCommit(batch.length, (performance.now() - startedAt) / 1000)
      } else rollback.run()
    } catch (cause) {
      if (writer.inTransaction) rollback.run()
      lost = explainCause(path, cause)
      health.recordFailure(cause)
      observer?.countFailedCommit()
    }
    if (isUnflushed) writer.run('PRAGMA synchronous = full')
    for (const item of batch) item.settle(lost)
  }

  const work = async () => {
    isRunning = true
    while (queue.length > 0) {
      const long = queue.findIndex(({ kind }) => kind !== undefined)
      const count = long === -1 ? MAX_PER_COMMIT : Math.min(Math.max(long, 1), MAX_PER_COMMIT)
      const batch = queue.splice(0, count)
      stats.waiting = queue.length
      await commitTogether(batch)
    }
    isRunning = false
  }

  /**
   * Starts the queue after this turn of the event loop, so that all its writes share a commit. While
   * turns bring further writes to several, it waits for another one: the responses to a commit bring
   * the next requests of their clients, but not all in one turn.
   */
  const gather = (before: number, turns: number) => {
    setImmediate(() => {
      const isGrowing = queue.length > before && queue.length < MAX_PER_COMMIT
      if (isGrowing && turns > 1) gather(queue.length, turns - 1)
      else work()
    })
  }

  // One queue for all transactions makes lock keys unnecessary.
  return (_of, task, kind) =>
    new Promise((resolve, reject) => {
      stats.waiting = queue.push(createQueuedWork(task, kind, resolve, reject))
      if (!isRunning && queue.length === 1) gather(1, MAX_TURNS)
    })
}

function isUnflushedKind(kind: WorkKind | undefined): boolean {
  return kind === 'slice' || kind === 'quick'
}

function explainCause(path: string, cause: unknown): unknown {
  // The referenced row was deleted after it was read.
  if (cause instanceof SQLiteError && cause.code === 'SQLITE_CONSTRAINT_FOREIGNKEY')
    return error('conflict', 'it was deleted meanwhile')
  return classifyError(path, cause) ? toStorageError(path, cause) : cause
}

async function retryWhileBusy(path: string, limitMs: number, begin: () => void): Promise<void> {
  const giveUpAt = Date.now() + limitMs
  for (;;) {
    try {
      return begin()
    } catch (cause) {
      if (classifyError(path, cause) !== 'locked') throw cause
      if (Date.now() > giveUpAt) throw storageError(path, 'locked')
      await Bun.sleep(BUSY_PAUSE_MS)
    }
  }
}
