import { type Counter, createRegistry, type Histogram } from './registry'

/** What is looked at when somebody asks, and not counted. */
export interface GaugeSources {
  readonly version: string
  readonly commit: string
  inFlight(): number
  streams(): number
  writersWaiting(): number
  importsUnderWay(): number
  /** In bytes, by which file it is; free is what the disk has left. */
  files(): { readonly database: number; readonly log: number; readonly free: number | null }
  /** What a look at the database told, a moment ago. */
  databaseGauges(): DatabaseGauges
  /** Whether that look went well. */
  isDatabaseOk(): boolean
}

/** What only the database knows. Times are seconds since 1970. */
export interface DatabaseGauges {
  readonly outbox: { readonly waiting: number; readonly oldestAt: number | null }
  readonly webhooks: Readonly<Record<string, number>>
  /** Of what is done now and then: whether it went well, and when it last did. */
  readonly tasks: Readonly<Record<string, { readonly ok: boolean; readonly lastOk: number | null }>>
}

/** The requests of one route and one method. */
export interface RouteMetrics {
  record(status: number, seconds: number): void
}

export type DeliveryOutcome = 'delivered' | 'refused' | 'unanswered'
export type ImportOutcome = 'done' | 'failed' | 'refused'

/** What the rooms tell while they work. */
export interface Metrics {
  routeMetrics(route: string, method: string): RouteMetrics
  countRateLimited(scope: string): void
  countOverload(): void
  countDelivery(result: DeliveryOutcome): void
  countImport(result: ImportOutcome): void
  countCommit(writes: number, seconds: number): void
  countFailedCommit(): void
  countUnhandledRejection(): void
  /** All of it, as Prometheus reads it. */
  render(): string
  stop(): void
}

/** Seconds, from an answer out of memory to one that waited in vain for another program. */
const DURATIONS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30]
const DELAYS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
const WRITES = [1, 2, 4, 8, 16, 32, 64]
const SAMPLE_MS = 200

export function createMetrics(sources: GaugeSources): Metrics {
  const registry = createRegistry()
  const { counter, histogram, gauge, gauges, total } = registry

  const requests = counter(
    'multitude_http_requests_total',
    'Requests that were answered, by the pattern of their route.',
    ['route', 'method', 'status'],
  )
  const durations = histogram(
    'multitude_http_request_duration_seconds',
    'How long requests took, until their answer began.',
    DURATIONS,
    ['route', 'method'],
  )
  gauge('multitude_http_requests_in_flight', 'Requests that are worked on now.', sources.inFlight)
  const limited = counter(
    'multitude_http_rate_limited_total',
    'Requests that were answered with 429 because the client had asked too often.',
    ['scope'],
  )
  const tooMany = counter(
    'multitude_http_refused_total',
    'Requests that were refused because too many were worked on at once.',
  )()
  gauge('multitude_streams', 'Live streams that are open.', sources.streams)

  gauge(
    'multitude_outbox_events',
    'Events that wait for an active webhook.',
    () => sources.databaseGauges().outbox.waiting,
  )
  gauge(
    'multitude_outbox_oldest_seconds',
    'Age of the oldest event that waits for an active webhook; 0 when none does.',
    () => ageOf(sources.databaseGauges().outbox.oldestAt),
  )
  gauges(
    'multitude_webhooks',
    'Webhooks, by their state.',
    'state',
    () => sources.databaseGauges().webhooks,
  )
  const deliveries = counter(
    'multitude_webhook_deliveries_total',
    'Attempts to deliver an event: delivered, refused by the receiver, or unanswered.',
    ['result'],
  )
  for (const result of ['delivered', 'refused', 'unanswered'] satisfies DeliveryOutcome[])
    deliveries(result)

  const commitWrites = histogram(
    'multitude_commit_writes',
    'How many writes share one commit.',
    WRITES,
  )()
  const commitDurations = histogram(
    'multitude_commit_duration_seconds',
    'How long commits took, with the work in them.',
    DURATIONS,
  )()
  const failedCommits = counter(
    'multitude_commit_failures_total',
    'Commits that the database refused.',
  )()
  gauge('multitude_writers_waiting', 'Writes that wait for their turn.', sources.writersWaiting)
  const imports = counter(
    'multitude_imports_total',
    'Imported files: done, failed, or refused because others were under way.',
    ['result'],
  )
  for (const result of ['done', 'failed', 'refused'] satisfies ImportOutcome[]) imports(result)
  gauge('multitude_imports_under_way', 'Files that are being imported.', sources.importsUnderWay)

  gauge(
    'multitude_database_ok',
    'Whether the database answers; where it does not, what it knows is as it was last seen.',
    () => (sources.isDatabaseOk() ? 1 : 0),
  )
  gauge('multitude_database_bytes', 'Size of the database.', () => sources.files().database)
  gauge('multitude_database_log_bytes', 'Size of its write-ahead log.', () => sources.files().log)
  gauge(
    'multitude_disk_free_bytes',
    'Room on the disk of the database.',
    () => sources.files().free,
  )
  const tasks = (look: (task: DatabaseGauges['tasks'][string]) => number) => () =>
    Object.fromEntries(
      Object.entries(sources.databaseGauges().tasks).map(([name, task]) => [name, look(task)]),
    )
  gauges(
    'multitude_task_last_success_timestamp_seconds',
    'When what is done now and then last went well, such as backups; 0 for never.',
    'task',
    tasks(({ lastOk }) => lastOk ?? 0),
  )
  gauges(
    'multitude_task_ok',
    'Whether it went well the last time.',
    'task',
    tasks(({ ok }) => (ok ? 1 : 0)),
  )

  gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  total('process_cpu_seconds_total', 'Time of the processors that it took.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  const startedAt = Date.now() / 1000 - process.uptime()
  gauge('process_start_time_seconds', 'When the process was started.', () => startedAt)
  const delays = histogram(
    'multitude_event_loop_delay_seconds',
    'How much later than it should a timer was called.',
    DELAYS,
  )()
  const endSampling = sampleDelay(delays)
  const unhandledRejections = counter(
    'multitude_unhandled_rejections_total',
    'Promise rejections that no code handled. Each is a bug, and is in the log.',
  )()
  const { version, commit } = sources
  registry.info('multitude_build_info', 'Always 1: what runs is in its labels.', {
    version,
    commit,
  })

  return {
    routeMetrics: (route, method) => createRouteMeter(route, method, requests, durations),
    countRateLimited: (scope) => void limited(scope).value++,
    countOverload: () => void tooMany.value++,
    countDelivery: (result) => void deliveries(result).value++,
    countImport: (result) => void imports(result).value++,
    countCommit(writes, seconds) {
      commitWrites.observe(writes)
      commitDurations.observe(seconds)
    },
    countFailedCommit: () => void failedCommits.value++,
    countUnhandledRejection: () => void unhandledRejections.value++,
    render: registry.render,
    stop: endSampling,
  }
}

function createRouteMeter(
  route: string,
  method: string,
  requests: (...labels: string[]) => Counter,
  durations: (...labels: string[]) => Histogram,
): RouteMetrics {
  const took = durations(route, method)
  const byStatus = new Map<number, Counter>()
  return {
    record(status, seconds) {
      let counted = byStatus.get(status)
      if (!counted) {
        counted = requests(route, method, String(status))
        byStatus.set(status, counted)
      }
      counted.value++
      took.observe(seconds)
    },
  }
}

function sampleDelay(delays: Histogram): () => void {
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    delays.observe(Math.max(0, now - last - SAMPLE_MS) / 1000)
    last = now
  }, SAMPLE_MS)
  timer.unref()
  return () => clearInterval(timer)
}

function ageOf(at: number | null): number {
  return at === null ? 0 : Math.max(0, Date.now() / 1000 - at)
}
