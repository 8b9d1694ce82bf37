import type { Instant } from '../time'
import type { ReplayListener } from './replay'
import { compareIds } from './sum'

/** How many stints a page has, unless more are asked for. */
export const STINTS_PER_PAGE = 100
export const MAX_STINTS = 1000

/** The time a member is in front without a break; without an end it lasts. */
export interface Stint {
  readonly member: string
  readonly from: Instant
  readonly to: Instant | null
}

export interface Wanted {
  /** Only stints that begin before this. */
  before: Instant
  /** Only the newest, and all that began at the same moment as the last of them. */
  limit: number
  isListed: (member: string) => boolean
}

export interface Waiting {
  /** Whether the ends of some are not known yet. */
  isWaiting(): boolean
}

/** Every stint, in order of their beginnings. */
export function collectStints({ before, limit, isListed }: Wanted): ReplayListener &
  Waiting & {
    stints(): Stint[]
  } {
  const list: { member: string; from: Instant; to: Instant | null }[] = []
  const open = new Map<string, (typeof list)[number]>()

  const dropOldest = () => {
    let dropped = Math.max(list.length - limit, 0)
    while (dropped > 0 && list[dropped - 1]?.from === list[dropped]?.from) dropped--
    for (const stint of list.splice(0, dropped))
      if (open.get(stint.member) === stint) open.delete(stint.member)
  }

  return {
    began(member, from) {
      if (from >= before || !isListed(member)) return
      const stint = { member, from, to: null }
      list.push(stint)
      open.set(member, stint)
      // Now and then, because each time costs as much as the list is long.
      if (list.length > 2 * limit + 1000) dropOldest()
    },

    ended(member, _, to, isOpen) {
      const stint = open.get(member)
      open.delete(member)
      if (stint && !isOpen) stint.to = to
    },

    isWaiting: () => open.size > 0,

    stints() {
      dropOldest()
      return list
    },
  }
}

/** Tells every stint as soon as its end is known, so that none is kept. */
export function streamStints(
  { before, isListed }: Omit<Wanted, 'limit'>,
  emit: (stint: Stint) => void,
): ReplayListener & Waiting {
  let waiting = 0
  return {
    began(member, from) {
      if (from < before && isListed(member)) waiting++
    },

    ended(member, from, to, isOpen) {
      if (from >= before || !isListed(member)) return
      waiting--
      emit({ member, from, to: isOpen ? null : to })
    },

    isWaiting: () => waiting > 0,
  }
}

/** Newest first, then by member. */
export function newestFirst(stints: readonly Stint[]): Stint[] {
  return stints.toSorted((a, b) => b.from - a.from || compareIds(a.member, b.member))
}
