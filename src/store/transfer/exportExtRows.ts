import { getTableName, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { columnsOfFields, ownedTable } from '../../db/ownedTables'
import { type Placeholders, query } from '../../db/query'
import {
  fieldValues,
  groupExts,
  memberExts,
  origins,
  pollVoteCounts,
  pollVotes,
  rooms,
} from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import {
  deletedMemberName,
  isImportCommitted,
  visibleFields,
  visibleGroups,
  visibleMembers,
  visibleMemberUuid,
} from '../../db/visible'
import type { JsonObject } from '../../model/core/entity'
import { forEachOwned, type OwnedList, ownedKind } from '../../model/ownedKinds'
import { type BucketLink, bucketLinks } from '../friends/bucketLinks'

// What an export contains of the extension API.

/** Rows that are read at once. */
export const PAGE = 200

/** Lists the rows of a list that is ordered by position. */
export function listByPosition(
  db: Db,
  list: OwnedList,
  systemId: number,
): MaybePromise<JsonObject[]> {
  return byPosition[list](db).all({ system: systemId })
}

/** Lists a page of a list that is ordered by time, newest first, before a time and row ID. */
export function listPageBefore(
  db: Db,
  list: OwnedList,
  systemId: number,
  from: { before: number; beforeId: number },
): MaybePromise<JsonObject[]> {
  return pages[list](db).all({ system: systemId, ...from, limit: pageSizes[list] ?? PAGE })
}

/** A note may have 100,000 characters. */
const pageSizes: Partial<Record<OwnedList, number>> = { notes: 20 }

// SQL text, because the builder has no type for one of several tables.
function select(list: OwnedList): SQL {
  const { entity, exported = entity, references } = ownedKind(list)
  const { table, columns } = ownedTable(list)
  const column = (name: string) =>
    sql`${sql.identifier(getTableName(table))}.${sql.identifier(name)}`
  const author = Object.keys(references).find((key) => references[key] === 'author')
  const authorId = columns[author ?? '']
  const keys = exported.entries.map(([key]) => {
    const name = sql.identifier(key)
    const referenceId = columns[key]
    if (referenceId !== undefined) {
      const uuidOf = references[key] === 'room' ? roomUuid : visibleMemberUuid
      return sql`${uuidOf(column(referenceId))} as ${name}`
    }
    if (key === 'author_name' && authorId !== undefined)
      return sql`coalesce(${deletedMemberName(column(authorId))}, ${name}) as ${name}`
    return sql`${name}`
  })
  // Sorting by `id` would sort by the UUID.
  return sql`select uuid as id, id as row_id, ${sql.join(keys, sql`, `)}`
}

function roomUuid(id: SQL): SQL {
  return sql`(select ${rooms.uuid} from ${rooms} where ${rooms.id} = ${id})`
}

function decoded(list: OwnedList): object {
  const { entity, exported = entity } = ownedKind(list)
  return columnsOfFields(ownedTable(list).table, exported)
}

const byPosition = forEachOwned((list) =>
  query(
    (_, { system }: Placeholders<'system'>) =>
      sql<JsonObject>`${select(list)} from ${ownedTable(list).visible}
        where system_id = ${system} order by position, row_id`,
    decoded(list),
  ),
)

const pages = forEachOwned((list) => {
  const time = sql.identifier(ownedKind(list).order)
  return query(
    (
      _,
      { system, before, beforeId, limit }: Placeholders<'system' | 'before' | 'beforeId' | 'limit'>,
    ) =>
      sql<JsonObject>`${select(list)}, ${time} as page_time from ${ownedTable(list).visible}
        where system_id = ${system} and (${time}, id) < (${before}, ${beforeId})
        order by ${time} desc, row_id desc limit ${limit}`,
    decoded(list),
  )
})

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
