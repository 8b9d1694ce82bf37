import type { Instant } from '../time'
import type { ReplayListener } from './replay'
import { compareIds, wholeSeconds } from './sum'
import type { Hides } from './totals'

export const MAX_PAIRS = 50

const FEW = 16

export interface Pair {
  members: [string, string]
  time: number
  /** How many unbroken times. */
  times: number
}

/**
 * Who was in front together. Of 1,000 members there are half a million pairs, and where 150 are in
 * front each end concerns 149 of them: rows of numbers, so that each end stays within one.
 */
export function sumPairs(hides: Hides): ReplayListener & {
  /** Others may have their turn at each `yield`. */
  pairs(): Generator<void, Pair[]>
} {
  const names: string[] = []
  const numbers = new Map<string, number>()
  /** Who is in front, in no order, since when, and where in these lists, by their number. */
  const present: number[] = []
  const begins: Instant[] = []
  const spots: number[] = []
  /** By the number of who left first: with each other one the time and how often, side by side. */
  const rows: Float64Array[] = []

  const numberOf = (member: string) => numbers.get(member) ?? enter(member)

  const enter = (member: string) => {
    const number = names.push(member) - 1
    numbers.set(member, number)
    rows.push(new Float64Array(0))
    return number
  }

  /** A row with a place for everyone who came so far. */
  const rowOf = (number: number) => {
    const row = rows[number] as Float64Array
    if (row.length >= names.length * 2) return row
    // Half as many again, so that whoever comes next seldom makes it longer.
    const longer = new Float64Array(Math.ceil(Math.max(names.length, FEW) * 1.5) * 2)
    longer.set(row)
    rows[number] = longer
    return longer
  }

  const leave = (number: number) => {
    const spot = spots[number] ?? 0
    const last = present.pop() ?? 0
    const began = begins.pop() ?? 0
    if (last === number) return
    present[spot] = last
    begins[spot] = began
    spots[last] = spot
  }

  return {
    began(member, at) {
      if (hides?.(member)) return
      const number = numberOf(member)
      begins.push(at)
      spots[number] = present.push(number) - 1
    },

    ended(member, from, to) {
      if (hides?.(member)) return
      const number = numberOf(member)
      leave(number)
      if (present.length === 0) return
      const row = rowOf(number)
      for (let at = 0; at < present.length; at++) {
        const place = (present[at] as number) * 2
        const together = to - Math.max(from, begins[at] as Instant)
        row[place] = (row[place] as number) + together
        row[place + 1] = (row[place + 1] as number) + 1
      }
    },

    *pairs() {
      let best: Pair[] = []
      /** What a pair must reach to be among the best. */
      let mark = 0
      for (let larger = 1; larger < names.length; larger++) {
        const here = rows[larger] as Float64Array
        for (let smaller = 0; smaller < larger; smaller++) {
          const there = rows[smaller] as Float64Array
          const times = (here[smaller * 2 + 1] ?? 0) + (there[larger * 2 + 1] ?? 0)
          const seconds = wholeSeconds((here[smaller * 2] ?? 0) + (there[larger * 2] ?? 0))
          if (times === 0 || seconds < mark) continue
          const members = [names[larger] as string, names[smaller] as string].sort(compareIds)
          best.push({
            members: members as Pair['members'],
            time: seconds,
            times,
          })
          if (best.length < 2 * MAX_PAIRS) continue
          best = bestOf(best)
          mark = best.at(-1)?.time ?? 0
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
