import type { Instant } from '../core/time'
import { compareIds } from './exactSum'
import type { ReplayListener } from './replay'

/** Default page size. */
export const STINTS_PER_PAGE = 100
export const MAX_STINTS = 1000

/** Time that a member fronts without a break; `to` is null while it continues. */
export interface Stint {
  readonly member: string
  readonly from: Instant
  readonly to: Instant | null
}

export interface StintFilter {
  /** Only stints that start before this time. */
  before: Instant
  /** Only the newest stints, and all that start at the same moment as the last of them. */
  limit: number
  isListed: (member: string) => boolean
}

export interface PendingStints {
  /** True while the end of a stint is unknown. */
  isWaiting(): boolean
}

/** Collects stints, ordered by start. */
export function collectStints({ before, limit, isListed }: StintFilter): ReplayListener &
  PendingStints & {
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
      // Only occasionally, because each call takes time proportional to the list.
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

/** Emits every stint as soon as its end is known, so that none is kept in memory. */
export function streamStints(
  { before, isListed }: Omit<StintFilter, 'limit'>,
  emit: (stint: Stint) => void,
): ReplayListener & PendingStints {
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

/** Sorts by start, newest first, then by member. */
export function newestFirst(stints: readonly Stint[]): Stint[] {
  return stints.toSorted((a, b) => b.from - a.from || compareIds(a.member, b.member))
}
