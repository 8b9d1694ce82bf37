import { and, eq, gt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { importArchive, memberExts } from '../../db/tables'
import type { Db } from '../../db/types'
import { committedArchive, visibleMembers } from '../../db/visible'

// What a conversion of archived rows reads and replaces.

export interface RowToConvert {
  readonly id: number
  readonly content: string
  readonly digest: string
  /** Version of the conversion that left the row. */
  readonly reader: number
}

/** Lists archived rows of a collection after a row. */
export async function listRowsToConvert(
  db: Db,
  systemId: number,
  page: { collection: string; after: number; limit: number },
): Promise<RowToConvert[]> {
  return await rowsAfter(db).all({ system: systemId, ...page })
}

/** Lists the members with descriptions of a minimum length that have no long one. */
export async function listDescriptions(db: Db, systemId: number, min: number) {
  return await descriptions(db).all({ system: systemId, min })
}

/** Replaces archived rows by what a conversion leaves of them, once it is committed. */
export async function replaceArchived(
  tx: Db,
  ids: readonly number[],
  importId: number,
): Promise<void> {
  await replace(tx).run({ ids: JSON.stringify(ids), import: importId })
}

/** Builds a function that records that a version of the conversion has left rows. */
export function createConvertedMark(reader: number) {
  const setReader = query(
    (db, { system, ids }: Placeholders<'system' | 'ids'>, { inJsonNumbers }) =>
      db
        .update(importArchive)
        .set({ reader })
        .where(and(eq(importArchive.system_id, system), inJsonNumbers(importArchive.id, ids))),
  )
  return async (tx: Db, systemId: number, ids: readonly number[]): Promise<void> => {
    await setReader(tx).run({ system: systemId, ids: JSON.stringify(ids) })
  }
}

const { id, system_id, collection: name, content, digest, reader } = committedArchive

const rowsAfter = query((db, values: Placeholders<'system' | 'collection' | 'after' | 'limit'>) =>
  db
    .select({ id, content, digest, reader })
    .from(committedArchive)
    .where(and(eq(system_id, values.system), eq(name, values.collection), gt(id, values.after)))
    .orderBy(id)
    .limit(values.limit),
)

const descriptions = query((db, { system, min }: Placeholders<'system' | 'min'>) => {
  const { uuid, name, description, id, system_id } = visibleMembers
  const hasAbout = sql`exists (select 1 from ${memberExts}
    where ${memberExts.member_id} = ${id} and ${memberExts.about} is not null)`
  return db
    .select({ uuid, name, description })
    .from(visibleMembers)
    .where(sql`${eq(system_id, system)} and length(${description}) >= ${min} and not ${hasAbout}`)
})

const replace = query((db, values: Placeholders<'ids' | 'import'>, { inJsonNumbers }) =>
  db
    .update(importArchive)
    .set({ replaced_by: values.import })
    .where(inJsonNumbers(importArchive.id, values.ids)),
)
