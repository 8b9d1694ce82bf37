import { drizzle } from 'drizzle-orm/bun-sqlite'
import { PassingConnection } from './connection'
import type { Db } from './handle'

/**
 * Gives the work a connection of its own that sees the database as of one moment. Work for the
 * same system is done one at a time: it is long, and takes much memory.
 */
export type Snapshot = <T>(systemId: number, work: (db: Db) => Promise<T>) => Promise<T>

export function takeSnapshots(path: string): Snapshot {
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
