import { type Instant, SECOND } from '../time'

/** Two of these are as many microseconds as a number can count. */
const MANY = 2 ** 52

/** Adds up times exactly: many long ones are more microseconds than a number can count. */
export class Sum {
  #seconds = 0
  /** Fewer than many. */
  #micros = 0

  add(from: Instant, to: Instant): void {
    if (to - from > MANY) {
      this.add(from, from + MANY)
      this.add(from + MANY, to)
      return
    }
    this.#micros += to - from
    if (this.#micros < MANY) return
    const seconds = wholeSeconds(this.#micros)
    this.#seconds += seconds
    this.#micros -= seconds * SECOND
  }

  /** Whole seconds, rounded down. */
  get seconds(): number {
    return this.#seconds + wholeSeconds(this.#micros)
  }

  /** Which part of a time it is, rounded to four decimals. */
  shareOf(time: number): number {
    const whole = BigInt(time)
    const part = BigInt(this.#seconds) * BigInt(SECOND) + BigInt(this.#micros)
    return Number((part * 20_000n + whole) / (whole * 2n)) / 10_000
  }
}

export function wholeSeconds(micros: number): number {
  return Math.floor(micros / SECOND)
}

/** Longest first; what is equally long, by ID. */
export function byTime(
  a: { time: number; member: string },
  b: { time: number; member: string },
): number {
  return b.time - a.time || compareIds(a.member, b.member)
}

export function compareIds(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
