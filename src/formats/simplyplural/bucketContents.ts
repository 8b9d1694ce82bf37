import { defaultBuckets } from '../../model/friends/bucket'
import type { BundleBucketContents } from '../bundle'
import { textOf } from '../repair'
import type { AppRow } from './rows'

/**
 * Collects what friends could see while members, groups and fields are parsed. Old rows have two flags
 * instead of buckets: for all friends, and for trusted friends.
 */
export class BucketContents {
  readonly #contents = new Map<string, BundleBucketContents>()
  readonly #ids: ReadonlySet<unknown>
  /** IDs of the buckets for all friends and for trusted friends, with those that the file lacks. */
  readonly #flagged: readonly [all: string, trusted: string]
  #hasFlags = false

  constructor(rows: readonly AppRow[]) {
    this.#ids = new Set(rows.map(({ _id }) => _id))
    const idOf = (name: string) => rows.find((row) => isNamed(row, name))?._id ?? ownId(name)
    const [all, trusted] = defaultBuckets.map(({ name }) => idOf(name))
    this.#flagged = [all ?? '', trusted ?? '']
  }

  /** Puts a row in its buckets. Returns the row without what was read. */
  put(content: keyof BundleBucketContents, key: string, row: AppRow): AppRow {
    const { private: isHidden, preventTrusted, buckets, ...rest } = row
    if (Array.isArray(buckets)) {
      const ids = new Set<unknown>(buckets)
      const unknown = [...ids].filter((id) => !this.#ids.has(id))
      for (const id of ids) if (this.#ids.has(id)) this.of(String(id))[content].push(key)
      return unknown.length === 0 ? rest : { ...rest, buckets: unknown }
    }
    const [all, trusted] = this.#flagged
    if (isHidden === false) this.of(all)[content].push(key)
    if (isHidden === false || preventTrusted === false) {
      this.of(trusted)[content].push(key)
      this.#hasFlags = true
    }
    return buckets === undefined ? rest : { ...rest, buckets }
  }

  of(id: string): BundleBucketContents {
    const contents = this.#contents.get(id) ?? { members: [], groups: [], fields: [] }
    this.#contents.set(id, contents)
    return contents
  }

  /** Returns the buckets that flags mean and the file lacks. */
  missing() {
    if (!this.#hasFlags) return []
    return defaultBuckets.flatMap((draft) => {
      const id = ownId(draft.name)
      return this.#flagged.includes(id) ? { id, draft } : []
    })
  }
}

/** ID of a bucket that the file lacks, so that a second import finds it. */
function ownId(name: string): string {
  return `#${name}`
}

function isNamed(row: AppRow, name: string): boolean {
  return textOf(row.name)?.trim().toLowerCase() === name.toLowerCase()
}
