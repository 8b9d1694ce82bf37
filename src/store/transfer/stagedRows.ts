import { and, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import { ownedTablesToDelete } from '../../db/ownedTables'
import { type Placeholders, query } from '../../db/query'
import { importArchive, origins, pendingImports, polls, pollVotes, switches } from '../../db/tables'
import type { Db } from '../../db/types'
import { error } from '../../model/core/errors'
import { deleteSystemRow } from '../systems/rowsOfSystem'

/** A running import whose rows are written but hidden. */
export interface Staging {
  readonly id: number
  /** System that the switches and archived rows belong to. */
  readonly systemId: number
  /** Hidden system that holds new members and groups. A new system is its own staging system. */
  readonly stagingSystemId: number
}

/** Time without a write after which an import counts as abandoned, in microseconds. */
const STAGING_TIMEOUT = 15_000_000

/** Records that an import began. Returns its ID. */
export async function insertPendingImport(
  tx: Db,
  system: number,
  staging: number,
  now: number,
): Promise<number> {
  return (await insert(tx).get({ system, staging, until: now + STAGING_TIMEOUT }))?.id ?? 0
}

/** Throws if an import into the system is running, in any process. */
export async function requireNoImport(db: Db, systemId: number, now: number): Promise<void> {
  if (await running(db).get({ system: systemId, now }))
    throw error('conflict', 'a file is being imported into this system')
}

/** Makes the staged rows visible, in the last transaction of the import. */
export async function commitStaging(
  tx: Db,
  { id, systemId, stagingSystemId }: Staging,
): Promise<void> {
  await remove(tx).run({ id })
  if (stagingSystemId !== systemId) await deleteSystemRow(tx, stagingSystemId)
}

export async function renewStaging(tx: Db, { id }: Staging, now: number): Promise<void> {
  if (!(await extend(tx).get({ id, until: now + STAGING_TIMEOUT })))
    throw error('conflict', 'the import was abandoned, because it wrote nothing for too long')
}

/** Locks an import if its timeout is before a time. Returns false if it is not, or has ended. */
export async function lockImport(tx: Db, id: number, before: number): Promise<boolean> {
  return (await lock(tx).get({ id, before })) !== null
}

/** Ends an import. Returns its staging system. */
export async function deletePendingImport(
  tx: Db,
  id: number,
): Promise<{ staging_system_id: number } | null> {
  return await remove(tx).get({ id })
}

/** Lists the imports that are abandoned, of all systems. */
export async function listAbandonedImports(db: Db, now: number): Promise<{ id: number }[]> {
  return await abandoned(db).all({ now })
}

export async function listAbandonedImportsOf(
  db: Db,
  systemId: number,
  now: number,
): Promise<{ id: number }[]> {
  return await abandonedOf(db).all({ system: systemId, now })
}

const { id: importId, system_id, staging_system_id, expires_at } = pendingImports

const running = query((db, { system, now }: Placeholders<'system' | 'now'>) =>
  db
    .select({ id: importId })
    .from(pendingImports)
    .where(and(eq(system_id, system), gte(expires_at, now))),
)

const insert = query(
  (db, { system, staging, until }: Placeholders<'system' | 'staging' | 'until'>) =>
    db
      .insert(pendingImports)
      .values({ system_id: system, staging_system_id: staging, expires_at: until })
      .returning({ id: importId }),
)

const extend = query((db, { id, until }: Placeholders<'id' | 'until'>) =>
  db
    .update(pendingImports)
    .set({ expires_at: until })
    .where(eq(importId, id))
    .returning({ id: importId }),
)

const lock = query((db, { id, before }: Placeholders<'id' | 'before'>, { forUpdate }) =>
  db
    .select({ id: importId })
    .from(pendingImports)
    .where(sql`${and(eq(importId, id), lt(expires_at, before))} ${forUpdate}`),
)

/** Rows that are deleted in one transaction. */
const BATCH = 500

/** Votes are deleted before their polls, each of which may have many. */
const removeSomeVotes = query((db, { id }: Placeholders<'id'>) => {
  const some = db
    .select({ id: pollVotes.id })
    .from(polls)
    .innerJoin(pollVotes, eq(pollVotes.poll_id, polls.id))
    .where(eq(polls.import_id, id))
    .limit(BATCH)
  return db.delete(pollVotes).where(inArray(pollVotes.id, some)).returning({ id: pollVotes.id })
})

const removeSomeRows = [switches, importArchive, ...ownedTablesToDelete, origins].map((table) =>
  query((db, { id }: Placeholders<'id'>) => {
    const some = db.select({ id: table.id }).from(table).where(eq(table.import_id, id)).limit(BATCH)
    return db.delete(table).where(inArray(table.id, some)).returning({ id: table.id })
  }),
)

/** Delete some rows of an import each, and return their number. */
export const deletionsOfImport = [removeSomeVotes, ...removeSomeRows].map(
  (removeSome) =>
    async (tx: Db, id: number): Promise<number> =>
      (await removeSome(tx).all({ id })).length,
)

const remove = query((db, { id }: Placeholders<'id'>) =>
  db.delete(pendingImports).where(eq(importId, id)).returning({ staging_system_id }),
)

const abandoned = query((db, { now }: Placeholders<'now'>) =>
  db.select({ id: importId }).from(pendingImports).where(lt(expires_at, now)),
)

const abandonedOf = query((db, { system, now }: Placeholders<'system' | 'now'>) =>
  db
    .select({ id: importId })
    .from(pendingImports)
    .where(and(eq(system_id, system), lt(expires_at, now))),
)
