import { readFileSync } from 'node:fs'
import { noChanges } from '../db/changeNotifier'
import { serverTasks, type Task } from '../db/lease'
import {
  type OpenOptions,
  openStorage,
  type ServerOptions,
  type Storage,
  temporaryFolderOf,
} from '../db/open'
import type { Timing as DiscordTiming } from '../discord/activeBot'
import type { DiscordBot } from '../discord/discordBot'
import type { DispatchOptions } from '../events/dispatch'
import { createEvents, type EventOptions, type Events } from '../events/events'
import { type ParseImport, parseInProcess } from '../formats/chunks'
import { describeRoutes } from '../http/apiModules'
import { createHandler, type Handle } from '../http/handler'
import { isUnavailable } from '../model/core/errors'
import type { Instant } from '../model/core/time'
import type { Substitute } from '../model/proxy/substitution'
import type { ImportResult } from '../model/transfer/transfer'
import type { Config } from '../runtime/config/config'
import type { Log } from '../runtime/log'
import { createMetrics, type Metrics } from '../runtime/metrics/metrics'
import { type Clock, systemClock } from '../runtime/timers/clock'
import { withTimeout } from '../runtime/timers/withTimeout'
import { commit, version } from '../runtime/version'
import { renderRowJson } from '../serializers/v2'
import { createCredentialCache } from '../service/access/credentials'
import { createBulkQueue } from '../service/core/bulkQueue'
import type { Deps } from '../service/core/deps'
import { createLongReads } from '../service/core/longReads'
import { createOpenLists } from '../service/core/openLists'
import { startClaimCleanup } from '../service/discord/claims'
import { startFriendNotifier } from '../service/friends/friendNotifications'
import { startDeletedSwitchCleanup } from '../service/front/deletedSwitchCleanup'
import { startPictureCleanup } from '../service/pictures/pictureCleanup'
import { startMessageRetention } from '../service/proxy/messageRetention'
import { createCacheRefresher } from '../service/reads/cacheRefresher'
import { startReminderTimer } from '../service/reminders/reminderTimer'
import { startImportCleanup } from '../service/systems/staging'
import { createImportLimiter } from '../service/transfer/import/importLimiter'
import { createSpool } from '../service/transfer/import/spool'
import { type DiscordOptions, discordOptions } from './discordOptions'
import { createEventWebhooks } from './eventWebhooks'
import { createMonitoring } from './monitoring'
import { noDeps } from './noDeps'
import { pushContact } from './pushContact'
import { createPushSources } from './pushSources'

const STOP_LIMIT_MS = 10_000

/** Pause without a new request after which the server may close its connections. */
const DRAIN_PAUSE_MS = 25
const MAX_DRAIN_PAUSES = 40

/**
 * Exceeds the time that a write may wait for another process; Bun's default would drop such a
 * request. Slow bytes do not extend it: a body needs 16 KiB per second, and the first headers of a
 * connection must arrive within ten seconds.
 */
const IDLE_LIMIT_S = 60

export interface App {
  readonly deps: Deps
  readonly storage: Storage
  readonly handle: Handle
  readonly events: Events
  /** Options of the Discord bot; null without a token. */
  readonly discord: DiscordOptions | null
  /**
   * Starts the Discord bot if there is a token. It connects while this process holds its lease.
   * `substitute` applies regular expressions of accounts, so it must limit their time.
   */
  startDiscord(substitute: Substitute, timing?: DiscordTiming): Promise<DiscordBot | null>
  /** Undefined if metrics are off. */
  readonly metrics: Metrics | undefined
  /** Settles after everything that can fail before the first request. */
  readonly started: Promise<void>
  /** Serves on the configured address and returns the actual one, whose port may differ. */
  listen(idleLimit?: number): string
  /** Serves the metrics on their own address and returns it; null if metrics are off. */
  listenForMetrics(): string | null
  /** Refuses new requests, lets running ones finish within a limit, and closes the database. */
  stop(): Promise<void>
}

/**
 * Creates a source of instants in microseconds. It never returns the same instant twice, so that two
 * switches logged within one millisecond keep their order.
 */
export function createInstants(clock: Clock): () => Instant {
  let last = 0
  return () => {
    last = Math.max(last + 1, clock.now() * 1000)
    return last
  }
}

interface AppOptions {
  readonly log: Log
  readonly clock?: Clock | undefined
  /** Times of switches, events and the like; those of the clock by default. */
  readonly now?: (() => Instant) | undefined
  /** Take precedence over the settings. */
  readonly events?: EventOptions
  readonly parseImport?: ParseImport
  /** Time that running requests get to finish after the server was asked to stop. */
  readonly stopLimitMs?: number
  /** Use of the database; by default it is upgraded. */
  readonly use?: OpenOptions['use']
}

/** Assembles the application. Settings, log, clock and the delivery of events enter here alone. */
export function createApp(
  config: Config,
  {
    log,
    clock = systemClock,
    now = createInstants(clock),
    events: options = {},
    parseImport = parseInProcess,
    stopLimitMs = STOP_LIMIT_MS,
    use,
  }: AppOptions,
): App {
  const metrics = config.METRICS === 'on' ? createMetrics({ version, commit }) : undefined
  const storage = openConfigured(config, { observer: metrics, ...(use && { use }) })
  const { db, transact, changes } = storage
  const events = createEvents(
    { db, transact, changes, now, clock, warn: log.warn },
    {
      ...dispatchOptions(config),
      ...eventOptions(config, log),
      ...(metrics && { recordDelivery: metrics.countDelivery }),
      ...options,
      push: {
        contact: pushContact(config),
        sources: createPushSources(() => deps),
        ...(metrics && { recordResult: metrics.countPush }),
        ...options.push,
      },
    },
  )
  const cacheRefresher = createCacheRefresher({ transact: storage.transact, clock })
  const deps: Deps = createDeps(config, storage, {
    now,
    clock,
    parseImport,
    onImport: metrics?.countImport,
    scheduleRender: cacheRefresher.enqueue,
    async transact(lockKey, work, kind) {
      const result = await storage.transact(lockKey, work, kind)
      events.hub.wake()
      events.push.wake()
      return result
    },
  })
  const shutdown: { closing?: Promise<void> } = {}
  const handle = createHandler({
    deps,
    events,
    config,
    log,
    checkHealth: storage.checkHealth,
    toUnavailable: storage.toUnavailable,
    shutdown,
    metrics,
  })
  let bot: DiscordBot | undefined
  const discord = discordOptions(config)
  const monitoring = metrics && createMonitoring(config, metrics, { storage, deps, handle, events })
  const started = storage.ready.then(() => events.start())
  // Callers that serve await it; for all others an unhandled rejection must not end the process.
  started.catch(() => {})
  const { warn } = log
  const holds = (task: Task) => () => events.leases.holds(task)
  const maintenance = { isLeader: holds('maintenance'), warn }
  const reminderTimer = startReminderTimer(deps, {
    isLeader: holds('reminders'),
    warn,
    onFired: metrics?.countReminder,
  })
  // The former holder may have been killed before it looked.
  events.leases.onAcquired('reminders', () => void reminderTimer.runNow())
  const tasks = [
    startImportCleanup(deps, maintenance),
    startMessageRetention(deps, { keepMs: config.MESSAGE_KEEP, ...maintenance }),
    startClaimCleanup(deps, maintenance),
    startDeletedSwitchCleanup(deps, maintenance),
    startPictureCleanup(deps, maintenance),
    reminderTimer,
    startFriendNotifier(deps, {
      isLeader: holds('dispatch'),
      warn,
      onNotified: metrics?.countFriendNotification,
    }),
    cacheRefresher,
  ]
  let server: Bun.Server<undefined> | undefined
  let requestCount = 0

  return {
    deps,
    storage,
    handle,
    events,
    discord,
    async startDiscord(substitute, timing) {
      if (!discord) return null
      // Loaded only with a token, because its modules take memory.
      const { noGauges, startDiscordBot } = await import('../discord/discordBot')
      const { leases } = events
      bot = startDiscordBot(
        {
          deps,
          options: discord,
          log,
          metrics: metrics?.addDiscord(() => bot?.gauges() ?? noGauges),
          commands: {
            substitute,
            webhooks: createEventWebhooks(events),
            publicUrl: config.PUBLIC_URL,
            importLimit: config.IMPORT_LIMIT,
          },
          isDatabaseAway: (cause) => isUnavailable(cause) || storage.toUnavailable(cause) !== null,
          ...(timing && { timing }),
        },
        {
          holds: () => leases.holds('discord'),
          findHolder: () => leases.findHolder('discord'),
          onAcquired: (begin) => leases.onAcquired('discord', begin),
          onLost: (end) => leases.onLost('discord', end),
        },
      )
      return bot
    },
    metrics,
    started,
    listen(idleLimit = IDLE_LIMIT_S) {
      server = Bun.serve({
        hostname: config.HOST,
        port: config.PORT,
        // Routes refuse larger bodies themselves: they know their limits and the error object.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        // Bun's own error page would show source code to clients.
        development: false,
        // Otherwise two programs could share one port, each with half of the requests.
        reusePort: false,
        idleTimeout: idleLimit,
        fetch(request, from) {
          requestCount++
          return handle(request, () => from.requestIP(request)?.address ?? '')
        },
      })
      return server.url.href.replace(/\/$/, '')
    },
    listenForMetrics: () => monitoring?.listen() ?? null,
    async stop() {
      // First, while the database and the lease are still there.
      await bot?.stop()
      await monitoring?.stop()
      await Promise.allSettled([started, ...tasks.map((task) => task?.stop())])
      // Streams never end by themselves, and `server.stop` would wait for them.
      await events.stop()
      if (server) {
        const { promise, resolve: release } = Promise.withResolvers<void>()
        shutdown.closing = promise
        // Bun closes connections that look idle even if a request is on its way. Clients that wait
        // for a response send no further request, so a pause comes soon.
        for (
          let before = -1, pauses = 0;
          before !== requestCount && pauses < MAX_DRAIN_PAUSES;
          pauses++
        ) {
          before = requestCount
          await Bun.sleep(DRAIN_PAUSE_MS)
        }
        const stopped = server.stop()
        release()
        await withTimeout(stopped, stopLimitMs, () => {})
        await server.stop(true)
      }
      await storage.close()
      log.flush()
    },
  }
}

/** Opens the database without a server, for the command line. */
export function openDeps(
  config: Config,
  { use, ...options }: DepsOptions & Pick<OpenOptions, 'use'> = {},
) {
  const storage = openConfigured(config, use && { use })
  return { storage, deps: createDeps(config, storage, options) }
}

function openConfigured(config: Config, options?: OpenOptions): Storage {
  return openStorage(config.DATABASE_URL, {
    durability: config.DURABILITY,
    renderJson: renderRowJson,
    server: serverOptions(config),
    ...options,
  })
}

interface DepsOptions
  extends Partial<Pick<Deps, 'now' | 'clock' | 'parseImport' | 'scheduleRender' | 'transact'>> {
  readonly onImport?: ((result: ImportResult) => void) | undefined
}

function createDeps(
  config: Config,
  storage: Storage,
  {
    clock = systemClock,
    now = createInstants(clock),
    parseImport = parseInProcess,
    scheduleRender = () => {},
    transact = storage.transact,
    onImport,
  }: DepsOptions,
): Deps {
  const { db, sharedRead, readFor, snapshot } = storage
  const spool = createSpool(temporaryFolderOf(config.DATABASE_URL))
  return {
    db,
    sharedRead,
    readFor,
    transact,
    snapshot,
    longReads: createLongReads(),
    openLists: createOpenLists(),
    now,
    clock,
    parseImport,
    importLimiter: createImportLimiter(spool, { onResult: onImport, clock }),
    bulkQueue: createBulkQueue(),
    credentialCache: createCredentialCache(sharedRead.credentialsVersion),
    quotas: {
      systems: config.SYSTEM_LIMIT,
      members: config.MEMBER_LIMIT,
      groups: config.GROUP_LIMIT,
      archive: config.ARCHIVE_LIMIT,
      extText: config.EXT_TEXT_QUOTA,
      pictures: config.PICTURE_LIMIT,
      registration: config.REGISTRATION,
      webRegistration: config.WEB_REGISTRATION,
    },
    publicUrl: config.PUBLIC_URL,
    scheduleRender,
  }
}

/** Options of the connection to a database server, other than its address. */
export function serverOptions(config: Config): ServerOptions {
  const { DATABASE_POOL, PGPASSWORD, PGSSLROOTCERT } = config
  return { pool: DATABASE_POOL, password: PGPASSWORD, rootCert: PGSSLROOTCERT }
}

/** Builds the OpenAPI document without opening a database. */
export function describeServer(config: Config): Promise<object> {
  const events = createEvents(
    { ...noDeps, changes: noChanges, warn: () => {} },
    {
      ...dispatchOptions(config),
      push: { contact: null, sources: createPushSources(() => noDeps) },
    },
  )
  return describeRoutes({ deps: noDeps, events, config })
}

function eventOptions(config: Config, log: Log): EventOptions {
  const { LEASE_SECONDS, STREAMS_IN_ALL, STREAMS_PER_CLIENT } = config
  const files = openFilesLimit()
  const streamsInAll = Math.min(STREAMS_IN_ALL, Math.max(1, streamsWithin(files)))
  if (streamsInAll < STREAMS_IN_ALL)
    log.warn('stream limit reduced: open file limit too low for STREAMS_IN_ALL', {
      streams: streamsInAll,
      open_files: files,
    })
  return {
    leaseMs: LEASE_SECONDS * 1000,
    tasks: discordOptions(config) ? [...serverTasks, 'discord'] : serverTasks,
    streamsInAll,
    streamsPerClient: STREAMS_PER_CLIENT,
  }
}

/** Reserves the program's own files, and a quarter of the rest for requests. */
function streamsWithin(files: number): number {
  return Math.floor((files - OWN_FILES) * 0.75)
}

const OWN_FILES = 100

/** Limit of open files and connections of this process; only known on Linux. */
function openFilesLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function dispatchOptions(config: Config): DispatchOptions {
  return { allow: config.DISPATCH_ALLOW, userAgent: `Multitude/${version} (webhook)` }
}
