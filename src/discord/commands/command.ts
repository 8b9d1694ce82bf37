import type { CommandId } from '../text/enCommands'
import type { Answer } from './answer'
import type { Context } from './context'
import type { Arguments } from './grammar/matchCommand'
import { formatUsage, type PatternPart, parsePattern, textParameterOf } from './grammar/pattern'

export type Handler = (context: Context, args: Arguments) => Promise<Answer>

/** A line of the command table. */
export interface Command {
  readonly id: CommandId
  readonly parts: readonly PatternPart[]
  readonly usage: string
  /** Names of the flags by each form that may be typed. */
  readonly flags: ReadonlyMap<string, string>
  /** Permission that the command needs, and where it works; for help and documentation. */
  readonly needs: 'Manage Server' | null
  readonly where: 'anywhere' | 'servers' | 'private'
  readonly isListed: boolean
  readonly run: Handler
}

interface Options {
  /** Names of flags, each with its other forms (`raw|r`). */
  readonly flags?: readonly string[]
  readonly needs?: 'Manage Server'
  readonly where?: 'servers' | 'private'
  /** Left out of help and documentation. */
  readonly isHidden?: boolean
}

/** Answers a question in advance. Taken wherever it cannot be part of a text, as people always add it. */
export const SURE = 'y|yes'

export function command(
  id: CommandId,
  pattern: string,
  run: Handler,
  { flags = [], needs, where, isHidden = false }: Options = {},
): Command {
  const parts = parsePattern(pattern)
  return {
    id,
    parts,
    usage: formatUsage(parts),
    flags: parseFlags(textParameterOf(parts) === null ? [...flags, SURE] : flags),
    needs: needs ?? null,
    where: where ?? 'anywhere',
    isListed: !isHidden,
    run,
  }
}

function parseFlags(flags: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    flags.flatMap((flag) => {
      const forms = flag.split('|')
      return forms.map((form) => [form, forms[0] ?? form] as const)
    }),
  )
}
