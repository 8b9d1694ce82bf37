import type { Bucket } from './calendar'
import { compareIds, wholeSeconds } from './exactSum'
import type { ReplayListener, Span } from './replay'
import type { Hidden, IsHidden } from './totals'

/** Maximum number of days, weeks or months in a response. */
export const MAX_DAYS = 400

export interface Day extends Bucket {
  switches: number
  nobody: number
  hidden: Hidden | null
  members: [member: string, seconds: number][]
}

/**
 * Sums up front time per member in adjacent buckets. With 1,000 members the result is large, so
 * `days` generates it day by day.
 */
export function sumDays(
  buckets: readonly Bucket[],
  hides: IsHidden,
): ReplayListener & { days(): Generator<Day> } {
  const zeros = () => new Float64Array(buckets.length)
  const switches = zeros()
  const nobody = zeros()
  const hidden = { time: zeros(), stints: zeros(), members: zeros() }
  const shown = new Map<string, Float64Array>()
  /** Last bucket in which a hidden member was counted. */
  const lastCounted = new Map<string, number>()

  const splitByBucket = ({ since, until }: Span, add: (index: number, micros: number) => void) => {
    for (let index = findBucket(buckets, since); index < buckets.length; index++) {
      const { start, end } = buckets[index] as Bucket
      if (start >= until) return
      add(index, Math.min(end, until) - Math.max(start, since))
    }
  }

  const addHidden = (member: string, span: Span) =>
    splitByBucket(span, (index, micros) => {
      hidden.time[index] = (hidden.time[index] ?? 0) + micros
      hidden.stints[index] = (hidden.stints[index] ?? 0) + 1
      if (lastCounted.get(member) === index) return
      hidden.members[index] = (hidden.members[index] ?? 0) + 1
      lastCounted.set(member, index)
    })

  const addMember = (member: string) => {
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
      splitByBucket({ since, until }, (index, micros) => {
        nobody[index] = (nobody[index] ?? 0) + micros
      })
    },

    ended(member, since, until) {
      if (hides?.(member)) return addHidden(member, { since, until })
      const times = shown.get(member) ?? addMember(member)
      splitByBucket({ since, until }, (index, micros) => {
        times[index] = (times[index] ?? 0) + micros
      })
    },

    *days() {
      const members = [...shown].sort(([a], [b]) => compareIds(a, b))
      for (const [index, bucket] of buckets.entries())
        yield {
          ...bucket,
          switches: switches[index] ?? 0,
          nobody: wholeSeconds(nobody[index] ?? 0),
          hidden: hides && {
            time: wholeSeconds(hidden.time[index] ?? 0),
            stints: hidden.stints[index] ?? 0,
            members: hidden.members[index] ?? 0,
          },
          members: members.flatMap(([member, times]): Day['members'] => {
            const micros = times[index] ?? 0
            return micros > 0 ? [[member, wholeSeconds(micros)]] : []
          }),
        }
    },
  }
}

/** Returns the index of the bucket that contains a moment. */
function findBucket(buckets: readonly Bucket[], at: number): number {
  let [low, high] = [0, buckets.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((buckets[middle] as Bucket).start <= at) low = middle
    else high = middle - 1
  }
  return low
}
