import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import {
  buckets,
  fields,
  fieldValues,
  frontNotes,
  groupExts,
  memberExts,
  notes,
  origins,
  polls,
  pollVoteCounts,
  pollVotes,
  posts,
  reminders,
  rooms,
} from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import {
  deletedMemberName,
  isImportCommitted,
  visibleBuckets,
  visibleFields,
  visibleFrontNotes,
  visibleGroups,
  visibleMembers,
  visibleMemberUuid,
  visibleNotes,
  visiblePolls,
  visiblePosts,
  visibleReminders,
  visibleRooms,
} from '../../db/visible'
import type { Entity, JsonObject } from '../../model/core/entity'
import { bucket } from '../../model/friends/bucket'
import { frontNote } from '../../model/front/frontNote'
import { note } from '../../model/journal/note'
import { poll } from '../../model/journal/poll'
import { post } from '../../model/journal/post'
import { room } from '../../model/journal/room'
import { customFieldInFiles } from '../../model/members/customField'
import { exportedReminder } from '../../model/reminders/reminder'
import { type BucketLink, bucketLinks } from '../friends/bucketLinks'

// What an export contains of the extension API.

/** Rows that are read at once. */
export const PAGE = 200

// SQL text, because the builder has no type for one of several tables.
function select(
  entity: Entity,
  refs: Readonly<Record<string, SQLWrapper>>,
  author: SQLWrapper | null,
): SQL {
  const keys = entity.entries.map(([key]) => {
    const name = sql.identifier(key)
    if (refs[key]) return sql`${refs[key]} as ${name}`
    if (key === 'author_name' && author)
      return sql`coalesce(${deletedMemberName(author)}, ${name}) as ${name}`
    return sql`${name}`
  })
  // Sorting by `id` would sort by the UUID.
  return sql`select uuid as id, id as row_id, ${sql.join(keys, sql`, `)}`
}

/** Builds a function that lists the rows of a short list, in its order. */
function listOf(visible: SQLWrapper, entity: Entity, decoded: object) {
  const rows = query(
    (_, { system }: Placeholders<'system'>) =>
      sql<JsonObject>`${select(entity, {}, null)} from ${visible}
        where system_id = ${system} order by position, row_id`,
    decoded,
  )
  return (db: Db, systemId: number) => rows(db).all({ system: systemId })
}

export const fieldRows = listOf(visibleFields, customFieldInFiles, { options: fields.options })
export const roomRows = listOf(visibleRooms, room, {})
export const bucketRows = listOf(visibleBuckets, bucket, { default_for: buckets.default_for })

/** Builds a function that lists the UUIDs of what a bucket contains. */
function inBucket({ table, row }: BucketLink, visible: SQLWrapper, id: SQLWrapper) {
  const rows = query(
    (_, values: Placeholders<'bucket'>) =>
      sql<{ uuid: string }>`select uuid from ${visible} join ${table} on ${row} = ${id}
        where bucket_id = ${values.bucket} order by ${id}`,
  )
  return (db: Db, bucketId: number) => rows(db).all({ bucket: bucketId })
}

export const contentsOf = {
  members: inBucket(bucketLinks.members, visibleMembers, visibleMembers.id),
  groups: inBucket(bucketLinks.groups, visibleGroups, visibleGroups.id),
  fields: inBucket(bucketLinks.fields, visibleFields, visibleFields.id),
}

/** Pages of a list, newest first. */
function pagesOf(
  visible: SQLWrapper,
  entity: Entity,
  refs: Readonly<Record<string, SQLWrapper>>,
  order: string,
  decoded: object,
  { author = null, pageSize = PAGE }: { author?: SQLWrapper | null; pageSize?: number } = {},
) {
  const time = sql.identifier(order)
  const pages = query(
    (
      _,
      { system, before, beforeId, limit }: Placeholders<'system' | 'before' | 'beforeId' | 'limit'>,
    ) =>
      sql<JsonObject>`${select(entity, refs, author)}, ${time} as page_time from ${visible}
        where system_id = ${system} and (${time}, id) < (${before}, ${beforeId})
        order by ${time} desc, row_id desc limit ${limit}`,
    decoded,
  )
  /** Rows before a time and row ID. */
  const pageBefore = (db: Db, systemId: number, from: { before: number; beforeId: number }) =>
    pages(db).all({ system: systemId, ...from, limit: pageSize })
  return { entity, pageBefore }
}

const uuidOf = (table: string, name: string) =>
  visibleMemberUuid(sql`${sql.identifier(table)}.${sql.identifier(name)}`)

export const rowLists = {
  front_notes: pagesOf(
    visibleFrontNotes,
    frontNote,
    { member: uuidOf('front_notes', 'member_id'), by: uuidOf('front_notes', 'by_member') },
    'at',
    {},
    { author: frontNotes.by_member },
  ),
  notes: pagesOf(
    visibleNotes,
    note,
    { member: uuidOf('notes', 'member_id') },
    'date',
    { pinned: notes.pinned },
    // A note may have 100,000 characters.
    { author: notes.member_id, pageSize: 20 },
  ),
  posts: pagesOf(
    visiblePosts,
    post,
    {
      room: sql`(select ${rooms.uuid} from ${rooms} where ${rooms.id} = posts.room_id)`,
      for: uuidOf('posts', 'for_member'),
      by: uuidOf('posts', 'by_member'),
    },
    'written',
    { read: posts.read },
    { author: posts.by_member },
  ),
  polls: pagesOf(visiblePolls, poll, {}, 'created', { options: polls.options }),
  reminders: pagesOf(visibleReminders, exportedReminder, {}, 'created', {
    enabled: reminders.enabled,
  }),
}

/** Row IDs of the members of a system, from one on. */
export function memberIds(db: Db, systemId: number, from: number): MaybePromise<{ id: number }[]> {
  return idsFrom(db).all({ system: systemId, from })
}

export function memberRows(db: Db, members: readonly number[]): MaybePromise<JsonObject[]> {
  return extsOfMembers(db).all({ members: JSON.stringify(members) })
}

export function groupRows(db: Db, systemId: number): MaybePromise<JsonObject[]> {
  return extsOfGroups(db).all({ system: systemId })
}

export function valueRows(db: Db, members: readonly number[]): MaybePromise<JsonObject[]> {
  return valuesOfMembers(db).all({ members: JSON.stringify(members) })
}

/** Numbers of the votes of polls. */
export function voteTotals(
  db: Db,
  polls: readonly number[],
): MaybePromise<{ poll: number; votes: number }[]> {
  return totalsOfPolls(db).all({ polls: JSON.stringify(polls) })
}

export function voteRows(db: Db, polls: readonly number[]): MaybePromise<JsonObject[]> {
  return votesOfPolls(db).all({ polls: JSON.stringify(polls) })
}

/** A page of origins, after one of them. */
export function originPage(
  db: Db,
  systemId: number,
  after: { app: string; collection: string; id: string },
): MaybePromise<JsonObject[]> {
  return originsAfter(db).all({ system: systemId, ...after, limit: PAGE })
}

const idsFrom = query(
  (_, { system, from }: Placeholders<'system' | 'from'>) =>
    sql<{ id: number }>`select id from ${visibleMembers}
      where system_id = ${system} and id >= ${from} order by id`,
)

const extsOfMembers = query(
  (_, { members }: Placeholders<'members'>, { inJsonNumbers }) =>
    sql<JsonObject>`select members.id as row_id, members.uuid as member, member_ext.kind, member_ext.archived_at,
      member_ext.archived_reason, member_ext.announce_front, member_ext.about
      from ${visibleMembers} join ${memberExts} on member_ext.member_id = members.id
      where ${inJsonNumbers(sql`members.id`, members)} order by members.id`,
  { announce_front: memberExts.announce_front },
)

const extsOfGroups = query(
  (_, { system }: Placeholders<'system'>) =>
    sql<JsonObject>`select groups.uuid as "group", parents.uuid as parent, group_ext.emoji,
      group_ext.position from ${visibleGroups} join ${groupExts} on group_ext.group_id = groups.id
      left join groups as parents on parents.id = group_ext.parent_id
      where groups.system_id = ${system} order by groups.id`,
)

const valuesOfMembers = query(
  (_, { members }: Placeholders<'members'>, { inJsonNumbers }) =>
    sql<JsonObject>`select members.id as row_id, members.uuid as member, fields.uuid as field,
      field_values.value
      from ${visibleMembers} join ${fieldValues} on field_values.member_id = members.id
      join ${visibleFields} on fields.id = field_values.field_id
      where ${inJsonNumbers(sql`members.id`, members)}
      order by members.id, fields.position, fields.id`,
)

const totalsOfPolls = query(
  (_, { polls: ids }: Placeholders<'polls'>, { inJsonNumbers }) =>
    sql<{ poll: number; votes: number }>`select poll_id as poll, sum(votes) as votes
      from ${pollVoteCounts} where ${inJsonNumbers(sql`poll_id`, ids)} group by poll_id`,
)

const votesOfPolls = query(
  (_, { polls: ids }: Placeholders<'polls'>, { inJsonNumbers }) =>
    sql<JsonObject>`select poll_votes.poll_id, poll_votes.option_id as option, poll_votes.comment,
      poll_votes.created, ${visibleMemberUuid(pollVotes.member_id)} as member,
      coalesce(${deletedMemberName(pollVotes.member_id)}, poll_votes.author_name) as author_name
      from ${pollVotes} where ${inJsonNumbers(sql`poll_votes.poll_id`, ids)}
      order by poll_votes.id`,
)

const originsAfter = query(
  (_, values: Placeholders<'system' | 'app' | 'collection' | 'id' | 'limit'>) =>
    sql<JsonObject>`select app, collection, source_id as id, target from ${origins}
      where system_id = ${values.system}
        and (app, collection, source_id) > (${values.app}, ${values.collection}, ${values.id})
        and ${isImportCommitted(origins.import_id)}
      order by app, collection, source_id limit ${values.limit}`,
)
