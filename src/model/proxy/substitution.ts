/** Replacement by a regular expression that a person wrote. */
export interface Substitution {
  readonly source: string
  readonly flags: string
  readonly replacement: string
}

export type SubstitutionResult =
  | { readonly text: string }
  | { readonly failure: 'invalid' | 'too slow' }

/** Applies a substitution within a time limit, which needs a process that can be killed. */
export type Substitute = (substitution: Substitution, text: string) => Promise<SubstitutionResult>

/** Applies a substitution without a time limit; only for a process that can be killed. */
export function applySubstitution(
  { source, flags, replacement }: Substitution,
  text: string,
): SubstitutionResult {
  try {
    return { text: text.replace(new RegExp(source, flags), replacement) }
  } catch {
    return { failure: 'invalid' }
  }
}

const FLAGS = 'gimnsx'

/**
 * Parses `s|X|Y|flags` with any separator. The flags `n` (plain brackets group without capturing)
 * and `x` (spaces and comments in the expression are ignored) are rewritten, as JavaScript has none.
 */
export function parseSubstitution(text: string): Substitution | null {
  const separator = text[1]
  if (text[0] !== 's' || separator === undefined || /[\w\s\\]/.test(separator)) return null
  const [source, replacement, flags = '', ...more] = splitAt(text.slice(2), separator)
  const isKnown = [...flags].every((flag) => FLAGS.includes(flag))
  if (source === undefined || source === '' || replacement === undefined) return null
  if (more.length > 0 || !isKnown || new Set(flags).size < flags.length) return null
  const spaced = flags.includes('x') ? withoutSpaces(source) : source
  return {
    source: flags.includes('n') ? withoutCaptures(spaced) : spaced,
    flags: flags.replace(/[nx]/g, ''),
    replacement: replacement
      .replaceAll(`\\${separator}`, separator)
      .replace(/\$\{(\w+)\}/g, '$<$1>')
      .replace(/\$0/g, '$$&'),
  }
}

/** Splits at separators that no backslash precedes. Escapes stay as they are. */
function splitAt(text: string, separator: string): string[] {
  const parts = ['']
  for (let index = 0; index < text.length; index++) {
    const letter = text[index] ?? ''
    const isEscape = letter === '\\' && index + 1 < text.length
    if (letter === separator) parts.push('')
    else parts.push(`${parts.pop()}${letter}${isEscape ? text[++index] : ''}`)
  }
  return parts
}

function withoutSpaces(source: string): string {
  return outsideClasses(source, (part) => part.replace(/\\.|#.*|\s+/gs, keepEscape))
}

function keepEscape(part: string): string {
  return part.startsWith('\\') ? part : ''
}

function withoutCaptures(source: string): string {
  return outsideClasses(source, (part) =>
    part.replace(/\\.|\((?!\?)/gs, (match) => (match === '(' ? '(?:' : match)),
  )
}

/** Changes the parts of an expression that are in no character class. */
function outsideClasses(source: string, change: (part: string) => string): string {
  return source
    .split(/((?<!\\)\[(?:\\.|[^\]\\])*\])/s)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('')
}
