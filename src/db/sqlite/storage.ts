import { type Database, SQLiteError } from 'bun:sqlite'
import { resolve } from 'node:path'
import { unavailable } from '../../model/core/errors'
import { systemClock } from '../../runtime/timers/clock'
import { watchSqlite } from '../changeNotifier'
import type { OpenOptions, Storage, Upgrade, WriteStats } from '../storage'
import { StorageError } from '../types'
import { Connection } from './connection'
import { createDb } from './driver'
import { classifyError, storageError, toStorageError, unavailableReason } from './errors'
import { createHealth, identify, probeBy } from './health'
import { migrate, rejectForeign, requireUsableFile } from './migrate'
import { createSharedRead } from './sharedRead'
import { createSnapshot } from './snapshots'
import { prepareFolder, removeOldCopies, statOf } from './tempFiles'
import { createTransactionQueue } from './transactions'

/** Time limit of a transaction that waits for another process, such as a long import. */
const BUSY_LIMIT_MS = 30_000
/** Time limit of the checkpoint on closing that waits for a transaction of another process. */
const CHECKPOINT_LIMIT_MS = 1000
/**
 * Time limit for opening a locked file, because SQLite's own busy timeout does not cover all cases.
 */
const OPEN_LIMIT_MS = 2_000
const OPEN_PAUSE_MS = 20

export function openSqlite(url: string, options: OpenOptions): Storage {
  const path = pathOf(url)
  if (options.use === 'require' && !statOf(path))
    throw new StorageError(`There is no database ${path}.`)
  prepareFolder(path)
  // Processes that create or migrate a file at the same time lock it briefly.
  for (const deadline = Date.now() + OPEN_LIMIT_MS; ; Bun.sleepSync(OPEN_PAUSE_MS))
    try {
      return openExisting(path, options)
    } catch (cause) {
      if (classifyError(path, cause) === 'locked' && Date.now() < deadline) continue
      throw toStorageError(path, cause) ?? cause
    }
}

function openExisting(
  path: string,
  {
    durability = 'full',
    busyLimit = BUSY_LIMIT_MS,
    renderJson,
    use = 'upgrade',
    observer,
    clock = systemClock,
  }: OpenOptions,
): Storage {
  const isInPlace = identify(path)
  const writer = new Connection(path, { create: true, readwrite: true })
  let upgrade: Upgrade | null
  try {
    writer.run('PRAGMA busy_timeout = 5000')
    // Checked before the first write, so that a rejected file stays unchanged.
    rejectForeign(writer, path)
    requireUsableFile(writer, path, use)
    // A restore may have replaced the file while this process waited for the lock.
    if (!isInPlace()) throw storageError(path, 'gone')
    writer.run('PRAGMA journal_mode = WAL')
    writer.run(`PRAGMA synchronous = ${durability}`)
    upgrade = migrate(writer, use !== 'upgradeUncopied')
    if (upgrade?.copy) removeOldCopies(path)
    writer.run('PRAGMA foreign_keys = ON')
    // From here on the transaction queue waits for a busy file without blocking the event loop.
    writer.run('PRAGMA busy_timeout = 0')
  } catch (cause) {
    writer.close()
    throw cause
  }
  const reader = new Connection(path, { readonly: true })
  reader.run('PRAGMA busy_timeout = 5000')
  // 8 MB: with the default of 2 MB, each list of 1,000 members would read its pages again.
  reader.run('PRAGMA cache_size = -8192')
  const sharedRead = createSharedRead(reader)
  const health = createHealth(path, isInPlace, {
    reader,
    writer,
    probe: () => transact('new', probeBy(writer), 'long'),
    clock,
  })
  const writeStats: WriteStats = { waiting: 0 }
  const transact = createTransactionQueue({
    writer,
    tx: createDb(writer, renderJson),
    path,
    health,
    durability,
    busyLimit,
    beforeCommit: sharedRead.end,
    stats: writeStats,
    observer,
  })
  return {
    location: path,
    ready: Promise.resolve(upgrade),
    db: createDb(reader, renderJson),
    sharedRead,
    // A statement blocks this process, so no client can leave meanwhile.
    readFor: (_, work) => work(),
    transact,
    snapshot: createSnapshot(path),
    changes: watchSqlite(reader),
    writeStats,
    checkHealth: async () => {
      const fault = await health.check()
      return (
        fault && (unavailableReason(fault) ?? unavailable('the database does not answer', 60_000))
      )
    },
    toUnavailable: (cause) => unavailableReason(classifyError(path, cause)),
    /** Checkpoints the write-ahead log into the file. */
    close: async () => {
      sharedRead.end()
      reader.close()
      checkpoint(writer, Math.min(busyLimit, CHECKPOINT_LIMIT_MS))
      writer.close()
    },
  }
}

/**
 * Checkpoints the log. If that fails, as on a full disk, the next process that opens the file reads
 * the log.
 */
function checkpoint(writer: Database, limitMs: number): void {
  try {
    writer.run(`PRAGMA busy_timeout = ${limitMs}`)
    writer.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (cause) {
    if (!(cause instanceof SQLiteError)) throw cause
  }
}

export function pathOf(url: string): string {
  if (!url.startsWith('file:') || url.length === 'file:'.length)
    // The message does not contain the address, which may include a password.
    throw new StorageError(
      'The database address must look like file:data/multitude.db or postgres://USER@HOST/NAME.',
    )
  return resolve(url.slice('file:'.length).replace(/^\/\/(?=\/)/, ''))
}
