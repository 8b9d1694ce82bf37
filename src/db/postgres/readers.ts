import type { SQL } from 'bun'
import type { Ask } from './driver'

/** Connections that reads share. */
export interface Readers {
  readonly ask: Ask
  close(): void
}

/** How many questions may be on their way on one connection. */
const MOST_ON_ONE = 16
/** Who has heard nothing for so long may have something large before them. */
const SLOW_MS = 10

interface Reader {
  readonly sql: SQL
  readonly ask: Ask
  waiting: number
  heardAt: number
}

/**
 * Questions that follow each other closely go along the same connection, without waiting for the
 * answers in between: server and node wake up once for several, which takes half of the work.
 * Nothing goes behind what is slow as long as there is another connection.
 */
export function createReaders(
  count: number,
  connect: () => SQL,
  askOn: (sql: SQL) => Ask,
): Readers {
  const readers: Reader[] = Array.from({ length: count }, () => {
    const sql = connect()
    return { sql, ask: askOn(sql), waiting: 0, heardAt: 0 }
  })

  const choose = (now: number): Reader => {
    let [best] = readers as [Reader]
    for (const reader of readers) {
      const isQuick = reader.waiting < MOST_ON_ONE && now - reader.heardAt < SLOW_MS
      if (reader.waiting === 0 || isQuick) return reader
      if (reader.waiting < best.waiting) best = reader
    }
    return best
  }

  return {
    async ask(text, values, shape) {
      const now = performance.now()
      const reader = choose(now)
      if (reader.waiting++ === 0) reader.heardAt = now
      try {
        return await reader.ask(text, values, shape)
      } finally {
        reader.waiting--
        reader.heardAt = performance.now()
      }
    },
    close() {
      for (const { sql } of readers) void sql.close({ timeout: 0 }).catch(() => {})
    },
  }
}
