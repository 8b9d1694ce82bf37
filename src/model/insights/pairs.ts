import type { Instant } from '../core/time'
import { compareIds, wholeSeconds } from './exactSum'
import type { ReplayListener } from './replay'
import type { IsHidden } from './totals'

export const MAX_PAIRS = 50

const MIN_CAPACITY = 16

export interface Pair {
  members: [string, string]
  time: number
  /** Number of uninterrupted periods. */
  times: number
}

/**
 * Sums up the time that pairs of members fronted together. 1,000 members form half a million pairs,
 * and with 150 fronters each end of a stint updates 149 of them, so pairs are kept in rows of
 * numbers and each end updates one row.
 */
export function sumPairs(hides: IsHidden): ReplayListener & {
  /** The caller may let other requests run at each `yield`. */
  pairs(): Generator<void, Pair[]>
} {
  const names: string[] = []
  const numbers = new Map<string, number>()
  /** Current fronters, unordered, and their start times. `positions` is their index, by number. */
  const present: number[] = []
  const starts: Instant[] = []
  const positions: number[] = []
  /** By the member that left first: time and count with each other member, interleaved. */
  const rows: Float64Array[] = []

  const numberOf = (member: string) => numbers.get(member) ?? addMember(member)

  const addMember = (member: string) => {
    const number = names.push(member) - 1
    numbers.set(member, number)
    rows.push(new Float64Array(0))
    return number
  }

  /** Returns a row with room for all members so far. */
  const rowOf = (number: number) => {
    const row = rows[number] as Float64Array
    if (row.length >= names.length * 2) return row
    // Grow by half, so that rows are seldom reallocated.
    const longer = new Float64Array(Math.ceil(Math.max(names.length, MIN_CAPACITY) * 1.5) * 2)
    longer.set(row)
    rows[number] = longer
    return longer
  }

  const leave = (number: number) => {
    const position = positions[number] ?? 0
    const last = present.pop() ?? 0
    const began = starts.pop() ?? 0
    if (last === number) return
    present[position] = last
    starts[position] = began
    positions[last] = position
  }

  return {
    began(member, at) {
      if (hides?.(member)) return
      const number = numberOf(member)
      starts.push(at)
      positions[number] = present.push(number) - 1
    },

    ended(member, from, to) {
      if (hides?.(member)) return
      const number = numberOf(member)
      leave(number)
      if (present.length === 0) return
      const row = rowOf(number)
      for (let index = 0; index < present.length; index++) {
        const offset = (present[index] as number) * 2
        const together = to - Math.max(from, starts[index] as Instant)
        row[offset] = (row[offset] as number) + together
        row[offset + 1] = (row[offset + 1] as number) + 1
      }
    },

    *pairs() {
      let best: Pair[] = []
      /** Minimum time of a pair to be among the best. */
      let threshold = 0
      for (let larger = 1; larger < names.length; larger++) {
        const largerRow = rows[larger] as Float64Array
        for (let smaller = 0; smaller < larger; smaller++) {
          const smallerRow = rows[smaller] as Float64Array
          const times = (largerRow[smaller * 2 + 1] ?? 0) + (smallerRow[larger * 2 + 1] ?? 0)
          const seconds = wholeSeconds(
            (largerRow[smaller * 2] ?? 0) + (smallerRow[larger * 2] ?? 0),
          )
          if (times === 0 || seconds < threshold) continue
          const members = [names[larger] as string, names[smaller] as string].sort(compareIds)
          best.push({
            members: members as Pair['members'],
            time: seconds,
            times,
          })
          if (best.length < 2 * MAX_PAIRS) continue
          best = bestOf(best)
          threshold = best.at(-1)?.time ?? 0
        }
        yield
      }
      return bestOf(best)
    },
  }
}

function bestOf(pairs: Pair[]): Pair[] {
  return pairs
    .sort(
      (a, b) =>
        b.time - a.time ||
        compareIds(a.members[0], b.members[0]) ||
        compareIds(a.members[1], b.members[1]),
    )
    .slice(0, MAX_PAIRS)
}
