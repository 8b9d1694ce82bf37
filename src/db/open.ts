import { Database, SQLiteError, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { error } from '../model/errors'
import { type Db, StorageError } from './handle'
import { migrate, refuseForeign } from './migrate'
import { createMoment, type Moment } from './moment'
import * as tables from './tables'

export type Durability = 'full' | 'normal'

export interface Storage {
  readonly path: string
  /** Reads; never sees a transaction's half-done work. */
  readonly db: Db
  readonly moment: Moment
  /**
   * Runs the work alone on the write connection: all of it is kept, or nothing. Long work keeps
   * its commit to itself, so that nobody else's answer waits for it.
   */
  transact<T>(work: (tx: Db) => Promise<T>, length?: 'long'): Promise<T>
  /**
   * Gives the work a connection of its own that sees the database as of one moment. Work for the
   * same system is done one at a time: it is long, and takes much memory.
   */
  snapshot<T>(systemId: number, work: (db: Db) => Promise<T>): Promise<T>
  /** Throws unless the database answers. */
  ping(): void
  /** Folds the write-ahead log into the file and closes it. */
  close(): void
}

/** How long a writer waits for another process, such as a long import, before it gives up. */
const BUSY_LIMIT_MS = 30_000
const BUSY_PAUSE_MS = 5

export function openStorage(url: string, durability: Durability = 'full'): Storage {
  const path = pathOf(url)
  prepareFolder(path)
  return explain(path, () => {
    const writer = new Connection(path, { create: true, readwrite: true })
    writer.run('PRAGMA busy_timeout = 5000')
    // Before anything is written: another program's file stays as it is.
    refuseForeign(writer)
    writer.run('PRAGMA journal_mode = WAL')
    writer.run(`PRAGMA synchronous = ${durability}`)
    migrate(writer)
    writer.run('PRAGMA foreign_keys = ON')
    // From here on a busy file is waited for without stopping the event loop.
    writer.run('PRAGMA busy_timeout = 0')
    const reader = new Connection(path, { readonly: true })
    reader.run('PRAGMA busy_timeout = 5000')
    const moment = createMoment(reader)
    return {
      path,
      db: drizzle(reader, { schema: tables }),
      moment,
      transact: queueTransactions(writer, path, moment.end),
      snapshot: takeSnapshots(path),
      ping: () => void reader.query('SELECT 1 FROM systems LIMIT 1').get(),
      close: () => {
        moment.end()
        reader.close()
        writer.run('PRAGMA busy_timeout = 1000')
        writer.run('PRAGMA wal_checkpoint(TRUNCATE)')
        writer.close()
      },
    }
  })
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
    return await work(drizzle(own, { schema: tables }))
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
  readonly isLong: boolean
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
  path: string,
  beforeCommit: () => void,
): Storage['transact'] {
  const tx = drizzle(writer, { schema: tables })
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
    isLong: boolean,
    resolve: (value: T) => void,
    reject: (cause: unknown) => void,
  ): Piece => {
    let outcome: { value: T } | { cause: unknown }
    return {
      isLong,
      async run() {
        save.run()
        try {
          outcome = { value: await work(tx) }
        } catch (cause) {
          // Some failures, such as a full disk, undo the whole transaction by themselves.
          if (!writer.inTransaction) throw cause
          outcome = { cause }
          undo.run()
        }
        release.run()
        return 'value' in outcome
      },
      settle(lost) {
        if (lost !== undefined) return reject(lost)
        return 'value' in outcome ? resolve(outcome.value) : reject(explainCause(outcome.cause))
      },
    }
  }

  const commitTogether = async (pieces: Piece[]) => {
    let lost: unknown
    try {
      await waitForTurn(path, () => begin.run())
      let isWorthIt = false
      for (const piece of pieces) if (await piece.run()) isWorthIt = true
      if (isWorthIt) {
        beforeCommit()
        commit.run()
      } else rollback.run()
    } catch (cause) {
      if (writer.inTransaction) rollback.run()
      lost = cause
    }
    for (const piece of pieces) piece.settle(lost)
  }

  const work = async () => {
    isWorking = true
    while (queue.length > 0) {
      const long = queue.findIndex(({ isLong }) => isLong)
      const together = long === -1 ? MOST_TOGETHER : Math.min(Math.max(long, 1), MOST_TOGETHER)
      const pieces = queue.splice(0, together)
      await commitTogether(pieces)
    }
    isWorking = false
  }

  return (task, length) =>
    new Promise((resolve, reject) => {
      queue.push(pieceOf(task, length === 'long', resolve, reject))
      // After this moment's other requests had their say.
      if (!isWorking) setImmediate(() => isWorking || work())
    })
}

/** What it hangs on was there when it was looked up, and is not any more. */
function explainCause(cause: unknown): unknown {
  return isMissingReference(cause) ? error('conflict', 'it was deleted meanwhile') : cause
}

async function waitForTurn(path: string, begin: () => void): Promise<void> {
  const giveUpAt = Date.now() + BUSY_LIMIT_MS
  for (;;) {
    try {
      return begin()
    } catch (cause) {
      if (!isBusy(cause)) throw cause
      if (Date.now() > giveUpAt) throw locked(path)
      await Bun.sleep(BUSY_PAUSE_MS)
    }
  }
}

function isMissingReference(cause: unknown): boolean {
  return cause instanceof SQLiteError && cause.code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
}

function isBusy(cause: unknown): boolean {
  return cause instanceof SQLiteError && (cause.code ?? '').startsWith('SQLITE_BUSY')
}

function locked(path: string): StorageError {
  return new StorageError(`The database ${path} is locked by another program; try again later.`)
}

export function pathOf(url: string): string {
  if (!url.startsWith('file:') || url.length === 'file:'.length)
    throw new StorageError(`The database address must look like file:data/multitude.db, not ${url}`)
  return resolve(url.slice('file:'.length).replace(/^\/\/(?=\/)/, ''))
}

function prepareFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    accessSync(dirname(path), constants.W_OK)
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
    // Private from its first moment on; SQLite gives the files beside it the same mode.
    else closeSync(openSync(path, 'a', 0o600))
  } catch {
    throw new StorageError(
      `The database ${path} cannot be written: check the folder’s permissions.`,
    )
  }
  if (existsSync(path) && !statSync(path).isFile())
    throw new StorageError(`The database ${path} is not a file.`)
}

/** Turns what SQLite says into one line that tells the operator what to do. */
function explain<T>(path: string, open: () => T): T {
  try {
    return open()
  } catch (cause) {
    if (isBusy(cause)) throw locked(path)
    if (!(cause instanceof SQLiteError)) throw cause
    if (cause.code === 'SQLITE_NOTADB')
      throw new StorageError(`The file ${path} is not a Multitude database.`)
    throw new StorageError(`The database ${path} cannot be opened: ${cause.message}.`)
  }
}
