import { rowLimits, smallLimits } from './access/rowLimits'
import type { Entity, JsonObject } from './core/entity'
import type { ErrorName, Problems } from './core/errors'
import type { Permission } from './core/privacy'
import type { Instant } from './core/time'
import { bucket } from './friends/bucket'
import { frontNote, validateFrontNote } from './front/frontNote'
import { note, validateNote } from './journal/note'
import { poll } from './journal/poll'
import { post, validatePost } from './journal/post'
import { room } from './journal/room'
import { customField, customFieldInFiles } from './members/customField'
import { exportedReminder, reminder, validateReminder } from './reminders/reminder'

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
  readonly importPart: string
  /** Name of one row: in the report of an import, in events, and in the API document. */
  readonly name: string
  readonly missing: ErrorName
  /** Key by which lists are ordered: by position ascending, by time newest first and in pages. */
  readonly order: string
  /** Keys of times that are now if nothing is given. */
  readonly timeKeys: readonly string[]
  readonly references: Readonly<Record<string, ReferenceTo>>
  readonly limit: RowLimit
  /** Permissions to read and to write; `read_journal` and `change` by default. */
  readonly permissions?: { readonly read: Permission; readonly write: Permission }
  /** Keys whose change sets `edited`. */
  readonly editedKeys?: readonly string[]
  /** Returns problems that the field table does not detect. */
  validate?(row: JsonObject, now: Instant): Problems
  /** Keys that events have besides the names of the changed ones; never text that a person wrote. */
  readonly eventKeys?: readonly string[]
}

/** Kinds of rows of the extension API that clients name by a UUID, in their order in a file. */
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
    permissions: { read: 'read', write: 'change' },
    limit: { max: smallLimits.fields, what: 'fields' },
  },
  front_notes: {
    entity: frontNote,
    importPart: 'switches',
    name: 'front_note',
    missing: 'frontNoteNotFound',
    order: 'at',
    timeKeys: ['at', 'created'],
    references: { member: 'member', by: 'author' },
    permissions: { read: 'read_journal', write: 'switch' },
    editedKeys: ['text'],
    validate: validateFrontNote,
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
    editedKeys: ['title', 'text'],
    validate: validateNote,
    eventKeys: ['member'],
    limit: { counter: 'notes' },
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
  posts: {
    entity: post,
    importPart: 'posts',
    name: 'post',
    missing: 'postNotFound',
    order: 'written',
    timeKeys: ['written'],
    references: { room: 'room', for: 'member', by: 'author', reply_to: 'post' },
    editedKeys: ['title', 'text'],
    validate: validatePost,
    eventKeys: ['room', 'for', 'by'],
    limit: { counter: 'posts' },
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
    validate: validateReminder,
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
    permissions: { read: 'manage_friends', write: 'manage_friends' },
    limit: { max: smallLimits.buckets, what: 'privacy buckets' },
  },
} as const satisfies Readonly<Record<string, OwnedKind>>

/** Lists of rows that a system owns and that clients name by a UUID. */
export type OwnedList = keyof typeof ownedKinds

/** Name of one row of a kind in the report of an import. */
export type OwnedName = (typeof ownedKinds)[OwnedList]['name']

/** Types of the events about rows, such as `CREATE_NOTE`. */
export type OwnedEventType = `${'CREATE' | 'UPDATE' | 'DELETE'}_${Uppercase<OwnedName>}`

export type EntityOf<L extends OwnedList> = (typeof ownedKinds)[L]['entity']

/** Lists in their order in a file. */
export const listsInFile = Object.keys(ownedKinds) as OwnedList[]

/**
 * Lists in the order in which an import gives them space for text: those with few rows, which others
 * may belong to, then the long ones. They are deleted in the opposite order.
 */
export const ownedLists: readonly OwnedList[] = [
  ...listsInFile.filter((list) => 'max' in ownedKinds[list].limit),
  ...listsInFile.filter((list) => 'counter' in ownedKinds[list].limit),
]

/** Returns the facts of a kind, also those that most kinds do not have. */
export function ownedKind(
  list: OwnedList,
): OwnedKind & Pick<(typeof ownedKinds)[OwnedList], 'importPart' | 'name'> {
  return ownedKinds[list]
}

/** Returns the types of the events about a row. */
export function ownedEvents(list: OwnedList) {
  const name = ownedKind(list).name.toUpperCase() as Uppercase<OwnedName>
  return {
    created: `CREATE_${name}`,
    changed: `UPDATE_${name}`,
    removed: `DELETE_${name}`,
  } satisfies Record<string, OwnedEventType>
}

/** Builds a record with a value for each kind of rows. */
export function forEachOwned<T>(build: (list: OwnedList) => T): Record<OwnedList, T> {
  return Object.fromEntries(ownedLists.map((list) => [list, build(list)])) as Record<OwnedList, T>
}

/** Maximum number of rows of a system. */
export function maxRowsOf(limit: RowLimit): number {
  return 'counter' in limit ? rowLimits[limit.counter] : limit.max
}
