import { and, eq, inArray } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { events, friendSides, friendships, pushQueue, pushTargets } from '../../db/tables'
import type { Db } from '../../db/types'
import type { JsonObject } from '../../model/core/entity'
import { storedBytes } from '../../model/core/textSize'
import type { StoreDeps } from '../core/storeDeps'
import { freeUsage } from '../core/usage'
import { recordEvent } from '../events/recordEvent'
import type { FriendshipRow } from './friendRows'

/** Ends a friendship for both sides, with push messages that wait. */
export async function endFriendship(
  deps: StoreDeps,
  tx: Db,
  { id, uuid, system_id, friend_system_id }: FriendshipRow,
): Promise<void> {
  for (const side of await namesOf(tx).all({ id }))
    await freeUsage(tx, side.system_id, { text_bytes: storedBytes(side.name) })
  await deleteRow(tx).run({ id })
  for (const systemId of [system_id, friend_system_id]) {
    // Neither a webhook nor a stream that resumes gets the fronters of a former friend.
    await deleteFronts(tx).run({ system: systemId, uuid })
    await deletePushes(tx).run({ system: systemId, uuid })
    await recordFriendEvent(deps, tx, 'DELETE_FRIEND', systemId, uuid, null)
  }
}

/** Records an event on one side of a friendship. It never has names. */
export async function recordFriendEvent(
  deps: StoreDeps,
  tx: Db,
  type: 'CREATE_FRIEND' | 'UPDATE_FRIEND' | 'DELETE_FRIEND' | 'FRIEND_FRONT',
  system_id: number,
  uuid: string,
  data: JsonObject | null,
): Promise<void> {
  await recordEvent(tx, deps.now(), { system_id, type, subject: uuid, data })
}

const namesOf = query((db, { id }: Placeholders<'id'>) => {
  const { system_id, name, friendship_id } = friendSides
  return db.select({ system_id, name }).from(friendSides).where(eq(friendship_id, id))
})

const deleteRow = query((db, { id }: Placeholders<'id'>) =>
  db.delete(friendships).where(eq(friendships.id, id)),
)

const deleteFronts = query((db, { system, uuid }: Placeholders<'system' | 'uuid'>) =>
  db
    .delete(events)
    .where(
      and(eq(events.system_id, system), eq(events.type, 'FRIEND_FRONT'), eq(events.subject, uuid)),
    ),
)
const deletePushes = query((db, { system, uuid }: Placeholders<'system' | 'uuid'>) => {
  const { kind, subject, target_id } = pushQueue
  const targets = db
    .select({ id: pushTargets.id })
    .from(pushTargets)
    .where(eq(pushTargets.system_id, system))
  return db
    .delete(pushQueue)
    .where(and(inArray(target_id, targets), eq(kind, 'friends'), eq(subject, uuid)))
})
