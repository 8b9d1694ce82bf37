import { MAX_TAG_AFFIXES, type ProxyTag } from '../core/validation'

export interface TagMatch<M> {
  member: M
  tag: ProxyTag
  /** Text between the tags, not trimmed, after a leading mention. */
  content: string
}

/**
 * Returns the longest matching tag; among equals the earlier member, then the earlier tag. The
 * inner text may be blank; the caller decides whether that counts.
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
      // This also skips empty tags, whose length is 0.
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

/** Lookup keys of a stored tag. */
export type TagKeys = {
  prefix: string
  suffix: string
  /** Prefix and suffix for case-insensitive systems. */
  prefix_key: string
  suffix_key: string
  /** Prefix and suffix without the spaces between them, as in a message without inner text. */
  trimmed_key: string
  /**
   * Number of these spaces: among tags with the same trimmed key, the one with most spaces is the longest.
   */
  trimmed_spaces: number
  /** Bit set of the affixes that are a single angle bracket. */
  bracket_flags: number
}

export function keysOfTag(tag: ProxyTag): TagKeys {
  const prefix = tag.prefix ?? ''
  const suffix = tag.suffix ?? ''
  const trimmed_key = bareOf(tag)
  return {
    prefix,
    suffix,
    prefix_key: fold(prefix),
    suffix_key: fold(suffix),
    trimmed_key,
    trimmed_spaces: prefix.length + suffix.length - trimmed_key.length,
    bracket_flags: (prefix === '<' ? OPENS : 0) | (suffix === '>' ? CLOSES : 0),
  }
}

const OPENS = 1
const CLOSES = 2

/** Lookup keys of a message, which find the tags that match it. */
export interface ContentKeys {
  /** Start of the content, in which prefixes are looked up; no longer than a tag can be. */
  head: string
  /** End of the content, in which suffixes are looked up. */
  tail: string
  trimmed: string | null
  /** Bit set of brackets that a tag found by its trimmed key must not have. */
  excludedBrackets: number
  /** Checks a tag whose prefix starts the head and whose suffix ends the tail. */
  accepts(prefix: string, suffix: string): boolean
}

/**
 * Returns the lookup keys of a message. A stored tag matches if and only if its prefix and suffix
 * are at these edges and pass `accepts`, or its trimmed key is equal and its brackets are allowed. Tags
 * with equal keys therefore match alike, and `matchTags` needs only the first of them.
 */
export function keysOfContent(content: string, caseSensitive: boolean): ContentKeys {
  const { body } = splitMention(content)
  const { compare, trimmed, opensWithToken, closesWithToken } = examineBody(body, caseSensitive)
  const maxLength = Math.min(body.length, MAX_TAG_AFFIXES)
  const hasSelector = body.includes(VARIATION_SELECTOR)
  return {
    head: compare(body.slice(0, MAX_TAG_AFFIXES)).replace(FROM_UNSTORABLE, ''),
    tail: compare(body.slice(-MAX_TAG_AFFIXES)).replace(TO_UNSTORABLE, ''),
    trimmed: trimmed.length <= MAX_TAG_AFFIXES && isStorable(trimmed) ? trimmed : null,
    excludedBrackets: (opensWithToken ? OPENS : 0) | (closesWithToken ? CLOSES : 0),
    accepts(prefix, suffix) {
      if (prefix.length + suffix.length > maxLength) return false
      // The bracket of a mention or an emoji at the edge is not a proxy tag.
      if ((prefix === '<' && opensWithToken) || (suffix === '>' && closesWithToken)) return false
      return !hasSelector || !isSplitEmoji(body.slice(prefix.length, body.length - suffix.length))
    },
  }
}

/** Detects a tag that is only the first half of an emoji, followed by its variation selector. */
function isSplitEmoji(inner: string): boolean {
  return inner.trim() === VARIATION_SELECTOR
}

interface Body {
  text: string
  /** Folds the case of a part; positions are unchanged. */
  compare: (part: string) => string
  trimmed: string
  opensWithToken: boolean
  closesWithToken: boolean
}

function examineBody(text: string, caseSensitive: boolean): Body {
  return {
    text,
    compare: caseSensitive ? (part: string) => part : fold,
    trimmed: text.trim(),
    opensWithToken: OPENING_TOKEN.test(text),
    closesWithToken: CLOSING_TOKEN.test(text),
  }
}

function innerText(body: Body, tag: ProxyTag): string | null {
  const prefix = tag.prefix ?? ''
  const suffix = tag.suffix ?? ''
  // The bracket of a mention or an emoji at the edge is not a proxy tag.
  if (prefix === '<' && body.opensWithToken) return null
  if (suffix === '>' && body.closesWithToken) return null
  if (isAround(body, prefix, suffix)) {
    const inner = body.text.slice(prefix.length, body.text.length - suffix.length)
    return isSplitEmoji(inner) ? null : inner
  }
  // Chat platforms trim messages, so "{ " and " }" around a lone picture arrive as "{}".
  if (body.trimmed.length > prefix.length + suffix.length) return null
  return body.trimmed === bareOf(tag) ? '' : null
}

function isAround({ text, compare }: Body, prefix: string, suffix: string): boolean {
  return (
    text.length >= prefix.length + suffix.length &&
    compare(text.slice(0, prefix.length)) === compare(prefix) &&
    compare(text.slice(text.length - suffix.length)) === compare(suffix)
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
 * Converts to lower case without changing positions. İ would become two units, and the lower case
 * of Σ depends on its neighbours, which a slice does not have.
 */
function fold(text: string): string {
  return text.replace(/[İΣς]/g, (letter) => (letter === 'İ' ? 'i' : 'σ')).toLowerCase()
}

/** Stored tags are well-formed and have no NUL, so other text cannot match any. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

const FROM_UNSTORABLE = /[\0\p{Cs}].*$/su
const TO_UNSTORABLE = /^.*[\0\p{Cs}]/su
const LEADING_MENTION = /^<@!?\d{17,19}> /
const OPENING_TOKEN = /^<(?:@[!&]?|#|a?:\w+:)\d+>/
const CLOSING_TOKEN = /<(?:@[!&]?|#|a?:\w+:)\d+>$/
const VARIATION_SELECTOR = '\uFE0F'
