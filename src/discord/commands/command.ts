import type { CommandId } from '../text/enHelp'
import type { Answer } from './answer'
import type { Context } from './context'
import type { Arguments } from './grammar/matchCommand'
import { formatUsage, type PatternPart, parsePattern } from './grammar/pattern'

export type Handler = (context: Context, args: Arguments) => Promise<Answer>

/** A line of the command table. */
export interface Command {
  readonly id: CommandId
  readonly parts: readonly PatternPart[]
  readonly usage: string
  readonly flags: readonly string[]
  /** Permission that the command needs, and where it works; for help and documentation. */
  readonly needs: 'Manage Server' | null
  readonly where: 'anywhere' | 'servers' | 'private'
  readonly isListed: boolean
  readonly run: Handler
}

interface Options {
  readonly flags?: readonly string[]
  readonly needs?: 'Manage Server'
  readonly where?: 'servers' | 'private'
  /** Left out of help and documentation. */
  readonly isHidden?: boolean
}

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
    flags,
    needs: needs ?? null,
    where: where ?? 'anywhere',
    isListed: !isHidden,
    run,
  }
}
