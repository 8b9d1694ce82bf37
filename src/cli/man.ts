import { describeConfig, envNames, parseSettings } from '../config'
import { builtOn, version } from '../version'
import { type Command, usageOf } from './command'
import { flagsOf, flagsOfAll, formatFlag, type NamedFlag } from './flags'

/** The manual page, in the language of `man`. */
export function writeManual(commands: readonly Command[]): string {
  return [
    `.TH MULTITUDE 1 ${builtOn} "Multitude ${version}" "User Commands"`,
    '.SH NAME',
    'multitude \\- a home for plural systems: the PluralKit\\-compatible API as one program',
    '.SH SYNOPSIS',
    '.B multitude',
    '.RI [ COMMAND ]',
    '.RI [ FLAGS ]',
    '.SH DESCRIPTION',
    text(
      'Multitude keeps systems, members, groups and switches in one file, and serves them over HTTP to everything that speaks the API of PluralKit. Without a command it serves.',
    ),
    '.PP',
    text(
      'SYSTEM is a short ID, a UUID, or the number of a linked account. Tokens and keys are shown once, when they are made.',
    ),
    '.SH COMMANDS',
    ...commands.flatMap(describeCommand),
    '.SH FLAGS OF EVERY COMMAND',
    ...flagsOfAll.flatMap(describeFlag),
    '.SH SETTINGS',
    text(
      'Every setting is a flag of serve, a variable in the environment, or a line in a file. The flag decides; else the variable with MULTITUDE_ in front, the bare one (but never HOST), the file of --env-file, .env in the folder where it is started, /etc/multitude.env.',
    ),
    ...describeSettings(),
    '.SH FILES',
    ...entry('/etc/multitude.env', 'Settings of the service of this machine.'),
    ...entry('.env', 'Settings, in the folder where it is started.'),
    ...entry('data/', 'The folder of the database, where no setting names another.'),
    '.SH EXIT STATUS',
    ...entry('0', 'It is done.'),
    ...entry('1', 'It could not be done; one line on standard error says why.'),
    ...entry('2', 'It was called wrongly, or a setting is bad; nothing was started.'),
    '',
  ].join('\n')
}

function describeCommand(command: Command): string[] {
  const shared = new Set(flagsOfAll.map(({ name }) => name))
  const flags = flagsOf(command).filter(({ name }) => !shared.has(name))
  // They have a chapter of their own.
  const own = command.takesSettings === 'all' ? Object.keys(command.flags ?? {}) : null
  const told = own ? flags.filter(({ name }) => own.includes(name)) : flags
  return [
    `.SS "${text(usageOf(command))}"`,
    text(`${command.summary}.${own ? ' It takes every setting as a flag.' : ''}`),
    ...told.flatMap(describeFlag),
  ]
}

function describeFlag(flag: NamedFlag): string[] {
  return entry(formatFlag(flag), `${flag.doc}.`)
}

function describeSettings(): string[] {
  return describeConfig(parseSettings({})).flatMap(({ name, flag, default: initial, doc }) => {
    const [own] = envNames(name)
    return entry(`${flag}, ${own}`, `${doc}. Default: ${initial === '' ? 'none' : initial}.`)
  })
}

function entry(term: string, meaning: string): string[] {
  return ['.TP', `.B ${text(term)}`, text(meaning)]
}

/** As it stands, whatever its signs mean to `man`. */
function text(plain: string): string {
  const escaped = plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll('’', '\\(cq')
    .replaceAll(/[^\x20-\x7e]/gu, formatCode)
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped
}

function formatCode(sign: string): string {
  const code = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase()
  return `\\[u${code.padStart(4, '0')}]`
}
