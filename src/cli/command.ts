import type { ResolvedConfig, SettingName } from '../config'
import type { SchemaUse } from '../db/open'
import type { Deps } from '../service/deps'
import type { SystemdEnvironment } from './systemd'

export interface Flag {
  readonly type: 'string' | 'boolean'
  readonly doc: string
  /** The words it takes, where they are few. */
  readonly choices?: readonly string[] | undefined
  /** Whether it takes the name of a file or a folder. */
  readonly isPath?: boolean
}

export type CommandFlags = Readonly<Record<string, Flag>>

/**
 * How a command uses the database of the settings. `rehearse` takes a temporary one where there is
 * none, and requires it otherwise.
 */
export type DatabaseUse = Exclude<SchemaUse, 'upgradeUncopied'> | 'rehearse'

/** One command of the program: its words, what it takes, and what it does. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** Names of the arguments it needs, in order. */
  readonly args?: readonly string[]
  readonly flags?: CommandFlags
  /** Flags that must be given: exactly one of each list. */
  readonly requires?: readonly (readonly string[])[]
  /** The settings it takes as flags; only the database where nothing is said. */
  readonly takesSettings?: 'all' | readonly SettingName[]
  /** `require` where nothing is said: a missing database is the wrong place, most likely. */
  readonly database?: (flags: Flags) => DatabaseUse
  /** Deletes or replaces data, and asks before. */
  readonly isDestructive?: boolean
  run(call: Call): Promise<Outcome>
}

export type Flags = Readonly<Record<string, string | boolean | undefined>>

/** What a command is called with: the settings in force among it. */
export interface Call extends ResolvedConfig {
  readonly args: readonly string[]
  readonly flags: Flags
  /** What the program was told by who started it. */
  readonly supervisor: SystemdEnvironment
  /** Opens the database when first called, as the command says. */
  readonly deps: () => Deps
  /** Asks on a terminal; elsewhere `--yes` must have been given, for this reason. */
  readonly confirm: (question: string, reason?: string) => Promise<void>
}

/** What a command says: words for people, one JSON value for scripts. */
export interface Outcome {
  readonly json: unknown
  readonly text: string
}

/** The command was called wrongly: exit code 2, with its usage line. */
export class UsageError extends Error {}

/** The command could not do its work: one line, exit code 1. Who asked may get an answer all the same. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly json?: unknown,
    readonly text?: string,
  ) {
    super(message)
  }
}

export function usageOf(command: Command): string {
  const { name, args = [], flags = {}, requires = [], isDestructive } = command
  const format = (flag: string) =>
    flags[flag]?.type === 'boolean' ? `--${flag}` : `--${flag} ${flag.toUpperCase()}`
  const required = requires.map((choice) =>
    choice.length === 1 ? choice.map(format).join() : `(${choice.map(format).join(' | ')})`,
  )
  const optional = Object.keys(flags)
    .filter((flag) => !requires.flat().includes(flag))
    .map((flag) => `[${format(flag)}]`)
  const yes = isDestructive ? ['[--yes]'] : []
  return ['multitude', name, ...args, ...required, ...optional, ...yes].join(' ')
}

/** Rows in even columns, for a terminal. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[at] ?? ''))),
  )
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - Bun.stringWidth(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
