import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isWanted, measureStorage } from '../app/watch'
import { type Config, hidePassword } from '../config'
import { pathOf } from '../db/file'
import { isServerAddress } from '../db/postgres/address'
import { boundOf, readSamples, type Sample, sumOf } from '../metrics/reading'
import { operator } from '../model/privacy'
import { formatInstant, type Instant } from '../model/time'
import { type Backlog, measureBacklog } from '../service/operating/backlog'
import { listReports, type Report } from '../service/operating/reports'
import { countSystems } from '../service/systems'
import { commit, version } from '../version'
import { askServer } from './asking'
import { newestNameIn, timeOfBackup } from './backups'
import { type Call, type Command, columns } from './command'
import { addressOf, findProblem } from './health'
import { countOf, printable, spellBytes, spellCount, spellLength } from './spell'

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
    const deps = call.deps()
    const now = deps.now()
    const server = await lookAtServer(call)
    const database = {
      path: isServerAddress(config.DATABASE_URL)
        ? hidePassword(config.DATABASE_URL)
        : pathOf(config.DATABASE_URL),
      ...(await measureStorage(deps, config.DATABASE_URL)),
    }
    const systems = await countSystems(deps, operator)
    const backlog = await measureBacklog(deps, operator)
    const reports = (await listReports(deps, operator)).filter(({ name }) => isWanted(name, config))
    const newest = lookAtBackups(config)
    const watched = await lookAtMetrics(config)
    return {
      json: {
        version,
        commit,
        server,
        database,
        systems,
        outbox: { waiting: backlog.waiting, oldest: timeOrNull(backlog.oldest) },
        webhooks: backlog.webhooks,
        backup: newest && { ...newest, at: formatInstant(newest.at) },
        tasks: reports.map(({ name, at, ok, last_ok, problem }) => ({
          name,
          at: formatInstant(at),
          ok,
          last_ok: timeOrNull(last_ok),
          problem,
        })),
        metrics: watched.samples ? summarize(watched.samples) : null,
      },
      text: columns([
        ['Program', `Multitude ${version} (${commit})`],
        ['Server', server.says],
        ...(watched.samples ? describeMetrics(watched.samples, now) : []),
        [
          'Database',
          `${database.path}, ${spellBytes(database.database)}, and ${spellBytes(database.log)} of log`,
        ],
        ...(database.free === null ? [] : [['', `${spellBytes(database.free)} free on its disk`]]),
        ['Systems', spellCount(systems)],
        ...describeBacklog(backlog, now),
        ...describeBackups(config, newest, reports, now),
        ...(watched.samples ? [] : [['Metrics', watched.says]]),
      ]),
    }
  },
}

async function lookAtServer({ flags, config }: Call) {
  if (config.PORT === 0 && flags.url === undefined)
    return { url: null, ok: null, says: 'not known where, because PORT is 0; --url names it' }
  const url = addressOf(flags, config)
  const problem = await findProblem(url)
  return { url, ok: problem === null, says: `${url} ${problem ?? 'is well'}` }
}

interface Watched {
  samples: Sample[] | null
  says: string
}

async function lookAtMetrics({ METRICS, METRICS_ADDRESS }: Config): Promise<Watched> {
  if (METRICS === 'off') return { samples: null, says: 'off; with METRICS=on there is more to see' }
  const url = `http://${METRICS_ADDRESS.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace('[::]:', '[::1]:')}/metrics`
  try {
    const { status, text } = await askServer(url, MOST_BYTES)
    if (status !== 200) return { samples: null, says: `${url} answered ${status}` }
    return { samples: readSamples(text), says: url }
  } catch (cause) {
    return { samples: null, says: `${url} does not answer: ${(cause as Error).message}` }
  }
}

const REQUESTS = 'multitude_http_requests_total'
const DURATION = 'multitude_http_request_duration_seconds'

function summarize(samples: readonly Sample[]) {
  const total = (name: string) => sumOf(samples, name)
  return {
    started: total('process_start_time_seconds'),
    memory: total('process_resident_memory_bytes'),
    requests: total(REQUESTS),
    failed: sumOf(samples, REQUESTS, ({ status = '' }) => status.startsWith('5')),
    half_within: boundOf(samples, DURATION, 0.5),
    most_within: boundOf(samples, DURATION, 0.99),
    delay_within: boundOf(samples, 'multitude_event_loop_delay_seconds', 0.99),
    rate_limited: total('multitude_http_rate_limited_total'),
    refused: total('multitude_http_refused_total'),
    streams: total('multitude_streams'),
    commits: total('multitude_commit_writes_count'),
    writes: total('multitude_commit_writes_sum'),
    failed_commits: total('multitude_commit_failures_total'),
    writers_waiting: total('multitude_writers_waiting'),
    imports: total('multitude_imports_total'),
  }
}

function describeMetrics(samples: readonly Sample[], now: Instant): string[][] {
  const seen = summarize(samples)
  return [
    ['', `up for ${spellLength(now - seen.started * 1e6)}, ${spellBytes(seen.memory)} of memory`],
    ['', `99 of 100 timers within ${spellBound(seen.delay_within)}`],
    [
      'Requests',
      `${spellCount(seen.requests)}, ${spellCount(seen.failed)} of them failed; ` +
        `half within ${spellBound(seen.half_within)}, 99 of 100 within ${spellBound(seen.most_within)}`,
    ],
    [
      '',
      `${spellCount(seen.rate_limited)} turned away for asking too often, ${spellCount(seen.refused)} for too much at once`,
    ],
    ['Streams', spellCount(seen.streams)],
    [
      'Writes',
      `${spellCount(seen.writes)} in ${countOf(seen.commits, 'commit')}, ` +
        `${spellCount(seen.failed_commits)} refused, ${spellCount(seen.writers_waiting)} waiting`,
    ],
    ['Imports', spellCount(seen.imports)],
  ]
}

function describeBacklog({ waiting, oldest, webhooks }: Backlog, now: Instant): string[][] {
  const states = Object.entries(webhooks).filter(([, count]) => count > 0)
  return [
    [
      'Webhooks',
      states.map(([state, count]) => `${spellCount(count)} ${state}`).join(', ') || 'none',
    ],
    [
      'Outbox',
      oldest === null
        ? 'nothing waits'
        : `${countOf(waiting, 'event waits', 'events wait')}, the oldest for ${spellLength(now - oldest)}`,
    ],
  ]
}

interface Newest {
  file: string
  at: Instant
  bytes: number
}

function lookAtBackups({ BACKUP_DIR }: Config): Newest | null {
  const name = BACKUP_DIR === '' ? undefined : newestNameIn(BACKUP_DIR)
  if (name === undefined) return null
  const file = join(BACKUP_DIR, name)
  return { file, at: timeOfBackup(name) * 1000, bytes: statSync(file).size }
}

function describeBackups(
  { BACKUP_DIR }: Config,
  newest: Newest | null,
  reports: readonly Report[],
  now: Instant,
): string[][] {
  if (BACKUP_DIR === '') return [['Backups', 'none are made; BACKUP_DIR says where to']]
  const made = newest
    ? `${newest.file}, ${spellBytes(newest.bytes)}, ${spellLength(now - newest.at)} ago`
    : `none in ${BACKUP_DIR} yet`
  const told = reports.map((report) => [
    titles[report.name] ?? report.name,
    describeReport(report, now),
  ])
  return [['Backups', made], ...told.filter(([title, text]) => title !== '' || text !== '')]
}

const titles: Readonly<Record<string, string>> = { backup: '', backup_command: 'Elsewhere' }

function describeReport({ name, at, ok, last_ok, problem }: Report, now: Instant): string {
  const ago = (time: Instant) => `${spellLength(now - time)} ago`
  if (ok) return name === 'backup' ? '' : `done ${ago(at)}`
  const before = last_ok === null ? 'it never went well' : `it last went well ${ago(last_ok)}`
  return `FAILED ${ago(at)}: ${printable(problem ?? '')} (${before})`
}

function spellBound(seconds: number | null): string {
  if (seconds === null) return '?'
  if (seconds === Number.POSITIVE_INFINITY) return 'more than can be told'
  return seconds < 1 ? `${Number((seconds * 1000).toPrecision(3))} ms` : `${seconds} s`
}

function timeOrNull(at: Instant | null): string | null {
  return at === null ? null : formatInstant(at)
}
