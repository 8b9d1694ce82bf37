import { type Column, getTableColumns, type SQLWrapper } from 'drizzle-orm'
import type { Entity } from '../model/core/entity'
import { forEachOwned, type OwnedList } from '../model/ownedKinds'
import type { OwnedTable } from './rows'
import { buckets, fields, frontNotes, notes, polls, posts, reminders, rooms } from './tables'
import {
  visibleBuckets,
  visibleFields,
  visibleFrontNotes,
  visibleNotes,
  visiblePolls,
  visiblePosts,
  visibleReminders,
  visibleRooms,
} from './visible'

interface OwnedRows {
  readonly table: OwnedTable
  /** Visible rows of the table, under its name. */
  readonly visible: SQLWrapper
  /** Columns with the row IDs of what the keys of the field table refer to. */
  readonly columns: Readonly<Record<string, string>>
}

/** Tables of the kinds of rows in `model/ownedKinds.ts`. */
export const ownedTables = {
  fields: { table: fields, visible: visibleFields, columns: {} },
  rooms: { table: rooms, visible: visibleRooms, columns: {} },
  polls: { table: polls, visible: visiblePolls, columns: {} },
  reminders: { table: reminders, visible: visibleReminders, columns: {} },
  buckets: { table: buckets, visible: visibleBuckets, columns: {} },
  front_notes: {
    table: frontNotes,
    visible: visibleFrontNotes,
    columns: { member: 'member_id', by: 'by_member' },
  },
  notes: { table: notes, visible: visibleNotes, columns: { member: 'member_id' } },
  posts: {
    table: posts,
    visible: visiblePosts,
    columns: { room: 'room_id', for: 'for_member', by: 'by_member' },
  },
} as const satisfies Readonly<Record<OwnedList, OwnedRows>>

/** Returns the table of a kind, without its own type. */
export function ownedTable(list: OwnedList): OwnedRows {
  return ownedTables[list]
}

/** Tables in an order in which their rows can be deleted: those that refer to others first. */
export const ownedTablesToDelete: readonly OwnedTable[] = Object.values(
  forEachOwned((list) => ownedTable(list).table),
).toReversed()

/** Columns of a table with fields of an entity. */
export function columnsOfFields(table: OwnedTable, entity: Entity): Record<string, Column> {
  const columns: Record<string, Column> = getTableColumns(table)
  return Object.fromEntries(
    entity.entries.flatMap(([key]) => (columns[key] ? [[key, columns[key]]] : [])),
  )
}
