import { choicesOf, flagOf, isSecret, type SettingName, settings } from '../config'
import type { Command, Flag } from './command'

/** A flag as a command takes it. */
export interface NamedFlag extends Flag {
  readonly name: string
  /** What its value is called. */
  readonly value: string
}

/** Settings that are the name of a folder. */
const PATHS: readonly SettingName[] = ['BACKUP_DIR']

/** All that a command takes: its own, its settings, and what every command takes. */
export function flagsOf(command: Command): NamedFlag[] {
  const own = Object.entries(command.flags ?? {}).map(
    ([name, flag]): NamedFlag => ({
      ...flag,
      name,
      value: name.toUpperCase(),
      doc: flag.doc + requirementOf(command, name),
    }),
  )
  const config = settingsOf(command).map(
    (name): NamedFlag => ({
      name: flagOf(name),
      value: name,
      type: 'string',
      doc: settings[name].doc,
      choices: choicesOf(name),
      isPath: PATHS.includes(name),
    }),
  )
  const yes: NamedFlag = { name: 'yes', value: '', type: 'boolean', doc: 'Do not ask' }
  return [...own, ...config, ...(command.isDestructive ? [yes] : []), ...flagsOfAll]
}

/** Words behind the meaning of a flag that must be given; none behind others. */
function requirementOf({ requires = [] }: Command, name: string): string {
  const choice = requires.find((flags) => flags.includes(name))
  if (!choice) return ''
  const others = choice.filter((flag) => flag !== name).map((flag) => `--${flag}`)
  return others.length === 0 ? ' (required)' : ` (this or ${others.join(' or ')} is required)`
}

/** What every command takes. */
export const flagsOfAll: readonly NamedFlag[] = [
  {
    name: 'env-file',
    value: 'FILE',
    type: 'string',
    doc: 'Read settings from this file',
    isPath: true,
  },
  { name: 'json', value: '', type: 'boolean', doc: 'Print one JSON value' },
  { name: 'help', value: '', type: 'boolean', doc: 'Print this' },
]

export function formatFlag({ name, value, type }: NamedFlag): string {
  return type === 'boolean' ? `--${name}` : `--${name} ${value}`
}

function settingsOf({ takesSettings = ['DATABASE_URL'] }: Command): readonly SettingName[] {
  // What is secret is no flag: everybody on a machine reads everybody's command lines.
  return takesSettings === 'all'
    ? (Object.keys(settings) as SettingName[]).filter((name) => !isSecret(name))
    : takesSettings
}
