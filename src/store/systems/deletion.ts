import { type Column, eq, inArray, sql } from 'drizzle-orm'
import { ownedTablesToDelete } from '../../db/ownedTables'
import { type Placeholders, query } from '../../db/query'
import {
  accounts,
  autoproxies,
  bucketMembers,
  deletedSwitches,
  deliveries,
  events,
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
  members,
  messages,
  origins,
  pendingImports,
  pictures,
  pinnedMembers,
  preferences,
  proxyTagIndex,
  pushTargets,
  sessions,
  switches,
  switchMembers,
  systemSettings,
  systems,
  tokens,
  webhooks,
} from '../../db/tables'
import type { Db } from '../../db/types'
import { hiddenIdentity, hiddenIds, visibleSystems } from '../../db/visible'
import { error } from '../../model/core/errors'
import { deleteFrontNotesOfMember, deleteStatuses } from '../front/deleteFrontNotes'
import {
  authored,
  deleteSystemRow,
  memberColumns,
  nameOf,
  type OfSystem,
  ofItsMembers,
  ofMember,
  ofSystem,
  type Rows,
  type Table,
  votes,
} from './rowsOfSystem'

// Few rows are deleted at once; many are only hidden, and deleted in batches afterwards, after a kill
// by the next process. See "Deletion" in ARCHITECTURE.md.

/** Number of rows that can be deleted in one short transaction. */
const INLINE_LIMIT = 500

export async function deleteOrHideSystem(tx: Db, id: number): Promise<void> {
  // The caller ends friendships that have two sides; `doctor` reports others.
  await deleteFriendships(tx).run({ id })
  if (isFew(await sizeOfSystem(tx).get({ id }))) return deleteSystemRow(tx, id)
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

function isFew(row: { size: number } | null): boolean {
  return (row?.size ?? 0) <= INLINE_LIMIT
}

const FEW = sql`limit ${INLINE_LIMIT + 1}`

/**
 * Builds a query that counts rows, up to just above `INLINE_LIMIT` for each source. SQL text, because
 * the builder cannot select from the text of the rows.
 */
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

const by =
  (table: Table, column: Column): Rows =>
  (id) =>
    sql`${table} where ${eq(column, id)}`

const sizeOfMember = createSize(
  ofMember(switchMembers),
  ofMember(messages),
  by(frontNotes, frontNotes.member_id),
  ...memberColumns.map(({ table, column }) => by(table, column)),
  ...authored.map(({ table, author }) => by(table, author)),
)

/** Stores the name of an author with the texts that remain. */
const keepNames = authored.map(({ table, author }) =>
  query((db, { id }: Placeholders<'id'>) =>
    db
      .update(table)
      .set({ author_name: nameOf(id), [author.name]: null })
      .where(eq(author, id)),
  ),
)

const sizeOfSystem = createSize(
  ...history,
  ...[members, groups, messages, events, importArchive, autoproxies].map(ofSystem),
  ...[...ownedTablesToDelete, origins, deletedSwitches, pictures].map(ofSystem),
  votes,
  ofItsMembers(fieldValues),
  ofItsMembers(bucketMembers),
  (id) => sql`${proxyTagIndex} where ${proxyTagIndex.index_id} = (
    select coalesce(${systems.tag_index_id}, ${systems.id}) from ${systems} where ${systems.id} = ${id})`,
)

const existingSystem = query((db, { id }: Placeholders<'id'>) =>
  db.select({ id: visibleSystems.id }).from(visibleSystems).where(eq(visibleSystems.id, id)),
)

const deleteMember = query((db, { id }: Placeholders<'id'>) =>
  db.delete(members).where(eq(members.id, id)),
)

const deleteOfSystem = (table: OfSystem) =>
  query((db, { id }: Placeholders<'id'>) => db.delete(table).where(eq(table.system_id, id)))

const deleteSwitches = deleteOfSystem(switches)

const deleteFriendships = query((db, { id }: Placeholders<'id'>) => {
  const ids = db
    .select({ id: friendSides.friendship_id })
    .from(friendSides)
    .where(eq(friendSides.system_id, id))
  return db.delete(friendships).where(inArray(friendships.id, ids))
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
