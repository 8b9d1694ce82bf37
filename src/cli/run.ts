import { reasonOf, toStorageError, unwrapped } from '../db/sqlite/errors'
import { StorageError } from '../db/types'
import { DomainError } from '../model/core/errors'
import { suggest } from '../model/core/suggest'
import { ConfigError, hidePassword, parseSettings } from '../runtime/config/config'
import { parseArguments } from './arguments'
import { type Command, Failure, UsageError, usageOf } from './command'
import { accountCommands } from './commands/account'
import { archiveCommands } from './commands/archive'
import { botCommands } from './commands/bot'
import { discordCommands } from './commands/discord'
import { frontCommands } from './commands/front'
import { healthCommand } from './commands/health'
import { inviteCommands } from './commands/invite'
import { loginCommands } from './commands/login'
import { maintenanceCommands } from './commands/maintenance'
import { programCommands } from './commands/program'
import { serveCommand } from './commands/serve'
import { statsCommand } from './commands/stats'
import { statusCommand } from './commands/status'
import { systemCommands } from './commands/system'
import { readSystemdEnvironment } from './commands/systemd'
import { tokenCommands } from './commands/token'
import { transferCommands } from './commands/transfer'
import { shellCommands } from './completion/shellIntegration'
import { findAddressProblem, openDatabase } from './database'
import { readEnvFiles, serviceFileOf } from './envFiles'
import { findHelp, isGroup } from './help'
import { importWorkerCommand } from './workers/importWorker'
import { isExecutable } from './workers/selfProcess'
import { substitutionWorkerCommand } from './workers/substitutionWorker'

export const commands: Command[] = [
  serveCommand,
  healthCommand,
  statusCommand,
  statsCommand,
  ...systemCommands,
  ...tokenCommands,
  ...loginCommands,
  ...botCommands,
  ...discordCommands,
  ...inviteCommands,
  ...accountCommands,
  ...frontCommands,
  ...transferCommands,
  ...archiveCommands,
  ...maintenanceCommands,
  ...programCommands,
  ...shellCommands(() => commands),
]

const OK = 0
const FAILED = 1
const USAGE_ERROR = 2

/** Runs one command line and returns its exit code. */
export async function run(
  argv: string[],
  env: Record<string, string | undefined>,
  serviceFile = serviceFileOf(isExecutable(), process.platform),
): Promise<number> {
  const topic = findHelpTopic(argv)
  if (topic) return printHelp(topic)
  const [command, rest] = findCommand(argv)
  if (!command) return rejectUnknown(argv.slice(0, 2))
  let opened: ReturnType<typeof openDatabase> | undefined
  let isJson = false
  let database = ''
  try {
    const { flags, args } = parseArguments(command, rest)
    isJson = flags.json === true
    if (flags.help) return await printHelp(command.name.split(' '))
    const { files, unreadable } = readEnvFiles(flags['env-file'] as string | undefined, serviceFile)
    const resolved = parseSettings(env, flags, files)
    const problem = findAddressProblem(resolved.config.DATABASE_URL)
    if (problem !== null) throw new ConfigError([problem])
    database = hidePassword(resolved.config.DATABASE_URL).replace(/^file:/, '')
    const outcome = await command.run({
      ...resolved,
      args,
      flags,
      unreadableFiles: unreadable,
      supervisor: readSystemdEnvironment(env),
      deps: () => {
        opened ??= openDatabase(resolved.config, command.database?.(flags) ?? 'require', unreadable)
        return opened.deps
      },
      confirm: (question, reason = 'this cannot be undone') =>
        confirm(question, reason, flags.yes === true),
    })
    await print(isJson ? JSON.stringify(outcome.json) : outcome.text)
    return OK
  } catch (cause) {
    const original = unwrapped(cause)
    return await printError(command, toStorageError(database, original) ?? original, isJson)
  } finally {
    await opened?.storage.close()
  }
}

const HELP = ['help', '--help', '-h']

/** Finds the words that help is requested for; null if a command is to be run. */
function findHelpTopic([first = '', ...rest]: string[]): string[] | null {
  if (HELP.includes(first)) return rest.filter((word) => !word.startsWith('-'))
  const [second] = rest
  const isIncomplete =
    (second === undefined && !commands.some(({ name }) => name === first)) ||
    second === '--help' ||
    second === '-h'
  return isIncomplete && isGroup(commands, first) ? [first] : null
}

function findCommand(argv: string[]): [Command | undefined, string[]] {
  const [first = '', second = ''] = argv
  if (first === '--version' || first === '-v') return findCommand(['version', ...argv.slice(1)])
  if (argv.length === 0 || first.startsWith('-')) return [serveCommand, argv]
  for (const [name, length] of [
    [`${first} ${second}`, 2],
    [first, 1],
  ] as const) {
    // The import worker is internal and not in the help.
    const command = [...commands, importWorkerCommand, substitutionWorkerCommand].find(
      (command) => command.name === name,
    )
    if (command) return [command, argv.slice(length)]
  }
  return [undefined, []]
}

async function printHelp(topic: string[]): Promise<number> {
  const text = findHelp(commands, topic)
  if (text === null) return rejectUnknown(topic)
  await print(text)
  return OK
}

function rejectUnknown(typed: string[]): number {
  const words = typed.filter((word) => !word.startsWith('-'))
  const [first = ''] = words
  const names = commands.map(({ name }) => name)
  const isKnownGroup = isGroup(commands, first)
  // After a command of one word, the second word is an argument.
  const candidates = isKnownGroup ? [words.join(' ')] : [words.join(' '), first]
  const meant = candidates
    .map((text) => suggest(names, text))
    .find((suggested) => suggested.length > 0)
  const lines = [
    `multitude: unknown command "${words.map(hidePassword).join(' ')}"`,
    ...(meant ? [`Did you mean "multitude ${meant.join('" or "multitude ')}"?`] : []),
    `Run "multitude help${isKnownGroup ? ` ${first}` : ''}" for a list of commands.`,
  ]
  warn(lines.join('\n'))
  return USAGE_ERROR
}

async function confirm(question: string, reason: string, isConfirmed: boolean): Promise<void> {
  if (isConfirmed) return
  if (!process.stdin.isTTY) throw new UsageError(`--yes is required, because ${reason}`)
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-C and Ctrl-D reject the promise and leave the cursor on the line of the question.
  const answer = await terminal
    .question(`${question} [y/N] `)
    .catch(() => void process.stderr.write('\n'))
  terminal.close()
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new Failure('Nothing was changed.')
}

async function printError(command: Command, cause: unknown, isJson: boolean): Promise<number> {
  if (cause instanceof UsageError) {
    warn(`multitude: ${cause.message}\nusage: ${usageOf(command)}`)
    return USAGE_ERROR
  }
  if (cause instanceof ConfigError) {
    warn(cause.problems.map((problem) => `multitude: ${problem}`).join('\n'))
    return USAGE_ERROR
  }
  if (cause instanceof Failure || cause instanceof StorageError || cause instanceof DomainError) {
    if (isJson && cause instanceof Failure && cause.json !== undefined)
      await print(JSON.stringify(cause.json))
    if (!isJson && cause instanceof Failure && cause.text !== undefined) await print(cause.text)
    warn(`multitude: ${cause instanceof DomainError ? humanMessage(cause) : cause.message}`)
    return cause instanceof Failure ? cause.exitCode : FAILED
  }
  throw cause
}

/** Removes the HTTP status from the message of a domain error. */
function humanMessage({ message }: DomainError): string {
  const [, title = message, detail] = /^\d{3}: (.+?)(?: \((.+)\))?$/s.exec(message) ?? []
  const text = detail ?? title
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/** Waits until the reader has taken all output, because the process exits afterwards. */
async function print(text: string): Promise<void> {
  if (text === '') return
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(`${text}\n`, (cause: NodeJS.ErrnoException | null | undefined) => {
      // The reader of a pipe may close it early.
      if (!cause || cause.code === 'EPIPE') return resolve()
      reject(new Failure(`The output cannot be written: ${reasonOf('', cause)}.`))
    })
  })
}

function warn(text: string): void {
  process.stderr.write(`${text}\n`)
}
