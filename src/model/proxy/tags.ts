import { MAX_TAG_AFFIXES, type ProxyTag } from '../validation'

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
  /** What a prefix would be a beginning of, as far as tags can be like that. */
  head: string
  /** What a suffix would be an ending of. */
  tail: string
  bare: string | null
  /** Which brackets a tag that is found by its bare key must not be. */
  noBrackets: number
  /** Whether a tag counts whose prefix is a beginning of the head and whose suffix ends the tail. */
  counts(prefix: string, suffix: string): boolean
}

/**
 * A stored tag matches this content exactly if its prefix and its suffix are at these edges and
 * count together; or if its bare key is this one and its brackets are allowed. So of tags that
 * share their keys any one speaks for all, and `matchTags` has to see no more than the first.
 */
export function keysOfContent(content: string, caseSensitive: boolean): ContentKeys {
  const { body } = splitMention(content)
  const { compare, trimmed, opensWithToken, closesWithToken } = examineBody(body, caseSensitive)
  const most = Math.min(body.length, MAX_TAG_AFFIXES)
  const mayBeSpoiled = body.includes(VARIATION_SELECTOR)
  return {
    head: compare(body.slice(0, MAX_TAG_AFFIXES)).replace(FROM_UNSTORABLE, ''),
    tail: compare(body.slice(-MAX_TAG_AFFIXES)).replace(TO_UNSTORABLE, ''),
    bare: trimmed.length <= MAX_TAG_AFFIXES && isStorable(trimmed) ? trimmed : null,
    noBrackets: (opensWithToken ? OPENS : 0) | (closesWithToken ? CLOSES : 0),
    counts(prefix, suffix) {
      if (prefix.length + suffix.length > most) return false
      // A mention or an emoji at the edge is not somebody's angle bracket.
      if ((prefix === '<' && opensWithToken) || (suffix === '>' && closesWithToken)) return false
      return !mayBeSpoiled || !isSpoiled(body.slice(prefix.length, body.length - suffix.length))
    },
  }
}

/** Whether the tag is the first half of another emoji, whose second half is all there is to say. */
function isSpoiled(inner: string): boolean {
  return inner.trim() === VARIATION_SELECTOR
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
    return isSpoiled(inner) ? null : inner
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

/** Tags are stored well-formed and without zeros, so a text that is not so is nobody's. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

const FROM_UNSTORABLE = /[\0\p{Cs}].*$/su
const TO_UNSTORABLE = /^.*[\0\p{Cs}]/su
const LEADING_MENTION = /^<@!?\d{17,19}> /
const OPENING_TOKEN = /^<(?:@[!&]?|#|a?:\w+:)\d+>/
const CLOSING_TOKEN = /<(?:@[!&]?|#|a?:\w+:)\d+>$/
const VARIATION_SELECTOR = '\uFE0F'
