import type { Clock } from '../../timers/clock'
import type { Value } from '../types'
import type { Pool } from './connections'
import type { RunQuery } from './driver'
import { isTooManyConnections } from './errors'

/** Pool of connections that reads share. */
export interface ReadPool {
  readonly query: RunQuery
  close(): void
}

export interface ReadPoolParts {
  /** Number of connections. */
  readonly count: number
  readonly clock: Clock
  /** Opens a pool of one connection. */
  readonly connect: () => Pool
  readonly queryOn: (pool: Pool) => RunQuery
}

/** Maximum number of queries in flight on one connection while another one has fewer. */
const MAX_PER_CONNECTION = 16
/** A statement that took longer shares its connection with no other one. */
const SLOW_MS = 5
/** A connection without an answer for this long may be running a slow statement. */
const STALLED_MS = 10

/** Pause of a connection that the server refused for lack of free slots. */
const COOLDOWN_MS = 1_000

interface ReadConnection {
  readonly pool: Pool
  readonly query: RunQuery
  /** Number of statements in flight. */
  running: number
  /** Number of slow ones among them. */
  slow: number
  /** Time of the last answer, or since when the first statement runs. */
  progressAt: number
  idleUntil: number
}

/**
 * Pipelines quick statements that arrive together on one connection: server and node wake up once
 * for several, which halves the CPU time. A statement that is not known to be quick gets an idle
 * connection, and as long as there is another one, no statement joins it there.
 */
export function createReadPool({ count, clock, connect, queryOn }: ReadPoolParts): ReadPool {
  const connections: ReadConnection[] = Array.from({ length: count }, () => {
    const pool = connect()
    const query = queryOn(pool)
    return { pool, query, running: 0, slow: 0, progressAt: 0, idleUntil: 0 }
  })
  /**
   * Milliseconds that each statement took: the last time, or half of what it took before, if that is
   * more. The program has a fixed number of statement texts.
   */
  const costs = new Map<string, number>()

  /** The first connection is for quick statements, so that slow ones never take all. */
  const firstFor = (isQuick: boolean) => (isQuick || count === 1 ? 0 : 1)

  const choose = (isQuick: boolean, now: number): ReadConnection => {
    let best: ReadConnection | undefined
    let bestLoad = Number.POSITIVE_INFINITY
    for (let at = firstFor(isQuick); at < count; at++) {
      const connection = connections[at] as ReadConnection
      if (now < connection.idleUntil) continue
      const load = loadOf(connection, now)
      if (load === 0 || (isQuick && load < MAX_PER_CONNECTION)) return connection
      if (load >= bestLoad) continue
      best = connection
      bestLoad = load
    }
    return best ?? (connections[0] as ReadConnection)
  }

  /** Runs a statement on a connection and remembers how long it took. */
  const run = async <Row>(
    connection: ReadConnection,
    isQuick: boolean,
    [text, values]: [text: string, values: Value[]],
  ): Promise<Row[]> => {
    if (connection.running++ === 0) connection.progressAt = clock.monotonic()
    if (!isQuick) connection.slow++
    try {
      return await connection.query(text, values)
    } finally {
      const now = clock.monotonic()
      costs.set(text, Math.max(now - connection.progressAt, (costs.get(text) ?? 0) / 2))
      connection.progressAt = now
      connection.running--
      if (!isQuick) connection.slow--
    }
  }

  return {
    async query<Row>(text: string, values: Value[]) {
      for (let attempts = 1; ; attempts++) {
        const isQuick = (costs.get(text) ?? Number.POSITIVE_INFINITY) < SLOW_MS
        const connection = choose(isQuick, clock.monotonic())
        try {
          return await run<Row>(connection, isQuick, [text, values])
        } catch (cause) {
          // The connections that are open can serve all queries.
          if (!isTooManyConnections(cause) || attempts > count) throw cause
          connection.idleUntil = clock.monotonic() + COOLDOWN_MS
        }
      }
    },
    close() {
      for (const { pool } of connections) pool.close()
    },
  }
}

/**
 * Returns the number of statements in flight. A slow one counts like many quick ones, because those
 * behind it wait.
 */
function loadOf({ running, slow, progressAt }: ReadConnection, now: number): number {
  const isStalled = running > 0 && now - progressAt >= STALLED_MS
  return running + (slow + Number(isStalled)) * MAX_PER_CONNECTION
}
