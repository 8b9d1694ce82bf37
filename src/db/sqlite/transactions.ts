import { type Database, SQLiteError } from 'bun:sqlite'
import { error } from '../../model/errors'
import type { Durability, Transact, WorkKind, WriteStats } from '../storage'
import type { Db } from '../types'
import { classifyError, storageError, toStorageError } from './errors'
import type { Health } from './health'

const BUSY_PAUSE_MS = 5

/** Most pieces of work that are committed together. */
const MAX_PER_COMMIT = 64

interface QueuedWork {
  readonly kind: WorkKind | undefined
  /** Whether it went well; what it did is undone otherwise. */
  run(): Promise<boolean>
  /** Tells its asker how it went, or that it was lost with all the others. */
  settle(lost?: unknown): void
}

/**
 * One piece of work at a time on the one write connection, in the order they were asked for. What
 * has queued up meanwhile shares a commit, because the disk takes as long for one as for many; each
 * piece can still fail alone, and none is answered before its commit. Drizzle's own `transaction`
 * is synchronous here and would commit before async work is done.
 */
export function createTransactionQueue(
  writer: Database,
  tx: Db,
  path: string,
  health: Health,
  durability: Durability,
  busyLimit: () => number,
  beforeCommit: () => void,
  stats: WriteStats = { waiting: 0 },
): Transact {
  const begin = writer.query('BEGIN IMMEDIATE')
  const commit = writer.query('COMMIT')
  const rollback = writer.query('ROLLBACK')
  const save = writer.query('SAVEPOINT piece')
  const release = writer.query('RELEASE piece')
  const undo = writer.query('ROLLBACK TO piece')
  const queue: QueuedWork[] = []
  let isWorking = false

  const pieceOf = <T>(
    work: (tx: Db) => Promise<T>,
    kind: WorkKind | undefined,
    resolve: (value: T) => void,
    reject: (cause: unknown) => void,
  ): QueuedWork => {
    let outcome: { value: T } | { cause: unknown }
    return {
      kind,
      async run() {
        save.run()
        try {
          outcome = { value: await work(tx) }
        } catch (cause) {
          // Some failures, such as a full disk, undo the whole transaction by themselves.
          if (!writer.inTransaction) throw cause
          outcome = { cause }
          health.recordFailure(cause)
          undo.run()
        }
        release.run()
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

  const commitTogether = async (pieces: QueuedWork[]) => {
    const began = performance.now()
    let lost: unknown
    const isSlice = durability === 'full' && pieces[0]?.kind === 'slice'
    try {
      if (isSlice) writer.run('PRAGMA synchronous = normal')
      await retryWhileBusy(path, busyLimit(), () => begin.run())
      health.requireInPlace()
      let isWorthIt = false
      for (const piece of pieces) if (await piece.run()) isWorthIt = true
      if (isWorthIt) {
        beforeCommit()
        commit.run()
        health.recordSuccess()
        stats.observer?.countCommit(pieces.length, (performance.now() - began) / 1000)
      } else rollback.run()
    } catch (cause) {
      if (writer.inTransaction) rollback.run()
      lost = explainCause(path, cause)
      health.recordFailure(cause)
      stats.observer?.countFailedCommit()
    }
    if (isSlice) writer.run('PRAGMA synchronous = full')
    for (const piece of pieces) piece.settle(lost)
  }

  const work = async () => {
    isWorking = true
    while (queue.length > 0) {
      const long = queue.findIndex(({ kind }) => kind !== undefined)
      const together = long === -1 ? MAX_PER_COMMIT : Math.min(Math.max(long, 1), MAX_PER_COMMIT)
      const pieces = queue.splice(0, together)
      stats.waiting = queue.length
      await commitTogether(pieces)
    }
    isWorking = false
  }

  // The one queue is stricter than any subject.
  return (_of, task, kind) =>
    new Promise((resolve, reject) => {
      stats.waiting = queue.push(pieceOf(task, kind, resolve, reject))
      // After this moment's other requests had their say.
      if (!isWorking) setImmediate(() => isWorking || work())
    })
}

function explainCause(path: string, cause: unknown): unknown {
  // What it hangs on was there when it was looked up, and is not any more.
  if (cause instanceof SQLiteError && cause.code === 'SQLITE_CONSTRAINT_FOREIGNKEY')
    return error('conflict', 'it was deleted meanwhile')
  return classifyError(path, cause) ? toStorageError(path, cause) : cause
}

async function retryWhileBusy(path: string, longest: number, begin: () => void): Promise<void> {
  const giveUpAt = Date.now() + longest
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
