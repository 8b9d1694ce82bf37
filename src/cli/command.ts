import type { Config } from '../config'
import type { Deps } from '../service/deps'

interface Flag {
  type: 'string' | 'boolean'
  doc: string
}

/** One command of the program: its words, what it takes, and what it does. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** Names of the arguments it needs, in order. */
  readonly args?: readonly string[]
  readonly flags?: Readonly<Record<string, Flag>>
  /** Takes every setting as a flag, not only the database. */
  readonly takesSettings?: boolean
  /** Asks before it does what cannot be undone. */
  readonly destroys?: boolean
  /** For the program itself: nobody is told of it. */
  readonly isInternal?: boolean
  run(call: Call): Promise<Outcome>
}

/** What a command is called with. */
export interface Call {
  readonly args: readonly string[]
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
  readonly config: Config
  /** Opens the database when first asked for, migrating it if need be. */
  readonly deps: () => Deps
  /** Asks on a terminal; elsewhere `--yes` must have been given. */
  readonly confirm: (question: string) => Promise<void>
}

/** What a command says: words for people, one JSON value for scripts. */
export interface Outcome {
  readonly json: unknown
  readonly text: string
}

/** The command was called wrongly: exit code 2, with its usage line. */
export class UsageError extends Error {}

/** The command could not do its work: one line, exit code 1. */
export class Failure extends Error {}

export function usageOf({ name, args = [], flags = {}, destroys }: Command): string {
  const options = Object.entries(flags).map(([flag, { type }]) =>
    type === 'boolean' ? `[--${flag}]` : `[--${flag} ${flag.toUpperCase()}]`,
  )
  return ['multitude', name, ...args, ...options, ...(destroys ? ['[--yes]'] : [])].join(' ')
}

/** Rows in even columns, for a terminal. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => (row[at] ?? '').length)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
