import { and, eq, inArray, isNotNull, lte, notExists, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { deletedArchives, importArchive } from '../../db/tables'
import type { Db } from '../../db/types'
import { committedArchive, isReplaced } from '../../db/visible'

/** Hides all rows of a collection. Returns false if it has none. */
export async function hideCollection(
  tx: Db,
  systemId: number,
  collection: string,
): Promise<boolean> {
  const last = await lastRow(tx).get({ system_id: systemId, collection })
  if (!last || last.id === null) return false
  await hide(tx).run({ system_id: systemId, collection, through_id: last.id })
  return true
}

/** Deletes some archived rows of deleted collections and of conversions. Returns their number. */
export async function deleteSomeArchivedRows(tx: Db, most: number): Promise<number> {
  const replaced = await deleteReplaced(tx).all({ most })
  if (replaced.length > 0) return replaced.length
  const pending = await firstDeleted(tx).get({})
  if (!pending) return 0
  const deleted = await deleteOfCollection(tx).all({ ...pending, most })
  if (deleted.length < most) await forgetCollection(tx).run(pending)
  return Math.max(deleted.length, 1)
}

/**
 * Shows some archived rows again that an unfinished conversion was to replace. Returns their number.
 */
export async function restoreReplaced(tx: Db, importId: number): Promise<number> {
  return (await restore(tx).all({ id: importId })).length
}

const { id, system_id, collection: name, replaced_by } = importArchive

/** Rows of a running import come later and stay: each system has one import at a time. */
const lastRow = query((db, values: Placeholders<'system_id' | 'collection'>) =>
  db
    .select({ id: sql<number | null>`max(${committedArchive.id})`.as('id') })
    .from(committedArchive)
    .where(
      and(
        eq(committedArchive.system_id, values.system_id),
        eq(committedArchive.collection, values.collection),
        sql`${committedArchive.id} > 0`,
      ),
    ),
)

const hide = query((db, values: Placeholders<'system_id' | 'collection' | 'through_id'>) =>
  db
    .insert(deletedArchives)
    .values({
      system_id: values.system_id,
      collection: values.collection,
      through_id: values.through_id,
    })
    .onConflictDoUpdate({
      target: [deletedArchives.system_id, deletedArchives.collection],
      set: { through_id: sql`excluded.through_id` },
    }),
)

const deleteReplaced = query((db, { most }: Placeholders<'most'>) => {
  const some = db
    .select({ id })
    .from(importArchive)
    .where(and(isNotNull(replaced_by), isReplaced))
    .limit(most)
  return db.delete(importArchive).where(inArray(id, some)).returning({ id })
})

const restore = query((db, values: Placeholders<'id'>) => {
  const some = db.select({ id }).from(importArchive).where(eq(replaced_by, values.id)).limit(500)
  return db
    .update(importArchive)
    .set({ replaced_by: null })
    .where(inArray(id, some))
    .returning({ id })
})

const firstDeleted = query((db) =>
  db
    .select({
      system_id: deletedArchives.system_id,
      collection: deletedArchives.collection,
      through_id: deletedArchives.through_id,
    })
    .from(deletedArchives)
    .limit(1),
)

const isDeleted = (values: Placeholders<'system_id' | 'collection' | 'through_id'>) =>
  // The first condition is that of the index.
  and(
    sql`${id} > 0`,
    eq(system_id, values.system_id),
    eq(name, values.collection),
    lte(id, values.through_id),
  )

const deleteOfCollection = query(
  (db, values: Placeholders<'system_id' | 'collection' | 'through_id' | 'most'>) => {
    const some = db
      .select({ id })
      .from(importArchive)
      .where(isDeleted(values))
      .orderBy(id)
      .limit(values.most)
    return db.delete(importArchive).where(inArray(id, some)).returning({ id })
  },
)

/** Does nothing if rows are left, or if the collection was deleted again meanwhile. */
const forgetCollection = query(
  (db, values: Placeholders<'system_id' | 'collection' | 'through_id'>) =>
    db
      .delete(deletedArchives)
      .where(
        and(
          eq(deletedArchives.system_id, values.system_id),
          eq(deletedArchives.collection, values.collection),
          eq(deletedArchives.through_id, values.through_id),
          notExists(db.select({ id }).from(importArchive).where(isDeleted(values))),
        ),
      ),
)
