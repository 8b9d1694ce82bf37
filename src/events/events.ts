import { createLeases, type Leases } from '../db/lease'
import { events as outbox, webhooks } from '../db/tables'
import type { Db } from '../db/types'
import type { EventDeps } from './deps'
import { createDispatcher, type Dispatcher, type DispatchOptions } from './dispatch'
import { createHub, type Hub } from './hub'
import { pruneEvents } from './prune'
import { createStreams, type StreamLimits, type Streams } from './stream'

/** How others are told: the outbox is read, webhooks are served, streams are fed. */
export interface Events {
  readonly deps: EventDeps
  readonly hub: Hub
  readonly dispatcher: Dispatcher
  readonly streams: Streams
  /** Who sends, and who cares for the data, of all processes that work on it. */
  readonly leases: Leases
  start(): Promise<void>
  stop(): Promise<void>
}

const PRUNE_EVERY_MS = 60 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000

const usualStreams: StreamLimits = {
  heartbeatMs: 15_000,
  checkMs: 5_000,
  streamMs: DAY_MS,
  streamsPerClient: 20,
  streamsInAll: 10_000,
}

export type EventOptions = Partial<DispatchOptions & StreamLimits> & { readonly leaseMs?: number }

export function createEvents(
  deps: EventDeps,
  { leaseMs, ...options }: DispatchOptions & EventOptions,
): Events {
  const leases = createLeases(deps, leaseMs)
  const hub = createHub(deps)
  const dispatcher = createDispatcher(deps, hub, leases, options)
  const streams = createStreams({ ...usualStreams, ...options })
  let isStopped = false
  let pruning: Promise<void> | undefined
  let prunes: ReturnType<typeof setInterval> | undefined
  const mayNotPrune = () => isStopped || !leases.holds('care')
  const prune = () => {
    if (mayNotPrune()) return
    pruning ??= pruneEvents(deps, mayNotPrune)
      .catch((cause) => deps.warn('old events could not be removed', { cause: String(cause) }))
      .then(() => {
        pruning = undefined
      })
  }
  leases.onTaken('care', prune)

  return {
    deps,
    hub,
    dispatcher,
    streams,
    leases,
    async start() {
      await loadEach(deps.db)
      await hub.start()
      streams.start()
      dispatcher.start()
      // Nobody waits for it: it may itself wait for another program that writes.
      void leases.start()
      prunes = setInterval(prune, PRUNE_EVERY_MS)
      prunes.unref()
    },
    async stop() {
      isStopped = true
      clearInterval(prunes)
      await pruning
      hub.stop()
      streams.stop()
      await dispatcher.stop()
      await leases.stop()
    },
  }
}

/** What is damaged is told before anybody is served. */
async function loadEach(db: Db): Promise<void> {
  await db.select().from(outbox).limit(1).all()
  await db.select().from(webhooks).limit(1).all()
}
