import type { Log } from '../../runtime/log'
import { createStoppableSleep } from '../../runtime/timers/backoff'
import type { Clock } from '../../runtime/timers/clock'
import type { FatalClose } from './closeCodes'
import type { Payload } from './connection'
import { createIdentifyLimiter } from './identifyLimiter'
import type { SessionStore } from './sessionStore'
import {
  type GatewayInfo,
  type Shard,
  type ShardMetrics,
  type ShardParts,
  startShard,
} from './shard'
import { defaultGatewayTiming, type GatewayTiming } from './timing'

/**
 * GUILDS, GUILD_WEBHOOKS, GUILD_MESSAGES, GUILD_MESSAGE_REACTIONS, DIRECT_MESSAGES,
 * DIRECT_MESSAGE_REACTIONS and MESSAGE_CONTENT.
 */
export const INTENTS = [0, 5, 9, 10, 12, 13, 15].reduce((all, bit) => all | (1 << bit), 0)

export interface GatewayParts {
  readonly clock: Clock
  readonly token: string
  readonly userAgent: string
  readonly shards: number | 'auto'
  readonly presence?: object
  readonly sessions: SessionStore
  readonly log: Log
  readonly metrics?: ShardMetrics
  readonly timing?: Partial<GatewayTiming>
  /** Reads `GET /gateway/bot`. */
  loadGatewayInfo(): Promise<GatewayInfo>
  /** ID of the application, for the link in the remedy of a fatal close; null if unknown. */
  applicationId(): string | null
  readonly onEvent: ShardParts['onEvent']
  onStateChange?(): void
  /** Called once; all shards are stopped then. */
  onFatal(close: FatalClose): void
}

export interface Gateway {
  readonly shards: readonly Shard[]
  /** Sends a payload on all shards, for example a presence. */
  broadcast(payload: Payload): void
  /** Closes all connections so that their sessions can be resumed, and stores them. */
  stop(): Promise<void>
}

/** Starts all shards. Throws if Discord does not answer how many there are. */
export async function startGateway(parts: GatewayParts): Promise<Gateway> {
  const { clock, log } = parts
  const timing = { ...defaultGatewayTiming, ...parts.timing }
  const { shards: recommended, session_start_limit: limit } = await parts.loadGatewayInfo()
  const count = parts.shards === 'auto' ? recommended : parts.shards
  const sleeper = createStoppableSleep(clock)
  const identifyLimiter = createIdentifyLimiter(limit.max_concurrency, timing.identifyMs, {
    clock,
    sleeper,
  })

  let isFatal = false
  const onFatal = (close: FatalClose) => {
    if (isFatal) return
    isFatal = true
    log.error('Discord bot stopped', { ...close })
    void stop()
    parts.onFatal(close)
  }
  const shards = Array.from({ length: count }, (_, id) =>
    startShard({
      ...parts,
      shard: { id, count },
      intents: INTENTS,
      presence: parts.presence,
      metrics: parts.metrics,
      identifyLimiter,
      sleeper,
      timing,
      onFatal,
    }),
  )
  const stop = async () => {
    await Promise.all(shards.map((shard) => shard.stop()))
  }
  return {
    shards,
    broadcast(payload) {
      for (const shard of shards) shard.send(payload)
    },
    stop,
  }
}
