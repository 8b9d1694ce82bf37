import type { Bundle, Repair, Subject } from './bundle'

const MOST_REPAIRS = 5000
const MOST_SHOWN = 100
const MOST_NESTED = 64

/** Keeps book while a file is read: what was mended, what is stored aside, what was lost. */
export class Ledger {
  #repairs: Repair[] = []
  #untold = 0
  #kept = new Map<string, unknown[]>()
  #skipped = new Map<string, number>()

  repair({ kind, name }: Subject, field: string, was: unknown, now: unknown, why: string): void {
    // A file broken in every line must not make a report larger than itself.
    if (this.#repairs.length >= MOST_REPAIRS) this.#untold++
    else
      this.#repairs.push({ kind, name: shown(name), field, was: brief(was), now: brief(now), why })
  }

  keep(collection: string, row: unknown): void {
    // Rows are written as JSON later, which fails on bottomless nesting.
    const rows = this.#kept.get(collection)
    if (isDeeperThan(MOST_NESTED, row)) this.skip(collection)
    else if (rows) rows.push(row)
    else this.#kept.set(collection, [row])
  }

  skip(collection: string): void {
    this.#skipped.set(collection, (this.#skipped.get(collection) ?? 0) + 1)
  }

  close(): Pick<Bundle, 'repairs' | 'kept' | 'skipped'> {
    const repairs = [...this.#repairs]
    if (this.#untold > 0)
      repairs.push({
        kind: 'file',
        name: null,
        field: 'repairs',
        was: this.#untold,
        now: null,
        why: 'more repairs than are listed',
      })
    return {
      repairs,
      kept: Object.fromEntries(this.#kept),
      skipped: Object.fromEntries(this.#skipped),
    }
  }
}

/** Counts how often each thing was met, so that one line can tell of all. */
export class Tally {
  #counts = new Map<string, number>()

  add(thing: string): void {
    this.#counts.set(thing, (this.#counts.get(thing) ?? 0) + 1)
  }

  [Symbol.iterator](): IterableIterator<[string, number]> {
    return this.#counts[Symbol.iterator]()
  }
}

/** Objects are named, never spelled out: nobody has looked at what is in them. */
function brief(value: unknown): unknown {
  if (value === undefined) return null
  if (typeof value === 'string') return shown(value)
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === 'object' && value !== null ? 'an object' : value
}

function shown<T extends string | null>(text: T): T | string {
  return text === null || text.length <= MOST_SHOWN
    ? text
    : `${text.slice(0, MOST_SHOWN).toWellFormed()}…`
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner))
}
