import { createHash } from 'node:crypto'
import { and, asc, eq, lte, sql } from 'drizzle-orm'
import { findMemberExts } from '../../db/memberExtRows'
import { type Placeholders, query } from '../../db/query'
import { friendNotifyDue, friendSides } from '../../db/tables'
import type { Db } from '../../db/types'

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
  for (const { system_id, due, announces } of await duePage(deps.db).all({ now })) {
    if (isStopped()) return
    try {
      for (const row of await listFriendships(deps.db, system_id)) {
        if (isStopped()) return
        const systems: [number, number] = [system_id, row.friend_system_id]
        const isNotified = await deps.transact({ systems }, (tx) =>
          notify(deps, tx, row, announces),
        )
        if (isNotified) onNotified?.()
      }
      // A later change has moved the time, and is processed then.
      await deps.transact({ system: system_id }, async (tx) => {
        await deleteDue(tx).run({ system: system_id, due })
      })
    } catch (cause) {
      // The other systems are still due.
      if (!warn) throw cause
      warn('notification of friends failed', { cause: String(cause) })
    }
  }
}

/**
 * Compares the fronters that a friend may see with those it was last notified of. Returns true if
 * the friend was notified.
 */
async function notify(
  deps: Deps,
  tx: Db,
  { system_id, uuid }: FriendshipRow,
  announces: boolean,
): Promise<boolean> {
  const own = await findFriendship(tx, system_id, uuid)
  const theirs = own && (await findFriendship(tx, own.friend_system_id, uuid))
  if (!own || !theirs) return false
  const fronters = await announcedFronters(tx, theirs)
  const hash = hashOf(fronters)
  const before = await lastHash(tx).get({ friendship: own.id, system: system_id })
  if (before?.hash === hash) return false
  await setHash(tx).run({ friendship: own.id, system: system_id, hash })
  const isWanted = own.announce && theirs.notify_me && theirs.their_disabled_at === null
  if (!announces || !isWanted || fronters.length === 0) return false
  await recordFriendEvent(deps, tx, 'FRIEND_FRONT', own.friend_system_id, uuid, { fronters })
  await enqueuePush(tx, own.friend_system_id, 'friends', uuid)
  return true
}

/** Returns the UUIDs of the fronters that are shared in a friendship and may be announced. */
async function announcedFronters(tx: Db, theirs: FriendshipRow): Promise<string[]> {
  if (!theirs.their_see_front) return []
  const front = await findLatest(tx, theirs.friend_system_id)
  const shared = await findSharedMembers(tx, theirs)
  const members = front?.members.filter(({ id }) => shared.has(id)) ?? []
  if (members.length === 0) return []
  const ids = members.map(({ id }) => id)
  const exts = new Map((await findMemberExts(tx, ids)).map((ext) => [ext.id, ext]))
  return members.filter(({ id }) => exts.get(id)?.announce_front ?? true).map(({ uuid }) => uuid)
}

function hashOf(fronters: readonly string[]): string {
  return createHash('sha256').update(fronters.toSorted().join()).digest('base64url')
}

const duePage = query((db, { now }: Placeholders<'now'>) => {
  const { system_id, due, announces } = friendNotifyDue
  return db
    .select({ system_id, due, announces })
    .from(friendNotifyDue)
    .where(lte(due, now))
    .orderBy(asc(due), asc(system_id))
    .limit(PAGE)
})

const deleteDue = query((db, { system, due }: Placeholders<'system' | 'due'>) =>
  db
    .delete(friendNotifyDue)
    .where(and(eq(friendNotifyDue.system_id, system), eq(friendNotifyDue.due, due))),
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
