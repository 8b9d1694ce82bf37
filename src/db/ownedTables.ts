import { type Column, getTableColumns, type SQLWrapper } from 'drizzle-orm'
import type { Entity } from '../model/core/entity'
import { forEachOwned, type OwnedList } from '../model/ownedKinds'
import type { OwnedTable } from './rows'
import { buckets, fields, frontNotes, notes, polls, posts, reminders, rooms } from './tables'
import { committedRowsOf, visibleFrontNotes, visiblePosts, visibleRooms } from './visible'

interface OwnedRows {
  readonly table: OwnedTable
  /** Visible rows of the table, under its name, if not all of finished imports are visible. */
  readonly visible?: SQLWrapper
  /** Columns with the row IDs of what the keys of the field table refer to. */
  readonly columns?: Readonly<Record<string, string>>
}

/** Tables of the kinds of rows in `model/ownedKinds.ts`. */
const rowsOf: Readonly<Record<OwnedList, OwnedRows>> = {
  fields: { table: fields },
  front_notes: {
    table: frontNotes,
    visible: visibleFrontNotes,
    columns: { member: 'member_id', by: 'by_member' },
  },
  notes: { table: notes, columns: { member: 'member_id' } },
  rooms: { table: rooms, visible: visibleRooms },
  posts: {
    table: posts,
    visible: visiblePosts,
    columns: { room: 'room_id', for: 'for_member', by: 'by_member' },
  },
  polls: { table: polls },
  reminders: { table: reminders },
  buckets: { table: buckets },
}

const ownedTables = forEachOwned((list): Required<OwnedRows> => {
  const { table, visible = committedRowsOf(table), columns = {} } = rowsOf[list]
  return { table, visible, columns }
})

export function ownedTable(list: OwnedList): Required<OwnedRows> {
  return ownedTables[list]
}

/** Tables in an order in which their rows can be deleted: those that refer to others first. */
export const ownedTablesToDelete: readonly OwnedTable[] = Object.values(
  forEachOwned((list) => ownedTable(list).table),
).toReversed()

export function columnsOfFields(table: OwnedTable, entity: Entity): Record<string, Column> {
  const columns: Record<string, Column> = getTableColumns(table)
  return Object.fromEntries(
    entity.entries.flatMap(([key]) => (columns[key] ? [[key, columns[key]]] : [])),
  )
}
