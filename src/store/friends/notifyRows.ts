import { and, asc, eq, lte } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { friendNotifyDue, friendSides, friendships } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import type { Instant } from '../../model/core/time'

/** Number of fronts, and of friends, that are listed at once. */
const PAGE = 200

/** A system whose front or shares changed. */
export interface ChangedFront {
  readonly system_id: number
  readonly due: Instant
  readonly announces: boolean
  readonly fronters_before: readonly number[] | null
}

/** Lists the changed fronts that are due to be compared, oldest first. */
export function listChangedFronts(db: Db, now: Instant): MaybePromise<readonly ChangedFront[]> {
  return changedFronts(db).all({ now })
}

/** Returns true if the front of a system is due at exactly this time. */
export async function isFrontDue(db: Db, system: number, due: Instant): Promise<boolean> {
  return (await dueOf(db).get({ system, due })) !== null
}

export function deleteFrontDue(tx: Db, system: number, due: Instant): MaybePromise<unknown> {
  return deleteRow(tx).run({ system, due })
}

/** Friendship of a system whose friend is to be notified. */
export interface DueSide {
  readonly system_id: number
  readonly friend_system_id: number
  readonly uuid: string
}

/** Lists the friends who are due to be notified, oldest first. */
export function listDueSides(db: Db, now: Instant): MaybePromise<readonly DueSide[]> {
  return dueSides(db).all({ now })
}

/** Fronters that a friend of a system saw last and was last notified of, as hashes. */
interface NotifyState {
  readonly visible_hash: string | null
  readonly last_notified_hash: string | null
  readonly notify_at: Instant | null
}

export function findNotifyState(
  db: Db,
  friendship: number,
  system: number,
): MaybePromise<NotifyState | null> {
  return stateOf(db).get({ friendship, system })
}

export function setNotifyState(
  tx: Db,
  friendship: number,
  system: number,
  { visible_hash, last_notified_hash, notify_at }: NotifyState,
): MaybePromise<unknown> {
  const state = { visible: visible_hash, notified: last_notified_hash, notify_at }
  return updateState(tx).run({ friendship, system, ...state })
}

const changedFronts = query((db, { now }: Placeholders<'now'>) => {
  const { system_id, due, announces, fronters_before } = friendNotifyDue
  return db
    .select({ system_id, due, announces, fronters_before })
    .from(friendNotifyDue)
    .where(lte(due, now))
    .orderBy(asc(due), asc(system_id))
    .limit(PAGE)
})

type DueRow = Placeholders<'system' | 'due'>

const isDue = ({ system, due }: DueRow) =>
  and(eq(friendNotifyDue.system_id, system), eq(friendNotifyDue.due, due))

const dueOf = query((db, values: DueRow) =>
  db.select({ due: friendNotifyDue.due }).from(friendNotifyDue).where(isDue(values)),
)

const deleteRow = query((db, values: DueRow) => db.delete(friendNotifyDue).where(isDue(values)))

const dueSides = query((db, { now }: Placeholders<'now'>) => {
  const { system_id, friend_system_id, friendship_id, notify_at } = friendSides
  return db
    .select({ system_id, friend_system_id, uuid: friendships.uuid })
    .from(friendSides)
    .innerJoin(friendships, eq(friendships.id, friendship_id))
    .where(lte(notify_at, now))
    .orderBy(asc(notify_at))
    .limit(PAGE)
})

type Side = Placeholders<'friendship' | 'system'>

const stateOf = query((db, values: Side) => {
  const { visible_hash, last_notified_hash, notify_at } = friendSides
  return db
    .select({ visible_hash, last_notified_hash, notify_at })
    .from(friendSides)
    .where(isSide(values))
})

const updateState = query(
  (db, values: Side & Placeholders<'visible' | 'notified' | 'notify_at'>) => {
    const { visible, notified, notify_at } = values
    return db
      .update(friendSides)
      .set({ visible_hash: visible, last_notified_hash: notified, notify_at })
      .where(isSide(values))
  },
)

function isSide({ friendship, system }: Side) {
  return and(eq(friendSides.friendship_id, friendship), eq(friendSides.system_id, system))
}
