import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { isServerAddress, type Storage } from '../db/open'
import { pathOf } from '../db/sqlite/storage'
import { statOf } from '../db/sqlite/tempFiles'
import type { Events } from '../events/events'
import type { Handle } from '../http/handler'
import { operator } from '../model/core/privacy'
import type { Config } from '../runtime/config/config'
import { splitAddress } from '../runtime/config/values'
import type { DatabaseGauges, Metrics } from '../runtime/metrics/metrics'
import { serveMetrics } from '../runtime/metrics/server'
import { measureBacklog } from '../service/admin/backlog'
import { noExtTotals, sumExtUsage } from '../service/admin/extTotals'
import { measureSize } from '../service/admin/size'
import { listTaskRuns } from '../service/admin/taskRuns'
import type { Deps } from '../service/core/deps'
import { noPictures, sumPictures } from '../service/pictures/pictureTotals'
import { createCachedProbe } from './cachedProbe'

/** Serves the metrics, with gauges of the parts that are monitored. */
export interface Monitoring {
  /** Serves the metrics and returns their address. */
  listen(): string
  stop(): Promise<void>
}

interface MonitoredParts {
  readonly storage: Storage
  readonly deps: Deps
  readonly handle: Handle
  readonly events: Events
}

/** More frequent scrapes get the last result, because a probe reads all webhooks. */
const REFRESH_MS = 5_000
/** Metrics matter most while the database does not respond, so a scrape must not wait for it. */
const PROBE_LIMIT_MS = 2_000

const noGauges: DatabaseGauges = {
  outbox: { waiting: 0, oldestAt: null },
  webhooks: {},
  pushQueued: 0,
  tasks: {},
  ext: noExtTotals,
  pictures: noPictures,
}

export function createMonitoring(
  config: Config,
  metrics: Metrics,
  { storage, deps, handle, events }: MonitoredParts,
): Monitoring {
  let server: Bun.Server<undefined> | undefined
  const isServer = isServerAddress(config.DATABASE_URL)
  const database = createCachedProbe(
    async () => ({
      gauges: await readDatabaseGauges(deps, config),
      size: isServer ? await measureSize(deps, operator) : 0,
    }),
    { gauges: noGauges, size: 0 },
    REFRESH_MS,
    PROBE_LIMIT_MS,
    deps.clock,
  )

  return {
    listen() {
      const { host, port } = splitAddress(config.METRICS_ADDRESS)
      server = serveMetrics({
        host,
        port: Number(port),
        async render() {
          const { gauges, size } = await database.refresh()
          return metrics.render({
            inFlight: handle.inFlight(),
            unfinishedBodies: handle.unfinishedBodies(),
            streams: events.streams.count,
            writersWaiting: storage.writeStats.waiting,
            importsUnderWay: deps.importLimiter.count,
            files: isServer ? serverSizes(size) : measureFiles(storage.location),
            database: gauges,
            isDatabaseOk: database.isOk(),
          })
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
  const { waiting, oldest, webhooks, pushes } = await measureBacklog(deps, operator)
  const taskRuns = await listTaskRuns(deps, operator)
  const tasks = taskRuns
    .filter(({ name }) => isTaskConfigured(name, config))
    .map(({ name, ok, last_ok }) => [name, { ok, lastOk: toSeconds(last_ok) }])
  return {
    outbox: { waiting, oldestAt: toSeconds(oldest) },
    webhooks,
    pushQueued: pushes,
    tasks: Object.fromEntries(tasks),
    ext: await sumExtUsage(deps, operator),
    pictures: await sumPictures(deps, operator),
  }
}

/** Ignores tasks that are no longer configured: their last failure cannot be fixed by a new run. */
export function isTaskConfigured(task: string, { BACKUP_DIR, BACKUP_COMMAND }: Config): boolean {
  if (BACKUP_DIR === '') return false
  return task === 'backup' || (task === 'backup_command' && BACKUP_COMMAND !== '')
}

function toSeconds(instant: number | null): number | null {
  return instant === null ? null : instant / 1e6
}

/** Sizes in bytes, for either engine. */
export async function measureStorage(deps: Deps, url: string) {
  return isServerAddress(url)
    ? serverSizes(await measureSize(deps, operator))
    : measureFiles(pathOf(url))
}

/** Only the size of the database is known; log and disk of a database server are its operator's. */
function serverSizes(database: number) {
  return { database, log: 0, free: null }
}

function measureFiles(path: string) {
  return {
    database: statOf(path)?.size ?? 0,
    log: statOf(`${path}-wal`)?.size ?? 0,
    free: measureFreeSpace(dirname(path)),
  }
}

/** Free bytes for users other than root; null if unknown. */
function measureFreeSpace(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return null
  }
}
