import { and, eq, gt, isNull, lt, or, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createInserter } from '../../db/rows'
import { invites } from '../../db/tables'
import type { Db } from '../../db/types'
import type { Instant } from '../../model/core/time'

/** A code that allows the creation of systems where registration is by invitation, by bot or browser. */
export interface Invite {
  name: string
  created: Instant
  expires: Instant | null
  uses: number
  used: number
}

/** Lists all invites, oldest first. */
export async function listInviteRows(db: Db): Promise<Invite[]> {
  return await all(db).all({})
}

export async function hasInvite(db: Db, name: string): Promise<boolean> {
  return (await byName(db).get({ name })) !== null
}

/** Returns false if there is no invite of that name. */
export async function deleteInvite(tx: Db, name: string): Promise<boolean> {
  return (await remove(tx).get({ name })) !== null
}

/** Counts a use of a code. Returns false if the code is wrong, used up or expired. */
export async function useInvite(tx: Db, hash: string, now: Instant): Promise<boolean> {
  return (await use(tx).get({ hash, now })) !== null
}

export const insertInvite = createInserter(invites, [
  'name',
  'uses',
  'expires',
  'used',
  'hash',
  'created',
])

const { id, name, created, expires, uses, used } = invites

const all = query((db) =>
  db.select({ name, created, expires, uses, used }).from(invites).orderBy(id),
)

const byName = query((db, values: Placeholders<'name'>) =>
  db.select({ id }).from(invites).where(eq(name, values.name)),
)

const remove = query((db, values: Placeholders<'name'>) =>
  db.delete(invites).where(eq(name, values.name)).returning({ id }),
)

const use = query((db, { hash, now }: Placeholders<'hash' | 'now'>) =>
  db
    .update(invites)
    .set({ used: sql`${used} + 1` })
    .where(and(eq(invites.hash, hash), lt(used, uses), or(isNull(expires), gt(expires, now))))
    .returning({ id }),
)
