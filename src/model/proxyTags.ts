import { MAX_TAG_AFFIXES, type ProxyTag } from './check'

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
  const text = readBody(body, caseSensitive)
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
export interface TagKeys {
  prefix_key: string
  suffix_key: string
  /** What is left of a tag with nothing inside, once the spaces around the gap are gone. */
  bare_key: string
}

export function keysOfTag(tag: ProxyTag): TagKeys {
  return {
    prefix_key: fold(tag.prefix ?? ''),
    suffix_key: fold(tag.suffix ?? ''),
    bare_key: bareOf(tag),
  }
}

export interface ContentKeys {
  /** Shortest first; the empty ones, which every content has, are left out. */
  prefixes: string[]
  suffixes: string[]
  bare: string | null
}

/**
 * Where a stored tag that matches this content is found, in either case mode: its prefix_key is
 * empty or among the prefixes, and its suffix_key empty or among the suffixes; or its bare_key is
 * the bare. The converse does not hold: what is found still goes through `matchTags`.
 */
export function keysOfContent(content: string): ContentKeys {
  const { body } = splitMention(content)
  const head = fold(body.slice(0, MAX_TAG_AFFIXES))
  const tail = fold(body.slice(-MAX_TAG_AFFIXES))
  const bare = body.trim()
  const prefixes: string[] = []
  const suffixes: string[] = []
  for (let length = 1; length <= head.length; length++) {
    prefixes.push(head.slice(0, length))
    suffixes.push(tail.slice(tail.length - length))
  }
  return {
    prefixes: prefixes.filter(isStorable),
    suffixes: suffixes.filter(isStorable),
    bare: bare.length <= MAX_TAG_AFFIXES && isStorable(bare) ? bare : null,
  }
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

function readBody(text: string, caseSensitive: boolean): Body {
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
function isStorable(key: string): boolean {
  return key.isWellFormed() && !key.includes('\0')
}

const LEADING_MENTION = /^<@!?\d{17,19}> /
const OPENING_TOKEN = /^<(?:@[!&]?|#|a?:\w+:)\d+>/
const CLOSING_TOKEN = /<(?:@[!&]?|#|a?:\w+:)\d+>$/
const VARIATION_SELECTOR = '\uFE0F'
