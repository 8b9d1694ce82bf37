import { readFileSync } from 'node:fs'
import { createMonitoring } from './app/monitoring'
import type { Config } from './config'
import { noChanges } from './db/changeNotifier'
import {
  openStorage,
  type SchemaUse,
  type ServerOptions,
  type Storage,
  temporaryFolderOf,
} from './db/open'
import type { DispatchOptions } from './events/dispatch'
import { createEvents, type EventOptions, type Events } from './events/events'
import { type ParseImport, parseInProcess } from './formats/chunks'
import { describeRoutes } from './http/apiModules'
import { createHandler, type Handle } from './http/handler'
import type { Log } from './log'
import type { Metrics } from './metrics/metrics'
import type { Instant } from './model/time'
import { renderRowJson } from './serializers/v2'
import { createCredentialCache } from './service/access/credentialCache'
import { startMessageRetention } from './service/admin/messageRetention'
import { createBulkQueue } from './service/bulkQueue'
import { createClock, type Deps, noDeps } from './service/deps'
import { createLongReads } from './service/longReads'
import { createCacheRefresher } from './service/read/cacheRefresher'
import { createImportLimiter } from './service/transfer/importLimiter'
import { createSpool } from './service/transfer/spool'
import { startImportCleanup } from './service/transfer/staging'
import { version } from './version'

/** How long running requests may take to finish once the program was told to stop. */
const STOP_LIMIT_MS = 10_000

/** A pause this long without a new request, and nobody is about to be cut off. */
const DRAIN_PAUSE_MS = 25
const MAX_DRAIN_PAUSES = 40

/**
 * Longer than a write may wait for another process; Bun's own limit would drop such a request. Bytes
 * that trickle do not extend it: a body must come with 16 KiB a second, and the first head of a
 * connection within ten seconds.
 */
const IDLE_LIMIT_S = 60

export interface App {
  readonly deps: Deps
  readonly storage: Storage
  readonly handle: Handle
  readonly events: Events
  /** Undefined if metrics are off. */
  readonly metrics: Metrics | undefined
  /** Settles once everything that can fail before the first request has been done. */
  readonly started: Promise<void>
  /** Serves on the configured address; gives the address it really got. */
  listen(idleLimit?: number): string
  /** Serves the metrics on their own address, which it gives; null where they are off. */
  listenForMetrics(): string | null
  /** Takes no more requests, finishes those that run (bounded), and closes the database. */
  stop(): Promise<void>
}

/** Joins the rooms. The outside world enters here: settings, log, clock, how events are sent. */
export function createApp(
  config: Config,
  log: Log,
  now: () => Instant = createClock(),
  dispatch: EventOptions = {},
  parseImport: ParseImport = parseInProcess,
): App {
  const { storage, deps: stored } = openDeps(config, now, parseImport)
  const watch =
    config.METRICS === 'on'
      ? createMonitoring(config, storage, stored, {
          inFlight: () => handle.inFlight(),
          streams: () => events.streams.count,
        })
      : null
  const events = createEvents(
    { ...stored, pulse: storage.changes, warn: log.warn },
    {
      ...dispatchOptions(config),
      ...eventOptions(config, log),
      ...(watch && { recordDelivery: watch.metrics.countDelivery }),
      ...dispatch,
    },
  )
  const mender = createCacheRefresher(stored)
  const deps: Deps = {
    ...stored,
    scheduleRender: mender.enqueue,
    async transact(of, work, kind) {
      const result = await storage.transact(of, work, kind)
      events.hub.wake()
      return result
    },
  }
  /** While stopping: answers wait until it is closed, and then end their connection. */
  let closing: Promise<void> | undefined
  const handle = createHandler({
    deps,
    events,
    config,
    log,
    checkHealth: storage.checkHealth,
    toUnavailable: storage.toUnavailable,
    closing: () => closing,
    metrics: watch?.metrics,
  })
  const started = storage.ready.then(() => events.start())
  // Whoever serves waits for it; nobody else must end because of it.
  started.catch(() => {})
  const sweeping = storage.ready.then(() =>
    startImportCleanup(deps, log.warn, () => events.leases.holds('care')),
  )
  sweeping.catch(() => {})
  const endForgetting = startMessageRetention(deps, {
    keepMs: config.MESSAGE_KEEP,
    isLeader: () => events.leases.holds('care'),
    warn: log.warn,
  })
  let server: Bun.Server<undefined> | undefined
  let arrived = 0

  return {
    deps,
    storage,
    handle,
    events,
    metrics: watch?.metrics,
    started,
    listen(idleLimit = IDLE_LIMIT_S) {
      server = Bun.serve({
        hostname: config.HOST,
        port: config.PORT,
        // Larger bodies are refused by the routes, which know their limits and the error object.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        // Bun's own error page would show the source to whoever asks.
        development: false,
        // Which would else let two programs share one port, each with half of the requests.
        reusePort: false,
        idleTimeout: idleLimit,
        fetch(request, from) {
          arrived++
          return handle(request, () => from.requestIP(request)?.address ?? '')
        },
      })
      return server.url.href.replace(/\/$/, '')
    },
    listenForMetrics: () => watch?.listen() ?? null,
    async stop() {
      await watch?.stop()
      const endSweeping = sweeping.then((end) => end())
      await Promise.allSettled([started, endSweeping, endForgetting(), mender.stop()])
      // Streams would never end by themselves, and would be waited for.
      await events.stop()
      if (server) {
        const { promise, resolve: release } = Promise.withResolvers<void>()
        closing = promise
        // Bun cuts connections that look idle, with requests that are on their way. Clients that
        // wait for an answer send no other, so a lull comes soon.
        for (let before = -1, lulls = 0; before !== arrived && lulls < MAX_DRAIN_PAUSES; lulls++) {
          before = arrived
          await Bun.sleep(DRAIN_PAUSE_MS)
        }
        const stopped = server.stop()
        release()
        await Promise.race([stopped, Bun.sleep(STOP_LIMIT_MS)])
        await server.stop(true)
      }
      await storage.close()
      log.flush()
    },
  }
}

/** The database alone, for the command line. */
export function openDeps(
  config: Config,
  now: () => Instant = createClock(),
  parseImport: ParseImport = parseInProcess,
  use: SchemaUse = 'upgrade',
) {
  const storage = openStorage(
    config.DATABASE_URL,
    config.DURABILITY,
    undefined,
    renderRowJson,
    use,
    serverOptions(config),
  )
  const { db, sharedRead, transact, snapshot } = storage
  const deps: Deps = {
    db,
    sharedRead,
    transact,
    snapshot,
    longReads: createLongReads(),
    now,
    parseImport,
    importLimiter: createImportLimiter(createSpool(temporaryFolderOf(config.DATABASE_URL))),
    bulkQueue: createBulkQueue(),
    credentialCache: createCredentialCache(sharedRead),
    quotas: {
      systems: config.SYSTEM_LIMIT,
      members: config.MEMBER_LIMIT,
      groups: config.GROUP_LIMIT,
      archive: config.ARCHIVE_LIMIT,
      registration: config.REGISTRATION,
    },
    scheduleRender: () => {},
  }
  return { storage, deps }
}

/** What a server is asked by beside its address. */
export function serverOptions(config: Config): ServerOptions {
  const { DATABASE_POOL, PGPASSWORD, PGSSLROOTCERT } = config
  return { pool: DATABASE_POOL, password: PGPASSWORD, rootCert: PGSSLROOTCERT }
}

/** The OpenAPI document, without a database. */
export function describeServer(config: Config): Promise<object> {
  const events = createEvents(
    { ...noDeps, pulse: noChanges, warn: () => {} },
    dispatchOptions(config),
  )
  return describeRoutes({ deps: noDeps, events, config })
}

function eventOptions(config: Config, log: Log): EventOptions {
  const { LEASE_SECONDS, STREAMS_IN_ALL, STREAMS_PER_CLIENT } = config
  const files = openFilesLimit()
  const streamsInAll = Math.min(STREAMS_IN_ALL, Math.max(1, streamsWithin(files)))
  if (streamsInAll < STREAMS_IN_ALL)
    log.warn('fewer streams than STREAMS_IN_ALL can be open: the limit of open files is low', {
      streams: streamsInAll,
      open_files: files,
    })
  return { leaseMs: LEASE_SECONDS * 1000, streamsInAll, streamsPerClient: STREAMS_PER_CLIENT }
}

/** Room is left for the program's own files, and a quarter of the rest for requests. */
function streamsWithin(files: number): number {
  return Math.floor((files - OWN_FILES) * 0.75)
}

const OWN_FILES = 100

/** How many files and connections this process may have open; only Linux tells. */
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
