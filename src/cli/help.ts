import { flagOf, type SettingName, settings } from '../config'
import { type Command, columns, usageOf } from './command'

/** The help for these words: of the program, of a group such as `system`, or of one command. */
export function findHelp(commands: readonly Command[], words: readonly string[]): string | null {
  const name = words.join(' ')
  if (name === '') return explainAll(commands)
  const command = commands.find((one) => one.name === name)
  if (command) return explainCommand(command)
  return isGroup(commands, name) ? explainGroup(commands, name) : null
}

/** Whether commands begin with this word, without it being one. */
export function isGroup(commands: readonly Command[], word: string): boolean {
  return commands.some(({ name }) => name.startsWith(`${word} `))
}

/** The settings that a command takes as flags. */
export function settingsOf({ takesSettings = ['DATABASE_URL'] }: Command): readonly SettingName[] {
  return takesSettings === 'all' ? (Object.keys(settings) as SettingName[]) : takesSettings
}

function explainAll(commands: readonly Command[]): string {
  return [
    'Multitude: a home for plural systems.',
    'usage: multitude [COMMAND] [--help]',
    listOf(commands),
    '"multitude help COMMAND" explains one.',
  ].join('\n\n')
}

function explainGroup(commands: readonly Command[], group: string): string {
  const own = commands.filter(({ name }) => name.startsWith(`${group} `))
  return `usage: multitude ${group} COMMAND [--help]\n\n${listOf(own)}`
}

function listOf(commands: readonly Command[]): string {
  return columns(commands.map(({ name, summary }) => [`  ${name}`, summary]))
}

function explainCommand(command: Command): string {
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
    ['--env-file FILE', 'Read settings from this file'],
    ['--json', 'Print one JSON value'],
    ['--help', 'Print this'],
  ]
  const list = columns(flags.map(([flag, doc]) => [`  ${flag}`, doc]))
  return `${command.summary}.\n\nusage: ${usageOf(command)}\n\n${list}`
}
