import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config'
import { splitAddress } from '../config/values'
import { isServerAddress, type Storage } from '../db/open'
import { pathOf } from '../db/sqlite/storage'
import { statOf } from '../db/sqlite/tempFiles'
import { createMetrics, type DatabaseGauges, type Metrics } from '../metrics/metrics'
import { serveMetrics } from '../metrics/server'
import { operator } from '../model/privacy'
import { measureBacklog } from '../service/admin/backlog'
import { measureSize } from '../service/admin/size'
import { listTaskRuns } from '../service/admin/taskRuns'
import type { Deps } from '../service/deps'
import { commit, version } from '../version'
import { createCachedProbe } from './cachedProbe'

/** Who counts what the server does, and tells those who watch it. */
export interface Monitoring {
  readonly metrics: Metrics
  /** Serves the numbers; gives the address they are to be had at. */
  listen(): string
  stop(): Promise<void>
}

/** What is counted elsewhere. */
interface Counted {
  inFlight(): number
  streams(): number
}

/** Who asks more often is told what was found before: looking goes through all webhooks. */
const REFRESH_MS = 5_000
/** The numbers are wanted most while the database does not answer. */
const PROBE_LIMIT_MS = 2_000

const nothing: DatabaseGauges = { outbox: { waiting: 0, oldestAt: null }, webhooks: {}, tasks: {} }

export function createMonitoring(
  config: Config,
  storage: Storage,
  deps: Deps,
  counted: Counted,
): Monitoring {
  let server: Bun.Server<undefined> | undefined
  const isServer = isServerAddress(config.DATABASE_URL)
  const database = createCachedProbe(
    async () => ({
      kept: await readDatabaseGauges(deps, config),
      size: isServer ? await measureSize(deps, operator) : 0,
    }),
    { kept: nothing, size: 0 },
    REFRESH_MS,
    PROBE_LIMIT_MS,
  )

  const metrics = createMetrics({
    version,
    commit,
    ...counted,
    writersWaiting: () => storage.writeStats.waiting,
    importsUnderWay: () => deps.importLimiter.count,
    files: () => (isServer ? onServer(database.last().size) : measureFiles(storage.location)),
    databaseGauges: () => database.last().kept,
    isDatabaseOk: database.isOk,
  })
  storage.writeStats.observer = metrics
  deps.importLimiter.onResult = metrics.countImport

  return {
    metrics,
    listen() {
      const { host, port } = splitAddress(config.METRICS_ADDRESS)
      server = serveMetrics({
        host,
        port: Number(port),
        async render() {
          await database.refresh()
          return metrics.render()
        },
      })
      return `${server.url.origin}/metrics`
    },
    async stop() {
      metrics.stop()
      await server?.stop(true)
    },
  }
}

async function readDatabaseGauges(deps: Deps, config: Config): Promise<DatabaseGauges> {
  const { waiting, oldest, webhooks } = await measureBacklog(deps, operator)
  const reports = await listTaskRuns(deps, operator)
  const tasks = reports
    .filter(({ name }) => isTaskConfigured(name, config))
    .map(({ name, ok, last_ok }) => [name, { ok, lastOk: inSeconds(last_ok) }])
  return {
    outbox: { waiting, oldestAt: inSeconds(oldest) },
    webhooks,
    tasks: Object.fromEntries(tasks),
  }
}

/** What is not done any more cannot be mended either. */
export function isTaskConfigured(task: string, { BACKUP_DIR, BACKUP_COMMAND }: Config): boolean {
  if (BACKUP_DIR === '') return false
  return task === 'backup' || (task === 'backup_command' && BACKUP_COMMAND !== '')
}

function inSeconds(instant: number | null): number | null {
  return instant === null ? null : instant / 1e6
}

/** In bytes, wherever the database is. */
export async function measureStorage(deps: Deps, url: string) {
  return isServerAddress(url)
    ? onServer(await measureSize(deps, operator))
    : measureFiles(pathOf(url))
}

/** What else there is to know of a server's disk, the server itself tells its own operator. */
function onServer(database: number) {
  return { database, log: 0, free: null }
}

function measureFiles(path: string) {
  return {
    database: statOf(path)?.size ?? 0,
    log: statOf(`${path}-wal`)?.size ?? 0,
    free: measureFreeSpace(dirname(path)),
  }
}

/** For those who are not root; null where nobody can tell. */
function measureFreeSpace(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return null
  }
}
