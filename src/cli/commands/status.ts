import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isTaskConfigured, measureStorage } from '../../app/monitoring'
import { isServerAddress } from '../../db/postgres/address'
import { toStorageError, unwrapped } from '../../db/sqlite/errors'
import { pathOf } from '../../db/sqlite/storage'
import { operator } from '../../model/core/privacy'
import type { TaskRun } from '../../model/core/taskRun'
import { formatInstant, type Instant } from '../../model/core/time'
import { type Config, hidePassword } from '../../runtime/config/config'
import { parseSamples, quantileBound, type Sample, sumOf } from '../../runtime/metrics/parse'
import { commit, version } from '../../runtime/version'
import { type Backlog, measureBacklog } from '../../service/admin/backlog'
import { type ExtTotals, sumExtUsage } from '../../service/admin/extTotals'
import { listTaskRuns } from '../../service/admin/taskRuns'
import { findBotStatus } from '../../service/discord/botStatus'
import { type PictureTotals, sumPictures } from '../../service/pictures/pictureTotals'
import {
  countOverdueReminders,
  type OverdueReminders,
} from '../../service/reminders/overdueReminders'
import { countSystems } from '../../service/systems/systems'
import { type Call, type Command, columns, Failure } from '../command'
import { countOf, formatBytes, formatCount, formatDuration, printable } from '../format'
import { httpGet } from '../httpGet'
import { describeDiscordStatus, discordStatusJson } from './discordStatus'
import { findProblem, serverUrlOf } from './health'
import { newestNameIn, timeOfBackup } from './scheduledBackups'

const MAX_BYTES = 4 * 1024 * 1024

export const statusCommand: Command = {
  name: 'status',
  summary: 'Show the status of the server, database, webhooks and backups',
  takesSettings: [
    'DATABASE_URL',
    'HOST',
    'PORT',
    'METRICS',
    'METRICS_ADDRESS',
    'BACKUP_DIR',
    'BACKUP_COMMAND',
  ],
  flags: { url: { type: 'string', doc: 'Address of the server (default: from HOST and PORT)' } },
  async run(call) {
    const { config } = call
    const metrics = await readMetrics(config)
    const server = await readServerStatus(call, metrics.samples)
    const newest = findNewestBackup(config)
    const { database, problem } = await readDatabaseStatus(call)
    const now = Date.now() * 1000
    const path = isServerAddress(config.DATABASE_URL)
      ? hidePassword(config.DATABASE_URL)
      : pathOf(config.DATABASE_URL)
    const json = {
      version,
      commit,
      server,
      database: { path, ...database?.size, problem },
      systems: database?.systems ?? null,
      outbox: database && {
        waiting: database.backlog.waiting,
        oldest: timeOrNull(database.backlog.oldest),
      },
      webhooks: database?.backlog.webhooks ?? null,
      reminders: database && {
        overdue: database.reminders.count,
        oldest: timeOrNull(database.reminders.oldest),
      },
      push: database && { queued: database.backlog.pushes },
      extensions: database && { ...database.ext.rows, text_bytes: database.ext.textBytes },
      pictures: database && { ...database.pictures },
      discord: database?.discord ? discordStatusJson(database.discord) : null,
      backup: newest && { ...newest, at: formatInstant(newest.at) },
      tasks: database?.taskRuns.map(formatTaskRun) ?? null,
      metrics: metrics.samples ? summarize(metrics.samples) : null,
    }
    const text = columns([
      ['Program', `Multitude ${version} (${commit})`],
      ['Server', server.says],
      ...(metrics.samples ? describeMetrics(metrics.samples, now) : []),
      ...(database
        ? describeDatabase(path, database, now)
        : [['Database', `UNAVAILABLE: ${printable(problem ?? '')}`]]),
      ...describeBackups(config, newest, database?.taskRuns ?? [], now),
      ...(metrics.samples ? [] : [['Metrics', metrics.says]]),
    ])
    if (problem !== null) throw new Failure(problem, json, text)
    return { json, text }
  },
}

type DatabaseStatus = Awaited<ReturnType<typeof queryDatabase>>

/** Queries the database. A failure is returned, so that the rest of the status is still shown. */
async function readDatabaseStatus(
  call: Call,
): Promise<{ database: DatabaseStatus; problem: null } | { database: null; problem: string }> {
  try {
    return { database: await queryDatabase(call), problem: null }
  } catch (cause) {
    const original = unwrapped(cause)
    const failure = toStorageError(hidePassword(call.config.DATABASE_URL), original) ?? original
    return { database: null, problem: (failure as Error).message }
  }
}

async function queryDatabase({ config, deps: open }: Call) {
  const deps = open()
  return {
    size: await measureStorage(deps, config.DATABASE_URL),
    systems: await countSystems(deps, operator),
    backlog: await measureBacklog(deps, operator),
    ext: await sumExtUsage(deps, operator),
    pictures: await sumPictures(deps, operator),
    reminders: await countOverdueReminders(deps, operator),
    taskRuns: (await listTaskRuns(deps, operator)).filter(({ name }) =>
      isTaskConfigured(name, config),
    ),
    discord: await findBotStatus(deps, operator),
  }
}

function describeDatabase(
  path: string,
  { size, systems, ext, pictures, reminders, backlog, discord }: DatabaseStatus,
  now: Instant,
): string[][] {
  return [
    [
      'Database',
      `${path}, ${formatBytes(size.database)}, write-ahead log ${formatBytes(size.log)}`,
    ],
    ...(size.free === null ? [] : [['', `${formatBytes(size.free)} free on disk`]]),
    ['Systems', formatCount(systems)],
    ['Extensions', describeExtTotals(ext)],
    ['Pictures', describePictures(pictures)],
    ['Reminders', describeOverdue(reminders, now)],
    ...describeBacklog(backlog, now),
    ...(discord ? describeDiscordStatus(discord, now) : []),
  ]
}

function describeExtTotals({ rows, textBytes }: ExtTotals): string {
  const { notes, posts, front_notes } = rows
  const counts = [
    countOf(notes, 'note'),
    countOf(posts, 'post'),
    countOf(front_notes, 'front note'),
  ]
  return `${counts.join(', ')}, ${formatBytes(textBytes)} of text`
}

function describePictures({ count, bytes }: PictureTotals): string {
  return count === 0 ? 'none' : `${formatCount(count)}, ${formatBytes(bytes)}`
}

function describeOverdue({ count, oldest }: OverdueReminders, now: Instant): string {
  if (oldest === null) return 'none overdue'
  return `${formatCount(count)} overdue, the oldest for ${formatDuration(now - oldest)}`
}

function formatTaskRun({ name, at, ok, last_ok, problem }: TaskRun) {
  return { name, at: formatInstant(at), ok, last_ok: timeOrNull(last_ok), problem }
}

async function readServerStatus({ flags, config }: Call, samples: readonly Sample[] | null) {
  // Differs from the version of this program if the server was not restarted after an upgrade.
  const build = samples?.find(({ name }) => name === 'multitude_build_info')?.labels
  const suffix = build ? `, Multitude ${printable(`${build.version} (${build.commit})`)}` : ''
  const versions = { version: build?.version ?? null, commit: build?.commit ?? null }
  if (config.PORT === 0 && flags.url === undefined) {
    const says = `address unknown, because PORT is 0; use --url${suffix}`
    return { url: null, ok: null, ...versions, says }
  }
  const url = serverUrlOf(flags, config)
  const problem = await findProblem(url)
  return {
    url,
    ok: problem === null,
    ...versions,
    says: `${url} ${problem ?? 'is healthy'}${suffix}`,
  }
}

interface MetricsStatus {
  samples: Sample[] | null
  says: string
}

async function readMetrics({ METRICS, METRICS_ADDRESS }: Config): Promise<MetricsStatus> {
  if (METRICS === 'off') return { samples: null, says: 'off; set METRICS=on for more details' }
  const url = `http://${METRICS_ADDRESS.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace('[::]:', '[::1]:')}/metrics`
  try {
    const { status, text } = await httpGet(url, MAX_BYTES)
    if (status !== 200) return { samples: null, says: `${url} answered with status ${status}` }
    return { samples: parseSamples(text), says: url }
  } catch (cause) {
    return { samples: null, says: `${url} does not answer: ${(cause as Error).message}` }
  }
}

const REQUESTS = 'multitude_http_requests_total'
const DURATION = 'multitude_http_request_duration_seconds'

function summarize(samples: readonly Sample[]) {
  const total = (name: string) => sumOf(samples, name)
  const deliveries = (outcome: string) =>
    sumOf(samples, 'multitude_webhook_deliveries_total', ({ result }) => result === outcome)
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
      delivered: deliveries('delivered'),
      refused: deliveries('refused'),
      unanswered: deliveries('unanswered'),
    },
    commits: total('multitude_commit_writes_count'),
    writes: total('multitude_commit_writes_sum'),
    failed_commits: total('multitude_commit_failures_total'),
    writers_waiting: total('multitude_writers_waiting'),
    imports: total('multitude_imports_total'),
  }
}

function describeMetrics(samples: readonly Sample[], now: Instant): string[][] {
  const summary = summarize(samples)
  const { delivered, refused, unanswered } = summary.deliveries
  return [
    [
      '',
      `up for ${formatDuration(now - summary.started * 1e6)}, ${formatBytes(summary.memory)} of memory`,
    ],
    ['', `event loop delay (p99) up to ${formatBound(summary.delay_within)}`],
    [
      'Requests',
      `${formatCount(summary.requests)}, ${formatCount(summary.failed)} failed; ` +
        `median up to ${formatBound(summary.half_within)}, p99 up to ${formatBound(summary.most_within)}`,
    ],
    [
      '',
      `${formatCount(summary.rate_limited)} rate-limited (429), ${formatCount(summary.refused)} refused for overload (503)`,
    ],
    ['Streams', formatCount(summary.streams)],
    [
      'Deliveries',
      `${formatCount(delivered)} delivered, ${formatCount(refused)} refused, ${formatCount(unanswered)} unanswered`,
    ],
    [
      'Writes',
      `${formatCount(summary.writes)} in ${countOf(summary.commits, 'commit')}, ` +
        `${formatCount(summary.failed_commits)} failed, ${formatCount(summary.writers_waiting)} waiting`,
    ],
    ['Imports', formatCount(summary.imports)],
  ]
}

function describeBacklog({ waiting, oldest, webhooks, pushes }: Backlog, now: Instant): string[][] {
  const states = Object.entries(webhooks).filter(([, count]) => count > 0)
  return [
    [
      'Webhooks',
      states.map(([state, count]) => `${formatCount(count)} ${state}`).join(', ') || 'none',
    ],
    [
      'Outbox',
      oldest === null
        ? 'empty'
        : `${countOf(waiting, 'event')} waiting, the oldest for ${formatDuration(now - oldest)}`,
    ],
    ['Push', pushes === 0 ? 'nothing queued' : `${countOf(pushes, 'message')} queued`],
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
  taskRuns: readonly TaskRun[],
  now: Instant,
): string[][] {
  if (BACKUP_DIR === '') return [['Backups', 'not scheduled; set BACKUP_DIR']]
  const latest = newest
    ? `${newest.file}, ${formatBytes(newest.bytes)}, ${formatDuration(now - newest.at)} ago`
    : `none in ${BACKUP_DIR} yet`
  const rows = taskRuns.map((run) => [titles[run.name] ?? run.name, describeRun(run, now)])
  return [['Backups', latest], ...rows.filter(([title, text]) => title !== '' || text !== '')]
}

const titles: Readonly<Record<string, string>> = { backup: '', backup_command: 'Off-site' }

function describeRun({ name, at, ok, last_ok, problem }: TaskRun, now: Instant): string {
  const ago = (time: Instant) => `${formatDuration(now - time)} ago`
  if (ok) return name === 'backup' ? '' : `succeeded ${ago(at)}`
  const lastSuccess = last_ok === null ? 'never succeeded' : `last succeeded ${ago(last_ok)}`
  return `FAILED ${ago(at)}: ${printable(problem ?? '')} (${lastSuccess})`
}

function formatBound(seconds: number | null): string {
  if (seconds === null) return '?'
  if (seconds === Number.POSITIVE_INFINITY) return 'more than the largest bucket'
  return seconds < 1 ? `${Number((seconds * 1000).toPrecision(3))} ms` : `${seconds} s`
}

function timeOrNull(at: Instant | null): string | null {
  return at === null ? null : formatInstant(at)
}
