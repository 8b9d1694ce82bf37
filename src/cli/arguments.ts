import { parseArgs } from 'node:util'
import { suggest } from '../model/core/suggest'
import { hidePassword } from '../runtime/config/config'
import { type Call, type Command, UsageError } from './command'
import { flagsOf } from './flags'

type Options = Record<string, { type: 'string' | 'boolean'; short?: string }>

/** Parses the arguments and flags of a command. Throws a UsageError if they are not valid. */
export function parseArguments(command: Command, argv: string[]): Pick<Call, 'args' | 'flags'> {
  const { values, positionals } = parse(argv, optionsOf(command))
  const args = argsOf(command, values)
  const missing = args.slice(positionals.length)
  if (values.help !== true && missing.length > 0)
    throw new UsageError(
      `missing argument${missing.length > 1 ? 's' : ''} ${missing.join(' and ')}`,
    )
  const surplus = positionals.slice(args.length)
  if (values.help !== true && surplus.length > 0) {
    // A line that begins with a flag is parsed as `serve`, so a command after it is unexpected.
    const hint = argv[0]?.startsWith('-') ? '; flags go after the command' : ''
    throw new UsageError(`unexpected argument ${surplus.map(hidePassword).join(' ')}${hint}`)
  }
  if (values.help !== true) requireFlags(command, values)
  return { args: positionals, flags: values }
}

function argsOf({ args = [], flagInsteadOfArgs = '' }: Command, flags: Call['flags']) {
  return flags[flagInsteadOfArgs] === true ? [] : args
}

function requireFlags({ requires = [] }: Command, flags: Call['flags']): void {
  for (const choice of requires) {
    if (choice.filter((flag) => flags[flag] !== undefined && flags[flag] !== '').length === 1)
      continue
    const names = choice.map((flag) => `--${flag}`).join(' or ')
    throw new UsageError(`${choice.length > 1 ? 'either ' : ''}${names} is required`)
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

/** Rejects a repeated flag, because `parseArgs` would silently ignore one of its values. */
function rejectRepeated(names: string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated) throw new UsageError(`--${repeated} is given twice`)
}

function explain({ message }: Error, options: Options): string {
  const [, flag = ''] = /'(-*[^' ]+)/.exec(message) ?? []
  if (message.startsWith('Unknown option')) {
    const [suggestion] = suggest(Object.keys(options), flag.replace(/^-+/, ''))
    return `unknown flag ${flag}${suggestion ? `; did you mean --${suggestion}?` : ''}`
  }
  if (message.includes('ambiguous'))
    return `${flag} needs a value; if it begins with a dash, write ${flag}=-…`
  if (message.includes('missing')) return `${flag} needs a value`
  if (message.includes('does not take')) return `${flag} takes no value`
  return message
}
