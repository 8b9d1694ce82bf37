import { type Instant, SECOND } from '../core/time'

/** Half of the largest safe integer, in microseconds. */
const MAX_MICROS = 2 ** 52

/** Adds up times exactly, even if the sum in microseconds exceeds the safe integers. */
export class Sum {
  #seconds = 0
  /** Always below `MAX_MICROS`. */
  #micros = 0

  add(from: Instant, to: Instant): void {
    if (to - from > MAX_MICROS) {
      this.add(from, from + MAX_MICROS)
      this.add(from + MAX_MICROS, to)
      return
    }
    this.#micros += to - from
    if (this.#micros < MAX_MICROS) return
    const seconds = wholeSeconds(this.#micros)
    this.#seconds += seconds
    this.#micros -= seconds * SECOND
  }

  get seconds(): number {
    return this.#seconds + wholeSeconds(this.#micros)
  }

  /** Returns the fraction of a time, rounded to four decimals. */
  shareOf(time: number): number {
    const whole = BigInt(time)
    const part = BigInt(this.#seconds) * BigInt(SECOND) + BigInt(this.#micros)
    return Number((part * 20_000n + whole) / (whole * 2n)) / 10_000
  }
}

export function wholeSeconds(micros: number): number {
  return Math.floor(micros / SECOND)
}

/** Compares by time, longest first, then by ID. */
export function byTime(
  a: { time: number; member: string },
  b: { time: number; member: string },
): number {
  return b.time - a.time || compareIds(a.member, b.member)
}

export function compareIds(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
