import { type Database, SQLiteError } from 'bun:sqlite'
import { resolve } from 'node:path'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { type DomainError, unavailable } from '../model/errors'
import type { RenderFace } from '../model/face'
import { Connection } from './connection'
import { type Db, StorageError } from './handle'
import { createHealth, identify } from './health'
import { prepareFolder, removeOldCopies } from './leftovers'
import { migrate, refuseForeign, type Upgrade } from './migrate'
import { createSharedRead, type SharedRead } from './sharedRead'
import { type Snapshot, takeSnapshots } from './snapshots'
import { type Durability, queueTransactions, type Transact, type WriteLoad } from './transactions'
import { explainTrouble, refusalFor, troubled, troubleOf } from './trouble'

export interface Storage {
  readonly path: string
  /** What opening it did to a database of an older program. */
  readonly upgrade: Upgrade | null
  /** Reads; never sees a transaction's half-done work. */
  readonly db: Db
  readonly sharedRead: SharedRead
  readonly transact: Transact
  readonly snapshot: Snapshot
  readonly writeLoad: WriteLoad
  /** What keeps the database from being read or written, for whoever may try again; else null. */
  findTrouble(): Promise<DomainError | null>
  /** What is answered when a read or a write failed of what will pass; null when it will not. */
  refusalFor(cause: unknown): DomainError | null
  /** Folds the write-ahead log into the file and closes it. */
  close(): void
}

/** How long a writer waits for another process, such as a long import, before it gives up. */
const BUSY_LIMIT_MS = 30_000
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
  /** Whether a database is copied beside before it is upgraded. */
  isCopied = true,
): Storage {
  const path = pathOf(url)
  prepareFolder(path)
  // Several programs that make or migrate a file at once get into each other's way for a moment.
  for (const giveUpAt = Date.now() + OPEN_LIMIT_MS; ; Bun.sleepSync(OPEN_PAUSE_MS))
    try {
      return openFile(path, durability, busyLimit, render, isCopied)
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
  isCopied: boolean,
): Storage {
  const isInPlace = identify(path)
  const writer = new Connection(path, { create: true, readwrite: true })
  let upgrade: Upgrade | null
  try {
    writer.run('PRAGMA busy_timeout = 5000')
    // Before anything is written: another program's file stays as it is.
    refuseForeign(writer)
    // What it waited for may have been a restore.
    if (!isInPlace()) throw troubled(path, 'gone')
    writer.run('PRAGMA journal_mode = WAL')
    writer.run(`PRAGMA synchronous = ${durability}`)
    upgrade = migrate(writer, isCopied)
    if (upgrade?.copy) removeOldCopies(path)
    writer.run('PRAGMA foreign_keys = ON')
    // From here on a busy file is waited for without stopping the event loop.
    writer.run('PRAGMA busy_timeout = 0')
  } catch (cause) {
    writer.close()
    throw cause
  }
  const reader = new Connection(path, { readonly: true })
  reader.run('PRAGMA busy_timeout = 5000')
  const sharedRead = createSharedRead(reader)
  const health = createHealth(path, isInPlace, {
    reader,
    writer,
    probe: (work) => transact(work, 'long'),
  })
  const limit = () => (health.isLockedOut() ? Math.min(busyLimit, SHORT_LIMIT_MS) : busyLimit)
  const tx = createDb(writer, render)
  const writeLoad: WriteLoad = { waiting: 0 }
  const end = sharedRead.end
  const transact = queueTransactions(writer, tx, path, health, durability, limit, end, writeLoad)
  return {
    path,
    upgrade,
    db: createDb(reader, render),
    sharedRead,
    transact,
    snapshot: takeSnapshots(path),
    writeLoad,
    findTrouble: async () => {
      const trouble = await health.findTrouble()
      return trouble && (refusalFor(trouble) ?? unavailable('the database does not answer', 60_000))
    },
    refusalFor: (cause) => refusalFor(troubleOf(path, cause)),
    close: () => {
      sharedRead.end()
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

export function pathOf(url: string): string {
  if (!url.startsWith('file:') || url.length === 'file:'.length)
    throw new StorageError(`The database address must look like file:data/multitude.db, not ${url}`)
  return resolve(url.slice('file:'.length).replace(/^\/\/(?=\/)/, ''))
}
