import type { Config } from './config'
import { openStorage, type Storage } from './db/open'
import { createHandler, describeRoutes, type Handle } from './http/server'
import type { Log } from './log'
import type { Instant } from './model/time'
import { createClock, type Deps, undone } from './service/deps'

/** How long running requests may take to finish once the program was told to stop. */
const STOP_LIMIT_MS = 10_000

export interface App {
  readonly deps: Deps
  readonly storage: Storage
  readonly handle: Handle
  /** Serves on the configured address; gives the address it really got. */
  listen(): string
  /** Takes no more requests, finishes those that run (bounded), and closes the database. */
  stop(): Promise<void>
}

/** Joins the rooms. The outside world enters here: settings, log, clock. */
export function createApp(config: Config, log: Log, now: () => Instant = createClock()): App {
  const { storage, deps } = openDeps(config, now)
  const handle = createHandler({ deps, config, log, ping: storage.ping })
  let server: Bun.Server<undefined> | undefined

  return {
    deps,
    storage,
    handle,
    listen() {
      server = Bun.serve({
        hostname: config.HOST,
        port: config.PORT,
        // Larger bodies are refused by the routes, which know their limits and the error object.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        // Bun's own error page would show the source to whoever asks.
        development: false,
        fetch: (request, from) => handle(request, from.requestIP(request)?.address ?? ''),
      })
      return server.url.href.replace(/\/$/, '')
    },
    async stop() {
      if (server) {
        await Promise.race([server.stop(), Bun.sleep(STOP_LIMIT_MS)])
        await server.stop(true)
      }
      storage.close()
      log.flush()
    },
  }
}

/** The database alone, for the command line. */
export function openDeps(config: Config, now: () => Instant = createClock()) {
  const storage = openStorage(config.DATABASE_URL, config.DURABILITY)
  const deps: Deps = { db: storage.db, transact: storage.transact, now }
  return { storage, deps }
}

/** The OpenAPI document, without a database. */
export function describeServer(config: Config): Promise<object> {
  return describeRoutes(undone, config)
}
