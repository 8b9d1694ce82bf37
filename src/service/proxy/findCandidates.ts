import { statement } from '../../db/statement'
import type { Db, MaybePromise } from '../../db/types'
import { type ContentKeys, keysOfContent } from '../../model/proxy/tags'

/**
 * Who could be meant by a content, in order of creation: the member whose tag around it is the
 * longest, and up to four whose tags would be around it but for their spaces. Never more, however
 * many share a tag, and found in steps whose number goes by the length of the content alone.
 */
export async function findCandidates(
  db: Db,
  setId: number,
  content: string,
  caseSensitive: boolean,
): Promise<number[]> {
  const keys = keysOfContent(content, caseSensitive)
  const meant = await findBare(db, setId, keys)
  const longest = await findLongest(db, caseSensitive ? asWritten : inAnyCase, setId, keys)
  if (longest !== null) meant.push(longest)
  return meant.length > 1 ? [...new Set(meant)].sort((a, b) => a - b) : meant
}

/**
 * Goes down the prefixes that are stored. The one at a text or next before it either is a
 * beginning of it, or shares one with it, and then all beginnings of it lie within that.
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
    // Where the last suffix is none at all, there is no other.
    if (last !== '') endings ??= endingsOf(keys.tail)
    const all = last === '' ? NO_ENDING : (endings ?? NO_ENDING)
    const suffix = await findSuffix(
      all.filter(
        (end) => prefix.length + end.text.length >= longest && keys.counts(prefix, end.text),
      ),
      (from) => following(db).get({ set: setId, prefix, from }),
    )
    if (suffix !== null) {
      const place = await first(db).get({ set: setId, prefix, suffix })
      const length = prefix.length + suffix.length
      if (place && (!best || length > longest || isEarlier(place, best))) best = place
      longest = length
    }
    text = prefix === '' ? null : cut(prefix, prefix.length - 1)
  }
  return best?.member_id ?? null
}

/** The longest of them that is stored, going up the endings and what is stored side by side. */
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

/** Of tags that lost their spaces, the widest of each kind. */
async function findBare(
  db: Db,
  setId: number,
  { bare, noBrackets }: ContentKeys,
): Promise<number[]> {
  const meant: number[] = []
  if (bare === null) return meant
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const widest = await widestBare(db).get({ set: setId, bare, below })
    if (!widest) return meant
    const { brackets, gap } = widest
    const place =
      (brackets & noBrackets) === 0 &&
      (await firstBare(db).get({ set: setId, bare, brackets, gap }))
    if (place) meant.push(place.member_id)
    below = brackets
  }
}

/** Of equal tags the earlier member's counts, then the earlier one. */
interface TagPosition {
  member_id: number
  position: number
}

function isEarlier(a: TagPosition, b: TagPosition): boolean {
  return a.member_id === b.member_id ? a.position < b.position : a.member_id < b.member_id
}

/** The beginning of a text that another has too. */
function sharedBy(text: string, other: string): string {
  let length = 0
  while (length < text.length && text[length] === other[length]) length++
  return cut(text, length)
}

/** At most so much of a text, without half a letter at its end. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

interface Ending {
  text: string
  rank: string
}

const NO_ENDING: readonly Ending[] = [{ text: '', rank: '' }]

/** In the order in which they would be stored. */
function endingsOf(tail: string): Ending[] {
  const endings: Ending[] = []
  for (let at = 0; at <= tail.length; at++) {
    const text = tail.slice(at)
    if (!/^[\udc00-\udfff]/.test(text)) endings.push({ text, rank: rankOf(text) })
  }
  return endings.sort((a, b) => (a.rank < b.rank ? -1 : 1))
}

/**
 * Engines sort by letters, JavaScript by units, of which the rarest letters have two: those are
 * put behind all others.
 */
function rankOf(text: string): string {
  return text.replace(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0)
    return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800)
  })
}

type Affixes = ReturnType<typeof createAffixes>

const asWritten = createAffixes('prefix', 'suffix')
const inAnyCase = createAffixes('prefix_key', 'suffix_key')

/** Each is one step in an index. */
function createAffixes(prefix: 'prefix' | 'prefix_key', suffix: 'suffix' | 'suffix_key') {
  return {
    /** The last prefix that is not behind the text, with the last of its suffixes. */
    nearest: statement<'set' | 'text', { prefix: string; suffix: string }>(
      `select ${prefix} as prefix, ${suffix} as suffix from proxy_tag_keys
       where set_id = :set and ${prefix} <= :text
       order by ${prefix} desc, ${suffix} desc limit 1`,
    ),
    following: statement<'set' | 'prefix' | 'from', { suffix: string }>(
      `select ${suffix} as suffix from proxy_tag_keys
       where set_id = :set and ${prefix} = :prefix and ${suffix} >= :from
       order by ${suffix} limit 1`,
    ),
    first: statement<'set' | 'prefix' | 'suffix', TagPosition>(
      `select member_id, position from proxy_tag_keys
       where set_id = :set and ${prefix} = :prefix and ${suffix} = :suffix
       order by member_id, position limit 1`,
    ),
  }
}

const widestBare = statement<'set' | 'bare' | 'below', { brackets: number; gap: number }>(
  `select brackets, gap from proxy_tag_keys
   where set_id = :set and bare_key = :bare and brackets < :below
   order by brackets desc, gap desc limit 1`,
)

const firstBare = statement<'set' | 'bare' | 'brackets' | 'gap', TagPosition>(
  `select member_id, position from proxy_tag_keys
   where set_id = :set and bare_key = :bare and brackets = :brackets and gap = :gap
   order by member_id, position limit 1`,
)
