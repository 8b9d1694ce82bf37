import type { Clock } from '../../timers/clock'
import type { Pool } from './connections'
import type { RunQuery } from './driver'
import { isTooManyConnections } from './errors'

/** Pool of connections that reads share. */
export interface ReadPool {
  readonly query: RunQuery
  close(): void
}

/** Maximum number of queries in flight on one connection. */
const MAX_PER_CONNECTION = 16
/** A connection without an answer for this long may be running a slow query. */
const SLOW_MS = 10

/** Pause of a connection that the server refused for lack of free slots. */
const COOLDOWN_MS = 1_000

interface ReadConnection {
  readonly pool: Pool
  readonly query: RunQuery
  waiting: number
  answeredAt: number
  idleUntil: number
}

/**
 * Pipelines queries that arrive together on one connection: server and node wake up once for
 * several, which halves the CPU time. A connection with a slow query is avoided while there is
 * another one.
 */
export function createReadPool(
  count: number,
  clock: Clock,
  connect: () => Pool,
  queryOn: (pool: Pool) => RunQuery,
): ReadPool {
  const connections: ReadConnection[] = Array.from({ length: count }, () => {
    const pool = connect()
    return { pool, query: queryOn(pool), waiting: 0, answeredAt: 0, idleUntil: 0 }
  })

  const choose = (now: number): ReadConnection => {
    let best: ReadConnection | undefined
    for (const connection of connections) {
      if (now < connection.idleUntil) continue
      const isQuick =
        connection.waiting < MAX_PER_CONNECTION && now - connection.answeredAt < SLOW_MS
      if (connection.waiting === 0 || isQuick) return connection
      if (!best || connection.waiting < best.waiting) best = connection
    }
    return best ?? (connections[0] as ReadConnection)
  }

  return {
    async query(text, values) {
      for (let attempts = 1; ; attempts++) {
        const now = clock.monotonic()
        const connection = choose(now)
        if (connection.waiting++ === 0) connection.answeredAt = now
        try {
          return await connection.query(text, values)
        } catch (cause) {
          // The connections that are open can serve all queries.
          if (!isTooManyConnections(cause) || attempts > connections.length) throw cause
          connection.idleUntil = clock.monotonic() + COOLDOWN_MS
        } finally {
          connection.waiting--
          connection.answeredAt = clock.monotonic()
        }
      }
    },
    close() {
      for (const { pool } of connections) pool.close()
    },
  }
}
