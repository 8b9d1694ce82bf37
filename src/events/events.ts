import { createLeases, type Leases, type Task } from '../db/lease'
import { query } from '../db/query'
import { events as outbox, webhooks } from '../db/tables'
import type { Db } from '../db/types'
import { type PeriodicTask, startPeriodicTask } from '../runtime/timers/periodicTask'
import type { EventDeps } from './deps'
import { createDispatcher, type Dispatcher, type DispatchOptions } from './dispatch'
import { createHub, type Hub } from './hub'
import { pruneEvents } from './prune'
import { createPushSender, type PushOptions, type PushSender } from './push/sender'
import { createStreams, type StreamLimits, type Streams } from './stream'

/** Event delivery: outbox, webhooks and live streams. */
export interface Events {
  readonly deps: EventDeps
  readonly hub: Hub
  readonly dispatcher: Dispatcher
  readonly push: PushSender
  readonly streams: Streams
  /** Leases that decide which process sends webhooks, prunes, and runs the Discord bot. */
  readonly leases: Leases
  start(): Promise<void>
  stop(): Promise<void>
}

const PRUNE_EVERY_MS = 60 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000

const defaultLimits: StreamLimits = {
  heartbeatMs: 15_000,
  checkMs: 5_000,
  streamMs: DAY_MS,
  streamsPerClient: 20,
  streamsInAll: 10_000,
}

export type EventOptions = Partial<DispatchOptions & StreamLimits> & {
  readonly leaseMs?: number
  /** Tasks whose leases this process requests. */
  readonly tasks?: readonly Task[]
  readonly push?: Partial<PushOptions>
}

type RequiredOptions = DispatchOptions & Omit<EventOptions, 'push'> & { push: PushOptions }

export function createEvents(
  deps: EventDeps,
  { leaseMs, tasks, push: pushOptions, ...options }: RequiredOptions,
): Events {
  const leases = createLeases(deps, { durationMs: leaseMs, tasks })
  const hub = createHub(deps)
  const dispatcher = createDispatcher(deps, hub, leases, options)
  const push = createPushSender(deps, leases, options, pushOptions)
  const streams = createStreams({ ...defaultLimits, ...options }, deps.clock)
  let pruning: PeriodicTask | undefined
  leases.onAcquired('maintenance', () => void pruning?.runNow())

  return {
    deps,
    hub,
    dispatcher,
    push,
    streams,
    leases,
    async start() {
      await readTables(deps.db)
      await hub.start()
      streams.start()
      dispatcher.start()
      push.start()
      pruning = startPeriodicTask({
        clock: deps.clock,
        everyMs: PRUNE_EVERY_MS,
        mayRun: () => leases.holds('maintenance'),
        run: (isStopped) => pruneEvents(deps, isStopped),
        onError: (cause) => deps.warn('event pruning failed', { cause: String(cause) }),
      })
      // Not awaited, because it may wait for another process that writes.
      void leases.start()
    },
    async stop() {
      await pruning?.stop()
      hub.stop()
      streams.stop()
      await Promise.all([dispatcher.stop(), push.stop()])
      await leases.stop()
    },
  }
}

/** Reads both tables, so that a damaged database is reported before the server starts. */
async function readTables(db: Db): Promise<void> {
  await anyEvent(db).all({})
  await anyWebhook(db).all({})
}

const anyEvent = query((db) => db.select().from(outbox).limit(1))
const anyWebhook = query((db) => db.select().from(webhooks).limit(1))
