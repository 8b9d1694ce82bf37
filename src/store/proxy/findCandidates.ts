import { and, asc, type Column, desc, eq, gte, lt, lte, type SQL, sql } from 'drizzle-orm'
import { alias, type Placeholders, query } from '../../db/query'
import { proxyTagIndex as tags } from '../../db/tables'
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
  let best: number | null = null
  let longest = 0
  let endings: readonly string[] | undefined
  for (let text: string | null = keys.head; text !== null; ) {
    const near = await nearest(db).get({ set: setId, text })
    if (!near) break
    const { prefix, suffix: last } = near
    if (!text.startsWith(prefix)) {
      text = sharedBy(text, prefix)
      continue
    }
    const mayWin = (suffix: string) =>
      prefix.length + suffix.length >= longest && keys.accepts(prefix, suffix)
    const seek = (from: string) => following(db).get({ set: setId, prefix, from })
    let storedSuffix: StoredSuffix | null = null
    // If the last suffix is empty, there is no other.
    if (last === '') {
      const tag = mayWin('') ? await first(db).get({ set: setId, prefix }) : null
      // Without suffixes, no shorter prefix belongs to a longer tag.
      if (tag?.has_suffixes === 0) return tag.member_id
      storedSuffix = tag
    } else {
      endings ??= endingsOf(keys.tail)
      storedSuffix = await findSuffix(endings.filter(mayWin), seek)
    }
    if (storedSuffix) {
      const length = prefix.length + storedSuffix.suffix.length
      if (best === null || length > longest || storedSuffix.member_id < best)
        best = storedSuffix.member_id
      longest = length
    }
    text = prefix === '' ? null : cut(prefix, prefix.length - 1)
  }
  return best
}

/** Finds the longest stored suffix among sorted endings, as in a merge of two sorted lists. */
async function findSuffix(
  endings: readonly string[],
  seek: (from: string) => MaybePromise<StoredSuffix | null>,
): Promise<StoredSuffix | null> {
  let longest: StoredSuffix | null = null
  let index = 0
  for (let ending = endings[index]; ending !== undefined; ending = endings[index]) {
    const stored = await seek(textOf(ending))
    if (!stored) break
    const rank = rankOf(stored.suffix)
    while ((endings[index] ?? rank) < rank) index++
    if (endings[index] !== rank) continue
    if (stored.suffix.length >= (longest?.suffix.length ?? 0)) longest = stored
    index++
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
    const longest = await longestTrimmed(db).get({ set: setId, trimmed, below })
    if (!longest) return members
    if ((longest.bracket_flags & excludedBrackets) === 0) members.push(longest.member_id)
    below = longest.bracket_flags
  }
}

/** Returns the common prefix of two texts. */
function sharedBy(text: string, other: string): string {
  let length = 0
  while (length < text.length && text[length] === other[length]) length++
  return cut(text, length)
}

/** Truncates a text without leaving half of a surrogate pair. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

/** Returns the ranks of all endings of a text in the sort order of the database. */
function endingsOf(tail: string): string[] {
  const rank = rankOf(tail)
  const endings: string[] = []
  // An ending does not begin with the second half of a surrogate pair.
  for (let at = 0; at <= tail.length; at++)
    if (!isLowSurrogate(tail.charCodeAt(at))) endings.push(rank.slice(at))
  return endings.sort()
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/**
 * Maps each unit of a text so that JavaScript sorts texts like the database: databases compare code
 * points, JavaScript compares UTF-16 units, in which surrogates sort before U+E000.
 */
function rankOf(text: string): string {
  return text.replace(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0)
    return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800)
  })
}

/** Returns the text that has a rank. */
function textOf(rank: string): string {
  return rank.replace(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0)
    return String.fromCharCode(code < 0xf800 ? code + 0x800 : code - 0x2000)
  })
}

type Affixes = ReturnType<typeof createAffixes>

interface StoredSuffix {
  suffix: string
  /** First member that has the tag. */
  member_id: number
}

const sameCase = createAffixes(tags.prefix, tags.suffix)
const anyCase = createAffixes(tags.prefix_key, tags.suffix_key)

/** Creates statements that are one index lookup each. */
function createAffixes(prefix: Column, suffix: Column) {
  const selected = {
    prefix: sql<string>`${prefix}`.as('prefix'),
    suffix: sql<string>`${suffix}`.as('suffix'),
  }
  return {
    /** Last prefix that sorts at or before the text, with the last of its suffixes. */
    nearest: query((db, { set, text }: Placeholders<'set' | 'text'>) =>
      db
        .select(selected)
        .from(tags)
        .where(and(eq(tags.index_id, set), lte(prefix, text)))
        .orderBy(desc(prefix), desc(suffix))
        .limit(1),
    ),
    /** First suffix that sorts at or after the text. */
    following: query((db, values: Placeholders<'set' | 'prefix' | 'from'>) =>
      db
        .select({ suffix: selected.suffix, member_id: tags.member_id })
        .from(tags)
        .where(
          and(eq(tags.index_id, values.set), eq(prefix, values.prefix), gte(suffix, values.from)),
        )
        .orderBy(asc(suffix), tags.member_id)
        .limit(1),
    ),
    /** First member that has the prefix without a suffix, and 1 if any tag of the set has a suffix. */
    first: query((db, { set, prefix: text }: Placeholders<'set' | 'prefix'>) =>
      db
        .select({
          suffix: selected.suffix,
          member_id: tags.member_id,
          has_suffixes: hasSuffixes(set),
        })
        .from(tags)
        .where(and(eq(tags.index_id, set), eq(prefix, text), eq(suffix, sql`''`)))
        .orderBy(tags.member_id)
        .limit(1),
    ),
  }
}

function hasSuffixes(set: SQL): SQL.Aliased<number> {
  const tag = alias(tags, 'tag')
  const isWithSuffix = and(eq(tag.index_id, set), sql`${tag.suffix} <> ''`)
  return sql<number>`case when exists (select 1 from ${tags} ${tag} where ${isWithSuffix}) then 1 else 0 end`.as(
    'has_suffixes',
  )
}

const longestTrimmed = query(
  (db, { set, trimmed, below }: Placeholders<'set' | 'trimmed' | 'below'>) => {
    const first = alias(tags, 'first')
    const member = db
      .select({ member_id: first.member_id })
      .from(first)
      .where(
        and(
          eq(first.index_id, set),
          eq(first.trimmed_key, trimmed),
          eq(first.bracket_flags, tags.bracket_flags),
          eq(first.trimmed_spaces, tags.trimmed_spaces),
        ),
      )
      .orderBy(first.member_id)
      .limit(1)
    return db
      .select({
        bracket_flags: tags.bracket_flags,
        member_id: sql<number>`${member}`.as('member_id'),
      })
      .from(tags)
      .where(
        and(eq(tags.index_id, set), eq(tags.trimmed_key, trimmed), lt(tags.bracket_flags, below)),
      )
      .orderBy(desc(tags.bracket_flags), desc(tags.trimmed_spaces))
      .limit(1)
  },
)
