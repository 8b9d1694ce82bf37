import { hostname } from 'node:os'
import type { GatewayPresenceUpdateData } from 'discord-api-types/v10'
import { inviteUrl, UNKNOWN_APPLICATION } from '../model/core/discord'
import { discordBot } from '../model/core/privacy'
import type { Log } from '../runtime/log'
import type { DiscordGauges, DiscordMetrics } from '../runtime/metrics/discordMetrics'
import { backoffMs, createStoppableSleep } from '../runtime/timers/backoff'
import type { Timer } from '../runtime/timers/clock'
import { type PeriodicTask, startPeriodicTask } from '../runtime/timers/periodicTask'
import { withTimeout } from '../runtime/timers/withTimeout'
import type { Deps } from '../service/core/deps'
import { storeBotStatus } from '../service/discord/botStatus'
import { createAttachmentLoader } from './attachments/attachmentLoader'
import type { DownloadOptions } from './attachments/download'
import { createPictureLoader } from './attachments/pictureLoader'
import type { Bot } from './bot/bot'
import {
  type BotCore,
  type BotTiming,
  createBackgroundWork,
  defaultBotTiming,
  describeError,
  type Identity,
} from './bot/core'
import { loadIdentity } from './bot/identity'
import { createInFlight } from './bot/inFlight'
import { createSessionTable } from './bot/sessionTable'
import { formatUserAgent } from './bot/userAgent'
import { createGuildCache } from './cache/guildCache'
import { createGuildSource } from './cache/guildSource'
import { createLatestMessages } from './cache/latestMessages'
import { createWebhookCache } from './cache/webhookCache'
import { type CommandParts, createCommandHandler } from './commands/transport/commandHandler'
import type { ReadStatus } from './commands/transport/discordActions'
import { createReactions } from './commands/transport/reactions'
import { type CommandPlaces, registerCommands } from './commands/transport/registerCommands'
import { describeRefusedToken, TOKEN_REFUSED } from './gateway/closeCodes'
import type { GatewayEvent } from './gateway/events'
import { type Gateway, startGateway } from './gateway/gateway'
import type { GatewayInfo, ShardId } from './gateway/shard'
import type { GatewayTiming } from './gateway/timing'
import { type EventParts, handleEvent } from './handleEvent'
import { createLogChannel } from './messages/logChannel'
import { createNotices } from './messages/notices'
import { createPings } from './operations/ping'
import { createChannelQueues } from './proxying/channelQueues'
import { createIgnoredMessages } from './proxying/ignoredMessages'
import { createRecordDeletions } from './proxying/recordDeletions'
import { startRecovery } from './proxying/recovery'
import { createSlowMode } from './proxying/slowMode'
import {
  createRestClient,
  type RestClient,
  type RestMetrics,
  type RestTiming,
} from './rest/restClient'

export interface BotParts {
  readonly deps: Deps
  readonly options: BotOptions
  readonly log: Log
  readonly metrics: DiscordMetrics | undefined
  holdsLease(): boolean
  isDatabaseAway(cause: unknown): boolean
  onIdentified(identity: Identity): void
  /** Called once, with the reason, after a failure that only the operator can end. */
  onFailed(reason: string): void
  readonly commands: CommandParts
  readonly timing?: Timing
}

export interface BotOptions {
  readonly token: string
  readonly prefixes: readonly string[]
  readonly shards: number | 'auto'
  readonly commands: CommandPlaces
  readonly api: string
  readonly cdn: readonly string[]
}

export interface Timing {
  readonly bot?: Partial<BotTiming>
  readonly gateway?: Partial<GatewayTiming>
  readonly rest?: Partial<RestTiming>
}

/** The bot while this process holds the lease. */
export interface ActiveBot {
  gauges(): Omit<DiscordGauges, 'hasLease'>
  /** Lets work in progress finish and stores the sessions, so that the next process resumes them. */
  stop(): Promise<void>
  /** Sends nothing any more, because another process may be active, and closes the connections. */
  abandon(): Promise<void>
}

const STATUS_MS = 30_000
const FIRST_STATUS_MS = 2000
/** Pause after a change of a connection, because the next one may follow at once. */
const CHANGED_STATUS_MS = 500
const START_BACKOFF = { firstMs: 500, maxMs: 30_000 }

/** Starts the bot. Never throws: it tries again until Discord answers, unless the token is refused. */
export function startActiveBot(parts: BotParts): ActiveBot {
  const { deps, options, log, metrics } = parts
  const { clock } = deps
  const sleeper = createStoppableSleep(clock)
  const stopSignal = createStoppableSleep(clock)
  const background = createBackgroundWork(log, clock)
  let identity: Identity | null = null
  const userAgent = () => formatUserAgent(parts.commands.publicUrl, identity?.applicationId ?? null)
  let gateway: Gateway | null = null
  let running: Running | null = null
  /** Reason why the bot stopped for good. */
  let problem: string | null = null
  let lastEventAt: number | null = null
  let disconnectedAt: number | null = deps.now()

  /** Stores the state for `multitude status`. */
  const storeStatus = async () => {
    // A bot whose token was refused at the start is unknown, but its operator must learn why.
    if (!identity && problem === null) return
    const shards = gateway?.shards ?? []
    await storeBotStatus(deps, discordBot, {
      application: identity?.applicationId ?? UNKNOWN_APPLICATION,
      name: identity?.name ?? 'unknown bot',
      node: hostname(),
      at: deps.now(),
      shards: shards.length,
      shards_ready: shards.filter(({ state }) => state === 'online').length,
      guilds: running?.bot.guilds.size ?? 0,
      last_event: lastEventAt,
      disconnected_at: disconnectedAt,
      problem,
    })
  }
  const statusTask: PeriodicTask = startPeriodicTask({
    clock,
    everyMs: STATUS_MS,
    firstMs: FIRST_STATUS_MS,
    mayRun: parts.holdsLease,
    run: storeStatus,
    onError: (cause) => log.debug('Discord status not stored', { error: describeError(cause) }),
  })
  let changed: Timer | null = null
  const noteConnections = () => {
    const isConnected = gateway?.shards.every(({ state }) => state === 'online')
    disconnectedAt = isConnected ? null : (disconnectedAt ?? deps.now())
    changed ??= clock
      .setTimeout(() => {
        changed = null
        void statusTask.runNow()
      }, CHANGED_STATUS_MS)
      .unref()
  }
  /** Stops after a failure that only the operator can end. */
  const stopForGood = async (reason: string) => {
    if (problem !== null) return
    problem = reason
    sleeper.stop()
    void gateway?.stop()
    await statusTask.runNow()
    parts.onFailed(reason)
  }
  const rest = createRestClient({
    clock,
    ...pick(options, 'api', 'token'),
    userAgent,
    log,
    ...(metrics && { metrics: restMetrics(metrics) }),
    onUnauthorized() {
      const { reason, remedy } = describeRefusedToken(identity?.applicationId ?? null)
      log.error(reason, { remedy })
      void stopForGood(`${reason}. ${remedy}`)
    },
    ...(parts.timing?.rest && { timing: parts.timing.rest }),
  })

  const readLatencyMs = () => {
    const latencies = (gateway?.shards ?? []).flatMap(({ latencyMs }) => latencyMs ?? [])
    return latencies.length === 0 ? null : Math.max(...latencies)
  }
  const readStatus: ReadStatus = () => ({
    guilds: running?.bot.guilds.size ?? 0,
    shards: gateway?.shards.length ?? 0,
    latencyMs: readLatencyMs(),
  })

  const begin = async () => {
    identity ??= await loadIdentity(rest)
    parts.onIdentified(identity)
    running ??= createRunning(parts, {
      identity,
      rest,
      sleeper,
      stopSignal,
      background,
      readStatus,
    })
    const { onEvent } = running
    gateway = await startGateway({
      clock,
      token: options.token,
      userAgent: userAgent(),
      shards: options.shards,
      presence: presenceOf(options.prefixes),
      sessions: createSessionTable(deps, parts.holdsLease),
      log,
      ...(metrics && { metrics }),
      ...(parts.timing?.gateway && { timing: parts.timing.gateway }),
      loadGatewayInfo: () => rest.request<GatewayInfo>('GET', '/gateway/bot'),
      applicationId: () => identity?.applicationId ?? null,
      onStateChange: noteConnections,
      onEvent(event, shard, id) {
        lastEventAt = deps.now()
        return onEvent(event, shard, id)
      },
      onFatal({ code, reason, remedy }) {
        // Every further request would be refused, and counts towards a ban of this address.
        if (code === TOKEN_REFUSED) rest.stop()
        void stopForGood(`${reason}. ${remedy}`)
      },
    })
    const registration = { deps, rest, identity, log, stopSignal, sleeper }
    background.run('registration of commands', () =>
      registerCommands(registration, options.commands),
    )
    log.info('Discord bot started', {
      name: identity.name,
      shards: gateway.shards.length,
      invite: inviteUrl(identity.applicationId),
    })
  }
  const run = async () => {
    for (let failures = 1; gateway === null && !sleeper.isStopped; failures++)
      try {
        await begin()
      } catch (cause) {
        if (sleeper.isStopped) return
        log.warn('Discord bot not started yet', { error: describeError(cause) })
        await sleeper.sleep(backoffMs(START_BACKOFF, failures))
      }
  }
  const started = run()

  const stopGateway = async () => {
    await started
    await gateway?.stop()
  }
  return {
    gauges() {
      const shards: Record<string, number> = {}
      for (const { state } of gateway?.shards ?? []) shards[state] = (shards[state] ?? 0) + 1
      const latencyMs = readLatencyMs()
      const count = gateway?.shards.length ?? 0
      return {
        isUp: problem === null && count > 0 && shards.online === count,
        shards,
        guilds: running?.bot.guilds.size ?? 0,
        gatewayLatency: latencyMs === null ? null : latencyMs / 1000,
        restWaiting: rest.waiting,
      }
    },
    async stop() {
      if (gateway === null) sleeper.stop()
      stopSignal.stop()
      running?.bot.queues.stop()
      changed?.stop()
      await statusTask.stop()
      await stopGateway()
      await running?.recovery.stop()
      const drainMs = running?.bot.timing.drainMs ?? 0
      await withTimeout(running?.bot.queues.idle ?? Promise.resolve(), drainMs, () => {}, clock)
      await background.drain(drainMs)
      sleeper.stop()
      rest.stop()
    },
    async abandon() {
      rest.stop()
      sleeper.stop()
      stopSignal.stop()
      running?.bot.queues.stop()
      changed?.stop()
      await Promise.all([statusTask.stop(), stopGateway(), running?.recovery.stop()])
    },
  }
}

interface Running {
  readonly bot: Bot
  readonly recovery: ReturnType<typeof startRecovery>
  onEvent(event: GatewayEvent, shard: ShardId, id: string): Promise<void>
}

interface RunningParts extends Pick<BotCore, 'identity' | 'sleeper' | 'stopSignal' | 'background'> {
  readonly rest: RestClient
  readonly readStatus: ReadStatus
}

function createRunning(parts: BotParts, fixed: RunningParts): Running {
  const { deps, options, log, metrics } = parts
  const { rest, identity } = fixed
  const timing = { ...defaultBotTiming, ...parts.timing?.bot }
  const downloads: DownloadOptions = {
    clock: deps.clock,
    origins: options.cdn,
    timeoutMs: timing.downloadMs,
  }
  const core: BotCore = {
    ...fixed,
    deps,
    guilds: createGuildCache(
      createGuildSource(rest, () => identity.userId),
      () => identity.userId,
    ),
    webhooks: createWebhookCache(rest, () => identity.applicationId),
    latest: createLatestMessages(),
    attachments: createAttachmentLoader(downloads),
    pictures: createPictureLoader(downloads),
    prefixes: options.prefixes,
    cdn: options.cdn,
    log,
    metrics,
    timing,
    maySend: parts.holdsLease,
    isDatabaseAway: parts.isDatabaseAway,
  }
  const bot: Bot = {
    ...core,
    notices: createNotices(core),
    logChannel: createLogChannel(core),
    pings: createPings(core),
    slowMode: createSlowMode(core),
    ignored: createIgnoredMessages(),
    queues: createChannelQueues(),
    inFlight: createInFlight(),
    node: `${hostname()}:${process.pid}`,
  }
  const commands = createCommandHandler(bot, parts.commands, fixed.readStatus)
  const events: EventParts = {
    bot,
    deletions: createRecordDeletions(core),
    reactions: createReactions(bot, commands.lookUp),
    commands,
  }
  return {
    bot,
    recovery: startRecovery(bot),
    async onEvent(event, shard, id) {
      bot.guilds.handle(event, shard)
      bot.webhooks.handle(event)
      await handleEvent(events, event, id)
    },
  }
}

function restMetrics(metrics: DiscordMetrics): RestMetrics {
  return {
    countRequest: (route, status) =>
      metrics.countRestRequest(route, status === 'failed' ? 0 : status),
    countRateLimited: metrics.countRateLimited,
  }
}

/** Presence with the command that explains the bot. */
function presenceOf([prefix = '']: readonly string[]): GatewayPresenceUpdateData {
  const text = `${prefix}help`
  const CUSTOM = 4
  return {
    since: null,
    activities: [{ name: text, state: text, type: CUSTOM }],
    status: 'online' as GatewayPresenceUpdateData['status'],
    afk: false,
  }
}

function pick<T, K extends keyof T>(from: T, ...keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>
}
