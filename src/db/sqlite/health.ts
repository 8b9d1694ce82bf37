import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import type { Clock } from '../../runtime/timers/clock'
import { withTimeout } from '../../runtime/timers/withTimeout'
import { sqliteDialect } from '../dialect'
import { toText } from '../query'
import { systems } from '../tables'
import type { StorageFault } from '../types'
import { classifyError, isDiskNearlyFull, storageError } from './errors'

/** Knows whether a write can succeed: from the last write, or by a test write when in doubt. */
export interface Health {
  /** Clears the recorded fault. */
  recordSuccess(): void
  /** Records a fault, which lasts until a write succeeds. */
  recordFailure(cause: unknown): void
  /** Returns whether the last write failed because another program kept the file locked. */
  isLockedOut(): boolean
  /** Throws if the file was deleted or replaced, because its writes would be lost. */
  requireInPlace(): void
  /** Returns the fault that prevents reads or writes, or null. Answers within `PROBE_WAIT_MS`. */
  check(): Promise<StorageFault | null>
}

interface HealthDeps {
  readonly reader: Database
  readonly writer: Database
  /** Runs a test write in a transaction and rolls it back. */
  probe(): Promise<never>
  readonly clock: Clock
}

const PROBE_EVERY_MS = 1_000
const PROBE_WAIT_MS = 100

export function createHealth(
  path: string,
  isInPlace: () => boolean,
  { reader, writer, probe, clock }: HealthDeps,
): Health {
  const ping = reader.query(toText(sql`select 1 from ${systems} limit 1`, sqliteDialect).text)
  let fault: StorageFault | null = null
  let probing: Promise<void> | null = null
  let probedAt = Number.NEGATIVE_INFINITY

  const recordFailure = (cause: unknown) => {
    // Other errors are not faults of the file.
    fault = classifyError(path, cause) ?? fault
  }

  const runProbe = async () => {
    try {
      await probe()
    } catch (cause) {
      if (cause === rolledBack) fault = null
    }
    probedAt = clock.monotonic()
    probing = null
  }

  return {
    recordSuccess: () => {
      fault = null
    },
    recordFailure,
    isLockedOut: () => fault === 'locked',
    requireInPlace() {
      if (!isInPlace()) throw storageError(path, 'gone')
    },
    async check() {
      try {
        if (!isInPlace()) return 'gone'
        ping.get()
      } catch (cause) {
        return classifyError(path, cause) ?? 'damaged'
      }
      const isDoubtful = fault !== null || !isWritable(writer) || isDiskNearlyFull(path)
      if (isDoubtful && clock.monotonic() - probedAt > PROBE_EVERY_MS) probing ??= runProbe()
      if (probing) await withTimeout(probing, PROBE_WAIT_MS, () => {})
      return fault
    },
  }
}

/** Returns a function that checks whether the path still refers to the same file as now. */
export function identify(path: string): () => boolean {
  const file = statSync(path, { throwIfNoEntry: false })
  return () => {
    const currentFile = statSync(path, { throwIfNoEntry: false })
    return (
      currentFile !== undefined && currentFile.ino === file?.ino && currentFile.dev === file.dev
    )
  }
}

/** Returns whether no other program holds the write lock. */
function isWritable(writer: Database): boolean {
  if (writer.inTransaction) return true
  try {
    writer.query('BEGIN IMMEDIATE').run()
    writer.query('ROLLBACK').run()
    return true
  } catch {
    return false
  }
}

const rolledBack = new Error('test write rolled back')

/** Builds work that writes and then throws, so that it is rolled back. */
export function probeBy(writer: Database): () => Promise<never> {
  return async () => {
    writeProbe(writer)
    throw rolledBack
  }
}

/** Writes more than the reduced page cache holds, so that SQLite needs space on the disk. */
function writeProbe(writer: Database): void {
  const size = writer.query<{ cache_size: number }, []>('PRAGMA cache_size').get()?.cache_size
  writer.run('PRAGMA cache_size = 1')
  try {
    writer.run("INSERT INTO migrations VALUES ('tried', zeroblob(262144))")
  } finally {
    writer.run(`PRAGMA cache_size = ${size ?? -2000}`)
  }
}
