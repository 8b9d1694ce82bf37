import { signal } from '@preact/signals'
import { parseInstant } from '../../model/time'
import { searchMembers } from './search'
import type { Group, Member } from './types'
import { isListed } from './types'

/** What is looked for among everyone. It stays when somebody is looked at, for the way back. */
export interface Listing {
  readonly typed: string
  /** One of the words, or the UUID of a group. */
  readonly filter: string
  readonly sort: Sort
}

export const sorts = ['name', 'last', 'newest', 'colour'] as const
export type Sort = (typeof sorts)[number]

const everyone: Listing = { typed: '', filter: 'everyone', sort: 'name' }

export const listing = signal<Listing>(everyone)

/** How many rows were drawn, and how far they were scrolled: nothing is drawn anew for these. */
export const reached = { count: 0, top: 0 }

export function changeListing(patch: Partial<Listing>): void {
  listing.value = { ...listing.value, ...patch }
  Object.assign(reached, { count: 0, top: 0 })
}

export function resetListing(): void {
  changeListing(everyone)
}

interface Around {
  readonly here: readonly string[]
  readonly groups: readonly Group[]
  readonly last: ReadonlyMap<string, number | null>
}

/** Those who are meant, in the order that was asked for; members come by name. */
export function listMembers(
  all: readonly Member[],
  { typed, filter, sort }: Listing,
  around: Around,
): Member[] {
  const chosen = all.filter(choose(filter, around))
  return searchMembers(sort === 'name' ? chosen : orderBy(chosen, rankOf(sort, around)), typed)
}

function choose(filter: string, { here, groups }: Around): (one: Member) => boolean {
  if (filter === 'here') return ({ id }) => here.includes(id)
  if (filter === 'private') return (one) => !isListed(one)
  const group = groups.find(({ uuid }) => uuid === filter)
  if (!group) return () => true
  const inside = new Set(group.members)
  return ({ uuid }) => inside.has(uuid)
}

/** The lowest comes first. */
function rankOf(sort: Sort, { here, last }: Around): (one: Member) => number {
  if (sort === 'newest') return ({ created }) => -(parseInstant(created ?? '') ?? 0)
  if (sort === 'colour') return ({ color }) => rankColor(color)
  return ({ id }) => (here.includes(id) ? Number.NEGATIVE_INFINITY : -(last.get(id) ?? 0))
}

function orderBy(all: readonly Member[], rank: (one: Member) => number): Member[] {
  return all
    .map((one) => ({ one, at: rank(one) }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map(({ one }) => one)
}

/** Round the rainbow; then greys from dark to light, then none at all. */
export function rankColor(color: string | null): number {
  if (color === null) return 1000
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) =>
    Number.parseInt(color.slice(at, at + 2), 16),
  )
  const most = Math.max(red, green, blue)
  const span = most - Math.min(red, green, blue)
  if (span < 16) return 400 + most
  if (most === red) return (60 * ((green - blue) / span) + 360) % 360
  return most === green ? 60 * ((blue - red) / span) + 120 : 60 * ((red - green) / span) + 240
}
