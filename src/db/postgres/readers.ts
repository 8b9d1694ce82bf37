import type { Pool } from './connections'
import type { Ask } from './driver'
import { isCrowded } from './trouble'

/** Connections that reads share. */
export interface Readers {
  readonly ask: Ask
  close(): void
}

/** How many questions may be on their way on one connection. */
const MOST_ON_ONE = 16
/** Who has heard nothing for so long may have something large before them. */
const SLOW_MS = 10

/** How long one is left alone that the server had no room for. */
const REST_MS = 1_000

interface Reader {
  readonly pool: Pool
  readonly ask: Ask
  waiting: number
  heardAt: number
  restsUntil: number
}

/**
 * Questions that follow each other closely go along the same connection, without waiting for the
 * answers in between: server and node wake up once for several, which takes half of the work.
 * Nothing goes behind what is slow as long as there is another connection.
 */
export function createReaders(
  count: number,
  connect: () => Pool,
  askOn: (pool: Pool) => Ask,
): Readers {
  const readers: Reader[] = Array.from({ length: count }, () => {
    const pool = connect()
    return { pool, ask: askOn(pool), waiting: 0, heardAt: 0, restsUntil: 0 }
  })

  const choose = (now: number): Reader => {
    let best: Reader | undefined
    for (const reader of readers) {
      if (now < reader.restsUntil) continue
      const isQuick = reader.waiting < MOST_ON_ONE && now - reader.heardAt < SLOW_MS
      if (reader.waiting === 0 || isQuick) return reader
      if (!best || reader.waiting < best.waiting) best = reader
    }
    return best ?? (readers[0] as Reader)
  }

  return {
    async ask(text, values, shape) {
      for (let tries = 1; ; tries++) {
        const now = performance.now()
        const reader = choose(now)
        if (reader.waiting++ === 0) reader.heardAt = now
        try {
          return await reader.ask(text, values, shape)
        } catch (cause) {
          // Those that are connected do for all.
          if (!isCrowded(cause) || tries > readers.length) throw cause
          reader.restsUntil = performance.now() + REST_MS
        } finally {
          reader.waiting--
          reader.heardAt = performance.now()
        }
      }
    },
    close() {
      for (const { pool } of readers) pool.close()
    },
  }
}
