import {
  and,
  type Column,
  eq,
  gt,
  inArray,
  notExists,
  notInArray,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import { type Builder, type Placeholders, query } from '../../db/query'
import {
  accounts,
  autoproxies,
  bucketMembers,
  buckets,
  deletedSwitches,
  deliveries,
  events,
  fields,
  fieldValues,
  friendInvites,
  friendNotifyDue,
  friendSides,
  friendships,
  frontNotes,
  groupMembers,
  groups,
  importArchive,
  linkCodes,
  loginCodes,
  memberExts,
  memberGuilds,
  members,
  messages,
  notes,
  origins,
  pendingImports,
  pictures,
  pinnedMembers,
  polls,
  pollVotes,
  posts,
  preferences,
  proxyTagIndex,
  pushTargets,
  reminders,
  rooms,
  sessions,
  switches,
  switchMembers,
  systemGuilds,
  systemSettings,
  systems,
  tokens,
  webhooks,
} from '../../db/tables'
import type { Db } from '../../db/types'
import { hiddenIdentity, hiddenIds, isHiddenSystem, visibleSystems } from '../../db/visible'
import { error } from '../../model/core/errors'
import { addUsage } from '../../store/core/usage'
import {
  deleteFrontNotesOfMember,
  deleteSomeFrontNotesOfMembers,
  deleteSomeStatuses,
  deleteStatuses,
} from '../../store/front/deleteFrontNotes'
import { deletePosts, deleteRoom, listHiddenRooms } from '../../store/journal/roomDeletion'
import { removeSomeTags, tagIndexOf } from '../../store/members/tagIndex'
import { deleteSomeArchivedRows } from '../../store/transfer/archiveDeletion'
import type { Deps } from '../core/deps'
import { deleteInBatches, type IsStopped, never } from './deleteInBatches'

// Few rows are deleted at once; many are only hidden, and deleted in batches afterwards, after a kill
// by the next process. See "Deletion" in ARCHITECTURE.md.

/** Number of rows that can be deleted in one short transaction. */
const INLINE_LIMIT = 500

export async function deleteOrHideSystem(tx: Db, id: number): Promise<void> {
  // The caller ends friendships that have two sides; `doctor` reports others.
  await deleteFriendships(tx).run({ id })
  if (isFew(await sizeOfSystem(tx).get({ id }))) return void (await deleteSystem(tx).run({ id }))
  // Without these rows no caller can authenticate as the system or write to it.
  for (const remove of deleteAccess) await remove(tx).run({ id })
  for (const hide of hideSystem) await hide(tx).run({ id })
  await hideSwitches(tx).run({ id })
}

export async function deleteOrHideMember(tx: Db, id: number): Promise<void> {
  if (isFew(await sizeOfMember(tx).get({ id }))) {
    await deleteFrontNotesOfMember(tx, id)
    for (const keepName of keepNames) await keepName(tx).run({ id })
    return void (await deleteMember(tx).run({ id }))
  }
  const hidden = await insertHiddenSystem(tx).get(hiddenIdentity())
  for (const remove of deleteDerivedRows) await remove(tx).run({ id })
  await moveMember(tx).run({ id, hidden: hidden?.id ?? null })
}

/** Deletes or hides all switches of a system, with all statuses. */
export async function deleteOrHideSwitches(tx: Db, id: number): Promise<void> {
  if (!isFew(await sizeOfHistory(tx).get({ id }))) return void (await hideSwitches(tx).run({ id }))
  await deleteStatuses(tx, id)
  await deleteSwitches(tx).run({ id })
}

/** Throws if the system was deleted while the write waited for its lock. */
export async function requireExists(tx: Db, id: number): Promise<void> {
  if (!(await existingSystem(tx).get({ id }))) throw error('systemNotFound')
}

/** Deletes the hidden rows of all deletions, of this process and of others. */
export async function purgeDeleted(deps: Deps, isStopped = never): Promise<void> {
  for (const { id, last } of await pendingDeletion(deps.db).all({}))
    await purgeHistory(deps, id, last, isStopped)
  for (const { id, system_id } of await listHiddenRooms(deps.db))
    await purgeRoom(deps, id, system_id, isStopped)
  await purgeArchive(deps, isStopped)
  for (const { id } of await hiddenSystems(deps.db).all({}))
    await purgeHiddenSystem(deps, id, isStopped)
}

/** Deletes archived rows that a deletion or a conversion has hidden. */
export async function purgeArchive(deps: Deps, isStopped = never): Promise<void> {
  await deleteInBatches(deps, 'new', isStopped, deleteSomeArchivedRows)
}

/** Deletes a hidden room with its posts, and frees their space batch by batch. */
async function purgeRoom(
  deps: Deps,
  id: number,
  systemId: number,
  isStopped: IsStopped,
): Promise<void> {
  const lock = { system: systemId }
  await deleteInBatches(deps, lock, isStopped, async (tx, most) => {
    const freed = await deletePosts(tx, id, most)
    await addUsage(deps, tx, systemId, freed)
    return -(freed.posts ?? 0)
  })
  if (!isStopped()) await deps.transact(lock, async (tx) => void (await deleteRoom(tx).run({ id })))
}

/** Deletes a hidden system with all its rows. */
export async function purgeHiddenSystem(deps: Deps, id: number, isStopped = never): Promise<void> {
  const lock = { system: id }
  await purgeTags(deps, await tagIndexOf(deps.db, id), isStopped)
  await deleteInBatches(deps, lock, isStopped, (tx, most) =>
    deleteSomeFrontNotesOfMembers(tx, id, most),
  )
  for (const removeSome of hiddenSystemBatches)
    await deleteInBatches(
      deps,
      lock,
      isStopped,
      async (tx, most) => (await removeSome(tx).all({ id, most })).length,
    )
  if (!isStopped())
    await deps.transact('new', async (tx) => void (await deleteSystem(tx).run({ id })))
}

/** Deletes a set of proxy tag keys that is no longer in use. */
export async function purgeTags(deps: Deps, setId: number, isStopped = never): Promise<void> {
  await deleteInBatches(deps, 'new', isStopped, (tx, most) => removeSomeTags(tx, setId, most))
}

async function purgeHistory(
  deps: Deps,
  id: number,
  last: number,
  isStopped: IsStopped,
): Promise<void> {
  const lock = { system: id }
  // Continue after the last batch, so that new switches in between are not scanned again.
  let from = -Infinity
  await deleteInBatches(deps, lock, isStopped, async (tx, most) => {
    const deleted = await deleteHiddenSwitches(tx).all({ id, last, from, most })
    for (const { timestamp } of deleted) from = Math.max(from, timestamp)
    return deleted.length
  })
  await deleteInBatches(deps, lock, isStopped, (tx, most) => deleteSomeStatuses(tx, id, most))
  if (!isStopped())
    await deps.transact(lock, async (tx) => void (await clearWatermark(tx).run({ id, last })))
}

function isFew(found: { size: number } | null): boolean {
  return (found?.size ?? 0) <= INLINE_LIMIT
}

/** Rows after `from`. SQL text, because they are joined in a given order and counted up to a limit. */
type Rows = (id: SQL, dialect: Dialect) => SQL

type Table = Parameters<Builder['delete']>[0]
type OfSystem = Table & { readonly system_id: Column }
type OfMember = Table & { readonly member_id: Column }

const ofSystem = (table: OfSystem) => (id: SQL) => sql`${table} where ${eq(table.system_id, id)}`
const ofMember = (table: OfMember) => (id: SQL) => sql`${table} where ${eq(table.member_id, id)}`

/** Rows of the members of a system. */
const ofItsMembers = (table: OfMember) => byItsMembers(table, table.member_id)

/** Rows that refer to the members of a system by a column. */
const byItsMembers =
  (table: Table, column: Column): Rows =>
  (id, { orderedJoin }) =>
    sql`${members} ${orderedJoin} ${table} on ${eq(column, members.id)}
      where ${eq(members.system_id, id)}`

/** Votes of the polls of a system. */
const votes: Rows = (id, { orderedJoin }) =>
  sql`${polls} ${orderedJoin} ${pollVotes} on ${eq(pollVotes.poll_id, polls.id)}
    where ${eq(polls.system_id, id)}`

const FEW = sql`limit ${INLINE_LIMIT + 1}`

/** Builds a query that counts rows, up to just above `INLINE_LIMIT` for each source. */
function createSize(...sources: Rows[]) {
  return query((_, { id }: Placeholders<'id'>, dialect) => {
    const counts = sources.map(
      (rows) =>
        sql`(select ${dialect.count()} from (select 1 from ${rows(id, dialect)} ${FEW}) few)`,
    )
    return sql<{ size: number }>`select ${sql.join(counts, sql` + `)} as size`
  })
}

const history: Rows[] = [
  ofSystem(switches),
  (id, { orderedJoin }) =>
    sql`(select ${switches.id} from ${ofSystem(switches)(id)} ${FEW}) s
     ${orderedJoin} ${switchMembers} on ${switchMembers.switch_id} = s.id`,
]

const statuses: Rows = (id) =>
  sql`${frontNotes} where ${eq(frontNotes.system_id, id)} and ${frontNotes.kind} = 'status'`

const sizeOfHistory = createSize(...history, statuses)

/** Texts that remain when their author is deleted, with the columns of the author. */
const authored = [
  { table: notes, author: notes.member_id, name: notes.author_name },
  { table: posts, author: posts.by_member, name: posts.author_name },
  { table: pollVotes, author: pollVotes.member_id, name: pollVotes.author_name },
  { table: frontNotes, author: frontNotes.by_member, name: frontNotes.author_name },
] as const

const by =
  (table: Table, column: Column): Rows =>
  (id) =>
    sql`${table} where ${eq(column, id)}`

const sizeOfMember = createSize(
  ofMember(switchMembers),
  ofMember(messages),
  by(frontNotes, frontNotes.member_id),
  by(posts, posts.for_member),
  ...authored.map(({ table, author }) => by(table, author)),
)

const nameOf = (id: SQL | Column) =>
  sql`(select ${members.name} from ${members} where ${members.id} = ${id})`

/** Stores the name of an author with the texts that remain. */
const keepNames = authored.map(({ table, author, name }) =>
  query((db, { id }: Placeholders<'id'>) =>
    db
      .update(table)
      .set({ [name.name]: nameOf(id), [author.name]: null })
      .where(eq(author, id)),
  ),
)

const sizeOfSystem = createSize(
  ...history,
  ...[members, groups, messages, events, importArchive, autoproxies].map(ofSystem),
  ...[notes, posts, polls, reminders, frontNotes, fields, origins, deletedSwitches].map(ofSystem),
  ofSystem(pictures),
  votes,
  ofItsMembers(fieldValues),
  ofItsMembers(bucketMembers),
  (id) => sql`${proxyTagIndex} where ${proxyTagIndex.index_id} = (
    select coalesce(${systems.tag_index_id}, ${systems.id}) from ${systems} where ${systems.id} = ${id})`,
)

const existingSystem = query((db, { id }: Placeholders<'id'>) =>
  db.select({ id: visibleSystems.id }).from(visibleSystems).where(eq(visibleSystems.id, id)),
)

const deleteSystem = query((db, { id }: Placeholders<'id'>) =>
  db.delete(systems).where(eq(systems.id, id)),
)
const deleteMember = query((db, { id }: Placeholders<'id'>) =>
  db.delete(members).where(eq(members.id, id)),
)

const deleteOfSystem = (table: OfSystem) =>
  query((db, { id }: Placeholders<'id'>) => db.delete(table).where(eq(table.system_id, id)))

const deleteSwitches = deleteOfSystem(switches)

const deleteFriendships = query((db, { id }: Placeholders<'id'>) => {
  const own = db
    .select({ id: friendSides.friendship_id })
    .from(friendSides)
    .where(eq(friendSides.system_id, id))
  return db.delete(friendships).where(inArray(friendships.id, own))
})

const deleteAccess = [
  tokens,
  sessions,
  pushTargets,
  loginCodes,
  preferences,
  accounts,
  linkCodes,
  systemSettings,
  webhooks,
  deliveries,
  pendingImports,
  friendInvites,
  friendNotifyDue,
].map(deleteOfSystem)

const hideSystem = [
  query((db, { id }: Placeholders<'id'>) =>
    db.update(systems).set(hiddenIds(systems)).where(eq(systems.id, id)),
  ),
  ...[members, groups].map((table) =>
    query((db, { id }: Placeholders<'id'>) =>
      db.update(table).set(hiddenIds(table)).where(eq(table.system_id, id)),
    ),
  ),
]

/** Row IDs of switches only grow, so switches that are logged later stay visible. */
const hideSwitches = query((db, { id }: Placeholders<'id'>) =>
  db
    .update(systems)
    .set({
      deleted_through_switch_id: sql`(select coalesce(max(${switches.id}), 0) from ${switches})`,
      deleted_through_status_id: sql`(select coalesce(max(${frontNotes.id}), 0) from ${frontNotes})`,
    })
    .where(eq(systems.id, id)),
)

const insertHiddenSystem = query((db, { hid, uuid }: Placeholders<'hid' | 'uuid'>) =>
  db.insert(systems).values({ hid, uuid }).returning({ id: systems.id }),
)

const one = { one: sql`1`.as('one') }

const deleteDerivedRows = [
  groupMembers,
  proxyTagIndex,
  pinnedMembers,
  memberExts,
  fieldValues,
  bucketMembers,
].map((table) =>
  query((db, { id }: Placeholders<'id'>) => db.delete(table).where(eq(table.member_id, id))),
)

const moveMember = query((db, { id, hidden }: Placeholders<'id' | 'hidden'>) =>
  db
    .update(members)
    .set({ ...hiddenIds(members), system_id: hidden, proxy_tags: [] })
    .where(eq(members.id, id)),
)

const { deleted_through_switch_id } = systems

const pendingDeletion = query((db) =>
  db
    .select({ id: systems.id, last: sql<number>`${deleted_through_switch_id}`.as('last') })
    .from(systems)
    .where(gt(deleted_through_switch_id, 0)),
)

/** Switches of a deleted history. The unary plus keeps the planner from scanning by ID. */
const isDeleted = ({ id, last }: Placeholders<'id' | 'last'>) =>
  sql`${eq(switches.system_id, id)} and +${switches.id} <= ${last}`

const deleteHiddenSwitches = query((db, values: Placeholders<'id' | 'last' | 'from' | 'most'>) => {
  const some = db
    .select({ id: switches.id })
    .from(switches)
    .where(and(isDeleted(values), gt(switches.timestamp, values.from)))
    .orderBy(switches.timestamp)
    .limit(values.most)
  return db
    .delete(switches)
    .where(inArray(switches.id, some))
    .returning({ timestamp: switches.timestamp })
})

/** Does nothing if the history was deleted again meanwhile, or hidden switches are left. */
const clearWatermark = query((db, values: Placeholders<'id' | 'last'>) =>
  db
    .update(systems)
    .set({ deleted_through_switch_id: 0, deleted_through_status_id: 0 })
    .where(
      and(
        eq(systems.id, values.id),
        eq(deleted_through_switch_id, values.last),
        notExists(db.select({ id: switches.id }).from(switches).where(isDeleted(values))),
      ),
    ),
)

/** Hidden systems, except the staging systems of running imports. */
const hiddenSystems = query((db) => {
  const { staging_system_id } = pendingImports
  return db
    .select({ id: systems.id })
    .from(systems)
    .where(
      and(
        isHiddenSystem,
        notInArray(systems.id, db.select({ staging_system_id }).from(pendingImports)),
      ),
    )
})

/** In an order in which the remaining rows are consistent after each batch. */
const hiddenSystemBatches = [
  // Before the polls, each of which may have many.
  deleteSome(pollVotes, votes),
  ...[
    switches,
    messages,
    events,
    importArchive,
    autoproxies,
    systemGuilds,
    posts,
    rooms,
    notes,
    polls,
    reminders,
    frontNotes,
    fields,
    origins,
    deletedSwitches,
    pictures,
    groups,
    buckets,
  ].map((table) => deleteSome(table, ofSystem(table))),
  deleteSome(switchMembers, ofItsMembers(switchMembers)),
  // Records of messages remain when their member is deleted.
  query((db, values: Placeholders<'id' | 'most'>, dialect) =>
    db
      .update(messages)
      .set({ member_id: null })
      .where(isAmongSome(messages, ofItsMembers(messages), values, dialect))
      .returning(one),
  ),
  // So do the texts that it wrote, with its name, and the posts on its board.
  ...authored.map(({ table, author, name }) =>
    query((db, values: Placeholders<'id' | 'most'>, dialect) =>
      db
        .update(table)
        .set({ [name.name]: nameOf(author), [author.name]: null })
        .where(isAmongSome(table, byItsMembers(table, author), values, dialect))
        .returning(one),
    ),
  ),
  query((db, values: Placeholders<'id' | 'most'>, dialect) =>
    db
      .update(posts)
      .set({ for_member: null })
      .where(isAmongSome(posts, byItsMembers(posts, posts.for_member), values, dialect))
      .returning(one),
  ),
  deleteSome(memberGuilds, ofItsMembers(memberGuilds)),
  deleteSome(memberExts, ofItsMembers(memberExts)),
  deleteSome(fieldValues, ofItsMembers(fieldValues)),
  deleteSome(bucketMembers, ofItsMembers(bucketMembers)),
  deleteSome(members, ofSystem(members)),
]

function deleteSome(table: Table, rows: Rows) {
  return query((db, values: Placeholders<'id' | 'most'>, dialect) =>
    db
      .delete(table)
      .where(isAmongSome(table, rows, values, dialect))
      .returning(one),
  )
}

/** Condition that selects up to `most` of the rows. */
function isAmongSome(
  table: Table,
  rows: Rows,
  { id, most }: Placeholders<'id' | 'most'>,
  dialect: Dialect,
): SQL {
  const row = dialect.rowId(table)
  return sql`${row} in (select ${table}.${row} from ${rows(id, dialect)} limit ${most})`
}
