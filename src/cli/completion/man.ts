import { describeConfig, envNames, parseSettings } from '../../runtime/config/config'
import { builtOn, version } from '../../runtime/version'
import { type Command, usageOf } from '../command'
import { commonFlags, flagsOf, formatFlag, type NamedFlag } from '../flags'

/** Renders the manual page in troff. */
export function writeManual(commands: readonly Command[]): string {
  return [
    `.TH MULTITUDE 1 ${builtOn} "Multitude ${version}" "User Commands"`,
    '.SH NAME',
    'multitude \\- self\\-hosted server for plural systems with a PluralKit\\-compatible API',
    '.SH SYNOPSIS',
    '.B multitude',
    '.RI [ COMMAND ]',
    '.RI [ FLAGS ]',
    '.SH DESCRIPTION',
    text(
      'Multitude stores systems, members, groups and switches in a database and serves them over HTTP to clients of the PluralKit API. Without a command it runs serve.',
    ),
    '.PP',
    text(
      'SYSTEM is a short ID, a UUID or the ID of a linked account. Tokens, keys and codes are shown only once, when they are created.',
    ),
    '.SH COMMANDS',
    ...commands.flatMap(describeCommand),
    '.SH COMMON FLAGS',
    ...commonFlags.flatMap(describeFlag),
    '.SH SETTINGS',
    text(
      'A setting is a flag of serve, an environment variable or a line in a file. In order of precedence: the flag, the variable with the prefix MULTITUDE_, the variable without it (except HOST), the file of --env-file, .env in the working directory, /etc/multitude.env.',
    ),
    ...describeSettings(),
    '.SH FILES',
    ...entry('/etc/multitude.env', 'Settings of the service on this machine.'),
    ...entry('.env', 'Settings in the working directory.'),
    ...entry('data/', 'Default directory of the database, in the working directory.'),
    '.SH EXIT STATUS',
    ...entry('0', 'Success.'),
    ...entry('1', 'Failure; one line on standard error has the reason.'),
    ...entry('2', 'Invalid arguments or settings; nothing was done.'),
    '',
  ].join('\n')
}

function describeCommand(command: Command): string[] {
  const common = new Set(commonFlags.map(({ name }) => name))
  const flags = flagsOf(command).filter(({ name }) => !common.has(name))
  // Settings have a section of their own.
  const names = command.takesSettings === 'all' ? Object.keys(command.flags ?? {}) : null
  const listed = names ? flags.filter(({ name }) => names.includes(name)) : flags
  return [
    `.SS "${text(usageOf(command))}"`,
    text(`${command.summary}.${names ? ' Accepts every setting as a flag.' : ''}`),
    ...listed.flatMap(describeFlag),
  ]
}

function describeFlag(flag: NamedFlag): string[] {
  return entry(formatFlag(flag), `${flag.doc}.`)
}

function describeSettings(): string[] {
  return describeConfig(parseSettings({})).flatMap(({ name, flag, default: initial, doc }) => {
    const [variable] = envNames(name)
    return entry(`${flag}, ${variable}`, `${doc}. Default: ${initial === '' ? 'none' : initial}.`)
  })
}

function entry(term: string, meaning: string): string[] {
  return ['.TP', `.B ${text(term)}`, text(meaning)]
}

/** Escapes characters that have a meaning in troff. */
function text(plain: string): string {
  const escaped = plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll('’', '\\(cq')
    .replaceAll(/[^\x20-\x7e]/gu, formatCode)
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped
}

function formatCode(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
  return `\\[u${code.padStart(4, '0')}]`
}
