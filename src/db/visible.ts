import { randomUUID } from 'node:crypto'
import {
  and,
  eq,
  getTableName,
  gte,
  isNotNull,
  isNull,
  lt,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import { alias, QueryBuilder } from 'drizzle-orm/sqlite-core'
import { type DomainError, error } from '../model/core/errors'
import { type Placeholders, query } from './query'
import type { OwnedTable } from './rows'
import {
  buckets,
  deletedArchives,
  fields,
  frontNotes,
  groups,
  importArchive,
  members,
  notes,
  pendingImports,
  polls,
  posts,
  reminders,
  rooms,
  switches,
  systems,
} from './tables'
import type { Db } from './types'

/**
 * Rows that callers may see. Rows of unfinished imports and rows that are being deleted stay in
 * their tables, so every read selects from these instead of the tables; only imports, deletion and
 * the checks of the database read the tables themselves.
 */

/** Prefix of the IDs of hidden rows. It sorts after every short ID, and no request can name it. */
const HIDDEN_PREFIX = '~'

const builder = new QueryBuilder()

const former = alias(members, 'former')

export const visibleSystems = builder
  .select()
  .from(systems)
  .where(lt(systems.hid, HIDDEN_PREFIX))
  .as('systems')

export const visibleMembers = builder
  .select()
  .from(members)
  .where(lt(members.hid, HIDDEN_PREFIX))
  .as('members')

export const visibleGroups = builder
  .select()
  .from(groups)
  .where(lt(groups.hid, HIDDEN_PREFIX))
  .as('groups')

/** The same by the name of their table. */
export const visibleRows = {
  systems: visibleSystems,
  members: visibleMembers,
  groups: visibleGroups,
} as const

/** ID of a system's last switch that waits for deletion, together with all before it. */
export function lastDeletedSwitch(systemId: SQLWrapper): SQL {
  const whose = alias(systems, 'whose')
  return sql`(select ${whose.deleted_through_switch_id} from ${systems} ${whose} where ${whose.id} = ${systemId})`
}

/** ID of a system's last status that waits for deletion, together with all before it. */
function lastDeletedStatus(systemId: SQLWrapper): SQL {
  const whose = alias(systems, 'whose')
  return sql`(select ${whose.deleted_through_status_id} from ${systems} ${whose} where ${whose.id} = ${systemId})`
}

/**
 * Condition that excludes switches of unfinished imports and of deleted histories. A caller that
 * knows the last deleted switch of the system passes it, which saves a lookup per switch.
 */
export function isLiveSwitch(
  systemId: SQLWrapper = switches.system_id,
  last: SQLWrapper = lastDeletedSwitch(systemId),
): SQL {
  // The unary plus keeps SQLite from scanning all switches of the server by ID.
  return sql`(+${switches.id} > ${last} and ${isImportCommitted(switches.import_id)})`
}

export const liveSwitches = liveSwitchesOf()

/** Switches of one system, whose ID or last deleted switch the caller knows: a lookup less per row. */
export function liveSwitchesOf(...args: Parameters<typeof isLiveSwitch>) {
  return builder
    .select()
    .from(switches)
    .where(isLiveSwitch(...args))
    .as('switches')
}

/** Condition that selects archived rows that a finished conversion replaced. */
export const isReplaced = sql`(${importArchive.replaced_by} is not null
  and ${isImportCommitted(importArchive.replaced_by)})`

/** Condition that selects archived rows of a collection that is being deleted. */
const isOfDeletedCollection = sql`exists (select 1 from ${deletedArchives}
  where ${deletedArchives.system_id} = ${importArchive.system_id}
    and ${deletedArchives.collection} = ${importArchive.collection}
    and ${deletedArchives.through_id} >= ${importArchive.id})`

/** Rows of imported files, without those of unfinished imports and those that are being deleted. */
export const committedArchive = builder
  .select()
  .from(importArchive)
  .where(
    and(
      isImportCommitted(importArchive.import_id),
      sql`not ${isReplaced}`,
      sql`not ${isOfDeletedCollection}`,
    ),
  )
  .as('import_archive')

export const visibleFields = committedRowsOf(fields)

/** Front notes, except those about a member, or of a history, that is being deleted. */
export const visibleFrontNotes = builder
  .select()
  .from(frontNotes)
  .where(
    and(
      isImportCommitted(frontNotes.import_id),
      sql`(${frontNotes.member_id} is null or not ${isDeletedMember(frontNotes.member_id)})`,
      sql`(${frontNotes.kind} = 'comment' or ${frontNotes.id} > ${lastDeletedStatus(frontNotes.system_id)})`,
    ),
  )
  .as('front_notes')

export const visibleNotes = committedRowsOf(notes)

export const visibleRooms = builder
  .select()
  .from(rooms)
  .where(and(isImportCommitted(rooms.import_id), eq(rooms.is_deleted, false)))
  .as('rooms')

/** Posts, without those of a room that is being deleted. */
export const visiblePosts = builder
  .select()
  .from(posts)
  .where(
    and(
      isImportCommitted(posts.import_id),
      sql`not exists (select 1 from ${rooms} where ${rooms.id} = ${posts.room_id} and ${rooms.is_deleted} = 1)`,
    ),
  )
  .as('posts')

export const visiblePolls = committedRowsOf(polls)

export const visibleReminders = committedRowsOf(reminders)

export const visibleBuckets = committedRowsOf(buckets)

/** UUID of a member by its row ID; null while the member is being deleted. */
export function visibleMemberUuid(id: SQLWrapper): SQL {
  return sql`(select ${visibleMembers.uuid} from ${visibleMembers} where ${visibleMembers.id} = ${id})`
}

/** Name of a member by its row ID, if the member is being deleted; otherwise null. */
export function deletedMemberName(id: SQLWrapper): SQL {
  return sql`(select ${former.name} from ${members} ${former}
    where ${former.id} = ${id} and ${former.hid} >= ${HIDDEN_PREFIX})`
}

/**
 * Condition that a member is being deleted; null for no member. These are few, so an index on the
 * column finds them.
 */
export function isDeletedMember(id: SQLWrapper): SQL {
  return sql`${id} in (select ${former.id} from ${members} ${former} where ${former.hid} >= ${HIDDEN_PREFIX})`
}

/** Members that are being deleted, or that an import has not finished. They are few. */
export const hiddenMembers = builder
  .select()
  .from(members)
  .where(gte(members.hid, HIDDEN_PREFIX))
  .as('members')

/** Rows of a table without those of unfinished imports, under its name. */
export function committedRowsOf<T extends OwnedTable>(table: T) {
  return builder
    .select()
    .from(table)
    .where(isImportCommitted(table.import_id))
    .as(getTableName(table))
}

/** Condition that excludes rows of unfinished imports. */
export function isImportCommitted(importId: SQLWrapper): SQL {
  return sql`(${importId} is null or not exists (
    select 1 from ${pendingImports} where ${pendingImports.id} = ${importId}))`
}

/** Builds the identity of a row that an import has not finished. */
export function hiddenIdentity(): { hid: string; uuid: string } {
  return { hid: `${HIDDEN_PREFIX}${randomUUID()}`, uuid: randomUUID() }
}

/** Values that hide a row and free its IDs. The row ID keeps the new ones unique. */
export function hiddenIds({ id }: { id: SQLWrapper }): { hid: SQL; uuid: SQL } {
  const hidden = sql`${HIDDEN_PREFIX} || ${id}`
  return { hid: hidden, uuid: hidden }
}

/** Condition that selects hidden systems, whose rows are staged or wait for deletion. */
export const isHiddenSystem = gte(systems.hid, HIDDEN_PREFIX)

/** Condition that selects switches of a deleted history. */
export const isPendingDeletion = sql`+${switches.id} <= ${lastDeletedSwitch(switches.system_id)}`

/** Condition that excludes rows of systems that the operator has disabled. */
export function isEnabled(table: keyof typeof visibleRows): SQL {
  if (table === 'systems') return isNull(visibleSystems.disabled_at)
  return sql`not exists (select 1 from ${systems} ${enabled}
    where ${enabled.id} = ${visibleRows[table].system_id} and ${enabled.disabled_at} is not null)`
}

const enabled = alias(systems, 'enabled')

export async function isDisabled(db: Db, systemId: number): Promise<boolean> {
  return (await disabled(db).get({ system: systemId })) !== null
}

export async function requireEnabled(db: Db, systemId: number): Promise<void> {
  if (await isDisabled(db, systemId)) throw disabledError()
}

/** Error for callers that authenticate as a disabled system. */
export function disabledError(): DomainError {
  return error('forbidden', 'disabled by the operator')
}

const disabled = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ id: systems.id })
    .from(systems)
    .where(and(eq(systems.id, system), isNotNull(systems.disabled_at))),
)
