import type { DiscordGauges } from '../runtime/metrics/discordMetrics'
import { type ActiveBot, type BotParts, startActiveBot } from './activeBot'
import type { Identity } from './bot/core'

/** Lease of the bot: only the process that holds it is connected to Discord. */
export interface BotLease {
  holds(): boolean
  findHolder(): Promise<string | null>
  onAcquired(begin: () => void): void
  onLost(end: () => void): void
}

export interface DiscordBot {
  gauges(): DiscordGauges
  /** Resolves when Discord has named the bot; never on standby. */
  readonly identified: Promise<Identity>
  /** Resolves with the reason when the bot stopped and only the operator can do something about it. */
  readonly failed: Promise<string>
  stop(): Promise<void>
}

/** Runs the bot whenever this process holds the lease, and is on standby otherwise. */
export function startDiscordBot(
  parts: Omit<BotParts, 'holdsLease' | 'onIdentified' | 'onFailed'>,
  lease: BotLease,
): DiscordBot {
  let active: ActiveBot | null = null
  let isStopped = false
  let isOnStandby = false
  const identified = Promise.withResolvers<Identity>()
  const failed = Promise.withResolvers<string>()
  /** Ends of former holds: a new one begins after them, so that shards are never connected twice. */
  let ended: Promise<void> = Promise.resolve()

  const begin = () => {
    if (active || isStopped) return
    void ended.then(() => {
      if (active || isStopped || !lease.holds()) return
      if (isOnStandby) parts.log.info('Discord bot took over')
      isOnStandby = false
      active = startActiveBot({
        ...parts,
        holdsLease: lease.holds,
        onIdentified: identified.resolve,
        onFailed: failed.resolve,
      })
    })
  }
  const standBy = async () => {
    isOnStandby = true
    const node = await lease.findHolder().catch(() => null)
    if (isOnStandby && !isStopped)
      parts.log.info('Discord bot on standby', { node: node ?? undefined })
  }
  const end = () => {
    const lost = active
    active = null
    if (!lost) return
    isOnStandby = true
    parts.log.warn('Discord bot paused: another process may have taken over')
    ended = ended.then(() => lost.abandon()).catch(() => {})
  }
  lease.onAcquired(begin)
  lease.onLost(end)
  if (lease.holds()) begin()
  else void standBy()

  return {
    identified: identified.promise,
    failed: failed.promise,
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
