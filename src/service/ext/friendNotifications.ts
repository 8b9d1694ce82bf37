import { createHash } from 'node:crypto'
import { and, asc, eq, lte, sql } from 'drizzle-orm'
import { findMemberExts } from '../../db/memberExtRows'
import { columnNames, type Placeholders, query } from '../../db/query'
import { friendNotifyDue, friendSides } from '../../db/tables'
import type { Db } from '../../db/types'
import type { Member } from '../../model/member'
import { type PeriodicTask, startPeriodicTask } from '../../timers/periodicTask'
import type { Deps } from '../deps'
import { recordFriendEvent } from '../extRows/endFriendship'
import {
  type FriendshipRow,
  findFriendship,
  findSharedMembers,
  listFriendships,
} from '../extRows/friendRows'
import { enqueuePush } from '../extRows/pushQueue'
import { findLatest } from '../switches'

const REPEAT_MS = 1_000
const PAGE = 200

interface NotifierOptions {
  /** Returns true in the one process, of all on the same database, that notifies friends. */
  readonly isLeader: () => boolean
  readonly warn: (message: string, fields: { cause: string }) => void
  readonly onNotified?: (() => void) | undefined
}

/** Looks every second for systems whose front changed long enough ago. */
export function startFriendNotifier(deps: Deps, options: NotifierOptions): PeriodicTask {
  const { isLeader, warn } = options
  return startPeriodicTask({
    everyMs: REPEAT_MS,
    mayRun: isLeader,
    run: (isStopped) => notifyFriends(deps, { ...options, isStopped }),
    onError: (cause) => warn('search for changed fronts failed', { cause: String(cause) }),
  })
}

/** Notifies the friends of all systems whose front changed, one transaction per friend. */
export async function notifyFriends(
  deps: Deps,
  {
    isStopped = () => false,
    warn,
    onNotified,
  }: Partial<NotifierOptions> & { readonly isStopped?: () => boolean } = {},
): Promise<void> {
  const now = deps.now()
  for (const change of await duePage(deps.db).all({ now })) {
    if (isStopped()) return
    const { system_id, due } = change
    try {
      const front = await findLatest(deps.db, system_id)
      for (const row of await listFriendships(deps.db, system_id)) {
        if (isStopped()) return
        const systems: [number, number] = [system_id, row.friend_system_id]
        const isNotified = await deps.transact({ systems }, async (tx) => {
          // A switch since then is announced later: without this, it would only be remembered.
          const isReplaced =
            !change.announces && !(await findDue(tx).get({ system: system_id, due }))
          return !isReplaced && notify(deps, tx, row, change)
        })
        if (isNotified) onNotified?.()
      }
      await deps.transact({ system: system_id }, async (tx) => {
        const isDeleted = await deleteDue(tx).get({ system: system_id, due })
        if (isDeleted || !change.announces) return
        // A later change has moved the time, and is compared with what was announced now.
        const fronters = JSON.stringify(front?.members.map(({ id }) => id) ?? [])
        await setBefore(tx).run({ system: system_id, fronters })
      })
    } catch (cause) {
      // The other systems are still due.
      if (!warn) throw cause
      warn('notification of friends failed', { cause: String(cause) })
    }
  }
}

interface FrontChange {
  readonly announces: boolean
  readonly fronters_before: readonly number[] | null
}

/**
 * Compares the fronters that a friend may see with those it was last notified of. Returns true if
 * the friend was notified. Fronters who are visible only since a change of what is shared are not a
 * reason, because the notification would disclose a switch of hidden members.
 */
async function notify(
  deps: Deps,
  tx: Db,
  { system_id, uuid }: FriendshipRow,
  { announces, fronters_before }: FrontChange,
): Promise<boolean> {
  const own = await findFriendship(tx, system_id, uuid)
  const theirs = own && (await findFriendship(tx, own.friend_system_id, uuid))
  if (!own || !theirs) return false
  const { before, fronters } = await announcedFronters(tx, theirs, fronters_before ?? [])
  const uuids = fronters.map((one) => one.uuid)
  const hash = hashOf(uuids)
  const last = await lastHash(tx).get({ friendship: own.id, system: system_id })
  if (last?.hash === hash) return false
  await setHash(tx).run({ friendship: own.id, system: system_id, hash })
  const isWanted = own.announce && theirs.notify_me && theirs.their_disabled_at === null
  const isChanged = new Set(before).symmetricDifference(new Set(fronters.map(({ id }) => id))).size
  if (!announces || !isWanted || !isChanged || fronters.length === 0) return false
  await recordFriendEvent(deps, tx, 'FRIEND_FRONT', own.friend_system_id, uuid, { fronters: uuids })
  await enqueuePush(tx, own.friend_system_id, 'friends', uuid)
  return true
}

/**
 * Returns the fronters that are shared in a friendship and may be announced, and those of earlier
 * fronters to whom the same applies now.
 */
async function announcedFronters(
  tx: Db,
  theirs: FriendshipRow,
  before: readonly number[],
): Promise<{ before: readonly number[]; fronters: readonly Member[] }> {
  if (!theirs.their_see_front) return { before: [], fronters: [] }
  const fronters = (await findLatest(tx, theirs.friend_system_id))?.members ?? []
  const shared = await findSharedMembers(tx, theirs)
  const ids = new Set([...before, ...fronters.map(({ id }) => id)]).intersection(shared)
  const exts = ids.size === 0 ? [] : await findMemberExts(tx, [...ids])
  for (const { id, announce_front } of exts) if (!announce_front) ids.delete(id)
  return {
    before: before.filter((id) => ids.has(id)),
    fronters: fronters.filter(({ id }) => ids.has(id)),
  }
}

function hashOf(fronters: readonly string[]): string {
  return createHash('sha256').update(fronters.toSorted().join()).digest('base64url')
}

const duePage = query((db, { now }: Placeholders<'now'>) => {
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

const findDue = query((db, values: DueRow) =>
  db.select({ due: friendNotifyDue.due }).from(friendNotifyDue).where(isDue(values)),
)

const deleteDue = query((db, values: DueRow) =>
  db.delete(friendNotifyDue).where(isDue(values)).returning({ due: friendNotifyDue.due }),
)

// SQL text, because the builder would encode the JSON text again.
const setBefore = query(
  (_, { system, fronters }: Placeholders<'system' | 'fronters'>) =>
    sql`update ${friendNotifyDue} set ${columnNames(friendNotifyDue.fronters_before)} = ${fronters}
      where ${friendNotifyDue.system_id} = ${system} and ${friendNotifyDue.announces} = 1`,
)

const lastHash = query((db, values: Placeholders<'friendship' | 'system'>) =>
  db
    .select({ hash: sql<string | null>`${friendSides.last_notified_hash}`.as('hash') })
    .from(friendSides)
    .where(isSide(values)),
)

const setHash = query((db, values: Placeholders<'friendship' | 'system' | 'hash'>) =>
  db.update(friendSides).set({ last_notified_hash: values.hash }).where(isSide(values)),
)

function isSide({ friendship, system }: Placeholders<'friendship' | 'system'>) {
  return and(eq(friendSides.friendship_id, friendship), eq(friendSides.system_id, system))
}
