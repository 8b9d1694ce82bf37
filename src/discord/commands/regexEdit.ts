import { Refusal } from './refusal'

/** Replaces by a regular expression that a person wrote, within a time limit. */
export type RegexReplacer = (request: RegexRequest) => Promise<RegexResult>

export interface RegexRequest {
  readonly source: string
  readonly flags: string
  readonly replacement: string
  readonly text: string
}

export type RegexResult = { readonly text: string } | { readonly failure: 'invalid' | 'too slow' }

const LIMIT_MS = 100
/** A worker starts in a few milliseconds; a busy machine takes longer. */
const START_LIMIT_MS = 5_000

/**
 * Program of the worker. It is a text, because the executable contains no other entry file; a worker
 * is the only way to stop an expression that takes exponential time.
 */
const PROGRAM = `
onmessage = ({ data: { source, flags, replacement, text } }) => {
  try { postMessage({ text: text.replace(new RegExp(source, flags), replacement) }) }
  catch { postMessage({ failure: 'invalid' }) }
}
postMessage({ started: true })
`

export const replaceInWorker: RegexReplacer = (request) => {
  const url = URL.createObjectURL(new Blob([PROGRAM], { type: 'application/javascript' }))
  const worker = new Worker(url)
  return new Promise<RegexResult>((resolve) => {
    const giveUp = () => resolve({ failure: 'too slow' })
    let timer = setTimeout(giveUp, START_LIMIT_MS)
    const end = (result: RegexResult) => {
      clearTimeout(timer)
      resolve(result)
    }
    worker.onerror = () => end({ failure: 'invalid' })
    worker.onmessage = ({ data }: MessageEvent<RegexResult | { started: true }>) => {
      if (!('started' in data)) return end(data)
      clearTimeout(timer)
      timer = setTimeout(giveUp, LIMIT_MS)
      worker.postMessage(request)
    }
  }).finally(() => {
    worker.terminate()
    URL.revokeObjectURL(url)
  })
}

const FLAGS = 'gimnsx'

/**
 * Parses `s|X|Y|flags` with any separator. The flags `n` (plain brackets group without capturing)
 * and `x` (spaces and comments in the expression are ignored) are rewritten, as JavaScript has none.
 */
export function parseSubstitution(text: string, texts: { readonly invalidRegex: string }) {
  const separator = text[1]
  if (text[0] !== 's' || separator === undefined || /[\w\s\\]/.test(separator))
    throw new Refusal(texts.invalidRegex)
  const [source, replacement, flags = '', ...more] = splitAt(text.slice(2), separator)
  const isKnown = [...flags].every((flag) => FLAGS.includes(flag))
  if (source === undefined || source === '' || replacement === undefined || more.length > 0)
    throw new Refusal(texts.invalidRegex)
  if (!isKnown || new Set(flags).size < flags.length) throw new Refusal(texts.invalidRegex)
  const spaced = flags.includes('x') ? withoutSpaces(source) : source
  return {
    source: flags.includes('n') ? withoutCaptures(spaced) : spaced,
    flags: flags.replace(/[nx]/g, ''),
    replacement: replacement.replace(/\$\{(\w+)\}/g, '$<$1>').replace(/\$0/g, '$$&'),
  }
}

/** Splits at separators that no backslash precedes. */
function splitAt(text: string, separator: string): string[] {
  const parts = ['']
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    const next = text[at + 1]
    if (letter === '\\' && next === separator) {
      parts.push(`${parts.pop()}${separator}`)
      at++
    } else if (letter === '\\' && next !== undefined) {
      parts.push(`${parts.pop()}${letter}${next}`)
      at++
    } else if (letter === separator) parts.push('')
    else parts.push(`${parts.pop()}${letter}`)
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
    part.replace(/\\.|\((?!\?)/gs, (found) => (found === '(' ? '(?:' : found)),
  )
}

/** Changes the parts of an expression that are in no character class. */
function outsideClasses(source: string, change: (part: string) => string): string {
  return source
    .split(/((?<!\\)\[(?:\\.|[^\]\\])*\])/s)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('')
}
