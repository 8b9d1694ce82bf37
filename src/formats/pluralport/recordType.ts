import type { JsonObject } from '../../model/core/entity'
import { isObject } from '../../model/core/validation'
import { NAMESPACE } from './format'

/** Resolves references of records to the UUIDs of our rows, and assets to addresses. */
export interface Refs {
  member(id: unknown): string | null
  /** A member that may write, which custom fronts may not. */
  writer(id: unknown): string | null
  group(id: unknown): string | null
  room(id: unknown): string | null
  message(id: unknown): string | null
  picture(id: unknown): string | null
}

/** References and addresses of files that we wrote. */
export function ownRefs(pictures: ReadonlyMap<string, string>): Refs {
  const same = (id: unknown) => (typeof id === 'string' ? id : null)
  return {
    member: same,
    writer: same,
    group: same,
    room: same,
    message: same,
    picture: (id) => pictures.get(String(id)) ?? null,
  }
}

/**
 * The two directions between a record of the format and a row of our own export. `read` returns
 * undefined for what a record does not say. What a record cannot hold is under our namespace:
 * `unexpressed` finds it by reading back what was written.
 */
export interface RecordType {
  /** Keys of records that `read` uses, beside the IDs. */
  readonly keys: readonly string[]
  write(row: JsonObject): JsonObject
  read(record: JsonObject, refs: Refs): JsonObject
}

/** Returns the keys of a row that reading the record would not restore. */
export function unexpressed(row: JsonObject, restored: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(row).filter(
      ([key, value]) => JSON.stringify(value ?? null) !== JSON.stringify(restored[key] ?? null),
    ),
  )
}

/** Returns what we wrote under our namespace of a record; null if another app wrote the record. */
export function ownExtension({ extensions }: JsonObject): JsonObject | null {
  const extension = isObject(extensions) ? extensions[NAMESPACE] : null
  return isObject(extension) ? extension : null
}

/**
 * Returns a row of our own export. In our own files a missing key means null. In files of other apps
 * it means unknown, and the value stays.
 */
export function restoredRow(read: JsonObject, extension: JsonObject | null): JsonObject {
  const entries = Object.entries(read)
  if (!extension) return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  return {
    ...Object.fromEntries(entries.map(([key, value]) => [key, value ?? null])),
    ...extension,
  }
}
