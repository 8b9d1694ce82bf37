import type { Database } from 'bun:sqlite'
import type { StorageFault } from '../types'
import { classifyError, isDiskNearlyFull, storageError } from './errors'
import { statOf } from './tempFiles'

/** Knows whether a write can succeed: from how the last one went, and by trying where that is in doubt. */
export interface Health {
  /** Whatever was in the way is no more. */
  recordSuccess(): void
  /** What was in the way lasts until a write succeeds. */
  recordFailure(cause: unknown): void
  /** Whether the last write waited in vain for another program. */
  isLockedOut(): boolean
  /** Throws if the file is not in its place any more: what is written would go with it. */
  requireInPlace(): void
  /** What keeps the database from being read or written. Nobody waits long for it. */
  check(): Promise<StorageFault | null>
}

interface Connections {
  readonly reader: Database
  readonly writer: Database
  /** Tries to write, in a transaction of its own. */
  probe(): Promise<never>
}

const PROBE_EVERY_MS = 1_000
const LONGEST_WAIT_MS = 100

export function createHealth(
  path: string,
  isInPlace: () => boolean,
  { reader, writer, probe }: Connections,
): Health {
  const ping = reader.query('SELECT 1 FROM systems LIMIT 1')
  let trouble: StorageFault | null = null
  let probing: Promise<void> | null = null
  let probedAt = Number.NEGATIVE_INFINITY

  const recordFailure = (cause: unknown) => {
    // What is no trouble of the file says nothing about it.
    trouble = classifyError(path, cause) ?? trouble
  }

  const tryWriting = async () => {
    try {
      await probe()
    } catch (cause) {
      if (cause === undone) trouble = null
    }
    probedAt = performance.now()
    probing = null
  }

  return {
    recordSuccess: () => {
      trouble = null
    },
    recordFailure,
    isLockedOut: () => trouble === 'locked',
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
      const isDoubtful = trouble !== null || !isFree(writer) || isDiskNearlyFull(path)
      if (isDoubtful && performance.now() - probedAt > PROBE_EVERY_MS) probing ??= tryWriting()
      if (probing) await Promise.race([probing, Bun.sleep(LONGEST_WAIT_MS)])
      return trouble
    },
  }
}

/** Says whether the path still leads to the file it leads to now. */
export function identify(path: string): () => boolean {
  const file = statOf(path)
  return () => {
    const now = statOf(path)
    return now !== undefined && now.ino === file?.ino && now.dev === file.dev
  }
}

/** Whether no other program is writing just now. */
function isFree(writer: Database): boolean {
  if (writer.inTransaction) return true
  try {
    writer.query('BEGIN IMMEDIATE').run()
    writer.query('ROLLBACK').run()
    return true
  } catch {
    return false
  }
}

const undone = new Error('it was only tried')

/** Work that writes, and is undone. */
export function probeBy(writer: Database): () => Promise<never> {
  return async () => {
    writeProbe(writer)
    throw undone
  }
}

/** Enough to need room on the disk, and with too little memory to keep it there: it is written. */
function writeProbe(writer: Database): void {
  const size = writer.query<{ cache_size: number }, []>('PRAGMA cache_size').get()?.cache_size
  writer.run('PRAGMA cache_size = 1')
  try {
    writer.run("INSERT INTO migrations VALUES ('tried', zeroblob(262144))")
  } finally {
    writer.run(`PRAGMA cache_size = ${size ?? -2000}`)
  }
}
