import { and, eq, gt, inArray, notExists, notInArray, type SQL, sql } from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import { ownedTablesToDelete } from '../../db/ownedTables'
import { type Placeholders, query } from '../../db/query'
import {
  autoproxies,
  bucketMembers,
  deletedSwitches,
  events,
  fieldValues,
  groups,
  importArchive,
  memberExts,
  memberGuilds,
  members,
  messages,
  origins,
  pendingImports,
  pictures,
  pollVotes,
  switches,
  switchMembers,
  systemGuilds,
  systems,
} from '../../db/tables'
import type { Db } from '../../db/types'
import { isHiddenSystem } from '../../db/visible'
import {
  authored,
  byItsMembers,
  memberColumns,
  nameOf,
  ofItsMembers,
  ofSystem,
  type Rows,
  type Table,
  votes,
} from './rowsOfSystem'

// Rows that a deletion or a killed import has hidden, which are deleted in batches.

/** Lists the systems whose histories wait for deletion, up to their last deleted switches. */
export async function listDeletedHistories(db: Db): Promise<{ id: number; last: number }[]> {
  return await deletedHistories(db).all({})
}

/** Deletes some switches of a deleted history, the oldest since a time. Returns their times. */
export async function deleteSomeSwitches(
  tx: Db,
  history: { id: number; last: number; from: number; most: number },
): Promise<{ timestamp: number }[]> {
  return await deleteHiddenSwitches(tx).all(history)
}

/** Does nothing if the history was deleted again meanwhile, or hidden switches are left. */
export async function endHistoryDeletion(tx: Db, id: number, last: number): Promise<void> {
  await clearWatermark(tx).run({ id, last })
}

/** Lists the hidden systems, except the staging systems of running imports. */
export async function listHiddenSystems(db: Db): Promise<{ id: number }[]> {
  return await hiddenSystems(db).all({})
}

const oneColumn = { one: sql`1`.as('one') }

const { deleted_through_switch_id } = systems

const deletedHistories = query((db) =>
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

const hiddenSystemBatches = [
  // Before the polls, fields and buckets, each of which may have many.
  deleteSome(pollVotes, votes),
  deleteSome(fieldValues, ofItsMembers(fieldValues)),
  deleteSome(bucketMembers, ofItsMembers(bucketMembers)),
  ...[
    switches,
    messages,
    events,
    importArchive,
    autoproxies,
    systemGuilds,
    ...ownedTablesToDelete,
    origins,
    deletedSwitches,
    pictures,
    groups,
  ].map((table) => deleteSome(table, ofSystem(table))),
  deleteSome(switchMembers, ofItsMembers(switchMembers)),
  // Records of messages remain when their member is deleted.
  query((db, values: Placeholders<'id' | 'most'>, dialect) =>
    db
      .update(messages)
      .set({ member_id: null })
      .where(isAmongSome(messages, ofItsMembers(messages), values, dialect))
      .returning(oneColumn),
  ),
  // So do the texts that it wrote, with its name, and what else refers to it, such as posts on its board.
  ...authored.map(({ table, author }) =>
    query((db, values: Placeholders<'id' | 'most'>, dialect) =>
      db
        .update(table)
        .set({ author_name: nameOf(author), [author.name]: null })
        .where(isAmongSome(table, byItsMembers(table, author), values, dialect))
        .returning(oneColumn),
    ),
  ),
  ...memberColumns.map(({ table, column }) =>
    query((db, values: Placeholders<'id' | 'most'>, dialect) =>
      db
        .update(table)
        .set({ [column.name]: null })
        .where(isAmongSome(table, byItsMembers(table, column), values, dialect))
        .returning(oneColumn),
    ),
  ),
  deleteSome(memberGuilds, ofItsMembers(memberGuilds)),
  deleteSome(memberExts, ofItsMembers(memberExts)),
  deleteSome(members, ofSystem(members)),
]

/**
 * Delete some rows of a hidden system each, and return their number. In an order in which the
 * remaining rows are consistent after each batch.
 */
export const deletionsOfHiddenSystem = hiddenSystemBatches.map(
  (deleteSome) =>
    async (tx: Db, id: number, most: number): Promise<number> =>
      (await deleteSome(tx).all({ id, most })).length,
)

function deleteSome(table: Table, rows: Rows) {
  return query((db, values: Placeholders<'id' | 'most'>, dialect) =>
    db
      .delete(table)
      .where(isAmongSome(table, rows, values, dialect))
      .returning(oneColumn),
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
