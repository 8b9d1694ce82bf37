import type { Entity, JsonObject, Patch } from '../../model/core/entity'
import { type ExtPart, forEachExtPart } from '../../model/transfer/transfer'
import type { Bundle, BundleExtRow, Origin, ReadOptions, Subject } from '../bundle'
import { emptyBundle } from '../bundle'
import { ImportLog } from '../importLog'
import { isEmpty, repairFields, textOf } from '../repair'
import { BucketContents } from './bucketContents'
import { birthdayFieldsOf, fieldsOf } from './memberInfo'
import { type AppRow, type Collection, rowsIn } from './rows'

/** State while one file is parsed. */
export class ReadContext {
  readonly log = new ImportLog()
  readonly user: AppRow | undefined
  /** The document of the collection `private`, which only its owner has. */
  readonly owner: AppRow | undefined
  readonly fields: AppRow[]
  readonly birthdayFields: AppRow[]
  readonly hids = new Set<string>()
  readonly ext: Bundle['ext'] = emptyBundle('simplyplural').ext
  /** Keys of members and custom fronts in the bundle, by their IDs in the file. */
  readonly memberKeys = new Map<string, string>()
  /** IDs of members that are no custom fronts. Only these may write and vote. */
  readonly writers = new Set<string>()
  readonly names = new Map<string, string>()
  readonly buckets: BucketContents
  /** Privacy buckets that contain every friend. */
  readonly #friendBuckets: Set<unknown>
  readonly #rows = new Map<Collection, AppRow[]>()
  readonly #keys = forEachExtPart(() => new Set<string>())

  constructor(
    readonly file: JsonObject,
    readonly options: ReadOptions,
  ) {
    this.owner = this.rows('private')[0]
    this.user = this.#findUser()
    this.fields = fieldsOf(this.rows('customFields'), this.user)
    this.birthdayFields = birthdayFieldsOf(this.fields)
    const buckets = this.rows('privacyBuckets')
    this.buckets = new BucketContents(buckets)
    this.#friendBuckets = new Set(
      buckets.flatMap(({ _id, name }) => (/^\s*friends\s*$/i.test(textOf(name) ?? '') ? _id : [])),
    )
  }

  rows(collection: Collection): AppRow[] {
    const rows = this.#rows.get(collection) ?? rowsIn(this.file, collection, this.log)
    this.#rows.set(collection, rows)
    return rows
  }

  /** Returns true if all friends could see the row and the user chose to make that public. */
  isPublic({ private: hidden, buckets }: AppRow): boolean {
    if (this.options.public !== true || hidden === true) return false
    if (Array.isArray(buckets)) return buckets.some((bucket) => this.#friendBuckets.has(bucket))
    return hidden === false
  }

  /** Returns the key of a member that may write; null for others. */
  writer(ref: unknown): string | null {
    const id = textOf(ref)
    return id !== undefined && this.writers.has(id) ? (this.memberKeys.get(id) ?? null) : null
  }

  /**
   * Adds a row. Values that its field table rejects are repaired. Two collections of the same part may
   * have the same ID; references mean the row that was added first.
   */
  add<E extends Entity>(
    part: ExtPart,
    entity: E,
    row: { collection: Collection; id: string },
    fields: JsonObject,
    more: { subject: Subject; refs?: BundleExtRow['refs']; values?: Patch<E> },
  ): BundleExtRow {
    const { subject, refs = {}, values } = more
    let key = row.id
    while (this.#keys[part].has(key)) key = `#${key}`
    this.#keys[part].add(key)
    const added = {
      key,
      origin: originOf(row.collection, row.id),
      values: { ...repairFields(entity, fields, subject, this.log), ...values },
      refs,
    }
    this.ext[part].push(added)
    return added
  }

  /**
   * Archives the keys of a row that were not imported, unless they are technical or empty. A row of
   * which nothing was imported keeps all its keys.
   */
  archiveRest(collection: Collection, row: AppRow, imported: readonly string[] | null): void {
    const rest = Object.entries(row).filter(
      ([key, value]) => !imported?.includes(key) && !technicalKeys.has(key) && !isEmpty(value),
    )
    if (imported === null) this.log.archive(collection, row)
    else if (rest.some(([key]) => key !== '_id'))
      this.log.archive(collection, Object.fromEntries(rest))
  }

  /**
   * Finds the owner. A phone's cache may contain friends too, but `private` is always the owner's.
   */
  #findUser(): AppRow | undefined {
    const users = this.rows('users')
    return users.find(({ _id }) => _id === this.owner?._id) ?? users[0]
  }
}

export function originOf(collection: Collection, id: string): Origin {
  return { app: 'simplyplural', collection, id }
}

/** Keys that hold nothing that people wrote. */
const technicalKeys: ReadonlySet<string> = new Set([
  'uid',
  'lastOperationTime',
  'supportMarkdown',
  'supportDescMarkdown',
  'iv',
  'commentCount',
  'exists',
  '__v',
])
