import type { ParameterName, PatternPart } from './pattern'
import { splitWords, unquote, type Word } from './words'

/** Values of a command's parameters and its flags, from a text, a slash command, a modal or a button. */
export interface Arguments {
  readonly values: Readonly<Partial<Record<ParameterName, string>>>
  readonly lists: Readonly<Partial<Record<ParameterName, readonly string[]>>>
  readonly flags: ReadonlySet<string>
}

export interface Matchable {
  readonly parts: readonly PatternPart[]
  readonly flags: readonly string[]
}

export type Matched<C> =
  | { readonly command: C; readonly args: Arguments }
  /** The words name this command, but a required parameter is missing or something is left over. */
  | { readonly incomplete: C }
  | null

const FLAG = /^(?:--?|[–—])([a-z][a-z-]*)$/i

/** Decides between commands with as many matching words: those at the start of the text count more. */
const LEADING_BONUS = 0.01

/**
 * Finds the command of a text. Among several, the one with the most matching words wins, then the
 * earlier one. Flags count only for commands that know them.
 */
export function matchCommand<C extends Matchable>(
  text: string,
  commands: readonly C[],
): Matched<C> {
  const words = splitWords(text)
  let best: { command: C; args: Arguments; literals: number } | null = null
  let nearest: { command: C; literals: number } | null = null
  for (const command of commands) {
    const found = matchOne(text, words, command)
    if (found.args) {
      if (!best || found.literals > best.literals)
        best = { command, args: found.args, literals: found.literals }
    } else if (found.literals > (nearest?.literals ?? 0))
      nearest = { command, literals: found.literals }
  }
  if (best && best.literals >= (nearest?.literals ?? 0))
    return { command: best.command, args: best.args }
  return nearest ? { incomplete: nearest.command } : null
}

interface Attempt {
  readonly literals: number
  readonly args: Arguments | null
}

function matchOne(text: string, all: readonly Word[], { parts, flags }: Matchable): Attempt {
  const flagOf = (word: Word) => {
    const [, name] = word.isQuoted ? [] : (FLAG.exec(word.text) ?? [])
    return name !== undefined && flags.includes(name.toLowerCase()) ? name.toLowerCase() : null
  }
  const words = all.filter((word) => flagOf(word) === null)
  const given = new Set(all.flatMap((word) => flagOf(word) ?? []))
  const cut = all.filter((word) => flagOf(word) !== null)
  const attempt = matchParts(parts, words, 0, true, (from) => textFrom(text, from, cut))
  return {
    literals: attempt.literals,
    args: attempt.values && { ...attempt.values, flags: given },
  }
}

interface PartsAttempt {
  readonly literals: number
  readonly values: Pick<Arguments, 'values' | 'lists'> | null
}

const FAILED: PartsAttempt = { literals: 0, values: null }

function matchParts(
  parts: readonly PatternPart[],
  words: readonly Word[],
  at: number,
  isLeading: boolean,
  textAt: (start: number) => string,
): PartsAttempt {
  const [part, ...rest] = parts
  if (!part)
    return at === words.length ? { literals: 0, values: { values: {}, lists: {} } } : FAILED
  const word = words[at]
  if ('literals' in part) {
    if (!word || word.isQuoted || !part.literals.includes(word.text.toLowerCase())) return FAILED
    const found = matchParts(rest, words, at + 1, isLeading, textAt)
    const score = isLeading ? 1 + LEADING_BONUS : 1
    return { literals: found.literals + score, values: found.values }
  }
  const skipped = part.isOptional ? matchParts(rest, words, at, isLeading, textAt) : FAILED
  // A word that the next part knows belongs to that part.
  const [next] = rest
  const isSkipPreferred = skipped.values !== null && next !== undefined && 'literals' in next
  if (!word || (part.kind === 'word' && isSkipPreferred)) return skipped
  if (part.kind === 'word') {
    const found = matchParts(rest, words, at + 1, false, textAt)
    if (!found.values) return skipped.values || skipped.literals >= found.literals ? skipped : found
    const values = { ...found.values.values, [part.parameter]: word.text }
    return { literals: found.literals, values: { values, lists: found.values.lists } }
  }
  if (part.kind === 'words') {
    const list = words.slice(at).map((one) => one.text)
    return { literals: 0, values: { values: {}, lists: { [part.parameter]: list } } }
  }
  const typed = textAt(word.start)
  const value = part.kind === 'name' ? unquote(typed) : typed
  return { literals: 0, values: { values: { [part.parameter]: value }, lists: {} } }
}

/** Returns the text from a place on as typed, without the flags in it. */
function textFrom(text: string, start: number, flags: readonly Word[]): string {
  let from = start
  let kept = ''
  for (const flag of flags.filter((word) => word.start >= start)) {
    // The space before a flag belongs to it.
    kept += text.slice(from, flag.start).replace(/[^\S\n]$/, '')
    from = flag.end
  }
  return (kept + text.slice(from)).trim()
}
