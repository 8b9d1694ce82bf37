import type { Bucket } from './calendar'
import type { ReplayListener, Span } from './replay'
import { compareIds, wholeSeconds } from './sum'
import type { Hidden, Hides } from './totals'

/** Most days, weeks or months that one answer holds. */
export const MAX_DAYS = 400

export interface Day extends Bucket {
  switches: number
  nobody: number
  hidden: Hidden | null
  /** Seconds by member. */
  members: [member: string, seconds: number][]
}

/**
 * Who was in front in each of the buckets, which lie side by side. Where 1,000 members were, the
 * days together are large, so each is made when it is asked for.
 */
export function sumDays(
  buckets: readonly Bucket[],
  hides: Hides,
): ReplayListener & { days(): Generator<Day> } {
  const zeros = () => new Float64Array(buckets.length)
  const switches = zeros()
  const nobody = zeros()
  const hidden = { time: zeros(), stints: zeros(), members: zeros() }
  const shown = new Map<string, Float64Array>()
  /** In which bucket a hidden member was counted last. */
  const counted = new Map<string, number>()

  /** The parts of a time, by bucket. */
  const divide = ({ since, until }: Span, add: (at: number, micros: number) => void) => {
    for (let at = findBucket(buckets, since); at < buckets.length; at++) {
      const { start, end } = buckets[at] as Bucket
      if (start >= until) return
      add(at, Math.min(end, until) - Math.max(start, since))
    }
  }

  const addHidden = (member: string, span: Span) =>
    divide(span, (at, micros) => {
      hidden.time[at] = (hidden.time[at] ?? 0) + micros
      hidden.stints[at] = (hidden.stints[at] ?? 0) + 1
      if (counted.get(member) === at) return
      hidden.members[at] = (hidden.members[at] ?? 0) + 1
      counted.set(member, at)
    })

  const enter = (member: string) => {
    const times = zeros()
    shown.set(member, times)
    return times
  }

  return {
    switched(at) {
      const bucket = findBucket(buckets, at)
      switches[bucket] = (switches[bucket] ?? 0) + 1
    },

    passedEmpty(since, until) {
      divide({ since, until }, (at, micros) => {
        nobody[at] = (nobody[at] ?? 0) + micros
      })
    },

    ended(member, since, until) {
      if (hides?.(member)) return addHidden(member, { since, until })
      const times = shown.get(member) ?? enter(member)
      divide({ since, until }, (at, micros) => {
        times[at] = (times[at] ?? 0) + micros
      })
    },

    *days() {
      const members = [...shown].sort(([a], [b]) => compareIds(a, b))
      for (const [at, bucket] of buckets.entries())
        yield {
          ...bucket,
          switches: switches[at] ?? 0,
          nobody: wholeSeconds(nobody[at] ?? 0),
          hidden: hides && {
            time: wholeSeconds(hidden.time[at] ?? 0),
            stints: hidden.stints[at] ?? 0,
            members: hidden.members[at] ?? 0,
          },
          members: members.flatMap(([member, times]): Day['members'] => {
            const micros = times[at] ?? 0
            return micros > 0 ? [[member, wholeSeconds(micros)]] : []
          }),
        }
    },
  }
}

/** Which bucket a moment lies in. */
function findBucket(buckets: readonly Bucket[], at: number): number {
  let [low, high] = [0, buckets.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((buckets[middle] as Bucket).start <= at) low = middle
    else high = middle - 1
  }
  return low
}
