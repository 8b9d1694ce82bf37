import { isHttpUrl } from '../../model/validation'

/** Parses chat markdown into a tree. Text never becomes markup, so it needs no sanitizing. */

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: Wrapper; inside: Inline[] }
  | { kind: 'link'; address: string; inside: Inline[] }
  /**
   * Custom emoji of a chat platform. Its picture is on that platform, so only the name is shown.
   */
  | { kind: 'emoji'; name: string; source: string }
  | { kind: 'break' }

type Wrapper = 'strong' | 'emphasis' | 'underline' | 'strike' | 'spoiler'

export type Block =
  | { kind: 'paragraph' | 'small'; inside: Inline[] }
  | { kind: 'heading'; size: number; inside: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'quote'; inside: Block[] }
  | { kind: 'list'; isOrdered: boolean; items: Item[] }

export interface Item {
  /** The number as written. */
  readonly number: number | null
  readonly inside: Inline[]
  readonly children: Block[]
}

/** Elements that a text can produce; the renderer uses no others. */
export const elements = {
  paragraph: 'p',
  small: 'small',
  // One rank for all sizes, because the heading above the text is unknown here.
  heading: 'h2',
  quote: 'blockquote',
  strong: 'strong',
  emphasis: 'em',
  underline: 'u',
  strike: 's',
} as const

/** Nesting beyond this depth stays text. */
const MAX_DEPTH = 8

const HEADING = /^(#{1,3}) +(.+)$/
const SMALL = /^-# +(.+)$/
const QUOTE = /^> ?(.*)$/
const QUOTE_ALL = /^>>> ?/
const ITEM = /^( *)(?:([-*])|(\d{1,9})\.) +(.+)$/
const FENCE = /^```/

/** Parses a whole text. Never throws, and drops no text. */
export function parseMarkdown(text: string, depth = 0): Block[] {
  const lines = text.split(/\r\n?|\n/)
  const blocks: Block[] = []
  let at = 0
  const line = () => lines[at] ?? ''
  const isInside = depth > 0

  while (at < lines.length) {
    if (line().trim() === '') {
      at++
      continue
    }
    const fence = readFence(lines, at)
    if (fence) {
      blocks.push({ kind: 'code', text: fence.text })
      at = fence.next
      continue
    }
    if (!isInside && QUOTE_ALL.test(line())) {
      const rest = [line().replace(QUOTE_ALL, ''), ...lines.slice(at + 1)]
      blocks.push({ kind: 'quote', inside: parseMarkdown(rest.join('\n'), depth + 1) })
      break
    }
    if (!isInside && QUOTE.test(line())) {
      const quoted: string[] = []
      for (; at < lines.length && QUOTE.test(line()) && !QUOTE_ALL.test(line()); at++)
        quoted.push(QUOTE.exec(line())?.[1] ?? '')
      blocks.push({ kind: 'quote', inside: parseMarkdown(quoted.join('\n'), depth + 1) })
      continue
    }
    const [, hashes, title] = HEADING.exec(line()) ?? []
    const [, small] = SMALL.exec(line()) ?? []
    if (hashes !== undefined && title !== undefined) {
      blocks.push({ kind: 'heading', size: hashes.length, inside: parseInline(title) })
      at++
    } else if (small !== undefined) {
      blocks.push({ kind: 'small', inside: parseInline(small) })
      at++
    } else if (ITEM.test(line())) {
      const items: string[] = []
      for (; at < lines.length && ITEM.test(line()); at++) items.push(line())
      blocks.push(...readLists(items))
    } else {
      const words: string[] = []
      do words.push(line())
      while (++at < lines.length && isPlain(line(), isInside))
      blocks.push({ kind: 'paragraph', inside: parseInline(words.join('\n')) })
    }
  }
  return blocks
}

function isPlain(line: string, isInside: boolean): boolean {
  if (line.trim() === '' || FENCE.test(line)) return false
  if (HEADING.test(line) || SMALL.test(line) || ITEM.test(line)) return false
  return isInside || !QUOTE.test(line)
}

/** Reads a fenced code block; null if the closing fence is missing. */
function readFence(lines: readonly string[], at: number): { text: string; next: number } | null {
  if (!FENCE.test(lines[at] ?? '')) return null
  const end = lines.findIndex((line, index) => index > at && /^```\s*$/.test(line))
  if (end === -1) return null
  // Text after the opening fence is a language name or belongs to the code, so it is kept.
  const info = (lines[at] ?? '').slice(3)
  const inside = lines.slice(at + 1, end)
  return { text: (info === '' ? inside : [info, ...inside]).join('\n'), next: end + 1 }
}

/** Reads adjacent items; more deeply indented items become children of the item above. */
function readLists(lines: readonly string[]): Block[] {
  const lists: (Block & { kind: 'list' })[] = []
  const items = lines.map((line) => {
    const [, space = '', , number, text = ''] = ITEM.exec(line) ?? []
    return { indent: space.length, number: number === undefined ? null : Number(number), text }
  })
  const least = Math.min(...items.map(({ indent }) => indent))
  for (let at = 0; at < items.length; ) {
    const { number, text } = items[at] ?? { number: null, text: '' }
    let end = at + 1
    while (end < items.length && (items[end]?.indent ?? 0) > least + 1) end++
    const item: Item = {
      number,
      inside: parseInline(text),
      children: end > at + 1 ? readLists(lines.slice(at + 1, end)) : [],
    }
    const last = lists.at(-1)
    const isOrdered = number !== null
    if (last && last.isOrdered === isOrdered) last.items.push(item)
    else lists.push({ kind: 'list', isOrdered, items: [item] })
    at = end
  }
  return lists
}

const ESCAPED = /\\([\\*_~|`>#[\]()<-])/y
const CODE = /(`{1,2})(?!`)([^`]+)\1(?!`)/y
const EMOJI = /<a?(:\w+:)\d+>/y
const BRACKETED = /<(https?:\/\/[^\s<>]+)>/iy
const MASKED = /\[([^[\]\n]+)\]\((https?:\/\/[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)\)/iy
const BARE = /https?:\/\/[^\s<>|]*[^\s<>|.,:;"'!?)\]*_~]/iy

/** Longest first, so that `**` is not read as two `*`. */
const marks: readonly [mark: string, kind: Wrapper][] = [
  ['**', 'strong'],
  ['__', 'underline'],
  ['~~', 'strike'],
  ['||', 'spoiler'],
  ['*', 'emphasis'],
  ['_', 'emphasis'],
]

export function parseInline(text: string, depth = 0, isInLink = false): Inline[] {
  const nodes: Inline[] = []
  let plain = ''
  const add = (one: Inline) => {
    if (plain !== '') nodes.push({ kind: 'text', text: plain })
    plain = ''
    nodes.push(one)
  }
  const match = (pattern: RegExp, from: number) => {
    pattern.lastIndex = from
    return pattern.exec(text)
  }
  const parseNested = (inside: string, link = isInLink): Inline[] =>
    depth < MAX_DEPTH ? parseInline(inside, depth + 1, link) : [{ kind: 'text', text: inside }]

  for (let at = 0; at < text.length; ) {
    const escaped = match(ESCAPED, at)
    if (escaped) {
      plain += escaped[1]
      at += 2
      continue
    }
    if (text[at] === '\n') {
      add({ kind: 'break' })
      at++
      continue
    }
    const code = match(CODE, at)
    if (code) {
      add({ kind: 'code', text: code[2] ?? '' })
      at += code[0].length
      continue
    }
    const emoji = match(EMOJI, at)
    if (emoji) {
      add({ kind: 'emoji', name: emoji[1] ?? '', source: emoji[0] })
      at += emoji[0].length
      continue
    }
    const link = isInLink ? null : readLink(match, at)
    if (link) {
      const inside = link.shown === null ? null : parseNested(link.shown, true)
      const { address } = link
      add({ kind: 'link', address, inside: inside ?? [{ kind: 'text', text: address }] })
      at += link.length
      continue
    }
    const wrapped = readWrapped(text, at)
    if (wrapped) {
      add({ kind: wrapped.kind, inside: parseNested(wrapped.inside) })
      at += wrapped.length
      continue
    }
    plain += text[at]
    at++
  }
  if (plain !== '') nodes.push({ kind: 'text', text: plain })
  return nodes
}

interface Link {
  address: string
  /** Null if the URL itself is the text. */
  shown: string | null
  length: number
}

/** Reads a link; only http and https. */
function readLink(
  match: (pattern: RegExp, at: number) => RegExpExecArray | null,
  at: number,
): Link | null {
  const masked = match(MASKED, at)
  const plain = match(BRACKETED, at) ?? match(BARE, at)
  const address = masked ? masked[2] : (plain?.[1] ?? plain?.[0])
  if (address === undefined || !isHttpUrl(address)) return null
  return {
    address,
    shown: masked?.[1] ?? null,
    length: (masked ?? plain)?.[0].length ?? 0,
  }
}

function readWrapped(
  text: string,
  at: number,
): { kind: Wrapper; inside: string; length: number } | null {
  for (const [mark, kind] of marks) {
    if (!text.startsWith(mark, at)) continue
    const from = at + mark.length
    const end = findEnd(text, from, mark)
    if (end === -1) continue
    // Within a word an underscore is part of the word.
    if (mark === '_' && (isWord(text[at - 1]) || isWord(text[end + 1]))) continue
    return { kind, inside: text.slice(from, end), length: end + mark.length - at }
  }
  return null
}

/** Returns the index of the closing mark; -1 if there is none or nothing between. */
function findEnd(text: string, from: number, mark: string): number {
  const isSingle = mark.length === 1
  if (isSingle && (text[from] === mark || /\s/.test(text[from] ?? ' '))) return -1
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (isSingle && text[at] === mark && text[at + 1] === mark) at++
    else if (text.startsWith(mark, at) && at > from) {
      // "***x***" closes with the last mark.
      const isDouble = !isSingle && text[at + mark.length] === mark[0] && mark === '**'
      if (isSingle && /\s/.test(text[at - 1] ?? '')) continue
      return isDouble ? at + 1 : at
    }
  }
  return -1
}

function isWord(letter: string | undefined): boolean {
  return letter !== undefined && /[\p{L}\p{N}]/u.test(letter)
}
