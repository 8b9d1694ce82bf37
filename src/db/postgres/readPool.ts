import type { Clock } from '../../runtime/timers/clock'
import type { Value } from '../types'
import type { Pool } from './connections'
import type { RunQuery } from './driver'
import { isCanceled, isTooManyConnections } from './errors'

export interface ReadCaller {
  /** Aborted when the caller has left; null if the read ends in any case. */
  signal: AbortSignal | null
}

/** Pool of connections that reads share. */
export interface ReadPool {
  /** Throws the reason of the caller's signal if the caller has left. */
  query<Row>(text: string, values: Value[], caller?: ReadCaller): Promise<Row[]>
  /** Cancels the statements of callers that have left. */
  cancelAbandoned(): void
  close(): void
}

export interface ReadPoolParts {
  /** Number of connections. */
  readonly count: number
  readonly clock: Clock
  /** Opens a pool of one connection. */
  readonly connect: () => Pool
  readonly queryOn: (pool: Pool) => RunQuery
  /** Cancels what a process of the server runs now. */
  readonly cancel: (processId: number) => Promise<unknown>
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
  /** Statements in flight, in the order in which the server runs them. */
  readonly running: RunningStatement[]
  /** Number of slow statements in flight. */
  slow: number
  /** Time of the last answer, or since when the first statement runs. */
  progressAt: number
  idleUntil: number
  isCanceling: boolean
  cancelCount: number
}

interface RunningStatement {
  readonly caller: ReadCaller
  readonly isQuick: boolean
}

const noCaller: ReadCaller = { signal: null }

/**
 * Pipelines quick statements that arrive together on one connection: server and node wake up once
 * for several, which halves the CPU time. A statement that is not known to be quick gets an idle
 * connection, and as long as there is another one, no statement joins it there.
 */
export function createReadPool({
  count,
  clock,
  connect,
  queryOn,
  cancel,
}: ReadPoolParts): ReadPool {
  const connections: ReadConnection[] = Array.from({ length: count }, () => {
    const pool = connect()
    const query = queryOn(pool)
    const times = { progressAt: 0, idleUntil: 0 }
    return { pool, query, running: [], slow: 0, ...times, isCanceling: false, cancelCount: 0 }
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
    for (let index = firstFor(isQuick); index < count; index++) {
      const connection = connections[index] as ReadConnection
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
    statement: RunningStatement,
    [text, values]: [text: string, values: Value[]],
  ): Promise<Row[]> => {
    const { running } = connection
    if (running.push(statement) === 1) connection.progressAt = clock.monotonic()
    if (!statement.isQuick) connection.slow++
    try {
      return await connection.query(text, values)
    } finally {
      const now = clock.monotonic()
      costs.set(text, Math.max(now - connection.progressAt, (costs.get(text) ?? 0) / 2))
      connection.progressAt = now
      running.splice(running.indexOf(statement), 1)
      if (!statement.isQuick) connection.slow--
      const [next] = running
      if (next && hasLeft(next.caller)) void cancelFirstOn(connection)
    }
  }

  /**
   * Cancels the statement that a connection runs if its caller has left. If the statement ends
   * meanwhile, the next one is hit, and `query` repeats that.
   */
  const cancelFirstOn = async (connection: ReadConnection): Promise<void> => {
    const { running, pool } = connection
    if (connection.isCanceling) return
    let canceled: RunningStatement | undefined
    for (;;) {
      const [first] = running
      const processId = pool.processId()
      if (!first || first === canceled || !hasLeft(first.caller) || processId === null) return
      canceled = first
      connection.isCanceling = true
      await cancel(processId).catch(() => {
        // Without its connection the statement fails as well.
      })
      connection.isCanceling = false
      connection.cancelCount++
    }
  }

  return {
    async query<Row>(text: string, values: Value[], caller = noCaller) {
      for (let attempts = 1; ; attempts++) {
        caller.signal?.throwIfAborted()
        const isQuick = (costs.get(text) ?? Number.POSITIVE_INFINITY) < SLOW_MS
        const connection = choose(isQuick, clock.monotonic())
        const { cancelCount } = connection
        try {
          return await run<Row>(connection, { caller, isQuick }, [text, values])
        } catch (cause) {
          if (isTooManyConnections(cause) && attempts <= count)
            // The connections that are open can serve all queries.
            connection.idleUntil = clock.monotonic() + COOLDOWN_MS
          // An operator, or a time limit of the server, may cancel a statement too.
          else if (!isCanceled(cause) || !mayBeHit(connection, cancelCount)) throw cause
        }
      }
    },
    cancelAbandoned() {
      for (const connection of connections) void cancelFirstOn(connection)
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
function loadOf(connection: ReadConnection, now: number): number {
  const { running, slow, progressAt, isCanceling } = connection
  const isStalled = running.length > 0 && now - progressAt >= STALLED_MS
  return running.length + (slow + Number(isStalled || isCanceling)) * MAX_PER_CONNECTION
}

/** Returns whether a statement may be hit by a cancellation, by their number when it began. */
function mayBeHit({ isCanceling, cancelCount }: ReadConnection, before: number): boolean {
  return isCanceling || cancelCount !== before
}

function hasLeft({ signal }: ReadCaller): boolean {
  return signal?.aborted === true
}
