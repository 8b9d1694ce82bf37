import { inArray } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { pushTargets, serverKeys } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'

export function deleteServerKeys(tx: Db): MaybePromise<unknown> {
  return deleteKeys(tx).run({})
}

/** Deletes the push targets of all systems. Returns their number. */
export async function deleteAllTargets(tx: Db): Promise<number> {
  return (await deleteAll(tx).all({})).length
}

/** Deletes some push targets of all systems. Returns their number. */
export async function deleteSomeTargets(tx: Db, most: number): Promise<number> {
  return (await deleteSome(tx).all({ most })).length
}

const deleteKeys = query((db) => db.delete(serverKeys))

const deleteAll = query((db) => db.delete(pushTargets).returning({ id: pushTargets.id }))

const deleteSome = query((db, { most }: Placeholders<'most'>) => {
  const { id } = pushTargets
  const some = db.select({ id }).from(pushTargets).orderBy(id).limit(most)
  return db.delete(pushTargets).where(inArray(id, some)).returning({ id })
})
