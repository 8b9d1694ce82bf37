import { type Inline, MAX_DEPTH, parseInline, type Work } from './markdownInline'

/** Parses chat markdown into a tree. Text never becomes markup, so it needs no sanitizing. */

export type { Inline } from './markdownInline'

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

const HEADING = /^(#{1,3}) +(.+)$/
const SMALL = /^-# +(.+)$/
const QUOTE = /^> ?(.*)$/
const QUOTE_ALL = /^>>> ?/
const ITEM = /^( *)(?:([-*])|(\d{1,9})\.) +(.+)$/
const FENCE = /^```/

/**
 * Parses a whole text. Never throws, and drops no text. The work grows with the length of the text,
 * whatever it is, because others may have written it.
 */
export function parseMarkdown(text: string, work: Work = { steps: 0 }, depth = 0): Block[] {
  const lines = text.split(/\r\n?|\n/)
  work.steps += text.length + lines.length
  const blocks: Block[] = []
  const fences = new Fences(lines, work)
  let index = 0
  const line = () => lines[index] ?? ''
  const isInside = depth > 0

  while (index < lines.length) {
    if (line().trim() === '') {
      index++
      continue
    }
    const fence = fences.read(index)
    if (fence) {
      blocks.push({ kind: 'code', text: fence.text })
      index = fence.next
      continue
    }
    if (!isInside && QUOTE_ALL.test(line())) {
      const rest = [line().replace(QUOTE_ALL, ''), ...lines.slice(index + 1)]
      blocks.push({ kind: 'quote', inside: parseMarkdown(rest.join('\n'), work, depth + 1) })
      break
    }
    if (!isInside && QUOTE.test(line())) {
      const quoted: string[] = []
      for (; index < lines.length && QUOTE.test(line()) && !QUOTE_ALL.test(line()); index++)
        quoted.push(QUOTE.exec(line())?.[1] ?? '')
      blocks.push({ kind: 'quote', inside: parseMarkdown(quoted.join('\n'), work, depth + 1) })
      continue
    }
    const [, hashes, title] = HEADING.exec(line()) ?? []
    const [, small] = SMALL.exec(line()) ?? []
    if (hashes !== undefined && title !== undefined) {
      blocks.push({ kind: 'heading', size: hashes.length, inside: parseInline(title, work) })
      index++
    } else if (small !== undefined) {
      blocks.push({ kind: 'small', inside: parseInline(small, work) })
      index++
    } else if (ITEM.test(line())) {
      const items: string[] = []
      for (; index < lines.length && ITEM.test(line()); index++) items.push(line())
      blocks.push(...readLists(items, work))
    } else {
      const words: string[] = []
      do words.push(line())
      while (++index < lines.length && isPlain(line(), isInside))
      blocks.push({ kind: 'paragraph', inside: parseInline(words.join('\n'), work) })
    }
  }
  return blocks
}

function isPlain(line: string, isInside: boolean): boolean {
  if (line.trim() === '' || FENCE.test(line)) return false
  if (HEADING.test(line) || SMALL.test(line) || ITEM.test(line)) return false
  return isInside || !QUOTE.test(line)
}

class Fences {
  /** False once no closing fence follows. */
  #canClose = true

  constructor(
    readonly lines: readonly string[],
    readonly work: Work,
  ) {}

  /** Reads the block that begins in a line; null if none does, or its closing fence is missing. */
  read(index: number): { text: string; next: number } | null {
    const { lines } = this
    const first = lines[index] ?? ''
    if (!this.#canClose || !FENCE.test(first)) return null
    let end = index + 1
    for (; end < lines.length && !/^```\s*$/.test(lines[end] ?? ''); end++) this.work.steps++
    this.#canClose = end < lines.length
    if (!this.#canClose) return null
    // Text after the opening fence is a language name or belongs to the code, so it is kept.
    const info = first.slice(3)
    const inside = lines.slice(index + 1, end)
    return { text: (info === '' ? inside : [info, ...inside]).join('\n'), next: end + 1 }
  }
}

/**
 * Reads adjacent items; more deeply indented items become children of the item above, unless they
 * are nested too deeply.
 */
function readLists(lines: readonly string[], work: Work, depth = 0): Block[] {
  work.steps += lines.length
  const lists: (Block & { kind: 'list' })[] = []
  const items = lines.map((line) => {
    const [, space = '', , number, text = ''] = ITEM.exec(line) ?? []
    return { indent: space.length, number: number === undefined ? null : Number(number), text }
  })
  const least = items.reduce((least, { indent }) => Math.min(least, indent), Infinity)
  const deepest = depth < MAX_DEPTH ? least + 1 : Infinity
  for (let index = 0; index < items.length; ) {
    const { number, text } = items[index] ?? { number: null, text: '' }
    let end = index + 1
    while (end < items.length && (items[end]?.indent ?? 0) > deepest) end++
    const item: Item = {
      number,
      inside: parseInline(text, work),
      children: end > index + 1 ? readLists(lines.slice(index + 1, end), work, depth + 1) : [],
    }
    const last = lists.at(-1)
    const isOrdered = number !== null
    if (last && last.isOrdered === isOrdered) last.items.push(item)
    else lists.push({ kind: 'list', isOrdered, items: [item] })
    index = end
  }
  return lists
}
