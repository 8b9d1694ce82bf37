import { signal } from '@preact/signals'
import { parseInstant } from '../../../model/core/time'
import { memberUuids } from '../../actions/subgroups'
import { type Group, isArchived, isCustomFront, isListed, type Member } from '../../api/types'
import { onDropDrafts } from '../../core/drafts'
import { searchMembers } from '../../lib/search'

/** Search, filter and order of the member list. Kept while a member page is open. */
export interface Listing {
  readonly typed: string
  /** 'everyone', 'here', 'private', 'custom', 'archived', or the UUID of a group. */
  readonly filter: string
  /** A group lists the members of its subgroups, too. */
  readonly isDeep?: boolean
  readonly sort: Sort
}

export const sorts = ['name', 'last', 'newest', 'colour'] as const
export type Sort = (typeof sorts)[number]

const defaultListing: Listing = { typed: '', filter: 'everyone', sort: 'name' }

export const listing = signal<Listing>(defaultListing)

/** Number of rendered rows and scroll position. Not a signal, because nothing re-renders for it. */
export const listPosition = { count: 0, top: 0 }

export function changeListing(patch: Partial<Listing>): void {
  listing.value = { ...listing.value, ...patch }
  Object.assign(listPosition, { count: 0, top: 0 })
}

onDropDrafts(() => changeListing(defaultListing))

interface ListContext {
  readonly here: readonly string[]
  readonly groups: readonly Group[]
  readonly last: ReadonlyMap<string, number | null>
}

/** Filters and sorts members. Expects them sorted by name. Archived ones are listed on request. */
export function listMembers(
  all: readonly Member[],
  { typed, filter, isDeep, sort }: Listing,
  context: ListContext,
): Member[] {
  const isMatch = filterBy(filter, context, isDeep)
  const isWanted = typed === '' ? wantedBy(filter, context) : () => true
  const chosen = all.filter((member) => isMatch(member) && isWanted(member))
  return searchMembers(sort === 'name' ? chosen : orderBy(chosen, rankOf(sort, context)), typed)
}

/** Returns the kinds of members that a filter shows without a search, which finds all kinds. */
function wantedBy(filter: string, { groups }: ListContext): (member: Member) => boolean {
  if (filter === 'here' || filter === 'archived') return () => true
  const hasCustomFronts = filter === 'custom' || groups.some(({ uuid }) => uuid === filter)
  return (member) => !isArchived(member) && (hasCustomFronts || !isCustomFront(member))
}

function filterBy(
  filter: string,
  { here, groups }: ListContext,
  isDeep = false,
): (member: Member) => boolean {
  if (filter === 'here') return ({ id }) => here.includes(id)
  if (filter === 'private') return (member) => !isListed(member)
  if (filter === 'custom') return isCustomFront
  if (filter === 'archived') return isArchived
  if (!groups.some(({ uuid }) => uuid === filter)) return () => true
  const inside = memberUuids(groups, filter, isDeep)
  return ({ uuid }) => inside.has(uuid)
}

/** Sort key, ascending. */
function rankOf(sort: Sort, { here, last }: ListContext): (member: Member) => number {
  if (sort === 'newest') return ({ created }) => -(parseInstant(created ?? '') ?? 0)
  if (sort === 'colour') return ({ color }) => rankColor(color)
  return ({ id }) => (here.includes(id) ? Number.NEGATIVE_INFINITY : -(last.get(id) ?? 0))
}

function orderBy(all: readonly Member[], rank: (member: Member) => number): Member[] {
  return all
    .map((one) => ({ one, at: rank(one) }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map(({ one }) => one)
}

/** Sorts by hue, then greys from dark to light, then members without a colour. */
export function rankColor(color: string | null): number {
  if (color === null) return 1000
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((start) =>
    Number.parseInt(color.slice(start, start + 2), 16),
  )
  const most = Math.max(red, green, blue)
  const span = most - Math.min(red, green, blue)
  if (span < 16) return 400 + most
  if (most === red) return (60 * ((green - blue) / span) + 360) % 360
  return most === green ? 60 * ((blue - red) / span) + 120 : 60 * ((red - green) / span) + 240
}
