import { type ParameterName, type PatternPart, textParameterOf } from './pattern'
import { splitWords, unquote, type Word } from './words'

/** Values of a command's parameters and its flags, from a text, a slash command, a modal or a button. */
export interface Arguments {
  readonly values: Readonly<Partial<Record<ParameterName, string>>>
  readonly lists: Readonly<Partial<Record<ParameterName, readonly string[]>>>
  readonly flags: ReadonlySet<string>
}

export interface Matchable {
  readonly parts: readonly PatternPart[]
  /** Names of the flags by each form that may be typed. */
  readonly flags: ReadonlyMap<string, string>
}

export type Matched<C> =
  | { readonly command: C; readonly args: Arguments }
  /** The command does not know these flags. */
  | { readonly refused: C; readonly unknownFlags: readonly string[] }
  /** The words name this command, but a required parameter is missing or something is left over. */
  | { readonly incomplete: C }
  | null

/** Words that look like a flag, quoted ones excepted. */
const FLAG = /^(?:--?|[–—])([a-z][a-z-]*)$/i

/** Decides between commands with as many matching words: those at the start of the text count more. */
const LEADING_BONUS = 0.01

/**
 * Finds the command of a text. Among several, the one with the most matching words wins, then one
 * that knows all flags, then the earlier one.
 */
export function matchCommand<C extends Matchable>(
  text: string,
  commands: readonly C[],
): Matched<C> {
  const words = splitWords(text)
  let best: (Attempt & { command: C; args: Arguments }) | null = null
  let nearest: { command: C; literals: number } | null = null
  for (const command of commands) {
    const attempt = matchOne(text, words, command)
    const { args, unknownFlags, literals } = attempt
    if (args) {
      const isBetter =
        !best ||
        literals > best.literals ||
        (literals === best.literals && unknownFlags.length === 0 && best.unknownFlags.length > 0)
      if (isBetter) best = { command, args, literals, unknownFlags }
    } else if (attempt.literals > (nearest?.literals ?? 0))
      nearest = { command, literals: attempt.literals }
  }
  if (best && best.literals >= (nearest?.literals ?? 0)) {
    const { command, args, unknownFlags } = best
    return unknownFlags.length > 0 ? { refused: command, unknownFlags } : { command, args }
  }
  return nearest ? { incomplete: nearest.command } : null
}

interface Attempt {
  readonly literals: number
  readonly args: Arguments | null
  readonly unknownFlags: readonly string[]
}

function matchOne(text: string, all: readonly Word[], { parts, flags }: Matchable): Attempt {
  const textParameter = textParameterOf(parts)
  const typedFlags = new Set<string>()
  const unknown: Word[] = []
  const cut: Word[] = []
  for (const word of all) {
    const typed = flagOf(word)
    if (typed === null) continue
    const name = flags.get(typed)
    // Where a text is expected, such as the tags `text -w`, an unknown flag is part of it.
    if (name === undefined && textParameter !== null) continue
    cut.push(word)
    if (name === undefined) unknown.push(word)
    else typedFlags.add(name)
  }
  const words = all.filter((word) => !cut.includes(word))
  const attempt = matchParts(parts, words, 0, true, (from) => textFrom(text, from, cut))
  const value = textParameter && attempt.values?.values[textParameter]
  const ofValue = splitWords(value ?? '')
  // A text of nothing else was hardly meant as one.
  if (ofValue.every((word) => flagOf(word) !== null)) unknown.push(...ofValue)
  return {
    literals: attempt.literals,
    args: attempt.values && { ...attempt.values, flags: typedFlags },
    unknownFlags: unknown.map((word) => word.text),
  }
}

/** Returns whether a word is a flag unless it is quoted. */
export function isFlag(text: string): boolean {
  return FLAG.test(text)
}

/** Returns the name of a flag as typed; null if the word is none. */
function flagOf({ text, isQuoted }: Word): string | null {
  return isQuoted ? null : (FLAG.exec(text)?.[1]?.toLowerCase() ?? null)
}

interface PartsAttempt {
  readonly literals: number
  readonly values: Pick<Arguments, 'values' | 'lists'> | null
}

const FAILED: PartsAttempt = { literals: 0, values: null }

function matchParts(
  parts: readonly PatternPart[],
  words: readonly Word[],
  index: number,
  isLeading: boolean,
  textAt: (start: number) => string,
): PartsAttempt {
  const [part, ...rest] = parts
  if (!part)
    return index === words.length ? { literals: 0, values: { values: {}, lists: {} } } : FAILED
  const word = words[index]
  if ('literals' in part) {
    if (!word || word.isQuoted || !part.literals.includes(word.text.toLowerCase())) return FAILED
    const attempt = matchParts(rest, words, index + 1, isLeading, textAt)
    const score = isLeading ? 1 + LEADING_BONUS : 1
    return { literals: attempt.literals + score, values: attempt.values }
  }
  const skipped = part.isOptional ? matchParts(rest, words, index, isLeading, textAt) : FAILED
  // A word that the next part knows belongs to that part.
  const [next] = rest
  const isSkipPreferred = skipped.values !== null && next !== undefined && 'literals' in next
  if (!word || (part.kind === 'word' && isSkipPreferred)) return skipped
  if (part.kind === 'word') {
    const attempt = matchParts(rest, words, index + 1, false, textAt)
    if (!attempt.values)
      return skipped.values || skipped.literals >= attempt.literals ? skipped : attempt
    const values = { ...attempt.values.values, [part.parameter]: word.text }
    return { literals: attempt.literals, values: { values, lists: attempt.values.lists } }
  }
  if (part.kind === 'words') {
    const list = words.slice(index).map((listWord) => listWord.text)
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
