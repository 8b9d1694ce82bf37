import { type DeliveryResult, deliveryResults } from '../../model/events'
import { type PushResult, pushResults } from '../../model/push/pushTarget'
import { type ReminderKind, reminderKinds } from '../../model/reminders/reminder'
import { type ImportResult, importResults } from '../../model/transfer/transfer'
import { createDiscordMetrics, type DiscordGauges, type DiscordMetrics } from './discordMetrics'
import { type Counter, createRegistry, type Histogram } from './registry'

/** Values that are read at each scrape instead of being counted. */
export interface Gauges {
  readonly inFlight: number
  readonly unfinishedBodies: number
  readonly streams: number
  readonly writersWaiting: number
  readonly importsUnderWay: number
  /** Sizes of the database and its write-ahead log, and free disk space, in bytes. */
  readonly files: { readonly database: number; readonly log: number; readonly free: number | null }
  /** Result of the latest query of the database. */
  readonly database: DatabaseGauges
  /** True if the latest query succeeded. */
  readonly isDatabaseOk: boolean
}

/** Values that are queried from the database. Times are seconds since 1970. */
export interface DatabaseGauges {
  readonly outbox: { readonly waiting: number; readonly oldestAt: number | null }
  readonly webhooks: Readonly<Record<string, number>>
  /** Push messages that wait to be sent. */
  readonly pushQueued: number
  /** Periodic tasks: result of the latest run, and time of the latest success. */
  readonly tasks: Readonly<Record<string, { readonly ok: boolean; readonly lastOk: number | null }>>
  /** Rows by kind, and bytes of text, in the tables of the extension API. */
  readonly ext: { readonly rows: Readonly<Record<string, number>>; readonly textBytes: number }
  readonly pictures: { readonly bytes: number }
}

/** Counters that other layers update. */
export interface Metrics {
  /** Records a request by the pattern of its route, because references are private. */
  recordRequest(route: string, method: string, status: number, seconds: number): void
  countRateLimited(scope: string): void
  countOverload(): void
  countDelivery(result: DeliveryResult): void
  countPush(result: PushResult): void
  countImport(result: ImportResult): void
  countReminder(kind: ReminderKind): void
  countFriendNotification(): void
  countCommit(writes: number, seconds: number): void
  countFailedCommit(): void
  countUnhandledRejection(): void
  /** Adds the metrics of the Discord bot, when it is started. */
  addDiscord(read: () => DiscordGauges): DiscordMetrics
  /** Returns all metrics in the text format of Prometheus. */
  render(gauges: Gauges): string
  stop(): void
}

/** Bucket bounds in seconds, from a response out of memory to one that timed out. */
const DURATIONS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30]
const DELAYS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
const WRITES = [1, 2, 4, 8, 16, 32, 64]
const SAMPLE_MS = 200

export function createMetrics(build: { version: string; commit: string }): Metrics {
  const registry = createRegistry<Gauges>()
  const { counter, histogram, gauge, gauges, total } = registry

  const requests = counter(
    'multitude_http_requests_total',
    'Answered requests, by route pattern, method and status.',
    ['route', 'method', 'status'],
  )
  const durations = histogram(
    'multitude_http_request_duration_seconds',
    'Time from the start of a request to the start of its response.',
    DURATIONS,
    ['route', 'method'],
  )
  gauge('multitude_http_requests_in_flight', 'Requests in progress.', ({ inFlight }) => inFlight)
  gauge(
    'multitude_http_unfinished_bodies',
    'Requests whose body has not arrived yet; they are not counted as in progress.',
    ({ unfinishedBodies }) => unfinishedBodies,
  )
  const limited = counter(
    'multitude_http_rate_limited_total',
    'Requests answered with 429 because the client exceeded its rate limit.',
    ['scope'],
  )
  const tooMany = counter(
    'multitude_http_refused_total',
    'Requests answered with 503 because too many were in progress.',
  )()
  gauge('multitude_streams', 'Open live streams.', ({ streams }) => streams)

  gauge(
    'multitude_outbox_events',
    'Events waiting for delivery to an active webhook.',
    ({ database }) => database.outbox.waiting,
  )
  gauge(
    'multitude_outbox_oldest_seconds',
    'Age of the oldest event waiting for delivery to an active webhook; 0 if there is none.',
    ({ database }) => ageOf(database.outbox.oldestAt),
  )
  gauges('multitude_webhooks', 'Webhooks, by state.', 'state', ({ database }) => database.webhooks)
  const deliveries = counter(
    'multitude_webhook_deliveries_total',
    'Webhook delivery attempts: delivered, refused by the receiver, or unanswered.',
    ['result'],
  )
  for (const result of deliveryResults) deliveries(result)

  gauge(
    'multitude_push_queued',
    'Push messages that wait to be sent.',
    ({ database }) => database.pushQueued,
  )
  const pushes = counter(
    'multitude_push_sent_total',
    'Push messages: sent, retried, given up, target gone, too large, or dropped as outdated.',
    ['result'],
  )
  for (const result of pushResults) pushes(result)

  const commitWrites = histogram('multitude_commit_writes', 'Writes per commit.', WRITES)()
  const commitDurations = histogram(
    'multitude_commit_duration_seconds',
    'Duration of transactions, including the commit.',
    DURATIONS,
  )()
  const failedCommits = counter('multitude_commit_failures_total', 'Commits that failed.')()
  gauge(
    'multitude_writers_waiting',
    'Writes waiting in the queue.',
    ({ writersWaiting }) => writersWaiting,
  )
  const imports = counter(
    'multitude_imports_total',
    'Imports: done, failed, or refused because too many were running.',
    ['result'],
  )
  for (const result of importResults) imports(result)
  gauge('multitude_imports_under_way', 'Running imports.', ({ importsUnderWay }) => importsUnderWay)

  const firedReminders = counter(
    'multitude_reminders_fired_total',
    'Reminders that were due and recorded, by kind.',
    ['kind'],
  )
  for (const kind of reminderKinds) firedReminders(kind)
  const friendNotifications = counter(
    'multitude_friend_notifications_total',
    "Notifications of friends about a change of a system's front.",
  )()

  gauge(
    'multitude_database_ok',
    '1 if the database responds; if 0, metrics from the database have their last known values.',
    ({ isDatabaseOk }) => (isDatabaseOk ? 1 : 0),
  )
  gauge('multitude_database_bytes', 'Size of the database.', ({ files }) => files.database)
  gauge('multitude_database_log_bytes', 'Size of the write-ahead log.', ({ files }) => files.log)
  gauge(
    'multitude_disk_free_bytes',
    'Free space on the disk of the database.',
    ({ files }) => files.free,
  )
  gauges(
    'multitude_ext_rows',
    'Rows of the extension API, by kind.',
    'kind',
    ({ database }) => database.ext.rows,
  )
  gauge(
    'multitude_ext_text_bytes',
    'Text of all systems in the tables of the extension API.',
    ({ database }) => database.ext.textBytes,
  )
  gauge(
    'multitude_picture_bytes',
    'Pictures of all systems.',
    ({ database }) => database.pictures.bytes,
  )
  const tasks =
    (select: (task: DatabaseGauges['tasks'][string]) => number) =>
    ({ database }: Gauges) =>
      Object.fromEntries(Object.entries(database.tasks).map(([name, task]) => [name, select(task)]))
  gauges(
    'multitude_task_last_success_timestamp_seconds',
    'Time of the last successful run of a periodic task, such as a backup; 0 for never.',
    'task',
    tasks(({ lastOk }) => lastOk ?? 0),
  )
  gauges(
    'multitude_task_ok',
    '1 if the last run of a periodic task succeeded.',
    'task',
    tasks(({ ok }) => (ok ? 1 : 0)),
  )

  gauge('process_resident_memory_bytes', 'Resident memory of the process.', () =>
    process.memoryUsage.rss(),
  )
  total('process_cpu_seconds_total', 'User and system CPU time of the process.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  const startedAt = Date.now() / 1000 - process.uptime()
  gauge('process_start_time_seconds', 'Start time of the process since 1970.', () => startedAt)
  const delays = histogram(
    'multitude_event_loop_delay_seconds',
    'Delay of timers in the event loop.',
    DELAYS,
  )()
  const stopSampling = sampleDelay(delays)
  const unhandledRejections = counter(
    'multitude_unhandled_rejections_total',
    'Unhandled promise rejections. Each is a bug and is logged.',
  )()
  registry.info('multitude_build_info', 'Always 1; labels are the version and commit.', {
    version: build.version,
    commit: build.commit,
  })

  return {
    recordRequest: createRequestMetrics(requests, durations),
    countRateLimited: (scope) => void limited(scope).value++,
    countOverload: () => void tooMany.value++,
    countDelivery: (result) => void deliveries(result).value++,
    countPush: (result) => void pushes(result).value++,
    countImport: (result) => void imports(result).value++,
    countReminder: (kind) => void firedReminders(kind).value++,
    countFriendNotification: () => void friendNotifications.value++,
    countCommit(writes, seconds) {
      commitWrites.observe(writes)
      commitDurations.observe(seconds)
    },
    countFailedCommit: () => void failedCommits.value++,
    countUnhandledRejection: () => void unhandledRejections.value++,
    addDiscord: (read) => createDiscordMetrics(registry, read),
    render: registry.render,
    stop: stopSampling,
  }
}

/** Looks up metrics by one key at a time: joining the keys of each request would take longer. */
function createRequestMetrics(
  requests: (...labels: string[]) => Counter,
  durations: (...labels: string[]) => Histogram,
): Metrics['recordRequest'] {
  const routes = new Map<string, Map<string, RouteMetrics>>()
  return (route, method, status, seconds) => {
    const byMethod = getOrCreate(routes, route, () => new Map<string, RouteMetrics>())
    const { duration, byStatus } = getOrCreate(byMethod, method, () => ({
      duration: durations(route, method),
      byStatus: new Map<number, Counter>(),
    }))
    getOrCreate(byStatus, status, () => requests(route, method, String(status))).value++
    duration.observe(seconds)
  }
}

interface RouteMetrics {
  readonly duration: Histogram
  readonly byStatus: Map<number, Counter>
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const created = create()
  map.set(key, created)
  return created
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
