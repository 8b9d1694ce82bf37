import type { EventDeps } from './deps'
import { createDispatcher, type Dispatcher, type DispatchOptions } from './dispatch'
import { createHub, type Hub } from './hub'
import { pruneEvents } from './outbox'
import { createStreams, type Streams } from './stream'

/** How others are told: the outbox is read, webhooks are served, streams are fed. */
export interface Events {
  readonly deps: EventDeps
  readonly hub: Hub
  readonly dispatcher: Dispatcher
  readonly streams: Streams
  start(): Promise<void>
  stop(): Promise<void>
}

const PRUNE_EVERY_MS = 60 * 60 * 1000
const HEARTBEAT_MS = 15_000

export type EventOptions = Partial<DispatchOptions> & { readonly heartbeatMs?: number }

export function createEvents(
  deps: EventDeps,
  { heartbeatMs = HEARTBEAT_MS, ...options }: DispatchOptions & EventOptions,
): Events {
  const hub = createHub(deps)
  const dispatcher = createDispatcher(deps, hub, options)
  const streams = createStreams(heartbeatMs)
  const prune = () =>
    pruneEvents(deps).catch((cause) =>
      deps.warn('old events could not be removed', { cause: String(cause) }),
    )
  let pruning: ReturnType<typeof setInterval> | undefined
  let firstPruned: Promise<void> | undefined

  return {
    deps,
    hub,
    dispatcher,
    streams,
    async start() {
      await hub.start()
      streams.start()
      await dispatcher.start()
      // Nobody waits for it to begin: it may itself wait for another program that writes.
      firstPruned = prune()
      pruning = setInterval(prune, PRUNE_EVERY_MS)
      pruning.unref()
    },
    async stop() {
      clearInterval(pruning)
      hub.stop()
      streams.stop()
      await dispatcher.stop()
      await firstPruned
    },
  }
}
