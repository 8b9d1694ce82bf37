import { type App, createApp } from '../../app/app'
import { toStorageError, unwrapped } from '../../db/sqlite/errors'
import type { Upgrade } from '../../db/storage'
import type { DiscordBot } from '../../discord/discordBot'
import { setupLink } from '../../model/core/dashboardLinks'
import { inviteUrl, UNKNOWN_APPLICATION } from '../../model/core/discord'
import { operator } from '../../model/core/privacy'
import type { Config, ResolvedConfig } from '../../runtime/config/config'
import { createLog, type Log } from '../../runtime/log'
import { withTimeout } from '../../runtime/timers/withTimeout'
import { commit, version } from '../../runtime/version'
import { createSetupCode } from '../../service/access/setupCodes'
import { recordTaskRun } from '../../service/admin/taskRuns'
import { findBotStatus } from '../../service/discord/botStatus'
import { countSystems } from '../../service/systems/systems'
import { type Call, type Command, columns, Failure } from '../command'
import { databaseUrlOf, describeUpgrade, hasDatabase, noBackup, upgradeUncopied } from '../database'
import { serviceFileOf } from '../envFiles'
import { printable } from '../format'
import { parseInWorker } from '../workers/importWorker'
import { asThisUser, isExecutable, shellQuoted } from '../workers/selfProcess'
import { createSubstitute } from '../workers/substitutionWorker'
import { reachableFromHere } from './login'
import { scheduleBackups } from './scheduledBackups'
import { createSystemdNotifier } from './systemd'

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Start the server (default command)',
  takesSettings: 'all',
  flags: noBackup,
  database: () => 'upgrade',
  async run(call) {
    const { config, origins, flags, supervisor } = call
    const isTerminal = process.stderr.isTTY === true
    const log = createServerLog(call)
    const notifier = await createSystemdNotifier(supervisor, log.warn)
    // Handled before the first request can arrive, so that a signal never interrupts one.
    const stopped = stopSignal()
    const isNew = !hasDatabase(config)
    const uncopied = flags['no-backup'] === true ? await upgradeUncopied(config) : null
    const app = createApp(config, { log, parseImport: parseInWorker })
    handleUncaught(app, log, isTerminal)
    const { location } = app.storage
    if (isNew) log.info('database created', { path: location })
    const isEmpty = await prepare(app)
    logUpgrade(log, location, (await app.storage.ready) ?? uncopied)
    const address = await listen(app, () => app.listen(), `${config.HOST}:${config.PORT}`)
    const metrics = await listen(app, () => app.listenForMetrics(), config.METRICS_ADDRESS)
    // Not awaited: another process may hold the database for a while.
    void app.events.leases.announce(address)
    const bot = await app.startDiscord(createSubstitute())
    const backups = scheduleBackups(config, log, {
      isLeader: () => app.events.leases.holds('maintenance'),
      recordRun: (task, problem) => recordTaskRun(app.deps, operator, task, problem),
    })
    if (flags.json !== true) {
      const hint = isEmpty ? await firstSteps(app, config, address, origins, isTerminal) : ''
      const discord = bot ? await describeBot(app, bot) : []
      process.stderr.write(greeting(app, config, address, metrics, { isNew, hint, discord }))
    }
    log.info('listening', { address, version, commit, metrics: metrics ?? undefined })
    notifier.ready(`Listening on ${address}`)
    const signal = await stopped
    notifier.stopping()
    log.info('stopping', { signal })
    // Not awaited: a backup may take long, and its own process finishes it.
    void backups?.stop()
    await app.stop()
    return { json: { stopped: signal }, text: '' }
  },
}

/** Creates the log of a process that runs until it is stopped. */
export function createServerLog({ config, supervisor }: Pick<Call, 'config' | 'supervisor'>): Log {
  const automatic = process.stderr.isTTY === true ? 'text' : 'json'
  const format = config.LOG_FORMAT === 'auto' ? automatic : config.LOG_FORMAT
  return createLog(config.LOG_LEVEL, format, undefined, supervisor.hasJournal)
}

function logUpgrade(log: Log, path: string, upgrade: Upgrade | null): void {
  if (upgrade) log.warn(describeUpgrade(path, upgrade), { from: upgrade.from, copy: upgrade.copy })
}

/** Opens the database before the server listens. Returns whether it has no systems yet. */
async function prepare(app: App): Promise<boolean> {
  try {
    await app.started
    return (await countSystems(app.deps, operator)) === 0
  } catch (cause) {
    await app.stop()
    throw toStorageError(app.storage.location, cause) ?? cause
  }
}

/**
 * Logs errors that no code caught. The server continues after an unhandled rejection, which affects
 * one request or task; after an uncaught exception `main.ts` ends the process.
 */
function handleUncaught(app: App, log: Log, isTerminal: boolean): void {
  const describe = (thrown: unknown) => {
    const cause = unwrapped(thrown)
    const { stack, message } = cause instanceof Error ? cause : new Error(String(cause))
    return { cause: isTerminal ? message : (stack ?? message) }
  }
  process.prependListener('uncaughtException', (cause) =>
    log.error('uncaught exception', describe(cause)),
  )
  // Replaces the listener of `main.ts`, which ends the process.
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (cause) => {
    app.metrics?.countUnhandledRejection()
    log.error('unhandled rejection', describe(cause))
  })
}

async function listen<T>(app: App, start: () => T, address: string): Promise<T> {
  try {
    return start()
  } catch {
    await app.stop()
    throw new Failure(
      `Cannot listen on ${address}: the address is in use, not available on this machine, or not permitted.`,
    )
  }
}

/** Startup message for a terminal: addresses, database, and the next step. */
function greeting(
  app: App,
  config: Config,
  address: string,
  metrics: string | null,
  { isNew, hint, discord }: { isNew: boolean; hint: string; discord: string[][] },
): string {
  const shown = config.PUBLIC_URL || address
  const table = columns([
    ['  Listening on', address],
    ['  API page', `${shown}/docs`],
    ...(metrics ? [['  Metrics', metrics]] : []),
    [isNew ? '  Database (new)' : '  Database', app.storage.location],
    ...discord,
  ])
  return `\nMultitude ${version}\n\n${table}\n${hint}\n`
}

/** Longest time that the greeting waits for Discord. */
const DISCORD_MS = 2000

/** Rows about the Discord bot, which Discord has named now or to an earlier process. */
async function describeBot(app: App, bot: DiscordBot): Promise<string[][]> {
  const isActive = bot.gauges().hasLease
  const identity = isActive
    ? await withTimeout(bot.identified, DISCORD_MS, () => null, app.deps.clock)
    : null
  const stored = identity ? null : await findBotStatus(app.deps, operator).catch(() => null)
  const name = identity?.name ?? stored?.name
  const application = identity?.applicationId ?? stored?.application ?? UNKNOWN_APPLICATION
  const label = '  Discord bot'
  if (name === undefined || application === UNKNOWN_APPLICATION)
    return [[label, 'not connected yet; "multitude status" shows it']]
  return [
    [label, `${printable(name)}${isActive ? '' : ', on standby'}`],
    ['  Invitation', inviteUrl(application)],
  ]
}

/**
 * Explains how to create the first system. The set-up link is printed on a terminal only, because
 * other outputs are stored in logs.
 */
async function firstSteps(
  app: App,
  config: Config,
  address: string,
  origins: ResolvedConfig['origins'],
  isTerminal: boolean,
): Promise<string> {
  const create = commandFor(app, origins, 'system', 'create', '--name', 'My system')
  // A database that another process has locked must not prevent the start.
  const setup = isTerminal ? await createSetupCode(app.deps, operator).catch(() => null) : null
  if (setup === null) {
    const login = commandFor(app, origins, 'login', '--setup')
    return (
      step('There are no systems yet. Create one, and keep the token that it prints:', create) +
      step('Or print a link that creates one in a browser:', login)
    )
  }
  const link = setupLink(config.PUBLIC_URL || reachableFromHere(address), setup.code)
  return (
    step('There are no systems yet. Open this link within 24 hours to create one:', link) +
    step('Or create one on the command line, and keep the token that it prints:', create)
  )
}

function step(explanation: string, line: string): string {
  return `\n  ${explanation}\n\n    ${line}\n`
}

/** Command for this database. With the settings of the service it must run as the service's user. */
function commandFor(app: App, origins: ResolvedConfig['origins'], ...words: string[]): string {
  if (origins.DATABASE_URL !== serviceFileOf(isExecutable(), process.platform))
    return shellQuoted(...words, '--database', databaseUrlOf(app.storage))
  return [...asThisUser(), shellQuoted(...words)].join(' ')
}

/** Waits for the first signal to stop. Later ones are ignored: npm forwards a Ctrl-C that this process gets too. */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
  })
}
