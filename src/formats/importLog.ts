import type { Part } from '../model/transfer'
import type { Bundle, Repair, Subject } from './bundle'

const MOST_REPAIRS = 5000
const MOST_SHOWN = 100

/** Keeps book while a file is read: what was mended, what is stored aside, what was lost. */
export class ImportLog {
  #repairs: Repair[] = []
  #untold = 0
  #kept = new Map<string, unknown[]>()
  #skipped = new Map<string, number>()
  #leftOut: Bundle['leftOut'] = { members: 0, groups: 0, memberships: 0, switches: 0 }

  /** A value was changed, or dropped where nothing is left of it. */
  repair(subject: Subject, field: string, was: unknown, now: unknown, why: string): void {
    this.#note({ ...subject, field, was, now, why })
  }

  /** So many rows do not come in, for the same reason. */
  dropRow(
    part: Part,
    subject: Subject,
    field: string,
    was: unknown,
    why: string,
    count: number = 1,
  ): void {
    this.#leftOut[part] += count
    this.#note({ ...subject, field, was, now: null, why, left_out: count })
  }

  #note({ name, was, now, ...rest }: Repair): void {
    // A file broken in every line must not make a report larger than itself.
    if (this.#repairs.length >= MOST_REPAIRS) this.#untold++
    else this.#repairs.push({ ...rest, name: shortened(name), was: brief(was), now: brief(now) })
  }

  archive(collection: string, row: unknown): void {
    const rows = this.#kept.get(collection)
    if (rows) rows.push(row)
    else this.#kept.set(collection, [row])
  }

  skip(collection: string): void {
    this.#skipped.set(collection, (this.#skipped.get(collection) ?? 0) + 1)
  }

  result(): Pick<Bundle, 'repairs' | 'kept' | 'skipped' | 'leftOut'> {
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
      leftOut: this.#leftOut,
    }
  }
}

/** Counts how often each thing was met, so that one line can tell of all. */
export class Counter {
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
  if (typeof value === 'string') return shortened(value)
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === 'object' && value !== null ? 'an object' : value
}

function shortened<T extends string | null>(text: T): T | string {
  return text === null || text.length <= MOST_SHOWN
    ? text
    : `${text.slice(0, MOST_SHOWN).toWellFormed()}…`
}
