import { MAX_TAG_AFFIXES, type ProxyTag } from '../check'

export interface TagMatch<M> {
  member: M
  tag: ProxyTag
  /** What is between the tags, not trimmed; a leading mention stands before it. */
  content: string
}

/**
 * The longest tag around the content wins; among equals the earlier member, then the earlier tag.
 * A match may be blank: whether that counts is for the caller to say.
 */
export function matchTags<M extends { proxy_tags: readonly ProxyTag[] }>(
  members: readonly M[],
  content: string | null,
  caseSensitive: boolean,
): TagMatch<M> | null {
  if (content === null) return null
  const { mention, body } = splitMention(content)
  const text = examineBody(body, caseSensitive)
  let best: TagMatch<M> | null = null
  let longest = 0
  for (const member of members)
    for (const tag of member.proxy_tags) {
      // A tag without any part has length 0 and never gets past this either.
      const length = (tag.prefix ?? '').length + (tag.suffix ?? '').length
      if (length <= longest) continue
      const inner = innerText(text, tag)
      if (inner === null) continue
      best = {
        member,
        tag,
        content: mention === '' ? inner : `${mention} ${inner}`,
      }
      longest = length
    }
  return best
}

/** What a stored tag is looked up by. */
export type TagKeys = {
  prefix: string
  suffix: string
  /** The same, for systems whose tags match in any case. */
  prefix_key: string
  suffix_key: string
  /** What is left of a tag with nothing inside, once the spaces around the gap are gone. */
  bare_key: string
  /** How many spaces that were: of tags with the same bare key, the widest is the longest. */
  gap: number
  /** Which of its halves are an angle bracket and nothing else. */
  brackets: number
}

export function keysOfTag(tag: ProxyTag): TagKeys {
  const prefix = tag.prefix ?? ''
  const suffix = tag.suffix ?? ''
  const bare_key = bareOf(tag)
  return {
    prefix,
    suffix,
    prefix_key: fold(prefix),
    suffix_key: fold(suffix),
    bare_key,
    gap: prefix.length + suffix.length - bare_key.length,
    brackets: (prefix === '<' ? OPENS : 0) | (suffix === '>' ? CLOSES : 0),
  }
}

const OPENS = 1
const CLOSES = 2

/** Where the tags around a content are found, if there are any. */
export interface ContentKeys {
  /** How long a prefix, a suffix, or both together can be. */
  most: number
  /** What a prefix of each length would be, the shortest first; null where no tag can be like that. */
  prefixes: (string | null)[]
  /** The same of suffixes, the longest first. */
  suffixes: (string | null)[]
  /** Lengths, told by `pairOf`, that would leave nothing but the second half of an emoji. */
  spoiled: number[]
  bare: string | null
  /** What may be said of the brackets of a tag that is found by its bare key. */
  brackets: number[]
}

/** Numbers the lengths of a prefix and a suffix. */
const pairOf = (prefix: number, suffix: number) => prefix * PAIRS + suffix
export const PAIRS = MAX_TAG_AFFIXES + 1

/**
 * A stored tag matches this content exactly if its prefix and suffix are among these, and their
 * lengths fit and are not spoiled; or if its bare key and its brackets are these. So of tags
 * that share their keys any one speaks for all, and `matchTags` has to see no more than the first.
 */
export function keysOfContent(content: string, caseSensitive: boolean): ContentKeys {
  const { body } = splitMention(content)
  const { compare, trimmed, opensWithToken, closesWithToken } = examineBody(body, caseSensitive)
  const head = compare(body.slice(0, MAX_TAG_AFFIXES))
  const tail = compare(body.slice(-MAX_TAG_AFFIXES))
  const most = head.length
  const prefixes: (string | null)[] = []
  const suffixes: (string | null)[] = []
  for (let at = 0; at <= most; at++) {
    prefixes.push(storable(head.slice(0, at)))
    suffixes.push(storable(tail.slice(at)))
  }
  // A mention or an emoji at the edge is not somebody's angle bracket.
  if (opensWithToken) prefixes[1] = null
  if (closesWithToken) suffixes[most - 1] = null
  const kept = (opensWithToken ? OPENS : 0) | (closesWithToken ? CLOSES : 0)
  return {
    most,
    prefixes,
    suffixes,
    spoiled: spoiledPairs(body),
    bare: trimmed.length <= MAX_TAG_AFFIXES ? storable(trimmed) : null,
    brackets: [0, OPENS, CLOSES, OPENS | CLOSES].filter((brackets) => (brackets & kept) === 0),
  }
}

/** Every prefix and suffix between which a variation selector is all that can be seen. */
function spoiledPairs(body: string): number[] {
  if (!body.includes(VARIATION_SELECTOR)) return []
  const pairs: number[] = []
  let [seen, next] = [-1, -1]
  for (let prefix = 0; prefix <= MAX_TAG_AFFIXES; prefix++) {
    if (seen < prefix) {
      seen = visibleFrom(body, prefix)
      next = visibleFrom(body, seen + 1)
    }
    if (body[seen] !== VARIATION_SELECTOR) continue
    const longest = Math.min(body.length - seen - 1, MAX_TAG_AFFIXES - prefix)
    for (let suffix = body.length - next; suffix <= longest; suffix++)
      pairs.push(pairOf(prefix, suffix))
  }
  return pairs
}

/** Where the first letter from here on is that `trim` would leave. */
function visibleFrom(text: string, from: number): number {
  const visible = /\S/g
  visible.lastIndex = from
  return visible.exec(text)?.index ?? text.length
}

interface Body {
  text: string
  /** The text as it is compared, position by position the same. */
  compared: string
  compare: (part: string) => string
  trimmed: string
  opensWithToken: boolean
  closesWithToken: boolean
}

function examineBody(text: string, caseSensitive: boolean): Body {
  const compare = caseSensitive ? (part: string) => part : fold
  return {
    text,
    compared: compare(text),
    compare,
    trimmed: text.trim(),
    opensWithToken: OPENING_TOKEN.test(text),
    closesWithToken: CLOSING_TOKEN.test(text),
  }
}

function innerText(body: Body, tag: ProxyTag): string | null {
  const prefix = tag.prefix ?? ''
  const suffix = tag.suffix ?? ''
  // A mention or an emoji at the edge is not somebody's angle bracket.
  if (prefix === '<' && body.opensWithToken) return null
  if (suffix === '>' && body.closesWithToken) return null
  if (isAround(body, prefix, suffix)) {
    const inner = body.text.slice(prefix.length, body.text.length - suffix.length)
    // The tag is the first half of another emoji, whose second half would be all there is to say.
    return inner.trim() === VARIATION_SELECTOR ? null : inner
  }
  // Chat platforms trim messages, so "{ " and " }" around a lone picture arrive as "{}".
  if (body.trimmed.length > prefix.length + suffix.length) return null
  return body.trimmed === bareOf(tag) ? '' : null
}

function isAround({ text, compared, compare }: Body, prefix: string, suffix: string): boolean {
  return (
    text.length >= prefix.length + suffix.length &&
    compared.startsWith(compare(prefix)) &&
    compared.endsWith(compare(suffix))
  )
}

function bareOf(tag: ProxyTag): string {
  return (tag.prefix ?? '').trimEnd() + (tag.suffix ?? '').trimStart()
}

function splitMention(content: string): { mention: string; body: string } {
  const mention = LEADING_MENTION.exec(content)?.[0] ?? ''
  return { mention, body: content.slice(mention.length) }
}

/**
 * Lower case in which every unit keeps its place. Two letters would not: İ becomes two units,
 * and how Σ is written depends on its neighbours, which a slice does not have.
 */
function fold(text: string): string {
  return text.replace(/[İΣς]/g, (letter) => (letter === 'İ' ? 'i' : 'σ')).toLowerCase()
}

/** Tags are stored well-formed and without zeros, so a slice that cuts a surrogate pair finds none. */
function storable(key: string): string | null {
  return key.isWellFormed() && !key.includes('\0') ? key : null
}

const LEADING_MENTION = /^<@!?\d{17,19}> /
const OPENING_TOKEN = /^<(?:@[!&]?|#|a?:\w+:)\d+>/
const CLOSING_TOKEN = /<(?:@[!&]?|#|a?:\w+:)\d+>$/
const VARIATION_SELECTOR = '\uFE0F'
