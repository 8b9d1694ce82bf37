import { type Reason, reportReason } from '../model/core/reasonMessages'
import { type ExtPart, extParts, forEachExtPart, type Part } from '../model/transfer/transfer'
import type { Bundle, Repair, Subject } from './bundle'

const MAX_REPAIRS = 5000
const MAX_LENGTH = 100

/** Record of repaired, archived and dropped data while a file is parsed. */
export class ImportLog {
  #repairs: Repair[] = []
  #unlisted = 0
  #kept = new Map<string, unknown[]>()
  #skipped = new Map<string, number>()
  #leftOut: Bundle['leftOut'] = { members: 0, groups: 0, memberships: 0, switches: 0 }
  #extLeftOut = forEachExtPart(() => 0)

  /** Records a value that was changed, or dropped if nothing of it remains. */
  repair(subject: Subject, field: string, was: unknown, now: unknown, reason: Reason): void {
    this.#add({ ...subject, field, was, now, ...reportReason(reason) })
  }

  /** Records rows that are not imported, all for the same reason. */
  dropRow(
    part: Part | ExtPart,
    subject: Subject,
    field: string,
    was: unknown,
    reason: Reason,
    count: number = 1,
  ): void {
    if (isExtPart(part)) this.#extLeftOut[part] += count
    else this.#leftOut[part] += count
    this.#add({ ...subject, field, was, now: null, ...reportReason(reason), left_out: count })
  }

  #add({ name, was, now, ...rest }: Repair): void {
    // The report of a file that is broken in every row must not be larger than the file.
    if (this.#repairs.length >= MAX_REPAIRS) this.#unlisted++
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

  result(): Pick<Bundle, 'repairs' | 'kept' | 'skipped' | 'leftOut' | 'extLeftOut'> {
    const repairs = [...this.#repairs]
    if (this.#unlisted > 0)
      repairs.push({
        kind: 'file',
        name: null,
        field: 'repairs',
        was: this.#unlisted,
        now: null,
        ...reportReason('more_repairs'),
      })
    return {
      repairs,
      kept: Object.fromEntries(this.#kept),
      skipped: Object.fromEntries(this.#skipped),
      leftOut: this.#leftOut,
      extLeftOut: this.#extLeftOut,
    }
  }
}

function isExtPart(part: Part | ExtPart): part is ExtPart {
  return extParts.some((extPart) => extPart === part)
}

/** Counts occurrences, so that the report needs one entry for all of them. */
export class Counter<T = string> {
  #counts = new Map<T, number>()

  add(thing: T): void {
    this.#counts.set(thing, (this.#counts.get(thing) ?? 0) + 1)
  }

  [Symbol.iterator](): IterableIterator<[T, number]> {
    return this.#counts[Symbol.iterator]()
  }
}

/** Describes objects instead of serializing them, because their contents are unchecked. */
function brief(value: unknown): unknown {
  if (value === undefined) return null
  if (typeof value === 'string') return shortened(value)
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === 'object' && value !== null ? 'an object' : value
}

function shortened<T extends string | null>(text: T): T | string {
  return text === null || text.length <= MAX_LENGTH
    ? text
    : `${text.slice(0, MAX_LENGTH).toWellFormed()}…`
}
