import { parseArgs } from 'node:util'
import { openDeps } from '../app'
import { ConfigError, flagOf, readConfig, type SettingName, settings } from '../config'
import { StorageError } from '../db/handle'
import { explainTrouble, reasonOf } from '../db/trouble'
import { DomainError } from '../model/errors'
import { accountCommands } from './account'
import { botCommands } from './bot'
import { careCommands } from './care'
import { type Call, type Command, columns, Failure, UsageError, usageOf } from './command'
import { programCommands } from './program'
import { serveCommand } from './serve'
import { systemCommands } from './system'
import { tokenCommands } from './token'
import { transferCommands } from './transfer'

export const commands: Command[] = [
  serveCommand,
  ...systemCommands,
  ...tokenCommands,
  ...botCommands,
  ...accountCommands,
  ...transferCommands,
  ...careCommands,
  ...programCommands,
]

const OK = 0
const FAILED = 1
const MISUSED = 2

/** Runs one command line and gives its exit code. */
export async function run(
  argv: string[],
  env: Record<string, string | undefined>,
): Promise<number> {
  const [command, rest] = findCommand(argv)
  if (!command) return explainAll(argv)
  let opened: ReturnType<typeof openDeps> | undefined
  let database = ''
  try {
    const { flags, args } = parse(command, rest)
    if (flags.help) return await explain(command)
    const config = readConfig(env, flags)
    database = config.DATABASE_URL.replace(/^file:/, '')
    const outcome = await command.run({
      args,
      flags,
      config,
      deps: () => {
        opened ??= openDeps(config)
        return opened.deps
      },
      confirm: (question) => confirm(question, flags.yes === true),
    })
    await say(flags.json ? JSON.stringify(outcome.json) : outcome.text)
    return OK
  } catch (cause) {
    return complain(command, explainTrouble(database, cause) ?? cause)
  } finally {
    opened?.storage.close()
  }
}

function findCommand(argv: string[]): [Command | undefined, string[]] {
  const [first = 'serve', second = ''] = argv
  const bare = first.startsWith('-') && first !== '--help' && first !== '-h'
  if (argv.length === 0 || bare) return [serveCommand, argv]
  for (const [name, taken] of [
    [`${first} ${second}`, 2],
    [first, 1],
  ] as const) {
    const found = commands.find((command) => command.name === name)
    if (found) return [found, argv.slice(taken)]
  }
  return [undefined, []]
}

function parse(command: Command, argv: string[]): Pick<Call, 'args' | 'flags'> {
  const own = Object.entries(command.flags ?? {}).map(([name, { type }]) => [name, { type }])
  const config = settingsOf(command).map((name) => [flagOf(name), { type: 'string' }])
  const common = ['help', 'json', ...(command.destroys ? ['yes'] : [])]
  const options = Object.fromEntries([
    ...own,
    ...config,
    ...common.map((name) => [name, { type: 'boolean' }]),
  ])
  const { values, positionals } = parseOrMisuse(argv, options)
  const { args = [] } = command
  if (values.help !== true && positionals.length !== args.length)
    throw new UsageError(
      positionals.length < args.length
        ? `${args.slice(positionals.length).join(' and ')} ${args.length - positionals.length > 1 ? 'are' : 'is'} missing`
        : `unexpected ${positionals.slice(args.length).join(' ')}`,
    )
  return { args: positionals, flags: values }
}

function parseOrMisuse(
  args: string[],
  options: NonNullable<Parameters<typeof parseArgs>[0]>['options'],
) {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: options ?? {},
      allowPositionals: true,
    })
    return { values: values as Call['flags'], positionals }
  } catch (cause) {
    throw new UsageError((cause as Error).message.split(/\.\s/)[0])
  }
}

function settingsOf({ takesSettings }: Command): SettingName[] {
  return takesSettings ? (Object.keys(settings) as SettingName[]) : ['DATABASE_URL']
}

async function confirm(question: string, isGiven: boolean): Promise<void> {
  if (isGiven) return
  if (!process.stdin.isTTY) throw new UsageError('--yes is needed, because this cannot be undone')
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `)
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('Nothing was changed.')
}

function complain(command: Command, cause: unknown): number {
  if (cause instanceof UsageError) {
    warn(`multitude: ${cause.message}\nusage: ${usageOf(command)}`)
    return MISUSED
  }
  if (cause instanceof ConfigError) {
    warn(cause.problems.map((problem) => `multitude: ${problem}`).join('\n'))
    return MISUSED
  }
  if (cause instanceof Failure || cause instanceof StorageError || cause instanceof DomainError) {
    warn(`multitude: ${cause.message}`)
    return FAILED
  }
  throw cause
}

async function explain(command: Command): Promise<number> {
  const flags: [string, string][] = [
    ...Object.entries(command.flags ?? {}).map(([name, { type, doc }]): [string, string] => [
      type === 'boolean' ? `--${name}` : `--${name} ${name.toUpperCase()}`,
      doc,
    ]),
    ...settingsOf(command).map((name): [string, string] => [
      `--${flagOf(name)} ${name}`,
      settings[name].doc,
    ]),
    ...(command.destroys ? [['--yes', 'Do not ask'] as [string, string]] : []),
    ['--json', 'Print one JSON value'],
    ['--help', 'Print this'],
  ]
  await say(
    `${command.summary}.\n\nusage: ${usageOf(command)}\n\n${columns(flags.map(([flag, doc]) => [`  ${flag}`, doc]))}`,
  )
  return OK
}

/** No command, or none of that name. */
async function explainAll(argv: string[]): Promise<number> {
  const isAsked = ['help', '--help', '-h'].includes(argv[0] ?? '')
  const list = columns(commands.map(({ name, summary }) => [`  ${name}`, summary]))
  const text = `usage: multitude [COMMAND] [--help]\n\n${list}`
  if (isAsked) await say(`Multitude: a home for plural systems.\n\n${text}`)
  else warn(`multitude: there is no command "${argv.join(' ')}"\n${text}`)
  return isAsked ? OK : MISUSED
}

/** Waits until a slow reader has it all: the exit that follows would cut it short. */
async function say(text: string): Promise<void> {
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
