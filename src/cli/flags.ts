import { choicesOf, flagOf, isSecret, type SettingName, settings } from '../runtime/config/config'
import type { Command, Flag } from './command'

/** Flag with its name and the placeholder of its value. */
export interface NamedFlag extends Flag {
  readonly name: string
  /** Placeholder of its value in the help. */
  readonly value: string
}

/** Settings whose value is a path. */
const PATHS: readonly SettingName[] = ['BACKUP_DIR']

/** Lists all flags of a command: its own, its settings and the common ones. */
export function flagsOf(command: Command): NamedFlag[] {
  const commandFlags = Object.entries(command.flags ?? {}).map(
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
  const yes: NamedFlag = {
    name: 'yes',
    value: '',
    type: 'boolean',
    doc: 'Do not ask for confirmation',
  }
  return [...commandFlags, ...config, ...(command.isDestructive ? [yes] : []), ...commonFlags]
}

/** Suffix of the description of a required flag; empty for optional ones. */
function requirementOf({ requires = [] }: Command, name: string): string {
  const choice = requires.find((flags) => flags.includes(name))
  if (!choice) return ''
  const others = choice.filter((flag) => flag !== name).map((flag) => `--${flag}`)
  return others.length === 0 ? ' (required)' : ` (this or ${others.join(' or ')} is required)`
}

export const commonFlags: readonly NamedFlag[] = [
  {
    name: 'env-file',
    value: 'FILE',
    type: 'string',
    doc: 'Read settings from this file',
    isPath: true,
  },
  { name: 'json', value: '', type: 'boolean', doc: 'Print the output as JSON' },
  { name: 'help', value: '', type: 'boolean', doc: 'Show help' },
]

export function formatFlag({ name, value, type }: NamedFlag): string {
  return type === 'boolean' ? `--${name}` : `--${name} ${value}`
}

function settingsOf({ takesSettings = ['DATABASE_URL'] }: Command): readonly SettingName[] {
  // Secrets are not flags, because every user of a machine can read the command lines of all processes.
  const names = takesSettings === 'all' ? (Object.keys(settings) as SettingName[]) : takesSettings
  return names.filter((name) => !isSecret(name))
}
