import type { JsonObject } from '../../model/core/entity'
import { isObject } from '../../model/core/validation'
import type { Subject } from '../bundle'
import type { ImportLog } from '../importLog'
import { isEmpty, textOf } from '../repair'
import type { RecordType } from './recordType'

/** Record of the system, with the UUID that its row has in our own form of the file. */
export interface Entry {
  record: JsonObject
  /** ID in the file, or the position of a record whose ID cannot be stored. */
  id: string
  uuid: string
  /** Contents of our namespace of the record; null if another app wrote it. */
  own: JsonObject | null
}

/** Rows of our own export, and what the extension API adds to them. */
export interface ConvertedRows {
  rows: JsonObject[]
  exts: JsonObject[]
}

/** Returns the keys of a record that its row holds: the author only if it is a member that may write. */
export function readKeys({ keys }: RecordType, { own }: Entry, row: JsonObject): string[] {
  const hasAuthor = own !== null || row.by !== undefined
  return keys.filter((key) => hasAuthor || key !== 'author_member_id')
}

/** Returns the subject of a record, by its name or title. */
export function subjectOfRecord(kind: Subject['kind'], record: JsonObject): Subject {
  const name = textOf(record.name) ?? textOf(record.display_name) ?? textOf(record.title)
  return { kind, name: name ?? null }
}

/** Returns true for what says nothing: apps write false where the key could be missing. */
export function isBlank(value: unknown): boolean {
  return value === false || isEmpty(value)
}

/** Sorts by the given positions; records without one keep their place behind the others. */
export function inListOrder(entries: readonly Entry[]): Entry[] {
  const rank = ({ record }: Entry) =>
    typeof record.sort_order === 'number' ? record.sort_order : Number.MAX_SAFE_INTEGER
  return entries.toSorted((a, b) => rank(a) - rank(b))
}

/** Adds a name to a row that needs one. */
export function withName(
  row: JsonObject,
  { record }: Entry,
  kind: 'field' | 'room',
  log: ImportLog,
): JsonObject {
  if (typeof row.name === 'string' && row.name !== '') return row
  const subject = subjectOfRecord(kind, record)
  log.repair(subject, 'name', null, 'Unnamed', 'name_required')
  return { ...row, name: 'Unnamed' }
}

/** Returns the objects of a list; other values are no rows. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}
