import type { Instant } from '../core/time'
import { byTime, Sum, wholeSeconds } from './exactSum'
import { Lengths } from './median'
import type { ReplayListener, Span } from './replay'

/** Predicate for members whose IDs are hidden from the caller; null for the owner. */
export type IsHidden = ((member: string) => boolean) | null

/** Sums of all hidden members together. */
export interface Hidden {
  time: number
  stints: number
  members: number
}

export interface MemberTotal {
  member: string
  time: number
  share: number
  stints: number
  longest: number
  shortest: number
  average: number
  median: number
  /** End of the last stint; null if it reaches the end of the span. */
  last: Instant | null
}

export interface Totals extends Span {
  switches: number
  nobody: number
  hidden: Hidden | null
  members: MemberTotal[]
}

/** Maximum number of stints in one sum; the median needs eight bytes for each. */
export const MAX_SUMMED = 500_000

/** Sums up front time and stints per member. Stints are clipped to the span. */
export function sumTotals(
  span: Span,
  hides: IsHidden,
): ReplayListener & { totals(): Totals; hasTooManyStints(): boolean } {
  const nobody = new Sum()
  const hiddenTime = new Sum()
  const hiddenMembers = new Set<string>()
  const shown = new Map<string, ReturnType<typeof createTally>>()
  let switches = 0
  let stints = 0
  let hiddenStints = 0
  const addMember = (member: string) => {
    const tally = createTally()
    shown.set(member, tally)
    return tally
  }

  return {
    switched() {
      switches++
    },

    passedEmpty(from, to) {
      nobody.add(from, to)
    },

    ended(member, from, to, isOpen) {
      if (hides?.(member)) {
        hiddenTime.add(from, to)
        hiddenMembers.add(member)
        hiddenStints++
        return
      }
      stints++
      const tally = shown.get(member) ?? addMember(member)
      tally.add(from, to, isOpen)
    },

    hasTooManyStints: () => stints > MAX_SUMMED,

    totals: () => ({
      ...span,
      switches,
      nobody: nobody.seconds,
      hidden: hides && {
        time: hiddenTime.seconds,
        stints: hiddenStints,
        members: hiddenMembers.size,
      },
      members: [...shown].map(([member, tally]) => tally.total(member, span)).sort(byTime),
    }),
  }
}

function createTally() {
  const sum = new Sum()
  const lengths = new Lengths()
  let longest = 0
  let shortest = Infinity
  let last: Instant | null = null
  return {
    add(from: Instant, to: Instant, isOpen: boolean) {
      const length = to - from
      sum.add(from, to)
      lengths.push(length)
      longest = Math.max(longest, length)
      shortest = Math.min(shortest, length)
      last = isOpen ? null : to
    },

    total: (member: string, { since, until }: Span): MemberTotal => ({
      member,
      time: sum.seconds,
      share: sum.shareOf(until - since),
      stints: lengths.count,
      longest: wholeSeconds(longest),
      shortest: wholeSeconds(shortest),
      average: Math.floor(sum.seconds / lengths.count),
      median: wholeSeconds(lengths.median()),
      last,
    }),
  }
}
