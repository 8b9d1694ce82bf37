import { createRandom } from '../../http/ext/random'

export const DAY = 86_400_000
export const HOUR = 3_600_000
/** Time of the export; no row is later. */
export const EXPORTED = Date.UTC(2026, 5, 20, 9, 30)

const words =
  'lamps garden rain roof bread maps tea ladders keys windows moths letters shells home'.split(' ')

/** Random values of a file: IDs, texts and times. */
export class RandomTexts {
  readonly random
  count = 0

  constructor(
    readonly seed: number,
    /** Time of the first front. */
    readonly start: number,
  ) {
    this.random = createRandom(seed)
  }

  below(limit: number): number {
    return this.random.below(limit)
  }

  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.below(16).toString(16)).join('')
  }

  sentence(length: number): string {
    return Array.from({ length }, () => this.pick(words)).join(' ')
  }

  /** ID of Mongo, which begins with the second of its creation. */
  id(at = this.start - 100 * DAY): string {
    this.count += 1
    const second = Math.floor(at / 1000).toString(16)
    return `${second}0000000000${this.count.toString(16).padStart(6, '0')}`
  }

  sometime(): number {
    return this.start + this.below(EXPORTED - this.start)
  }

  encrypted(bytes: number): string {
    return Buffer.from(Array.from({ length: bytes }, () => this.below(256))).toString('base64')
  }
}
