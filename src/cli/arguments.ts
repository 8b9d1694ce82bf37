import { parseArgs } from 'node:util'
import { hidePassword } from '../config'
import { type Call, type Command, UsageError } from './command'
import { flagsOf } from './flags'
import { suggest } from './suggest'

type Options = Record<string, { type: 'string' | 'boolean'; short?: string }>

/** The arguments and flags of a command, or what is wrong with them. */
export function parseArguments(command: Command, argv: string[]): Pick<Call, 'args' | 'flags'> {
  const { values, positionals } = parse(argv, optionsOf(command))
  const { args = [] } = command
  const missing = args.slice(positionals.length)
  if (values.help !== true && missing.length > 0)
    throw new UsageError(`${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing`)
  const surplus = positionals.slice(args.length)
  if (values.help !== true && surplus.length > 0) {
    // Without a command it is about serving, and the command came too late.
    const hint = argv[0]?.startsWith('-') ? '; flags stand behind the command' : ''
    throw new UsageError(`unexpected ${surplus.map(hidePassword).join(' ')}${hint}`)
  }
  if (values.help !== true) requireFlags(command, values)
  return { args: positionals, flags: values }
}

function requireFlags({ requires = [] }: Command, given: Call['flags']): void {
  for (const choice of requires) {
    if (choice.filter((flag) => given[flag] !== undefined && given[flag] !== '').length === 1)
      continue
    const names = choice.map((flag) => `--${flag}`).join(' or ')
    throw new UsageError(`${choice.length > 1 ? 'either ' : ''}${names} is needed`)
  }
}

function optionsOf(command: Command): Options {
  const options = flagsOf(command).map(({ name, type }) => [name, { type }])
  return { ...Object.fromEntries(options), help: { type: 'boolean', short: 'h' } }
}

function parse(args: string[], options: Options) {
  try {
    const { values, positionals, tokens } = parseArgs({
      args,
      options,
      allowPositionals: true,
      tokens: true,
    })
    rejectRepeated(tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : [])))
    return { values: values as Call['flags'], positionals }
  } catch (cause) {
    throw cause instanceof UsageError ? cause : new UsageError(explain(cause as Error, options))
  }
}

/** One of them would be passed over without a word. */
function rejectRepeated(names: string[]): void {
  const again = names.find((name, at) => names.indexOf(name) < at)
  if (again) throw new UsageError(`--${again} is given twice`)
}

function explain({ message }: Error, options: Options): string {
  const [, flag = ''] = /'(-*[^' ]+)/.exec(message) ?? []
  if (message.startsWith('Unknown option')) {
    const [meant] = suggest(Object.keys(options), flag.replace(/^-+/, ''))
    return `Unknown option '${flag}'${meant ? `; did you mean --${meant}?` : ''}`
  }
  if (message.includes('ambiguous'))
    return `${flag} needs a value; one that begins with a dash is given as ${flag}=-…`
  if (message.includes('missing')) return `${flag} needs a value`
  if (message.includes('does not take')) return `${flag} takes no value`
  return message
}
