import type { Instant } from '../time'
import { compareIds, wholeSeconds } from './sum'
import type { Hides } from './totals'
import type { Listener } from './walk'

export const MAX_PAIRS = 50

export interface Pair {
  members: [string, string]
  time: number
  /** How many unbroken times. */
  times: number
}

/**
 * Who was in front together. Of 1,000 members there are half a million pairs, and where 150 are in
 * front each end concerns 149 of them: lists of numbers.
 */
export function sumPairs(hides: Hides): Listener & { pairs(): Pair[] } {
  const names: string[] = []
  const numbers = new Map<string, number>()
  /** Who is in front, in no order, since when, and where in these lists, by their number. */
  const present: number[] = []
  const begins: Instant[] = []
  const spots: number[] = []
  let time = new Float64Array(64)
  let times = new Float64Array(64)

  const numberOf = (member: string) => numbers.get(member) ?? enter(member)

  const enter = (member: string) => {
    numbers.set(member, names.length)
    const needed = placeOf(names.length, names.length)
    if (needed > time.length) {
      time = enlarge(time, needed)
      times = enlarge(times, needed)
    }
    return names.push(member) - 1
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
      for (let at = 0; at < present.length; at++) {
        const other = present[at] as number
        const place = number > other ? placeOf(number, other) : placeOf(other, number)
        time[place] = (time[place] as number) + to - Math.max(from, begins[at] as Instant)
        times[place] = (times[place] as number) + 1
      }
    },

    pairs() {
      let best: Pair[] = []
      /** What a pair must reach to be among the best. */
      let mark = 0
      for (let larger = 1; larger < names.length; larger++)
        for (let smaller = 0; smaller < larger; smaller++) {
          const place = placeOf(larger, smaller)
          const seconds = wholeSeconds(time[place] ?? 0)
          if (times[place] === 0 || seconds < mark) continue
          const members = [names[larger] as string, names[smaller] as string].sort(compareIds)
          best.push({
            members: members as Pair['members'],
            time: seconds,
            times: times[place] ?? 0,
          })
          if (best.length < 2 * MAX_PAIRS) continue
          best = bestOf(best)
          mark = best.at(-1)?.time ?? 0
        }
      return bestOf(best)
    },
  }
}

/** The pairs of each number with all smaller ones lie behind those of the number before it. */
function placeOf(larger: number, smaller: number): number {
  return (larger * (larger - 1)) / 2 + smaller
}

function enlarge(numbers: Float64Array, needed: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(Math.max(needed, numbers.length * 2))
  larger.set(numbers)
  return larger
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
