import { sql } from 'drizzle-orm'
import type { Clock, Timer } from '../../runtime/timers/clock'
import { counterValue } from '../changeCounters'
import { type ChangeNotifier, POLL_MS } from '../changeNotifier'
import { postgresDialect } from '../dialect'
import { toText } from '../query'
import type { SharedRead } from '../sqlite/sharedRead'
import { events } from '../tables'
import type { Primary } from './primary'
import type { PrimaryPool } from './primaryPool'

/** Polls the primary for changes by other nodes and decides whether caches are still valid. */
export interface Heartbeat {
  readonly changes: ChangeNotifier
  readonly sharedRead: SharedRead
  /** Invalidates cached credentials after this node revoked some. */
  invalidateCredentials(): void
  start(): void
  stop(): void
}

/** The server is considered lost after this time without an answer. */
const SILENCE_LIMIT_MS = 3_000
/**
 * Most time that one tick counts as silence: a longer gap means that this process was suspended or
 * busy.
 */
const MAX_TICK_MS = 2 * POLL_MS
/** Caches are valid for this long after the last answered heartbeat. */
const VALID_MS = 500

/** SQL text, because the heartbeat polls one pool, before there is a database handle. */
const { text: POLL_SQL } = toText(
  sql`select coalesce((select max(${events.id}) from ${events}), 0) as event,
    ${counterValue('credentials')} as credentials, ${counterValue('webhooks')} as webhooks`,
  postgresDialect,
)

interface Counters {
  event: number
  credentials: number
  webhooks: number
}

/**
 * Runs one statement at a fixed interval, which detects changes by other nodes and a silent server.
 * While it is not answered, cached credentials are not used.
 */
export function createHeartbeat(primary: Primary, clock: Clock): Heartbeat {
  const listeners: ((isNew: boolean) => void)[] = []
  let last: Counters = { event: -1, credentials: -1, webhooks: -1 }
  let version = 0
  let confirmedAt = -Infinity
  let pending: { pool: PrimaryPool; silentMs: number } | null = null
  let tickedAt = clock.monotonic()
  let timer: Timer | undefined

  const apply = (counters: Counters, sentAt: number) => {
    // The answer confirms the state at the time of sending, however late it is processed.
    confirmedAt = sentAt
    if (counters.credentials !== last.credentials) version++
    const isNew =
      counters.event !== last.event ||
      counters.credentials !== last.credentials ||
      counters.webhooks !== last.webhooks
    last = counters
    for (const listener of listeners) listener(isNew)
  }

  const poll = async (pool: PrimaryPool) => {
    const request = { pool, silentMs: 0 }
    const sentAt = clock.monotonic()
    pending = request
    try {
      const [counters] = await pool.probe<Counters>(POLL_SQL, [])
      if (counters && pending === request) apply(counters, sentAt)
    } catch {
      // The next query reports the error; the heartbeat only measures silence.
    }
    if (pending === request) pending = null
  }

  const tick = () => {
    const now = clock.monotonic()
    const elapsedMs = Math.min(now - tickedAt, MAX_TICK_MS)
    tickedAt = now
    if (pending) {
      pending.silentMs += elapsedMs
      if (pending.silentMs < SILENCE_LIMIT_MS) return
      const { pool } = pending
      pending = null
      return primary.abandon(pool)
    }
    try {
      void poll(primary.current())
    } catch {
      // There is no primary; the search is running.
    }
  }

  primary.onFound(() => {
    // The new primary may have fewer or more transactions.
    version++
    last = { event: -1, credentials: -1, webhooks: -1 }
  })

  return {
    changes: {
      onTick: (listener) => void listeners.push(listener),
      start: () => {},
      stop: () => void listeners.splice(0),
    },
    sharedRead: {
      begin: () => {},
      end: () => {},
      credentialsVersion: () => (clock.monotonic() - confirmedAt < VALID_MS ? version : ++version),
    },
    invalidateCredentials: () => {
      version++
    },
    start() {
      timer = clock.setInterval(tick, POLL_MS).unref()
    },
    stop: () => timer?.stop(),
  }
}
