import { statement } from '../../db/statement'
import type { Db, MaybePromise } from '../../db/types'
import { type ContentKeys, keysOfContent } from '../../model/proxy/tags'

/**
 * Finds the members that a content may be proxied as, in order of creation: the one with the longest
 * matching tag, and up to four whose tags match without their spaces. The number of index lookups
 * depends only on the length of the content, not on the number of tags.
 */
export async function findCandidates(
  db: Db,
  setId: number,
  content: string,
  caseSensitive: boolean,
): Promise<number[]> {
  const keys = keysOfContent(content, caseSensitive)
  const members = await findTrimmed(db, setId, keys)
  const longest = await findLongest(db, caseSensitive ? sameCase : anyCase, setId, keys)
  if (longest !== null) members.push(longest)
  return members.length > 1 ? [...new Set(members)].sort((a, b) => a - b) : members
}

/**
 * Finds the member with the longest matching tag. The last stored prefix that sorts at or before a
 * text either is a prefix of it, or all stored prefixes of the text are within their shared part.
 */
async function findLongest(
  db: Db,
  { nearest, following, first }: Affixes,
  setId: number,
  keys: ContentKeys,
): Promise<number | null> {
  let best: TagPosition | null = null
  let longest = 0
  let endings: Ending[] | undefined
  for (let text: string | null = keys.head; text !== null; ) {
    const near = await nearest(db).get({ set: setId, text })
    if (!near) break
    const { prefix, suffix: last } = near
    if (!text.startsWith(prefix)) {
      text = sharedBy(text, prefix)
      continue
    }
    // If the last suffix is empty, there is no other.
    if (last !== '') endings ??= endingsOf(keys.tail)
    const all = last === '' ? NO_ENDING : (endings ?? NO_ENDING)
    const suffix = await findSuffix(
      all.filter(
        (end) => prefix.length + end.text.length >= longest && keys.accepts(prefix, end.text),
      ),
      (from) => following(db).get({ set: setId, prefix, from }),
    )
    if (suffix !== null) {
      const found = await first(db).get({ set: setId, prefix, suffix })
      const length = prefix.length + suffix.length
      if (found && (!best || length > longest || isEarlier(found, best))) best = found
      longest = length
    }
    text = prefix === '' ? null : cut(prefix, prefix.length - 1)
  }
  return best?.member_id ?? null
}

/** Finds the longest stored suffix among sorted endings, as in a merge of two sorted lists. */
async function findSuffix(
  endings: readonly Ending[],
  seek: (from: string) => MaybePromise<{ suffix: string } | null>,
): Promise<string | null> {
  let longest: string | null = null
  let at = 0
  for (let ending = endings[at]; ending; ending = endings[at]) {
    const found = await seek(ending.text)
    if (!found) break
    const rank = rankOf(found.suffix)
    while ((endings[at]?.rank ?? rank) < rank) at++
    if (endings[at]?.rank !== rank) continue
    if (found.suffix.length >= (longest ?? '').length) longest = found.suffix
    at++
  }
  return longest
}

/** Finds tags that match without their inner spaces: for each kind of brackets the longest one. */
async function findTrimmed(
  db: Db,
  setId: number,
  { trimmed, excludedBrackets }: ContentKeys,
): Promise<number[]> {
  const members: number[] = []
  if (trimmed === null) return members
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const longest = await longestTrimmed(db).get({ set: setId, bare: trimmed, below })
    if (!longest) return members
    const { bracket_flags, trimmed_spaces } = longest
    const found =
      (bracket_flags & excludedBrackets) === 0 &&
      (await firstTrimmed(db).get({ set: setId, bare: trimmed, bracket_flags, trimmed_spaces }))
    if (found) members.push(found.member_id)
    below = bracket_flags
  }
}

/** Position of a tag. Of equal tags the one of the earlier member wins, then the earlier tag. */
interface TagPosition {
  member_id: number
  position: number
}

function isEarlier(a: TagPosition, b: TagPosition): boolean {
  return a.member_id === b.member_id ? a.position < b.position : a.member_id < b.member_id
}

/** Returns the common prefix of two texts. */
function sharedBy(text: string, other: string): string {
  let length = 0
  while (length < text.length && text[length] === other[length]) length++
  return cut(text, length)
}

/** Truncates a text without leaving half of a surrogate pair. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

interface Ending {
  text: string
  rank: string
}

const NO_ENDING: readonly Ending[] = [{ text: '', rank: '' }]

/** Returns all endings of a text in the sort order of the database. */
function endingsOf(tail: string): Ending[] {
  const endings: Ending[] = []
  for (let at = 0; at <= tail.length; at++) {
    const text = tail.slice(at)
    if (!/^[\udc00-\udfff]/.test(text)) endings.push({ text, rank: rankOf(text) })
  }
  return endings.sort((a, b) => (a.rank < b.rank ? -1 : 1))
}

/**
 * Maps a text so that JavaScript sorts it like the database: databases compare code points,
 * JavaScript compares UTF-16 units, in which surrogates sort before U+E000.
 */
function rankOf(text: string): string {
  return text.replace(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0)
    return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800)
  })
}

type Affixes = ReturnType<typeof createAffixes>

const sameCase = createAffixes('prefix', 'suffix')
const anyCase = createAffixes('prefix_key', 'suffix_key')

/** Creates statements that are one index lookup each. */
function createAffixes(prefix: 'prefix' | 'prefix_key', suffix: 'suffix' | 'suffix_key') {
  return {
    /** Last prefix that sorts at or before the text, with the last of its suffixes. */
    nearest: statement<'set' | 'text', { prefix: string; suffix: string }>(
      `select ${prefix} as prefix, ${suffix} as suffix from proxy_tag_index
       where index_id = :set and ${prefix} <= :text
       order by ${prefix} desc, ${suffix} desc limit 1`,
    ),
    following: statement<'set' | 'prefix' | 'from', { suffix: string }>(
      `select ${suffix} as suffix from proxy_tag_index
       where index_id = :set and ${prefix} = :prefix and ${suffix} >= :from
       order by ${suffix} limit 1`,
    ),
    first: statement<'set' | 'prefix' | 'suffix', TagPosition>(
      `select member_id, position from proxy_tag_index
       where index_id = :set and ${prefix} = :prefix and ${suffix} = :suffix
       order by member_id, position limit 1`,
    ),
  }
}

const longestTrimmed = statement<
  'set' | 'bare' | 'below',
  { bracket_flags: number; trimmed_spaces: number }
>(
  `select bracket_flags, trimmed_spaces from proxy_tag_index
   where index_id = :set and trimmed_key = :bare and bracket_flags < :below
   order by bracket_flags desc, trimmed_spaces desc limit 1`,
)

const firstTrimmed = statement<'set' | 'bare' | 'bracket_flags' | 'trimmed_spaces', TagPosition>(
  `select member_id, position from proxy_tag_index
   where index_id = :set and trimmed_key = :bare and bracket_flags = :bracket_flags and trimmed_spaces = :trimmed_spaces
   order by member_id, position limit 1`,
)
