import { and, eq, gt, lte } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createInserter } from '../../db/rows'
import { friendInvites } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import type { Instant } from '../../model/core/time'
import type { Share } from '../../model/friends/friend'

/** Inserts an invitation, with the hash of its code. */
export const insertInvite = createInserter(friendInvites, [
  'uuid',
  'system_id',
  'hash',
  'share',
  'name',
  'expires',
])

/** An invitation as its system sees it. */
interface InviteRow {
  readonly uuid: string
  readonly name: string | null
  readonly expires: Instant
  readonly share: Share
}

/** Lists the invitations of a system that can be accepted, oldest first. */
export function listOpenInvites(
  db: Db,
  systemId: number,
  now: Instant,
): MaybePromise<readonly InviteRow[]> {
  return invitesOf(db).all({ system: systemId, now })
}

/** Deletes an invitation that can be accepted. Returns its name; null if there is none. */
export function deleteOpenInvite(
  tx: Db,
  systemId: number,
  uuid: string,
  now: Instant,
): MaybePromise<Pick<InviteRow, 'name'> | null> {
  return deleteInvite(tx).get({ system: systemId, uuid, now })
}

/** Finds the invitation that a code accepts, by the hash of the code. */
export function findOpenInvite(
  db: Db,
  hash: string,
  now: Instant,
): MaybePromise<{ system_id: number; share: Share } | null> {
  return openInvite(db).get({ hash, now })
}

/** Finds and deletes an invitation in one statement, so that two requests cannot both use it. */
export function useInvite(
  tx: Db,
  hash: string,
  now: Instant,
): MaybePromise<Pick<InviteRow, 'name' | 'share'> | null> {
  return consumeInvite(tx).get({ hash, now })
}

/** Deletes the expired invitations of a system. Returns their names. */
export function deleteExpiredInvites(
  tx: Db,
  systemId: number,
  now: Instant,
): MaybePromise<readonly Pick<InviteRow, 'name'>[]> {
  return deleteExpired(tx).all({ system: systemId, now })
}

const invitesOf = query((db, { system, now }: Placeholders<'system' | 'now'>) => {
  const { id, uuid, name, expires, share: offered, system_id } = friendInvites
  return db
    .select({ uuid, name, expires, share: offered })
    .from(friendInvites)
    .where(and(eq(system_id, system), gt(expires, now)))
    .orderBy(id)
})

const deleteInvite = query((db, values: Placeholders<'system' | 'uuid' | 'now'>) => {
  const { name, uuid, expires, system_id } = friendInvites
  const isOpen = and(eq(system_id, values.system), eq(uuid, values.uuid), gt(expires, values.now))
  return db.delete(friendInvites).where(isOpen).returning({ name })
})

const openInvite = query((db, { hash, now }: Placeholders<'hash' | 'now'>) => {
  const { system_id, share: offered, expires } = friendInvites
  return db
    .select({ system_id, share: offered })
    .from(friendInvites)
    .where(and(eq(friendInvites.hash, hash), gt(expires, now)))
})

const consumeInvite = query((db, { hash, now }: Placeholders<'hash' | 'now'>) => {
  const { name, share: offered, expires } = friendInvites
  return db
    .delete(friendInvites)
    .where(and(eq(friendInvites.hash, hash), gt(expires, now)))
    .returning({ name, share: offered })
})

const deleteExpired = query((db, { system, now }: Placeholders<'system' | 'now'>) => {
  const { name, system_id, expires } = friendInvites
  return db
    .delete(friendInvites)
    .where(and(eq(system_id, system), lte(expires, now)))
    .returning({ name })
})
