import { createApp } from '../../app/app'
import { discordOptions } from '../../app/discordOptions'
import { operator } from '../../model/core/privacy'
import { createLog } from '../../runtime/log'
import { countSystems } from '../../service/systems/systems'
import { type Call, type Command, columns, Failure } from '../command'
import { printable } from '../format'
import { parseInWorker } from '../workers/importWorker'
import { createSubstitute } from '../workers/substitutionWorker'
import { createServerLog, stopSignal } from './serve'
import { createSystemdNotifier } from './systemd'

const STANDBY_MS = 60_000

/** Exit code after a failure that starting again cannot end (EX_CONFIG of sysexits). */
const UNRECOVERABLE = 78

export const discordCommands: Command[] = [
  {
    name: 'discord',
    summary: 'Run the Discord bot without the server, on the same database',
    takesSettings: 'all',
    async run(call) {
      const { config, supervisor } = call
      // Reports a database that is missing, or that "multitude migrate" has to upgrade first.
      await countSystems(call.deps(), operator)
      requireToken(call)
      const log = createServerLog(call)
      const notifier = await createSystemdNotifier(supervisor, log.warn)
      const stopped = stopSignal()
      const app = createApp(config, {
        log,
        use: 'require',
        events: { tasks: ['discord'] },
        parseImport: parseInWorker,
      })
      try {
        await app.started
      } catch (cause) {
        await app.stop()
        throw cause
      }
      const bot = await app.startDiscord(createSubstitute())
      notifier.ready('Running the Discord bot')
      // On standby nothing else keeps the process running.
      const standby = setInterval(() => {}, STANDBY_MS)
      const failed = bot?.failed.then((problem) => ({ problem }))
      const end = await Promise.race([
        stopped.then((signal) => ({ signal })),
        ...(failed ? [failed] : []),
      ])
      clearInterval(standby)
      notifier.stopping()
      log.info('stopping', end)
      await app.stop()
      if ('problem' in end)
        throw new Failure(end.problem, { problem: end.problem }, undefined, UNRECOVERABLE)
      return { json: { stopped: end.signal }, text: '' }
    },
  },
  {
    name: 'discord check',
    summary: 'Check token, intents and permissions of the Discord bot',
    // The database is not used, but operators pass its address to every command.
    takesSettings: ['DATABASE_URL', 'DISCORD_TOKEN', 'DISCORD_API', 'PUBLIC_URL'],
    async run(call) {
      const options = requireToken(call)
      const { checkBot } = await import('../../discord/checkBot')
      const quiet = createLog('error', 'text', () => {})
      const check = await checkBot({ ...options, publicUrl: call.config.PUBLIC_URL }, quiet)
      const text = columns([
        ...(check.name === null ? [] : [['Bot', printable(check.name)]]),
        ...(check.application === null ? [] : [['Application', check.application]]),
        ...(check.name === null ? [] : [['Servers', String(check.guilds)]]),
        ...(check.invite === null ? [] : [['Invite', check.invite]]),
        ...check.problems.map((problem) => ['Problem', printable(problem)]),
        ...check.notes.map((note) => ['Note', printable(note)]),
      ])
      const [first] = check.problems
      if (first !== undefined) throw new Failure(printable(first), check, text)
      return { json: check, text }
    },
  },
]

function requireToken({ config, unreadableFiles }: Call) {
  const options = discordOptions(config)
  if (options) return options
  if (unreadableFiles.length === 0) throw new Failure('DISCORD_TOKEN is not set.')
  const files = unreadableFiles.join(' and ')
  throw new Failure(
    `DISCORD_TOKEN is not set, and this user cannot read ${files}. Run the command as a user that may, such as: sudo -u multitude multitude discord check`,
  )
}
