import type { JsonObject } from '../../model/core/entity'
import { isObject } from '../../model/core/validation'
import { textOf } from '../repair'
import { type AppRow, hasId } from './rows'

/**
 * Version of the conversion of Simply Plural's rows, which is stored with the rows that it leaves. It
 * is incremented when more collections are read.
 */
export const CONVERTER_VERSION = 3

/**
 * Collections of archived rows that are converted. A row that was not converted yet
 * has at least one of the keys; what a conversion leaves of a row has none of them.
 */
const convertibleKeys = {
  members: ['name'],
  frontStatuses: ['name'],
  groups: ['name'],
  customFields: ['name', 'type'],
  frontHistory: ['member'],
  comments: ['text'],
  notes: ['title', 'note'],
  boardMessages: ['message'],
  channels: ['name'],
  channelCategories: ['channels'],
  chatMessages: ['message'],
  polls: ['name', 'desc', 'custom', 'options'],
  repeatedReminders: ['dayInterval'],
  automatedReminders: ['delayInHours'],
  privacyBuckets: ['name'],
  defaultPrivacy: ['members', 'customFronts', 'groups', 'customFields'],
  longTexts: ['text'],
} as const satisfies Record<string, readonly string[]>

/** Collections that earlier versions did not read, with the first one that does. */
export const converterVersions = {
  repeatedReminders: 2,
  automatedReminders: 2,
  privacyBuckets: 3,
  defaultPrivacy: 3,
  // Since then, who could see a row is read.
  members: 3,
  frontStatuses: 3,
  groups: 3,
  customFields: 3,
} as const satisfies Partial<Record<keyof typeof convertibleKeys, number>>

/**
 * Returns the first version that reads a collection. Archived rows that an older one left are offered
 * for conversion.
 */
export function converterVersionOf(collection: string): number {
  return Object.hasOwn(converterVersions, collection)
    ? converterVersions[collection as keyof typeof converterVersions]
    : 1
}

export type ConvertibleCollection = keyof typeof convertibleKeys

export const convertibleCollections = Object.keys(convertibleKeys) as ConvertibleCollection[]

export function isConvertible(collection: string): collection is ConvertibleCollection {
  return Object.hasOwn(convertibleKeys, collection)
}

/** Returns the row if it can be converted and was not yet; else null. */
export function convertibleRow(collection: ConvertibleCollection, row: unknown): AppRow | null {
  if (collection === 'defaultPrivacy' && isObject(row) && !hasId(row))
    return convertibleRow(collection, { ...row, _id: collection })
  // The reader would take the content of a row instead of the row.
  if (!isObject(row) || !hasId(row) || isObject(row.content) || row.exists === false) return null
  return convertibleKeys[collection].some((key) => Object.hasOwn(row, key)) ? row : null
}

const sharedCollections = ['members', 'frontStatuses', 'groups', 'customFields'] as const
export type SharedCollection = (typeof sharedCollections)[number]

export function isShared(collection: ConvertibleCollection): collection is SharedCollection {
  return sharedCollections.some((shared) => shared === collection)
}

/**
 * Returns who could see a row, if the file says so: earlier versions left only this and
 * the keys without a counterpart.
 */
export function sharingOf(row: AppRow): JsonObject | null {
  const keys = sharingKeys.filter((key) => Object.hasOwn(row, key))
  return keys.length === 0 ? null : Object.fromEntries(keys.map((key) => [key, row[key]]))
}

const sharingKeys = ['buckets', 'private', 'preventTrusted'] as const

/** Returns what is left of a converted row, if it says who could see the row; else null. */
export function sharedRest(collection: ConvertibleCollection, row: unknown): AppRow | null {
  if (!isShared(collection) || !isObject(row) || !hasId(row)) return null
  return convertibleRow(collection, row) === null && sharingOf(row) ? row : null
}

/** Keys of rows that name members. */
const memberKeys: Partial<Record<ConvertibleCollection, readonly string[]>> = {
  notes: ['member'],
  boardMessages: ['writtenFor', 'writtenBy'],
  frontHistory: ['member'],
  chatMessages: ['writer'],
}

/** Returns the IDs of the members that a row cannot be converted without. */
export function membersOfRow(collection: ConvertibleCollection, row: AppRow): string[] {
  return (memberKeys[collection] ?? []).flatMap((key) => textOf(row[key]) ?? [])
}

/** A long description that an import cut. */
export interface LongDescription {
  name: string
  text: string
}

/** Returns the long description of a member in a row of `longTexts`; null for other texts. */
export function longDescriptionOf(row: unknown): LongDescription | null {
  if (!isObject(row) || row.kind !== 'member' || row.field !== 'description') return null
  const { name, text } = row
  return typeof name === 'string' && typeof text === 'string' ? { name, text } : null
}

/** Size of the pieces of a file. */
const PIECE = 64 * 1024

/** Writes a file of the given rows, each as JSON, that the reader recognizes as Simply Plural's. */
export function* writeFile(
  collections: Iterable<readonly [collection: string, rows: Iterable<string>]>,
): Generator<Uint8Array> {
  let text = '{'
  let comma = ''
  for (const [collection, rows] of collections) {
    text += `${comma}${JSON.stringify(collection)}:[`
    comma = ','
    let separator = ''
    for (const row of rows) {
      text += separator + row
      separator = ','
      if (text.length < PIECE) continue
      yield Buffer.from(text)
      text = ''
    }
    text += ']'
  }
  yield Buffer.from(`${text}}`)
}
