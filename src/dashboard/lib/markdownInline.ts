import { isHttpUrl } from '../../model/core/validation'

/** Parses the marks within a paragraph. The work grows with the length of the text, whatever it is. */

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

/** Counts the characters that the parser looks at. */
export interface Work {
  steps: number
}

/** Nesting beyond this depth stays text. */
export const MAX_DEPTH = 8

/** Longest custom emoji, with the ID. */
const MAX_EMOJI = 64

const ESCAPABLE = '\\*_~|`>#[]()<-'
const EMOJI = /^<a?(:\w+:)\d+>$/
const SCHEME = /^https?:\/\//i
/** Characters that end a sentence or a mark rather than the address before them. */
const TRAILING = /[.,:;"'!?)\]*_~]/

/** Patterns of one character, which are searched from a position. */
const BACKTICK = /`/g
const ANGLE = /[\s<>]/g
const BRACKET = /[[\]\n]/g
const PAREN = /[\s()<>]/g
const ADDRESS_END = /[\s<>|]/g

/** Longest first, so that `**` is not read as two `*`. */
const marks: readonly [mark: string, kind: Wrapper][] = [
  ['**', 'strong'],
  ['__', 'underline'],
  ['~~', 'strike'],
  ['||', 'spoiler'],
  ['*', 'emphasis'],
  ['_', 'emphasis'],
]

/** Node at a position, and the number of characters that it takes. */
interface Found {
  readonly node: Inline
  readonly length: number
}

/** Result of a search, which is the same from every position between the two. */
interface Searched {
  readonly from: number
  readonly end: number
}

export function parseInline(
  text: string,
  work: Work = { steps: 0 },
  depth = 0,
  isInLink = false,
): Inline[] {
  return new InlineParser(text, work, depth, isInLink).parse()
}

class InlineParser {
  readonly #ends = new Map<string, Searched>()
  readonly #found = new Map<RegExp, Searched>()
  /** End of a word that looks like an address and is none. */
  #notAddressUntil = 0

  constructor(
    readonly text: string,
    readonly work: Work,
    readonly depth: number,
    readonly isInLink: boolean,
  ) {}

  parse(): Inline[] {
    const { text } = this
    const nodes: Inline[] = []
    let plain = ''
    for (let index = 0; index < text.length; ) {
      this.work.steps++
      const escaped = text[index] === '\\' ? text[index + 1] : undefined
      if (escaped !== undefined && ESCAPABLE.includes(escaped)) {
        plain += escaped
        index += 2
        continue
      }
      const found = this.#read(index)
      if (found === null) {
        plain += text[index]
        index++
        continue
      }
      if (plain !== '') nodes.push({ kind: 'text', text: plain })
      plain = ''
      nodes.push(found.node)
      index += found.length
    }
    if (plain !== '') nodes.push({ kind: 'text', text: plain })
    return nodes
  }

  /** Reads what begins at a position; null if that is text. */
  #read(index: number): Found | null {
    switch (this.text[index]) {
      case '\n':
        return { node: { kind: 'break' }, length: 1 }
      case '`':
        return this.#readCode(index)
      case '<':
        return this.#readEmoji(index) ?? (this.isInLink ? null : this.#readBracketed(index))
      case '[':
        return this.isInLink ? null : this.#readMasked(index)
      case 'h':
      case 'H':
        return this.isInLink ? null : this.#readBare(index)
      default:
        return this.#readWrapped(index)
    }
  }

  #readCode(index: number): Found | null {
    const { text } = this
    const mark = text[index + 1] === '`' ? '``' : '`'
    const from = index + mark.length
    if (text[from] === '`') return null
    const end = this.#next(BACKTICK, from)
    if (!text.startsWith(mark, end) || text[end + mark.length] === '`') return null
    return {
      node: { kind: 'code', text: text.slice(from, end) },
      length: end + mark.length - index,
    }
  }

  #readEmoji(index: number): Found | null {
    const end = this.#next(ANGLE, index + 1)
    if (end - index > MAX_EMOJI) return null
    const source = this.#slice(index, end + 1)
    const [, name] = EMOJI.exec(source) ?? []
    return name ? { node: { kind: 'emoji', name, source }, length: source.length } : null
  }

  #readBracketed(index: number): Found | null {
    const end = this.#next(ANGLE, index + 1)
    if (this.text[end] !== '>' || !this.#isAddress(index + 1)) return null
    const address = this.#slice(index + 1, end)
    return isHttpUrl(address) ? { node: link(address), length: end + 1 - index } : null
  }

  #readMasked(index: number): Found | null {
    const { text } = this
    const middle = this.#next(BRACKET, index + 1)
    if (middle === index + 1 || !text.startsWith('](', middle)) return null
    const from = middle + 2
    const end = this.#isAddress(from) ? this.#findParen(from) : -1
    if (end === -1) return null
    const address = this.#slice(from, end)
    if (!isHttpUrl(address)) return null
    const inside = this.#parseNested(this.#slice(index + 1, middle), true)
    return { node: { kind: 'link', address, inside }, length: end + 1 - index }
  }

  /** Returns the index of the parenthesis that ends an address, which may have pairs of them; else -1. */
  #findParen(from: number): number {
    const { text } = this
    let isOpen = false
    for (let index = this.#next(PAREN, from); ; index = this.#next(PAREN, index + 1)) {
      if (text[index] === ')' && !isOpen) return index
      if (text[index] !== (isOpen ? ')' : '(')) return -1
      isOpen = !isOpen
    }
  }

  #readBare(index: number): Found | null {
    const { text } = this
    if (index < this.#notAddressUntil || !this.#isAddress(index)) return null
    const word = this.#next(ADDRESS_END, index)
    let end = word
    for (; end > index && TRAILING.test(text[end - 1] ?? ''); end--) this.work.steps++
    const address = this.#slice(index, end)
    if (isHttpUrl(address)) return { node: link(address), length: end - index }
    this.#notAddressUntil = word
    return null
  }

  #readWrapped(index: number): Found | null {
    const { text } = this
    for (const [mark, kind] of marks) {
      if (!text.startsWith(mark, index)) continue
      const from = index + mark.length
      const end = this.#findEnd(from, mark)
      if (end === -1) continue
      // Within a word an underscore is part of the word.
      if (mark === '_' && (isWord(text[index - 1]) || isWord(text[end + 1]))) continue
      const inside = this.#parseNested(this.#slice(from, end))
      return { node: { kind, inside }, length: end + mark.length - index }
    }
    return null
  }

  /** Returns the index of the closing mark; -1 if there is none or nothing between. */
  #findEnd(from: number, mark: string): number {
    const { text } = this
    if (mark.length === 1 && (text[from] === mark || /\s/.test(text[from] ?? ' '))) return -1
    const searched = this.#ends.get(mark)
    const isKnown =
      searched && searched.from <= from && (searched.end === -1 || from < searched.end)
    const end = isKnown ? searched.end : this.#searchEnd(from, mark)
    if (!isKnown) this.#ends.set(mark, { from, end })
    // "***x***" closes with the last mark.
    return end !== -1 && mark === '**' && text[end + 2] === '*' ? end + 1 : end
  }

  #searchEnd(from: number, mark: string): number {
    const { text } = this
    const isSingle = mark.length === 1
    for (let index = from; index < text.length; index++) {
      this.work.steps++
      if (text[index] === '\\') index++
      else if (isSingle && text[index] === mark && text[index + 1] === mark) index++
      else if (text.startsWith(mark, index) && index > from)
        if (!isSingle || !/\s/.test(text[index - 1] ?? '')) return index
    }
    return -1
  }

  #parseNested(inside: string, isInLink = this.isInLink): Inline[] {
    if (this.depth >= MAX_DEPTH) return [{ kind: 'text', text: inside }]
    return parseInline(inside, this.work, this.depth + 1, isInLink)
  }

  #isAddress(index: number): boolean {
    return SCHEME.test(this.text.slice(index, index + 'https://'.length))
  }

  #slice(from: number, end: number): string {
    this.work.steps += end - from
    return this.text.slice(from, end)
  }

  /** Returns the index of the next character of a pattern; the length of the text without one. */
  #next(pattern: RegExp, from: number): number {
    const searched = this.#found.get(pattern)
    if (searched && searched.from <= from && from <= searched.end) return searched.end
    pattern.lastIndex = from
    const end = pattern.exec(this.text)?.index ?? this.text.length
    this.work.steps += end - from + 1
    this.#found.set(pattern, { from, end })
    return end
  }
}

function link(address: string): Inline {
  return { kind: 'link', address, inside: [{ kind: 'text', text: address }] }
}

function isWord(letter: string | undefined): boolean {
  return letter !== undefined && /[\p{L}\p{N}]/u.test(letter)
}
