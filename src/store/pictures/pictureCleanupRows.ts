import { and, eq, gt } from 'drizzle-orm'
import { type Placeholders, query, type Values } from '../../db/query'
import { pictures } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import type { Instant } from '../../model/core/time'

/** Finds the first system after one that has pictures. */
export async function findSystemWithPictures(db: Db, after: number): Promise<number | null> {
  return (await nextSystem(db).get({ system: after }))?.system_id ?? null
}

/** A picture, and the time since when no URL names it; null while one does. */
export interface PictureUse {
  readonly name: string
  readonly unused_since: Instant | null
}

/** Lists pictures of a system after a name. */
export async function listPictureUses(
  db: Db,
  values: Values<'system' | 'after' | 'limit'>,
): Promise<PictureUse[]> {
  return await pageOf(db).all(values)
}

export function setUnusedSince(tx: Db, { name, unused_since }: PictureUse): MaybePromise<unknown> {
  return mark(tx).run({ name, unused_since })
}

export function deletePicture(tx: Db, name: string): MaybePromise<unknown> {
  return remove(tx).run({ name })
}

const { name, system_id, unused_since } = pictures

const nextSystem = query((db, { system }: Placeholders<'system'>) =>
  db.select({ system_id }).from(pictures).where(gt(system_id, system)).orderBy(system_id).limit(1),
)

const pageOf = query((db, values: Placeholders<'system' | 'after' | 'limit'>) =>
  db
    .select({ name, unused_since })
    .from(pictures)
    .where(and(eq(system_id, values.system), gt(name, values.after)))
    .orderBy(name)
    .limit(values.limit),
)

const mark = query((db, values: Placeholders<'name' | 'unused_since'>) =>
  db.update(pictures).set({ unused_since: values.unused_since }).where(eq(name, values.name)),
)

const remove = query((db, values: Placeholders<'name'>) =>
  db.delete(pictures).where(eq(name, values.name)),
)
