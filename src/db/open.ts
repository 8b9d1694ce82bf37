import { Database, SQLiteError } from 'bun:sqlite'
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import { error } from '../model/errors'
import { migrate, refuseForeign } from './migrate'
import { noteWrite } from './statement'
import * as tables from './tables'

/** A handle that queries run on: the reader, or the writer inside a transaction. */
export type Db = BunSQLiteDatabase<typeof tables> & { $client: Database }

export type Durability = 'full' | 'normal'

export interface Storage {
  readonly path: string
  /** Reads; never sees a transaction's half-done work. */
  readonly db: Db
  /** Runs the work alone on the write connection: all of it is kept, or nothing. */
  transact<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** Gives the work a connection of its own that sees the database as of one moment. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Throws unless the database answers. */
  ping(): void
  /** Folds the write-ahead log into the file and closes it. */
  close(): void
}

/** The database cannot be used; the message is one clear line for the operator. */
export class StorageError extends Error {}

/** How long a writer waits for another process, such as a long import, before it gives up. */
const BUSY_LIMIT_MS = 30_000
const BUSY_PAUSE_MS = 5

export function openStorage(url: string, durability: Durability = 'full'): Storage {
  const path = pathOf(url)
  prepareFolder(path)
  return explain(path, () => {
    const writer = new Database(path, { create: true, readwrite: true })
    writer.run('PRAGMA busy_timeout = 5000')
    // Before anything is written: another program's file stays as it is.
    refuseForeign(writer)
    writer.run('PRAGMA journal_mode = WAL')
    writer.run(`PRAGMA synchronous = ${durability}`)
    migrate(writer)
    writer.run('PRAGMA foreign_keys = ON')
    // From here on a busy file is waited for without stopping the event loop.
    writer.run('PRAGMA busy_timeout = 0')
    const reader = new Database(path, { readonly: true })
    reader.run('PRAGMA busy_timeout = 5000')
    const db = drizzle(reader, { schema: tables })
    return {
      path,
      db,
      transact: queueTransactions(writer, path, () => noteWrite(db)),
      async snapshot(work) {
        const own = new Database(path, { readonly: true })
        try {
          own.run('PRAGMA busy_timeout = 5000')
          own.run('BEGIN')
          return await work(drizzle(own, { schema: tables }))
        } finally {
          own.close()
        }
      },
      ping: () => void reader.query('SELECT 1 FROM systems LIMIT 1').get(),
      close: () => {
        reader.close()
        writer.run('PRAGMA busy_timeout = 1000')
        writer.run('PRAGMA wal_checkpoint(TRUNCATE)')
        writer.close()
      },
    }
  })
}

/**
 * One transaction at a time on the one write connection, in the order they were asked for.
 * Drizzle's own `transaction` is synchronous here and would commit before async work is done.
 */
function queueTransactions(
  writer: Database,
  path: string,
  onCommit: () => void,
): Storage['transact'] {
  const tx = drizzle(writer, { schema: tables })
  const begin = writer.query('BEGIN IMMEDIATE')
  const commit = writer.query('COMMIT')
  const rollback = writer.query('ROLLBACK')
  let last: Promise<unknown> = Promise.resolve()

  return (work) => {
    const run = async () => {
      await waitForTurn(path, () => begin.run())
      try {
        const result = await work(tx)
        commit.run()
        onCommit()
        return result
      } catch (cause) {
        if (writer.inTransaction) rollback.run()
        // What it hangs on was there when it was looked up, and is not any more.
        if (isMissingReference(cause)) throw error('conflict', 'it was deleted meanwhile')
        throw cause
      }
    }
    const result = last.then(run, run)
    last = result
    return result
  }
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
