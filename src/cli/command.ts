import type { SchemaUse } from '../db/open'
import type { ResolvedConfig, SettingName } from '../runtime/config/config'
import type { Deps } from '../service/core/deps'
import type { SystemdEnvironment } from './commands/systemd'

export interface Flag {
  readonly type: 'string' | 'boolean'
  readonly doc: string
  /** Allowed values, if there are only a few. */
  readonly choices?: readonly string[] | undefined
  /** True if its value is the path of a file or a folder. */
  readonly isPath?: boolean
}

export type CommandFlags = Readonly<Record<string, Flag>>

/**
 * Use of the configured database by a command. `rehearse` uses a temporary database if it does not
 * exist, and requires it otherwise.
 */
export type DatabaseUse = Exclude<SchemaUse, 'upgradeUncopied'> | 'rehearse'

export interface Command {
  readonly name: string
  readonly summary: string
  /** Names of its required arguments, in order. */
  readonly args?: readonly string[]
  /** Flag that is given instead of the arguments. */
  readonly flagInsteadOfArgs?: string
  readonly flags?: CommandFlags
  /** Required flags: exactly one of each list. */
  readonly requires?: readonly (readonly string[])[]
  /** Settings that it takes as flags; by default only the database. */
  readonly takesSettings?: 'all' | readonly SettingName[]
  /** By default `require`, because a missing database is most likely a wrong path. */
  readonly database?: (flags: Flags) => DatabaseUse
  /** Deletes or replaces data, and asks for confirmation. */
  readonly isDestructive?: boolean
  run(call: Call): Promise<Outcome>
}

export type Flags = Readonly<Record<string, string | boolean | undefined>>

/** One invocation of a command. */
export interface Call extends ResolvedConfig {
  readonly args: readonly string[]
  readonly flags: Flags
  /** Files of settings that exist, but that this user may not read. */
  readonly unreadableFiles: readonly string[]
  /** Environment of the service manager that started the program. */
  readonly supervisor: SystemdEnvironment
  /** Opens the database on the first call, with the use that the command declares. */
  readonly deps: () => Deps
  /** Asks for confirmation on a terminal; without one, `--yes` is required for this reason. */
  readonly confirm: (question: string, reason?: string) => Promise<void>
}

/** Output of a command: text for people, one JSON value for scripts. */
export interface Outcome {
  readonly json: unknown
  readonly text: string
}

/** Invalid invocation: printed with the usage line, exit code 2. */
export class UsageError extends Error {}

/** Failure of a command: printed in one line, exit code 1 by default. It may still have output. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly json?: unknown,
    readonly text?: string,
    readonly exitCode = 1,
  ) {
    super(message)
  }
}

export function usageOf(command: Command): string {
  const { name, args = [], flagInsteadOfArgs, flags = {}, requires = [], isDestructive } = command
  const format = (flag: string) =>
    flags[flag]?.type === 'boolean' ? `--${flag}` : `--${flag} ${flag.toUpperCase()}`
  const required = requires.map((choice) =>
    choice.length === 1 ? choice.map(format).join() : `(${choice.map(format).join(' | ')})`,
  )
  const positional =
    flagInsteadOfArgs === undefined
      ? args
      : [`(${[...args, format(flagInsteadOfArgs)].join(' | ')})`]
  const optional = Object.keys(flags)
    .filter((flag) => flag !== flagInsteadOfArgs && !requires.flat().includes(flag))
    .map((flag) => `[${format(flag)}]`)
  const yes = isDestructive ? ['[--yes]'] : []
  return ['multitude', name, ...positional, ...required, ...optional, ...yes].join(' ')
}

/** Aligns rows in columns, for a terminal. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ''))),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
