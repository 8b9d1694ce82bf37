import { ConfigError, hidePassword, parseSettings } from '../config'
import { reasonOf, toStorageError, unwrapped } from '../db/sqlite/errors'
import { StorageError } from '../db/types'
import { DomainError } from '../model/errors'
import { accountCommands } from './account'
import { parseArguments } from './arguments'
import { botCommands } from './bot'
import { type Command, Failure, UsageError, usageOf } from './command'
import { findAddressProblem, openDatabase } from './database'
import { readEnvFiles, serviceFileOf } from './envFiles'
import { frontCommands } from './front'
import { healthCommand } from './health'
import { findHelp, isGroup } from './help'
import { importWorkerCommand } from './importWorker'
import { inviteCommands } from './invite'
import { loginCommands } from './login'
import { maintenanceCommands } from './maintenance'
import { programCommands } from './program'
import { isExecutable } from './selfProcess'
import { serveCommand } from './serve'
import { shellCommands } from './shellIntegration'
import { statsCommand } from './stats'
import { statusCommand } from './status'
import { suggest } from './suggest'
import { systemCommands } from './system'
import { readSystemdEnvironment } from './systemd'
import { tokenCommands } from './token'
import { transferCommands } from './transfer'

export const commands: Command[] = [
  serveCommand,
  healthCommand,
  statusCommand,
  statsCommand,
  ...systemCommands,
  ...tokenCommands,
  ...loginCommands,
  ...botCommands,
  ...inviteCommands,
  ...accountCommands,
  ...frontCommands,
  ...transferCommands,
  ...maintenanceCommands,
  ...programCommands,
  ...shellCommands(() => commands),
]

const OK = 0
const FAILED = 1
const USAGE_ERROR = 2

/** Runs one command line and gives its exit code. */
export async function run(
  argv: string[],
  env: Record<string, string | undefined>,
  serviceFile = serviceFileOf(isExecutable(), process.platform),
): Promise<number> {
  const topic = askedTopic(argv)
  if (topic) return explain(topic)
  const [command, rest] = findCommand(argv)
  if (!command) return rejectUnknown(argv.slice(0, 2))
  let opened: ReturnType<typeof openDatabase> | undefined
  let isJson = false
  let database = ''
  try {
    const { flags, args } = parseArguments(command, rest)
    isJson = flags.json === true
    if (flags.help) return await explain(command.name.split(' '))
    const { files, closed } = readEnvFiles(flags['env-file'] as string | undefined, serviceFile)
    const settled = parseSettings(env, flags, files)
    const problem = findAddressProblem(settled.config.DATABASE_URL)
    if (problem !== null) throw new ConfigError([problem])
    database = hidePassword(settled.config.DATABASE_URL).replace(/^file:/, '')
    const outcome = await command.run({
      ...settled,
      args,
      flags,
      supervisor: readSystemdEnvironment(env),
      deps: () => {
        opened ??= openDatabase(settled.config, command.database?.(flags) ?? 'require', closed)
        return opened.deps
      },
      confirm: (question, reason = 'this cannot be undone') =>
        confirm(question, reason, flags.yes === true),
    })
    await print(isJson ? JSON.stringify(outcome.json) : outcome.text)
    return OK
  } catch (cause) {
    const told = unwrapped(cause)
    return await printError(command, toStorageError(database, told) ?? told, isJson)
  } finally {
    await opened?.storage.close()
  }
}

const HELP = ['help', '--help', '-h']

/** The words that help is wanted for; null where something is to be done. */
function askedTopic([first = '', ...rest]: string[]): string[] | null {
  if (HELP.includes(first)) return rest.filter((word) => !word.startsWith('-'))
  const [second] = rest
  const isOpen = second === undefined || second === '--help' || second === '-h'
  return isOpen && isGroup(commands, first) ? [first] : null
}

function findCommand(argv: string[]): [Command | undefined, string[]] {
  const [first = '', second = ''] = argv
  if (first === '--version' || first === '-v') return findCommand(['version', ...argv.slice(1)])
  if (argv.length === 0 || first.startsWith('-')) return [serveCommand, argv]
  for (const [name, taken] of [
    [`${first} ${second}`, 2],
    [first, 1],
  ] as const) {
    // One is for the program itself, and nobody is told of it.
    const found = [...commands, importWorkerCommand].find((command) => command.name === name)
    if (found) return [found, argv.slice(taken)]
  }
  return [undefined, []]
}

async function explain(topic: string[]): Promise<number> {
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
  // An argument may follow the word, where it is not the first of two.
  const tries = isKnownGroup ? [words.join(' ')] : [words.join(' '), first]
  const meant = tries.map((text) => suggest(names, text)).find((found) => found.length > 0)
  const lines = [
    `multitude: there is no command "${words.map(hidePassword).join(' ')}"`,
    ...(meant ? [`Did you mean "multitude ${meant.join('" or "multitude ')}"?`] : []),
    `"multitude help${isKnownGroup ? ` ${first}` : ''}" lists the commands.`,
  ]
  warn(lines.join('\n'))
  return USAGE_ERROR
}

async function confirm(question: string, reason: string, isGiven: boolean): Promise<void> {
  if (isGiven) return
  if (!process.stdin.isTTY) throw new UsageError(`--yes is needed, because ${reason}`)
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Leaving by Ctrl-C or Ctrl-D is a no, on a line of its own.
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
    return FAILED
  }
  throw cause
}

/** Without the status that only HTTP has a use for. */
function humanMessage({ message }: DomainError): string {
  const [, title = message, detail] = /^\d{3}: (.+?)(?: \((.+)\))?$/s.exec(message) ?? []
  const text = detail ?? title
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/** Waits until a slow reader has it all: the exit that follows would cut it short. */
async function print(text: string): Promise<void> {
  if (text === '') return
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(`${text}\n`, (cause: NodeJS.ErrnoException | null | undefined) => {
      // One that has seen enough is not told that there was more.
      if (!cause || cause.code === 'EPIPE') return resolve()
      reject(new Failure(`The answer cannot be written: ${reasonOf('', cause)}.`))
    })
  })
}

function warn(text: string): void {
  process.stderr.write(`${text}\n`)
}
