import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isTaskConfigured, measureStorage } from '../app/monitoring'
import { type Config, hidePassword } from '../config'
import { isServerAddress } from '../db/postgres/address'
import { toStorageError, unwrapped } from '../db/sqlite/errors'
import { pathOf } from '../db/sqlite/storage'
import { parseSamples, quantileBound, type Sample, sumOf } from '../metrics/parse'
import { operator } from '../model/privacy'
import { formatInstant, type Instant } from '../model/time'
import { type Backlog, measureBacklog } from '../service/admin/backlog'
import { listTaskRuns, type TaskRun } from '../service/admin/taskRuns'
import { countSystems } from '../service/systems'
import { commit, version } from '../version'
import { newestNameIn, timeOfBackup } from './backups'
import { type Call, type Command, columns, Failure } from './command'
import { countOf, formatBytes, formatCount, formatDuration, printable } from './format'
import { addressOf, findProblem } from './health'
import { httpGet } from './httpGet'

const MOST_BYTES = 4 * 1024 * 1024

export const statusCommand: Command = {
  name: 'status',
  summary: 'Show how the server fares: what it does, what waits, the last backup',
  takesSettings: [
    'DATABASE_URL',
    'HOST',
    'PORT',
    'METRICS',
    'METRICS_ADDRESS',
    'BACKUP_DIR',
    'BACKUP_COMMAND',
  ],
  flags: { url: { type: 'string', doc: 'Address of the server, instead of HOST and PORT' } },
  async run(call) {
    const { config } = call
    const watched = await readMetrics(config)
    const server = await readServerStatus(call, watched.samples)
    const newest = findNewestBackup(config)
    const { kept, problem } = await readDatabaseStatus(call)
    const now = Date.now() * 1000
    const path = isServerAddress(config.DATABASE_URL)
      ? hidePassword(config.DATABASE_URL)
      : pathOf(config.DATABASE_URL)
    const json = {
      version,
      commit,
      server,
      database: { path, ...kept?.size, problem },
      systems: kept?.systems ?? null,
      outbox: kept && { waiting: kept.backlog.waiting, oldest: timeOrNull(kept.backlog.oldest) },
      webhooks: kept?.backlog.webhooks ?? null,
      backup: newest && { ...newest, at: formatInstant(newest.at) },
      tasks: kept?.reports.map(formatTaskRun) ?? null,
      metrics: watched.samples ? summarize(watched.samples) : null,
    }
    const text = columns([
      ['Program', `Multitude ${version} (${commit})`],
      ['Server', server.says],
      ...(watched.samples ? describeMetrics(watched.samples, now) : []),
      ...(kept
        ? describeDatabase(path, kept, now)
        : [['Database', `CANNOT BE USED: ${printable(problem ?? '')}`]]),
      ...describeBackups(config, newest, kept?.reports ?? [], now),
      ...(watched.samples ? [] : [['Metrics', watched.says]]),
    ])
    if (problem !== null) throw new Failure(problem, json, text)
    return { json, text }
  },
}

type DatabaseStatus = Awaited<ReturnType<typeof queryDatabase>>

/** Whatever is wrong with it: the rest is wanted then most of all. */
async function readDatabaseStatus(
  call: Call,
): Promise<{ kept: DatabaseStatus; problem: null } | { kept: null; problem: string }> {
  try {
    return { kept: await queryDatabase(call), problem: null }
  } catch (cause) {
    const told = unwrapped(cause)
    const known = toStorageError(hidePassword(call.config.DATABASE_URL), told) ?? told
    return { kept: null, problem: (known as Error).message }
  }
}

async function queryDatabase({ config, deps: open }: Call) {
  const deps = open()
  return {
    size: await measureStorage(deps, config.DATABASE_URL),
    systems: await countSystems(deps, operator),
    backlog: await measureBacklog(deps, operator),
    reports: (await listTaskRuns(deps, operator)).filter(({ name }) =>
      isTaskConfigured(name, config),
    ),
  }
}

function describeDatabase(
  path: string,
  { size, systems, backlog }: DatabaseStatus,
  now: Instant,
): string[][] {
  return [
    ['Database', `${path}, ${formatBytes(size.database)}, and ${formatBytes(size.log)} of log`],
    ...(size.free === null ? [] : [['', `${formatBytes(size.free)} free on its disk`]]),
    ['Systems', formatCount(systems)],
    ...describeBacklog(backlog, now),
  ]
}

function formatTaskRun({ name, at, ok, last_ok, problem }: TaskRun) {
  return { name, at: formatInstant(at), ok, last_ok: timeOrNull(last_ok), problem }
}

async function readServerStatus({ flags, config }: Call, samples: readonly Sample[] | null) {
  // Another than this program's, where the server was not started again since it was upgraded.
  const runs = samples?.find(({ name }) => name === 'multitude_build_info')?.labels
  const which = runs ? `, Multitude ${printable(`${runs.version} (${runs.commit})`)}` : ''
  const known = { version: runs?.version ?? null, commit: runs?.commit ?? null }
  if (config.PORT === 0 && flags.url === undefined) {
    const says = `not known where, because PORT is 0; --url names it${which}`
    return { url: null, ok: null, ...known, says }
  }
  const url = addressOf(flags, config)
  const problem = await findProblem(url)
  return { url, ok: problem === null, ...known, says: `${url} ${problem ?? 'is well'}${which}` }
}

interface MetricsStatus {
  samples: Sample[] | null
  says: string
}

async function readMetrics({ METRICS, METRICS_ADDRESS }: Config): Promise<MetricsStatus> {
  if (METRICS === 'off') return { samples: null, says: 'off; with METRICS=on there is more to see' }
  const url = `http://${METRICS_ADDRESS.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace('[::]:', '[::1]:')}/metrics`
  try {
    const { status, text } = await httpGet(url, MOST_BYTES)
    if (status !== 200) return { samples: null, says: `${url} answered ${status}` }
    return { samples: parseSamples(text), says: url }
  } catch (cause) {
    return { samples: null, says: `${url} does not answer: ${(cause as Error).message}` }
  }
}

const REQUESTS = 'multitude_http_requests_total'
const DURATION = 'multitude_http_request_duration_seconds'

function summarize(samples: readonly Sample[]) {
  const total = (name: string) => sumOf(samples, name)
  const delivered = (how: string) =>
    sumOf(samples, 'multitude_webhook_deliveries_total', ({ result }) => result === how)
  return {
    started: total('process_start_time_seconds'),
    memory: total('process_resident_memory_bytes'),
    requests: total(REQUESTS),
    failed: sumOf(samples, REQUESTS, ({ status = '' }) => status.startsWith('5')),
    half_within: quantileBound(samples, DURATION, 0.5),
    most_within: quantileBound(samples, DURATION, 0.99),
    delay_within: quantileBound(samples, 'multitude_event_loop_delay_seconds', 0.99),
    rate_limited: total('multitude_http_rate_limited_total'),
    refused: total('multitude_http_refused_total'),
    streams: total('multitude_streams'),
    deliveries: {
      delivered: delivered('delivered'),
      refused: delivered('refused'),
      unanswered: delivered('unanswered'),
    },
    commits: total('multitude_commit_writes_count'),
    writes: total('multitude_commit_writes_sum'),
    failed_commits: total('multitude_commit_failures_total'),
    writers_waiting: total('multitude_writers_waiting'),
    imports: total('multitude_imports_total'),
  }
}

function describeMetrics(samples: readonly Sample[], now: Instant): string[][] {
  const seen = summarize(samples)
  const { delivered, refused, unanswered } = seen.deliveries
  return [
    [
      '',
      `up for ${formatDuration(now - seen.started * 1e6)}, ${formatBytes(seen.memory)} of memory`,
    ],
    ['', `99 of 100 timers within ${formatBound(seen.delay_within)}`],
    [
      'Requests',
      `${formatCount(seen.requests)}, ${formatCount(seen.failed)} of them failed; ` +
        `half within ${formatBound(seen.half_within)}, 99 of 100 within ${formatBound(seen.most_within)}`,
    ],
    [
      '',
      `${formatCount(seen.rate_limited)} turned away for asking too often, ${formatCount(seen.refused)} for too much at once`,
    ],
    ['Streams', formatCount(seen.streams)],
    [
      'Deliveries',
      `${formatCount(delivered)}, ${formatCount(refused)} refused, ${formatCount(unanswered)} unanswered`,
    ],
    [
      'Writes',
      `${formatCount(seen.writes)} in ${countOf(seen.commits, 'commit')}, ` +
        `${formatCount(seen.failed_commits)} refused, ${formatCount(seen.writers_waiting)} waiting`,
    ],
    ['Imports', formatCount(seen.imports)],
  ]
}

function describeBacklog({ waiting, oldest, webhooks }: Backlog, now: Instant): string[][] {
  const states = Object.entries(webhooks).filter(([, count]) => count > 0)
  return [
    [
      'Webhooks',
      states.map(([state, count]) => `${formatCount(count)} ${state}`).join(', ') || 'none',
    ],
    [
      'Outbox',
      oldest === null
        ? 'nothing waits'
        : `${countOf(waiting, 'event waits', 'events wait')}, the oldest for ${formatDuration(now - oldest)}`,
    ],
  ]
}

interface Newest {
  file: string
  at: Instant
  bytes: number
}

function findNewestBackup({ BACKUP_DIR }: Config): Newest | null {
  const name = BACKUP_DIR === '' ? undefined : newestNameIn(BACKUP_DIR)
  if (name === undefined) return null
  const file = join(BACKUP_DIR, name)
  return { file, at: timeOfBackup(name) * 1000, bytes: statSync(file).size }
}

function describeBackups(
  { BACKUP_DIR }: Config,
  newest: Newest | null,
  reports: readonly TaskRun[],
  now: Instant,
): string[][] {
  if (BACKUP_DIR === '') return [['Backups', 'none are made; BACKUP_DIR says where to']]
  const made = newest
    ? `${newest.file}, ${formatBytes(newest.bytes)}, ${formatDuration(now - newest.at)} ago`
    : `none in ${BACKUP_DIR} yet`
  const told = reports.map((report) => [
    titles[report.name] ?? report.name,
    describeReport(report, now),
  ])
  return [['Backups', made], ...told.filter(([title, text]) => title !== '' || text !== '')]
}

const titles: Readonly<Record<string, string>> = { backup: '', backup_command: 'Elsewhere' }

function describeReport({ name, at, ok, last_ok, problem }: TaskRun, now: Instant): string {
  const ago = (time: Instant) => `${formatDuration(now - time)} ago`
  if (ok) return name === 'backup' ? '' : `done ${ago(at)}`
  const before = last_ok === null ? 'it never went well' : `it last went well ${ago(last_ok)}`
  return `FAILED ${ago(at)}: ${printable(problem ?? '')} (${before})`
}

function formatBound(seconds: number | null): string {
  if (seconds === null) return '?'
  if (seconds === Number.POSITIVE_INFINITY) return 'more than can be told'
  return seconds < 1 ? `${Number((seconds * 1000).toPrecision(3))} ms` : `${seconds} s`
}

function timeOrNull(at: Instant | null): string | null {
  return at === null ? null : formatInstant(at)
}
