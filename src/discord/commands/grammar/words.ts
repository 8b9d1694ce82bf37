/** A word of a command, with its place in the text, so that the rest of the text can be kept as typed. */
export interface Word {
  readonly text: string
  readonly isQuoted: boolean
  readonly start: number
  readonly end: number
}

/** Closing quotes by opening quote: ASCII, typographic and CJK pairs. */
const QUOTES: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '‘': '’',
  '‚': '‘’',
  '‛': '’',
  '“': '”',
  '„': '“”',
  '‟': '”',
  '”': '”',
  '’': '’',
  '«': '»',
  '»': '«',
  '‹': '›',
  '›': '‹',
  '「': '」',
  '『': '』',
  '《': '》',
  '〈': '〉',
  '〝': '〞〟',
  '＂': '＂',
  '＇': '＇',
  '｢': '｣',
}

/**
 * Splits a text into words. A quote counts only around a whole word: at its start, and closed before
 * a space or the end, so that names such as `O'Neill` need no care.
 */
export function splitWords(text: string): Word[] {
  const words: Word[] = []
  let index = 0
  while (index < text.length) {
    if (isSpace(text[index])) {
      index++
      continue
    }
    const word = readQuoted(text, index) ?? readPlain(text, index)
    words.push(word)
    index = word.end
  }
  return words
}

/** Returns the text without its quotes if one pair of them encloses all of it. */
export function unquote(text: string): string {
  const words = splitWords(text)
  const [first] = words
  return words.length === 1 && first?.isQuoted ? first.text : text
}

function readQuoted(text: string, start: number): Word | null {
  const closing = QUOTES[text[start] ?? '']
  if (closing === undefined) return null
  for (let index = start + 1; index < text.length; index++)
    if (
      closing.includes(text[index] ?? '') &&
      (index + 1 === text.length || isSpace(text[index + 1]))
    )
      return { text: text.slice(start + 1, index), isQuoted: true, start, end: index + 1 }
  return null
}

function readPlain(text: string, start: number): Word {
  let end = start
  while (end < text.length && !isSpace(text[end])) end++
  return { text: text.slice(start, end), isQuoted: false, start, end }
}

function isSpace(letter: string | undefined): boolean {
  return letter !== undefined && /\s/.test(letter)
}
