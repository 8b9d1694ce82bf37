import type { Pool } from './connections'
import type { RunQuery } from './driver'
import { isTooManyConnections } from './errors'

/** Connections that reads share. */
export interface ReadPool {
  readonly query: RunQuery
  close(): void
}

/** How many questions may be on their way on one connection. */
const MAX_PER_CONNECTION = 16
/** Who has heard nothing for so long may have something large before them. */
const SLOW_MS = 10

/** How long one is left alone that the server had no room for. */
const COOLDOWN_MS = 1_000

interface ReadConnection {
  readonly pool: Pool
  readonly query: RunQuery
  waiting: number
  answeredAt: number
  idleUntil: number
}

/**
 * Questions that follow each other closely go along the same connection, without waiting for the
 * answers in between: server and node wake up once for several, which takes half of the work.
 * Nothing goes behind what is slow as long as there is another connection.
 */
export function createReadPool(
  count: number,
  connect: () => Pool,
  queryOn: (pool: Pool) => RunQuery,
): ReadPool {
  const readers: ReadConnection[] = Array.from({ length: count }, () => {
    const pool = connect()
    return { pool, query: queryOn(pool), waiting: 0, answeredAt: 0, idleUntil: 0 }
  })

  const choose = (now: number): ReadConnection => {
    let best: ReadConnection | undefined
    for (const reader of readers) {
      if (now < reader.idleUntil) continue
      const isQuick = reader.waiting < MAX_PER_CONNECTION && now - reader.answeredAt < SLOW_MS
      if (reader.waiting === 0 || isQuick) return reader
      if (!best || reader.waiting < best.waiting) best = reader
    }
    return best ?? (readers[0] as ReadConnection)
  }

  return {
    async query(text, values, shape) {
      for (let tries = 1; ; tries++) {
        const now = performance.now()
        const reader = choose(now)
        if (reader.waiting++ === 0) reader.answeredAt = now
        try {
          return await reader.query(text, values, shape)
        } catch (cause) {
          // Those that are connected do for all.
          if (!isTooManyConnections(cause) || tries > readers.length) throw cause
          reader.idleUntil = performance.now() + COOLDOWN_MS
        } finally {
          reader.waiting--
          reader.answeredAt = performance.now()
        }
      }
    },
    close() {
      for (const { pool } of readers) pool.close()
    },
  }
}
