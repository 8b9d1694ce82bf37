import type { ProxyTag } from '../../model/validation'

interface Findable {
  readonly id: string
  readonly name: string
  readonly display_name: string | null
  readonly pronouns?: string | null
  readonly description?: string | null
  readonly birthday?: string | null
  readonly color?: string | null
  readonly proxy_tags?: readonly ProxyTag[]
}

/** Without accents and capitals, as people type when they are in a hurry. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

interface Folded {
  names: string
  all: string
  /** What means something as a whole only: a letter of an ID says nothing. */
  codes: string[]
}

/** So much of a code that it can only be meant. */
const ENOUGH = 4

/** Folding is what takes long, so it is done once for each and not for each key. */
const folded = new WeakMap<Findable, Folded>()

function foldOf(one: Findable): Folded {
  const known = folded.get(one)
  if (known) return known
  const names = fold(`${one.display_name ?? ''} ${one.name}`)
  const tags = (one.proxy_tags ?? []).map(({ prefix, suffix }) => `${prefix ?? ''} ${suffix ?? ''}`)
  const others = [one.pronouns, one.birthday, one.description, ...tags]
  const all = `${names} ${fold(others.filter(Boolean).join(' '))}`
  const made = { names, all, codes: [one.id, one.color ?? ''] }
  folded.set(one, made)
  return made
}

const SOME = 50

/** Beforehand, while nobody types, a little at a time: so the first key is as quick as the others. */
export function prepareSearch(members: readonly Findable[]): () => void {
  let at = 0
  const foldSome = () => {
    for (const one of members.slice(at, at + SOME)) foldOf(one)
    at += SOME
    if (at < members.length) timer = setTimeout(foldSome, 20)
  }
  let timer = setTimeout(foldSome, 300)
  return () => clearTimeout(timer)
}

/** Those in whose fields every word is found; names that begin with it come first, then other names. */
export function searchMembers<T extends Findable>(members: readonly T[], typed: string): T[] {
  const wanted = fold(typed)
  if (wanted === '') return [...members]
  const parts = wanted.split(/\s+/)
  const rank = ({ names }: Folded) =>
    ` ${names}`.includes(` ${wanted}`) ? 0 : names.includes(wanted) ? 1 : 2
  const isFound = ({ all, codes }: Folded) =>
    parts.every(
      (part) =>
        all.includes(part) ||
        (part.length >= ENOUGH && codes.some((code) => code.startsWith(part.replace('#', '')))),
    )
  return members
    .map((member) => ({ member, in: foldOf(member) }))
    .filter((one) => isFound(one.in))
    .map((one) => ({ ...one, rank: rank(one.in) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ member }) => member)
}
