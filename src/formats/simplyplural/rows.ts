import type { JsonObject } from '../../model/core/entity'
import { type Instant, parseInstant } from '../../model/core/time'
import { isObject } from '../../model/core/validation'
import type { Part } from '../../model/transfer/transfer'
import type { Subject } from '../bundle'
import type { ImportLog } from '../importLog'
import { isSourceId, readRef, textOf } from '../repair'

/** Document of a collection, with its ID even if the file stores it elsewhere. */
export type AppRow = JsonObject & { _id: string }

/** Collections that are parsed, with their names. Other collections contain secrets. */
const collectionNames = {
  users: ['users'],
  private: ['private'],
  settings: ['settings'],
  members: ['members'],
  groups: ['groups'],
  frontStatuses: ['frontStatuses', 'customFronts'],
  frontHistory: ['frontHistory'],
  fronters: ['fronters'],
  comments: ['comments'],
  notes: ['notes'],
  customFields: ['customFields'],
  privacyBuckets: ['privacyBuckets'],
  polls: ['polls'],
  boardMessages: ['boardMessages'],
  chatMessages: ['chatMessages'],
  channels: ['channels'],
  channelCategories: ['channelCategories'],
  automatedReminders: ['automatedReminders'],
  repeatedReminders: ['repeatedReminders', 'repeatedRemidners'],
  friends: ['friends'],
} satisfies Record<string, string[]>

export type Collection = keyof typeof collectionNames

/** Collections that may also be a single document. */
const singles: readonly Collection[] = ['users', 'private', 'settings']

/**
 * Returns the rows of a collection: a list, or an object keyed by ID; plain, or wrapped by the API.
 * A phone's cache has older rows under capitalized names, which are used if newer ones are missing.
 */
export function rowsIn(file: JsonObject, collection: Collection, log: ImportLog): AppRow[] {
  const rows = new Map<string, AppRow>()
  let lost = 0
  for (const name of namesOf(file, collection))
    for (const [key, item] of itemsOf(file[name], collection)) {
      const row = readRow(item, key, `#${collection}${rows.size}`)
      if (!row) lost += 1
      else if (!rows.has(row._id)) rows.set(row._id, row)
    }
  const counterpart = counterparts[collection]
  if (lost > 0 && counterpart) {
    const [part, kind] = counterpart
    log.dropRow(part, { kind, name: null }, collection, null, 'deleted_or_not_object', lost)
  } else for (; lost > 0; lost--) log.skip(collection)
  return [...rows.values()]
}

/** Collections whose rows become entities here. */
const counterparts: Partial<Record<Collection, [Part, Subject['kind']]>> = {
  members: ['members', 'member'],
  frontStatuses: ['members', 'member'],
  groups: ['groups', 'group'],
  frontHistory: ['switches', 'switch'],
  fronters: ['switches', 'switch'],
}

/** Mongo's IDs begin with their creation time in seconds. */
export function createdOf({ _id }: AppRow): { created?: Instant } {
  const created = /^[0-9a-f]{24}$/i.test(_id) ? Number.parseInt(_id.slice(0, 8), 16) * 1e6 : 0
  return created > 0 ? { created } : {}
}

/** Returns the time when a row was created, or the given one if its ID does not tell. */
export function createdAt(row: AppRow, otherwise: Instant | null): Instant | null {
  return createdOf(row).created ?? otherwise
}

/** Returns the file's names for a collection, the newest first. */
export function namesOf(file: JsonObject, collection: Collection): string[] {
  const names = collectionNames[collection].map((name) => name.toLowerCase())
  return Object.keys(file)
    .filter((name) => names.includes(name.toLowerCase()) && typeof file[name] === 'object')
    .sort((a, b) => Number(isCapitalized(a)) - Number(isCapitalized(b)))
}

/** Orders by rank, which is text; a number in old files. What has no rank is last. */
export function compareRanks(a: unknown, b: unknown): number {
  const [left, right] = [rankOf(a), rankOf(b)]
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return String(left) < String(right) ? -1 : String(left) > String(right) ? 1 : 0
}

function rankOf(rank: unknown): string | number {
  return typeof rank === 'number' ? rank : (textOf(rank) ?? '~')
}

/** Parses milliseconds as a number or digits, ISO 8601, or seconds with nanoseconds. */
export function timeOf(value: unknown): Instant | null {
  if (typeof value === 'number') return micros(value * 1000)
  if (isObject(value)) {
    const { _seconds: seconds, _nanoseconds: nanos = 0 } = value
    if (typeof seconds !== 'number' || typeof nanos !== 'number') return null
    return micros(seconds * 1_000_000 + nanos / 1000)
  }
  if (typeof value !== 'string') return null
  const text = value.trim()
  return micros(/^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : (parseInstant(text) ?? 0))
}

/** Returns the address of the picture, unless Simply Plural hosted it. */
export function avatarOf(row: JsonObject, subject: Subject, log: ImportLog): string | undefined {
  const url = textOf(row.avatarUrl)
  const isLost = url === undefined ? textOf(row.avatarUuid) !== undefined : DEAD_HOST.test(url)
  if (!isLost) return url
  const why = 'picture_of_simply_plural'
  log.repair(subject, 'avatar_url', url, null, why)
  return undefined
}

const DEAD_HOST = /^\s*<?https?:\/\/([a-z0-9-]+\.)*apparyllis\.com\b/i

function* itemsOf(list: unknown, collection: Collection): Generator<[string | undefined, unknown]> {
  if (Array.isArray(list)) for (const item of list) yield [undefined, item]
  else if (isObject(list)) {
    const isDocument = singles.includes(collection) && !Object.values(list).every(isObject)
    if (isDocument) yield [undefined, list]
    else yield* Object.entries(list)
  }
}

/** Returns the row with its ID, or with the given one if it has none that can be stored. */
function readRow(item: unknown, key: string | undefined, otherwise: string): AppRow | null {
  if (!isObject(item) || item.exists === false) return null
  const row = isObject(item.content) ? item.content : item
  // Without a copy if possible: copies of a long history would take too much memory.
  if (hasId(row)) return row
  const _id = [row._id, item.id, key].map(readRef).find(isSourceId) ?? otherwise
  return { ...row, _id }
}

export function hasId(row: JsonObject): row is AppRow {
  return isSourceId(row._id)
}

function isCapitalized(name: string): boolean {
  return name[0] !== name[0]?.toLowerCase()
}

function micros(value: number): Instant | null {
  const rounded = Math.floor(value)
  return Number.isSafeInteger(rounded) && rounded > 0 ? rounded : null
}
