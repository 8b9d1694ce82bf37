import type { DiscordGauges } from '../runtime/metrics/discordMetrics'
import { type ActiveBot, type BotParts, startActiveBot } from './activeBot'

/** Lease of the bot: only the process that holds it is connected to Discord. */
export interface BotLease {
  holds(): boolean
  onAcquired(begin: () => void): void
  onLost(end: () => void): void
}

export interface DiscordBot {
  gauges(): DiscordGauges
  stop(): Promise<void>
}

/** Runs the bot whenever this process holds the lease, and is on standby otherwise. */
export function startDiscordBot(parts: Omit<BotParts, 'holdsLease'>, lease: BotLease): DiscordBot {
  let active: ActiveBot | null = null
  let isStopped = false
  /** Ends of former holds: a new one begins after them, so that shards are never connected twice. */
  let ended: Promise<void> = Promise.resolve()

  const begin = () => {
    if (active || isStopped) return
    void ended.then(() => {
      if (active || isStopped || !lease.holds()) return
      active = startActiveBot({ ...parts, holdsLease: lease.holds })
    })
  }
  const end = () => {
    const lost = active
    active = null
    if (!lost) return
    parts.log.warn('Discord bot paused: another process may have taken over')
    ended = ended.then(() => lost.abandon()).catch(() => {})
  }
  lease.onAcquired(begin)
  lease.onLost(end)
  if (lease.holds()) begin()

  return {
    gauges: () => ({ ...(active?.gauges() ?? noGauges), hasLease: lease.holds() }),
    async stop() {
      isStopped = true
      await active?.stop()
      active = null
      await ended
    },
  }
}

/** State of a process that is on standby. */
export const noGauges: DiscordGauges = {
  isUp: false,
  hasLease: false,
  shards: {},
  guilds: 0,
  gatewayLatency: null,
  restWaiting: 0,
}
