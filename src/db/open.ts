import { Database, SQLiteError, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { resolve } from 'node:path'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { type DomainError, error, unavailable } from '../model/errors'
import type { RenderFace } from '../model/face'
import { type Db, StorageError } from './handle'
import { createHealth, type Health, identify } from './health'
import { prepareFolder } from './leftovers'
import { migrate, refuseForeign } from './migrate'
import { createMoment, type Moment } from './moment'
import { explainTrouble, refusalFor, troubled, troubleOf } from './trouble'

export type Durability = 'full' | 'normal'

/**
 * Long work keeps its commit to itself, so that nobody else's answer waits for it. So does a slice
 * of something larger that nobody sees yet: it need not survive a power cut, and is not waited for
 * until it is on the disk. The commit that shows it all flushes the log with everything in it.
 */
export type WorkKind = 'long' | 'slice'

export interface Storage {
  readonly path: string
  /** Reads; never sees a transaction's half-done work. */
  readonly db: Db
  readonly moment: Moment
  /**
   * Runs the work alone on the write connection: all of it is kept, or nothing.
   */
  transact<T>(work: (tx: Db) => Promise<T>, kind?: WorkKind): Promise<T>
  /**
   * Gives the work a connection of its own that sees the database as of one moment. Work for the
   * same system is done one at a time: it is long, and takes much memory.
   */
  snapshot<T>(systemId: number, work: (db: Db) => Promise<T>): Promise<T>
  /** What keeps the database from being read or written, for whoever may try again; else null. */
  findTrouble(): Promise<DomainError | null>
  /** What is answered when a read or a write failed of what will pass; null when it will not. */
  refusalFor(cause: unknown): DomainError | null
  /** Folds the write-ahead log into the file and closes it. */
  close(): void
}

/** How long a writer waits for another process, such as a long import, before it gives up. */
const BUSY_LIMIT_MS = 30_000
const BUSY_PAUSE_MS = 5
/** SQLite waits by itself where it can; it cannot everywhere. */
const OPEN_LIMIT_MS = 2_000
const OPEN_PAUSE_MS = 20
/** How long, when those before have waited in vain. */
const SHORT_LIMIT_MS = 1_000

export function openStorage(
  url: string,
  durability: Durability = 'full',
  busyLimit = BUSY_LIMIT_MS,
  render?: RenderFace,
): Storage {
  const path = pathOf(url)
  prepareFolder(path)
  // Several programs that make or migrate a file at once get into each other's way for a moment.
  for (const giveUpAt = Date.now() + OPEN_LIMIT_MS; ; Bun.sleepSync(OPEN_PAUSE_MS))
    try {
      return openFile(path, durability, busyLimit, render)
    } catch (cause) {
      if (troubleOf(path, cause) === 'locked' && Date.now() < giveUpAt) continue
      throw explainTrouble(path, cause) ?? cause
    }
}

function openFile(
  path: string,
  durability: Durability,
  busyLimit: number,
  render: RenderFace | undefined,
): Storage {
  const isInPlace = identify(path)
  const writer = new Connection(path, { create: true, readwrite: true })
  try {
    writer.run('PRAGMA busy_timeout = 5000')
    // Before anything is written: another program's file stays as it is.
    refuseForeign(writer)
    // What it waited for may have been a restore.
    if (!isInPlace()) throw troubled(path, 'gone')
    writer.run('PRAGMA journal_mode = WAL')
    writer.run(`PRAGMA synchronous = ${durability}`)
    migrate(writer)
    writer.run('PRAGMA foreign_keys = ON')
    // From here on a busy file is waited for without stopping the event loop.
    writer.run('PRAGMA busy_timeout = 0')
  } catch (cause) {
    writer.close()
    throw cause
  }
  const reader = new Connection(path, { readonly: true })
  reader.run('PRAGMA busy_timeout = 5000')
  const moment = createMoment(reader)
  const health = createHealth(path, isInPlace, {
    reader,
    writer,
    probe: (work) => transact(work, 'long'),
  })
  const limit = () => (health.isLockedOut() ? Math.min(busyLimit, SHORT_LIMIT_MS) : busyLimit)
  const tx = createDb(writer, render)
  const transact = queueTransactions(writer, tx, path, health, durability, limit, moment.end)
  return {
    path,
    db: createDb(reader, render),
    moment,
    transact,
    snapshot: takeSnapshots(path),
    findTrouble: async () => {
      const trouble = await health.findTrouble()
      return trouble && (refusalFor(trouble) ?? unavailable('the database does not answer', 60_000))
    },
    refusalFor: (cause) => refusalFor(troubleOf(path, cause)),
    close: () => {
      moment.end()
      reader.close()
      foldLog(writer)
      writer.close()
    },
  }
}

/** Where that fails, as on a full disk, the log stays and is read by whoever opens the file next. */
function foldLog(writer: Database): void {
  try {
    writer.run('PRAGMA busy_timeout = 1000')
    writer.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (cause) {
    if (!(cause instanceof SQLiteError)) throw cause
  }
}

function createDb(connection: Database, render: RenderFace | undefined): Db {
  return Object.assign(drizzle(connection), { render })
}

function takeSnapshots(path: string): Storage['snapshot'] {
  /** The last in the line of each system, until it is done. */
  const lines = new Map<number, Promise<void>>()
  return (systemId, work) => {
    const before = lines.get(systemId) ?? Promise.resolve()
    const done = before.then(() => withSnapshot(path, work))
    const leave = () => {
      if (lines.get(systemId) === last) lines.delete(systemId)
    }
    const last = done.then(leave, leave)
    lines.set(systemId, last)
    return done
  }
}

async function withSnapshot<T>(path: string, work: (db: Db) => Promise<T>): Promise<T> {
  const own = new PassingConnection(path, { readonly: true })
  try {
    own.run('PRAGMA busy_timeout = 5000')
    own.run('BEGIN')
    return await work(drizzle(own))
  } finally {
    own.close()
  }
}

/**
 * Statements here live long. Prepared as passing ones they would keep the little memory that SQLite
 * lends to running ones, and everything would take a tenth longer. (Bun's own `query`, which says
 * so to SQLite, does not come back to `prepare`.)
 */
class Connection extends Database {
  override prepare<R, P extends SQLQueryBindings | SQLQueryBindings[]>(sql: string) {
    return this.query<R, P>(sql)
  }
}

/**
 * A connection lives on with its statements until these are collected. It would keep its memory,
 * and the moment it sees, while which the write-ahead log can only grow.
 */
class PassingConnection extends Connection {
  readonly #statements: Statement[] = []

  override query<R, P extends SQLQueryBindings | SQLQueryBindings[]>(sql: string) {
    const made = super.query<R, P>(sql)
    this.#statements.push(made as Statement)
    return made
  }

  override close(): void {
    for (const statement of this.#statements) statement.finalize()
    super.close()
  }
}

/** Most pieces of work that are committed together. */
const MOST_TOGETHER = 64

interface Piece {
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
function queueTransactions(
  writer: Database,
  tx: Db,
  path: string,
  health: Health,
  durability: Durability,
  busyLimit: () => number,
  beforeCommit: () => void,
): Storage['transact'] {
  const begin = writer.query('BEGIN IMMEDIATE')
  const commit = writer.query('COMMIT')
  const rollback = writer.query('ROLLBACK')
  const save = writer.query('SAVEPOINT piece')
  const release = writer.query('RELEASE piece')
  const undo = writer.query('ROLLBACK TO piece')
  const queue: Piece[] = []
  let isWorking = false

  const pieceOf = <T>(
    work: (tx: Db) => Promise<T>,
    kind: WorkKind | undefined,
    resolve: (value: T) => void,
    reject: (cause: unknown) => void,
  ): Piece => {
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
          health.noteFailure(cause)
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

  const commitTogether = async (pieces: Piece[]) => {
    let lost: unknown
    const isSlice = durability === 'full' && pieces[0]?.kind === 'slice'
    try {
      if (isSlice) writer.run('PRAGMA synchronous = normal')
      await waitForTurn(path, busyLimit(), () => begin.run())
      health.refuseMoved()
      let isWorthIt = false
      for (const piece of pieces) if (await piece.run()) isWorthIt = true
      if (isWorthIt) {
        beforeCommit()
        commit.run()
        health.noteSuccess()
      } else rollback.run()
    } catch (cause) {
      if (writer.inTransaction) rollback.run()
      lost = explainCause(path, cause)
      health.noteFailure(cause)
    }
    if (isSlice) writer.run('PRAGMA synchronous = full')
    for (const piece of pieces) piece.settle(lost)
  }

  const work = async () => {
    isWorking = true
    while (queue.length > 0) {
      const long = queue.findIndex(({ kind }) => kind !== undefined)
      const together = long === -1 ? MOST_TOGETHER : Math.min(Math.max(long, 1), MOST_TOGETHER)
      const pieces = queue.splice(0, together)
      await commitTogether(pieces)
    }
    isWorking = false
  }

  return (task, kind) =>
    new Promise((resolve, reject) => {
      queue.push(pieceOf(task, kind, resolve, reject))
      // After this moment's other requests had their say.
      if (!isWorking) setImmediate(() => isWorking || work())
    })
}

function explainCause(path: string, cause: unknown): unknown {
  // What it hangs on was there when it was looked up, and is not any more.
  if (cause instanceof SQLiteError && cause.code === 'SQLITE_CONSTRAINT_FOREIGNKEY')
    return error('conflict', 'it was deleted meanwhile')
  return troubleOf(path, cause) ? explainTrouble(path, cause) : cause
}

async function waitForTurn(path: string, longest: number, begin: () => void): Promise<void> {
  const giveUpAt = Date.now() + longest
  for (;;) {
    try {
      return begin()
    } catch (cause) {
      if (troubleOf(path, cause) !== 'locked') throw cause
      if (Date.now() > giveUpAt) throw troubled(path, 'locked')
      await Bun.sleep(BUSY_PAUSE_MS)
    }
  }
}

export function pathOf(url: string): string {
  if (!url.startsWith('file:') || url.length === 'file:'.length)
    throw new StorageError(`The database address must look like file:data/multitude.db, not ${url}`)
  return resolve(url.slice('file:'.length).replace(/^\/\/(?=\/)/, ''))
}
