import { and, eq, notExists, sql } from 'drizzle-orm'
import { ownedTable } from '../../db/ownedTables'
import { encodeRow, type Placeholders, query } from '../../db/query'
import { bucketFriends, extUsage, fieldValues, frontNotes, pollVotes } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleBuckets, visibleFields, visibleFrontNotes, visibleRooms } from '../../db/visible'
import { forEachOwned, type OwnedList, ownedKind } from '../../model/ownedKinds'

export interface KnownRow {
  readonly id: number
  readonly uuid: string
  readonly system_id: number
}

/**
 * Finds rows by UUID, of any system: with a condition on the system, the database would read all its
 * rows.
 */
export async function findKnownRows(
  db: Db,
  part: OwnedList,
  uuids: readonly string[],
): Promise<KnownRow[]> {
  return await knownRows[part](db).all({ uuids: JSON.stringify(uuids) })
}

/** Finds UUIDs that are in use, also by hidden rows and by rows of other systems. */
export async function findTakenUuids(
  db: Db,
  part: OwnedList,
  uuids: readonly string[],
): Promise<string[]> {
  const taken = await takenUuids[part](db).all({ uuids: JSON.stringify(uuids) })
  return taken.map(({ uuid }) => uuid)
}

export async function countOwnedRows(db: Db, part: OwnedList, systemId: number): Promise<number> {
  return (await countRows[part](db).get({ system: systemId }))?.size ?? 0
}

/** Returns a row as `insertOwnedRows` takes it. */
export function encodeOwnedRow(part: OwnedList, row: object): object {
  return encodeRow(insertRows[part].columns, row)
}

/** Inserts encoded rows, which are a JSON array. Returns those that were free. */
export async function insertOwnedRows(
  tx: Db,
  part: OwnedList,
  rows: string,
): Promise<{ id: number; uuid: string }[]> {
  return await insertRows[part].insert(tx).all({ rows })
}

export async function fieldsOfSystem(db: Db, systemId: number) {
  return await allFields(db).all({ system: systemId })
}

export async function roomsOfSystem(db: Db, systemId: number) {
  return await allRooms(db).all({ system: systemId })
}

/** Lists buckets without friends: what an import puts in them is shown to no friend at once. */
export async function bucketsWithoutFriends(db: Db, systemId: number) {
  return await unsharedBuckets(db).all({ system: systemId })
}

/** Lists statuses at given times, also hidden ones, because there is one of each member at a time. */
export async function statusesAt(db: Db, systemId: number, times: readonly unknown[]) {
  return await statuses(db).all({ system: systemId, times: JSON.stringify(times) })
}

export async function valuesOfMembers(db: Db, members: readonly number[]) {
  return await values(db).all({ members: JSON.stringify(members) })
}

/** Counts those of the fields that exist. */
export async function countFields(db: Db, ids: readonly number[]): Promise<number> {
  return (await existingFields(db).all({ ids: JSON.stringify(ids) })).length
}

/** Counts those of the buckets that exist. */
export async function countBuckets(db: Db, ids: readonly number[]): Promise<number> {
  return (await existingBuckets(db).all({ ids: JSON.stringify(ids) })).length
}

/** Writes values of custom fields, which are a JSON array. */
export async function writeValues(tx: Db, rows: string): Promise<void> {
  await upsertValues(tx).run({ rows })
}

/** Writes votes, which are a JSON array. */
export async function writeVotes(tx: Db, rows: string): Promise<void> {
  await insertVotes(tx).run({ rows })
}

/** Returns how much of its limits a system uses; null if it has nothing that counts. */
export async function usageOf(db: Db, systemId: number) {
  return await usage(db).get({ system: systemId })
}

// SQL text, because the builder has no type for one of several tables.
const knownRows = forEachOwned((list) =>
  query(
    (_, { uuids }: Placeholders<'uuids'>, { inJsonTexts }) =>
      sql<{ id: number; uuid: string; system_id: number }>`select id, uuid, system_id
        from ${ownedTable(list).visible} where ${inJsonTexts(sql`uuid`, uuids)}`,
  ),
)

const takenUuids = forEachOwned((list) =>
  query(
    (_, { uuids }: Placeholders<'uuids'>, { inJsonTexts }) =>
      sql<{
        uuid: string
      }>`select uuid from ${ownedTable(list).table} where ${inJsonTexts(sql`uuid`, uuids)}`,
  ),
)

const countRows = forEachOwned((list) =>
  query(
    (_, { system }: Placeholders<'system'>, { count }) =>
      sql<{
        size: number
      }>`select ${count()} as size from ${ownedTable(list).visible} where system_id = ${system}`,
  ),
)

const insertRows = forEachOwned((list) => {
  const { entity, imported = entity } = ownedKind(list)
  const { table, columns: references } = ownedTable(list)
  const ownKeys = imported.entries.map(([key]) => key).filter((key) => !(key in references))
  const columns = ['uuid', 'system_id', 'import_id', ...ownKeys, ...Object.values(references)]
  const names = sql.join(
    columns.map((name) => sql.identifier(name)),
    sql`, `,
  )
  return {
    columns,
    insert: query(
      (_, { rows }: Placeholders<'rows'>, { rowsIn }) =>
        sql<{ id: number; uuid: string }>`insert into ${table} (${names})
          ${rowsIn(rows, table, columns)} where true on conflict do nothing returning id, uuid`,
    ),
  }
})

const allFields = query((db, { system }: Placeholders<'system'>) => {
  const { id, uuid, name, type, options, system_id } = visibleFields
  return db
    .select({ id, uuid, name, type, options })
    .from(visibleFields)
    .where(eq(system_id, system))
    .orderBy(id)
})

const allRooms = query((db, { system }: Placeholders<'system'>) => {
  const { id, uuid, name, system_id } = visibleRooms
  return db.select({ id, uuid, name }).from(visibleRooms).where(eq(system_id, system)).orderBy(id)
})

const unsharedBuckets = query((db, { system }: Placeholders<'system'>) => {
  const { id, uuid, name, system_id } = visibleBuckets
  const friends = db
    .select({ bucket_id: bucketFriends.bucket_id })
    .from(bucketFriends)
    .where(eq(bucketFriends.bucket_id, id))
  return db
    .select({ id, uuid, name })
    .from(visibleBuckets)
    .where(and(eq(system_id, system), notExists(friends)))
    .orderBy(id)
})

const statuses = query(
  (db, { system, times }: Placeholders<'system' | 'times'>, { inJsonNumbers }) => {
    const { id, uuid, member_id, at, text, system_id, kind } = frontNotes
    const shown = sql`select 1 from ${visibleFrontNotes} where ${visibleFrontNotes.id} = ${id}`
    return db
      .select({
        id,
        uuid,
        member_id,
        at,
        text,
        is_visible: sql<number>`case when exists (${shown}) then 1 else 0 end`.as('is_visible'),
      })
      .from(frontNotes)
      .where(
        and(eq(system_id, system), inJsonNumbers(at, times), eq(kind, sql<'status'>`'status'`)),
      )
  },
)

const values = query((db, { members }: Placeholders<'members'>, { inJsonNumbers }) =>
  db.select().from(fieldValues).where(inJsonNumbers(fieldValues.member_id, members)),
)

const existingFields = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db
    .select({ id: visibleFields.id })
    .from(visibleFields)
    .where(inJsonNumbers(visibleFields.id, ids)),
)

const existingBuckets = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db
    .select({ id: visibleBuckets.id })
    .from(visibleBuckets)
    .where(inJsonNumbers(visibleBuckets.id, ids)),
)

const valueColumns = ['member_id', 'field_id', 'value']

const upsertValues = query(
  (_, { rows }: Placeholders<'rows'>, { rowsIn }) =>
    sql`insert into ${fieldValues} (member_id, field_id, value)
      ${rowsIn(rows, fieldValues, valueColumns)} where true
      on conflict (member_id, field_id) do update set value = excluded.value`,
)

const voteColumns = ['poll_id', 'member_id', 'author_name', 'option_id', 'comment', 'created']

const insertVotes = query(
  (_, { rows }: Placeholders<'rows'>, { rowsIn }) =>
    sql`insert into ${pollVotes} (poll_id, member_id, author_name, option_id, comment, created)
      ${rowsIn(rows, pollVotes, voteColumns)} where true on conflict do nothing`,
)

const usage = query((db, { system }: Placeholders<'system'>) => {
  const { system_id, text_bytes, front_notes, notes, posts } = extUsage
  return db
    .select({ text_bytes, front_notes, notes, posts })
    .from(extUsage)
    .where(eq(system_id, system))
})
