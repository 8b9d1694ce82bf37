import type { ProxyTag } from '../../model/core/validation'

interface Searchable {
  readonly id: string
  readonly name: string
  readonly display_name: string | null
  readonly pronouns?: string | null
  readonly description?: string | null
  readonly birthday?: string | null
  readonly color?: string | null
  readonly proxy_tags?: readonly ProxyTag[]
  readonly ext?: { readonly about: string | null } | undefined
}

/** Removes accents and case. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

interface Folded {
  names: string
  all: string
  /** IDs and colours, matched from the start only: a single letter in an ID means nothing. */
  codes: string[]
}

/** Minimum length of a search word that is compared with codes. */
const MIN_CODE_LENGTH = 4

/** Cache: folding is the slow part, so it is done once per member and not per keystroke. */
const cache = new WeakMap<Searchable, Folded>()

function foldOf(member: Searchable): Folded {
  const cached = cache.get(member)
  if (cached) return cached
  const names = fold(`${member.display_name ?? ''} ${member.name}`)
  const tags = (member.proxy_tags ?? []).map(
    ({ prefix, suffix }) => `${prefix ?? ''} ${suffix ?? ''}`,
  )
  const others = [
    member.pronouns,
    member.birthday,
    member.ext?.about ?? member.description,
    ...tags,
  ]
  const all = `${names} ${fold(others.join(' '))}`
  const entry = { names, all, codes: [member.id, member.color ?? ''] }
  cache.set(member, entry)
  return entry
}

const BATCH_SIZE = 50

/**
 * Fills the cache in small batches while the page is idle, so that the first keystroke is not slow.
 */
export function prepareSearch(members: readonly Searchable[]): () => void {
  let start = 0
  const foldBatch = () => {
    for (const member of members.slice(start, start + BATCH_SIZE)) foldOf(member)
    start += BATCH_SIZE
    if (start < members.length) timer = setTimeout(foldBatch, 20)
  }
  let timer = setTimeout(foldBatch, 300)
  return () => clearTimeout(timer)
}

/**
 * Returns members whose fields contain every word. Names that begin with the phrase come first,
 * then other names.
 */
export function searchMembers<T extends Searchable>(members: readonly T[], typed: string): T[] {
  const phrase = fold(typed)
  if (phrase === '') return [...members]
  const parts = phrase.split(/\s+/)
  const rank = ({ names }: Folded) =>
    ` ${names}`.includes(` ${phrase}`) ? 0 : names.includes(phrase) ? 1 : 2
  const isFound = ({ all, codes }: Folded) =>
    parts.every(
      (part) =>
        all.includes(part) ||
        (part.length >= MIN_CODE_LENGTH &&
          codes.some((code) => code.startsWith(part.replace('#', '')))),
    )
  return members
    .map((member) => ({ member, in: foldOf(member) }))
    .filter((entry) => isFound(entry.in))
    .map((entry) => ({ ...entry, rank: rank(entry.in) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ member }) => member)
}
