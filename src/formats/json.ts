import { UnreadableFile } from './bundle'

/** Parses JSON; whole numbers that a double would round come out as strings. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(quoteLongIntegers(text.startsWith('\uFEFF') ? text.slice(1) : text))
  } catch {
    // The parser's own message quotes the file, which may hold secrets.
    throw new UnreadableFile('broken', 'The file is not valid JSON.')
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c

const MOST_NESTED = 64
/** A whole life of switches and chats has a tenth of it; each takes some fifty bytes of memory. */
const MOST_VALUES = 8_000_000

/** Refuses what would take the parser seconds and gigabytes, before it is parsed. */
export function refuseBomb(file: Uint8Array): void {
  let depth = 0
  let values = 0
  for (let at = 0; at < file.length; at++) {
    const code = file[at]
    if (code === QUOTE) at = endOfText(file, at)
    else if (code === COMMA) values++
    else if (code === 0x5b || code === 0x7b) {
      values++
      if (++depth > MOST_NESTED)
        throw new UnreadableFile('broken', `The file is nested deeper than ${MOST_NESTED} levels.`)
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  if (values > MOST_VALUES)
    throw new UnreadableFile('tooLarge', 'The file holds more than 8,000,000 values.')
}

/** Where the text that opens here closes. A byte within a longer character is never a quote. */
function endOfText(file: Uint8Array, from: number): number {
  let end = from
  for (;;) {
    end = file.indexOf(QUOTE, end + 1)
    if (end === -1) return file.length
    let before = end
    while (file[before - 1] === BACKSLASH) before--
    if ((end - before) % 2 === 0) return end
  }
}

/** Five times faster than a reviver with access to the source text. */
function quoteLongIntegers(text: string): string {
  if (!/\d{16}/.test(text)) return text
  const parts: string[] = []
  let taken = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (isOfNumber(code)) {
      const end = endOfNumber(text, at)
      if (end - at >= 16 && isRounded(text.slice(at, end))) {
        parts.push(text.slice(taken, at), `"${text.slice(at, end)}"`)
        taken = end
      }
      at = end - 1
    }
  }
  parts.push(text.slice(taken))
  return parts.join('')
}

function isRounded(number: string): boolean {
  return /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number))
}

/** Where the string that opens here closes. */
function endOfString(text: string, from: number): number {
  let end = from
  do {
    end = text.indexOf('"', end + 1)
    if (end === -1) return text.length
  } while (isEscaped(text, end))
  return end
}

function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text.charCodeAt(before - 1) === BACKSLASH) before--
  return (at - before) % 2 === 1
}

function endOfNumber(text: string, from: number): number {
  let end = from + 1
  while (isOfNumber(text.charCodeAt(end))) end++
  return end
}

/** A digit, or one of `+ - . E e`. */
function isOfNumber(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2d ||
    code === 0x2b ||
    code === 0x2e ||
    code === 0x45 ||
    code === 0x65
  )
}
