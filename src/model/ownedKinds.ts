import { rowLimits, smallLimits } from './access/rowLimits'
import type { Entity, JsonObject } from './core/entity'
import type { ErrorName } from './core/errors'
import { bucket } from './friends/bucket'
import { frontNote } from './front/frontNote'
import { note } from './journal/note'
import { poll } from './journal/poll'
import { post } from './journal/post'
import { room } from './journal/room'
import { customField, customFieldInFiles } from './members/customField'
import { exportedReminder, reminder } from './reminders/reminder'
import type { ExtPart, ImportPart } from './transfer/transfer'

/** Lists of rows that a system owns and that clients name by a UUID. */
export type OwnedList = Exclude<ExtPart, 'values' | 'votes'>

/** Limit on the number of rows: a counter of `ext_usage`, or a small number that is counted. */
export type RowLimit =
  | { readonly counter: keyof typeof rowLimits }
  | { readonly max: number; readonly what: string }

/** Row that a key of a field table refers to. A post is stored by its UUID, all others by their row IDs. */
export type ReferenceTo = 'member' | 'author' | 'room' | 'post'

interface OwnedKind {
  readonly entity: Entity
  /** Fields that are read from files, and written to them, if these are not all. */
  readonly imported?: Entity
  readonly exported?: Entity
  /** Values that every imported row has, whatever the file says. */
  readonly fixed?: JsonObject
  /** Part of a file that is imported with these rows or without them. */
  readonly importPart: ImportPart
  /** Name of one row in the report of an import. */
  readonly name: string
  readonly missing: ErrorName
  /** Key by which lists are ordered: by position ascending, by time newest first and in pages. */
  readonly order: string
  /** Keys of times that are now if nothing is given. */
  readonly timeKeys: readonly string[]
  readonly references: Readonly<Record<string, ReferenceTo>>
  readonly limit: RowLimit
}

/**
 * Rows of the extension API, in the order in which an import gives them space for text: what others
 * belong to first, then the long lists. They are deleted in the opposite order.
 */
export const ownedKinds = {
  fields: {
    entity: customField,
    imported: customFieldInFiles,
    exported: customFieldInFiles,
    importPart: 'fields',
    name: 'field',
    missing: 'fieldNotFound',
    order: 'position',
    timeKeys: ['created'],
    references: {},
    limit: { max: smallLimits.fields, what: 'fields' },
  },
  rooms: {
    entity: room,
    importPart: 'posts',
    name: 'room',
    missing: 'roomNotFound',
    order: 'position',
    timeKeys: [],
    references: {},
    limit: { max: smallLimits.rooms, what: 'rooms' },
  },
  polls: {
    entity: poll,
    importPart: 'polls',
    name: 'poll',
    missing: 'pollNotFound',
    order: 'created',
    timeKeys: ['created'],
    references: {},
    limit: { max: smallLimits.polls, what: 'polls' },
  },
  reminders: {
    entity: reminder,
    exported: exportedReminder,
    // An import sends nothing unasked.
    fixed: { enabled: false, due: null },
    importPart: 'reminders',
    name: 'reminder',
    missing: 'reminderNotFound',
    order: 'created',
    timeKeys: ['created'],
    references: {},
    limit: { max: smallLimits.reminders, what: 'reminders' },
  },
  buckets: {
    entity: bucket,
    importPart: 'buckets',
    name: 'bucket',
    missing: 'bucketNotFound',
    order: 'position',
    timeKeys: [],
    references: {},
    limit: { max: smallLimits.buckets, what: 'privacy buckets' },
  },
  front_notes: {
    entity: frontNote,
    importPart: 'switches',
    name: 'front_note',
    missing: 'frontNoteNotFound',
    order: 'at',
    timeKeys: ['at', 'created'],
    references: { member: 'member', by: 'author' },
    limit: { counter: 'front_notes' },
  },
  notes: {
    entity: note,
    importPart: 'notes',
    name: 'note',
    missing: 'noteNotFound',
    order: 'date',
    timeKeys: ['date', 'created'],
    references: { member: 'author' },
    limit: { counter: 'notes' },
  },
  posts: {
    entity: post,
    importPart: 'posts',
    name: 'post',
    missing: 'postNotFound',
    order: 'written',
    timeKeys: ['written'],
    references: { room: 'room', for: 'member', by: 'author', reply_to: 'post' },
    limit: { counter: 'posts' },
  },
} as const satisfies Readonly<Record<OwnedList, OwnedKind>>

/** Name of one row of a kind in the report of an import. */
export type OwnedName = (typeof ownedKinds)[OwnedList]['name']

export const ownedLists = Object.keys(ownedKinds) as OwnedList[]

/** Returns the facts of a kind, also those that most kinds do not have. */
export function ownedKind(list: OwnedList): OwnedKind {
  return ownedKinds[list]
}

/** Builds a record with a value for each kind of rows. */
export function forEachOwned<T>(build: (list: OwnedList) => T): Record<OwnedList, T> {
  return Object.fromEntries(ownedLists.map((list) => [list, build(list)])) as Record<OwnedList, T>
}

/** Maximum number of rows of a system. */
export function maxRowsOf(limit: RowLimit): number {
  return 'counter' in limit ? rowLimits[limit.counter] : limit.max
}
