import { randomUUID } from 'node:crypto'
import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createInserter } from '../../db/rows'
import { friendInvites, friendSides, friendships } from '../../db/tables'
import type { Db } from '../../db/types'
import { isDisabled } from '../../db/visible'
import { diff, isEmptyPatch, type JsonObject, requireNonEmpty } from '../../model/entity'
import { error } from '../../model/errors'
import {
  type Friend,
  type FriendPatch,
  friend,
  invite,
  type Share,
  type SharePatch,
  share,
} from '../../model/ext/friend'
import { type Redacted, redact, requireSystem, type Viewer } from '../../model/privacy'
import { isUuid } from '../../model/ref'
import { system } from '../../model/system'
import { DAY, type Instant } from '../../model/time'
import { generateUrlSecret, hashSecret } from '../access/secrets'
import { requireExists } from '../deletion'
import type { Deps } from '../deps'
import { type BucketRef, listBucketRefs, resolveBuckets, setBuckets } from '../extRows/bucketRows'
import { endFriendship, recordFriendEvent } from '../extRows/endFriendship'
import { refreshFriends } from '../extRows/friendDues'
import {
  type FriendshipRow,
  findFriendship,
  getFriendship,
  listFriendships,
} from '../extRows/friendRows'
import { limitReached, smallLimits } from '../extRows/usage'
import { findSystemById } from '../systems'
import { bucketsForNewFriend } from './buckets'
import { readSharedFront, type SharedFront } from './sharedFront'

/** Time for which an invitation can be accepted. */
const INVITE_LIFETIME = 7 * DAY

/** What a client sends about a friend or an invitation. */
export interface FriendBody {
  readonly name?: string | null | undefined
  readonly notify_me?: boolean | undefined
  readonly share: SharePatch
}

/** A friend as the caller sees it. */
export interface ShownFriend {
  readonly uuid: string
  readonly since: Instant
  readonly friend: Redacted<typeof friend>
  /** Null while the system of the friend is disabled. */
  readonly system: Redacted<typeof system> | null
  readonly share: Redacted<typeof share>
  readonly theirs: Redacted<typeof share>
  /** Null if the front is not shared. */
  readonly front: SharedFront | null
}

export interface ShownInvite {
  readonly invite: Redacted<typeof invite>
  readonly share: Redacted<typeof share>
}

/** Lists the friends of the caller's system, oldest first. */
export async function listFriends(deps: Deps, viewer: Viewer): Promise<ShownFriend[]> {
  const systemId = requireSystem(viewer, 'manage_friends')
  const shown: ShownFriend[] = []
  for (const row of await listFriendships(deps.db, systemId))
    shown.push(await showFriend(deps, row))
  return shown
}

/** Returns one friend of the caller's system; null if the friendship has ended. */
export async function findFriend(
  deps: Deps,
  viewer: Viewer,
  id: string,
): Promise<ShownFriend | null> {
  const systemId = requireSystem(viewer, 'manage_friends')
  const row = await findFriendship(deps.db, systemId, id)
  return row && showFriend(deps, row)
}

/** Changes the caller's side of a friendship. */
export async function patchFriend(
  deps: Deps,
  viewer: Viewer,
  id: string,
  { share: given, ...own }: FriendBody,
): Promise<ShownFriend> {
  const systemId = requireSystem(viewer, 'manage_friends')
  requireNonEmpty({ ...given, ...own })
  const { friend_system_id } = await getFriendship(deps.db, systemId, id)
  const systems: [number, number] = [systemId, friend_system_id]
  await deps.transact({ systems }, async (tx) => {
    const before = await getFriendship(tx, systemId, id)
    const buckets = given.buckets && (await resolveBuckets(tx, systemId, given.buckets))
    const changedShare: JsonObject = diff<typeof share>(
      { ...before, buckets: before.buckets.toSorted() } as Share,
      { ...given, ...(buckets && { buckets: buckets.map(({ uuid }) => uuid).toSorted() }) },
    )
    const changedFriend: JsonObject = diff<typeof friend>(before as Friend, own as FriendPatch)
    const { buckets: _, ...flags } = changedShare
    const columns = { ...changedFriend, ...flags }
    if (!isEmptyPatch(columns)) await updateSide(tx, before, columns)
    if (buckets && 'buckets' in changedShare)
      await setBuckets(tx, systemId, 'friends', before.id, buckets)
    const keys = [...Object.keys(changedFriend), ...(isEmptyPatch(changedShare) ? [] : ['share'])]
    if (keys.length === 0) return
    await recordFriendEvent(deps, tx, 'UPDATE_FRIEND', systemId, before.uuid, { keys })
    // The friend sees which of the flags are set, and nothing else of this side.
    if (!isEmptyPatch(flags))
      await recordFriendEvent(deps, tx, 'UPDATE_FRIEND', friend_system_id, before.uuid, {
        keys: ['theirs'],
      })
    if (!isEmptyPatch(changedShare)) await refreshFriends(tx, systemId, deps.now())
  })
  return showFriend(deps, await getFriendship(deps.db, systemId, id))
}

/** Ends a friendship for both sides, with notifications that wait. */
export async function deleteFriend(deps: Deps, viewer: Viewer, id: string): Promise<void> {
  const systemId = requireSystem(viewer, 'manage_friends')
  const { friend_system_id } = await getFriendship(deps.db, systemId, id)
  const systems: [number, number] = [systemId, friend_system_id]
  await deps.transact({ systems }, async (tx) => {
    await endFriendship(deps, tx, await getFriendship(tx, systemId, id))
  })
}

/** Creates an invitation. Its code is returned once, and only its hash is stored. */
export async function createInvite(
  deps: Deps,
  viewer: Viewer,
  { name = null, share: given }: FriendBody,
): Promise<ShownInvite & { code: string }> {
  const systemId = requireSystem(viewer, 'manage_friends')
  const code = generateUrlSecret()
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    const now = deps.now()
    await deleteExpired(tx).run({ now })
    const open = await invitesOf(tx).all({ system: systemId, now })
    if (open.length >= smallLimits.invites)
      throw limitReached('open invitations', smallLimits.invites)
    const { buckets, ...flags } = await chooseShare(deps, tx, systemId, given)
    const row = {
      uuid: randomUUID(),
      system_id: systemId,
      hash: hashSecret(code),
      share: { ...flags, buckets: buckets.map(({ uuid }) => uuid) },
      name,
      expires: now + INVITE_LIFETIME,
    }
    await insertInvite(tx, row)
    return { ...showInvite(row), code }
  })
}

/** Lists the open invitations of the caller's system, oldest first. */
export async function listInvites(deps: Deps, viewer: Viewer): Promise<ShownInvite[]> {
  const systemId = requireSystem(viewer, 'manage_friends')
  const open = await invitesOf(deps.db).all({ system: systemId, now: deps.now() })
  return open.map(showInvite)
}

export async function deleteInvite(deps: Deps, viewer: Viewer, id: string): Promise<void> {
  const systemId = requireSystem(viewer, 'manage_friends')
  await deps.transact({ system: systemId }, async (tx) => {
    const uuid = isUuid(id) ? id.toLowerCase() : ''
    const deleted = await deleteInviteRow(tx).get({ system: systemId, uuid, now: deps.now() })
    if (!deleted) throw error('inviteNotFound')
  })
}

/** What the receiver of an invitation sees before accepting it. */
export interface InvitePreview {
  readonly system: Redacted<typeof system>
  readonly share: Redacted<typeof share>
}

/** Returns what an invitation offers; null if its code is wrong, used or expired. */
export async function previewInvite(
  deps: Deps,
  viewer: Viewer,
  code: string,
): Promise<InvitePreview | null> {
  requireSystem(viewer, 'manage_friends')
  const found = await openInvite(deps.db).get({ hash: hashSecret(code), now: deps.now() })
  const of = found && (await findSystemById(deps.db, found.system_id))
  if (!of || (await isDisabled(deps.db, of.id))) return null
  return { system: redact(system, of, 'friend'), share: redact(share, found.share, 'friend') }
}

/** Accepts an invitation; returns null if its code is wrong, used or expired. */
export async function acceptInvite(
  deps: Deps,
  viewer: Viewer,
  code: string,
  { name = null, notify_me = false, share: given }: FriendBody,
): Promise<ShownFriend | null> {
  const systemId = requireSystem(viewer, 'manage_friends')
  const hash = hashSecret(code)
  const found = await openInvite(deps.db).get({ hash, now: deps.now() })
  if (!found || (await isDisabled(deps.db, found.system_id))) return null
  const inviter = found.system_id
  if (inviter === systemId) throw error('badRequest', 'this is your own invitation')
  const uuid = await deps.transact({ systems: [systemId, inviter] }, async (tx) => {
    const now = deps.now()
    await requireExists(tx, systemId)
    // The inviting system may have been deleted or disabled while this waited for its lock.
    const isShown = (await findSystemById(tx, inviter)) && !(await isDisabled(tx, inviter))
    const used = isShown && (await consumeInvite(tx).get({ hash, now }))
    if (!used) return null
    if (await sideBetween(tx).get({ system: systemId, friend: inviter }))
      throw error('conflict', 'already friends')
    for (const id of [systemId, inviter])
      if (((await countFriends(tx).get({ system: id }))?.size ?? 0) >= smallLimits.friends)
        throw limitReached('friends', smallLimits.friends)
    const friendship = { uuid: randomUUID(), created: now }
    const friendshipId = await insertFriendship(tx, friendship)
    // Buckets of the invitation that were deleted since are left out.
    const offered = await knownBuckets(tx, inviter, used.share.buckets)
    const chosen = await chooseShare(deps, tx, systemId, given)
    const sides = [
      {
        system: inviter,
        of: systemId,
        name: used.name,
        notify_me: false,
        ...used.share,
        buckets: offered,
      },
      { system: systemId, of: inviter, name, notify_me, ...chosen },
    ]
    for (const { system, of, buckets, ...side } of sides) {
      await insertSide(tx).run({
        friendship: friendshipId,
        system,
        of,
        name: side.name,
        notify_me: Number(side.notify_me),
        see_front: Number(side.see_front),
        see_members: Number(side.see_members),
        announce: Number(side.announce),
      })
      await setBuckets(tx, system, 'friends', friendshipId, buckets)
    }
    for (const id of [systemId, inviter]) {
      await recordFriendEvent(deps, tx, 'CREATE_FRIEND', id, friendship.uuid, { keys: [] })
      await refreshFriends(tx, id, now)
    }
    return friendship.uuid
  })
  return uuid && showFriend(deps, await getFriendship(deps.db, systemId, uuid))
}

async function showFriend(deps: Deps, row: FriendshipRow): Promise<ShownFriend> {
  const isShown = row.their_disabled_at === null
  const of = isShown ? await findSystemById(deps.db, row.friend_system_id) : null
  const theirs = {
    see_front: row.their_see_front,
    see_members: row.their_see_members,
    announce: row.their_announce,
    buckets: [],
  }
  return {
    uuid: row.uuid,
    since: row.created,
    friend: redact(friend, row as Friend, true),
    system: of && redact(system, of, 'friend'),
    share: redact(share, { ...row, buckets: [...row.buckets] } as Share, true),
    theirs: redact(share, theirs, 'friend'),
    front: await readSharedFront(deps, row),
  }
}

function showInvite(row: { uuid: string; name: string | null; expires: Instant; share: Share }) {
  return { invite: redact(invite, row, true), share: redact(share, row.share, true) }
}

/** Completes a share with the defaults, which include the bucket for friends. */
async function chooseShare(deps: Deps, tx: Db, systemId: number, given: SharePatch) {
  const usual = await bucketsForNewFriend(deps, tx, systemId)
  const buckets = given.buckets ? await resolveBuckets(tx, systemId, given.buckets) : usual
  const { see_front = true, see_members = false, announce = true } = given
  return { see_front, see_members, announce, buckets }
}

async function knownBuckets(
  tx: Db,
  systemId: number,
  uuids: readonly string[],
): Promise<BucketRef[]> {
  return (await listBucketRefs(tx, systemId)).filter(({ uuid }) => uuids.includes(uuid))
}

async function updateSide(tx: Db, row: FriendshipRow, changed: JsonObject): Promise<void> {
  const { id, system_id } = row
  const { name, notify_me, see_front, see_members, announce } = { ...row, ...changed }
  await update(tx).run({
    id,
    system: system_id,
    name,
    notify_me: Number(notify_me),
    see_front: Number(see_front),
    see_members: Number(see_members),
    announce: Number(announce),
  })
}

type SideValues = Placeholders<'name' | 'notify_me' | 'see_front' | 'see_members' | 'announce'>

const sideColumns = ({ name, notify_me, see_front, see_members, announce }: SideValues) => ({
  name,
  notify_me,
  see_front,
  see_members,
  announce,
})

const update = query((db, values: SideValues & Placeholders<'id' | 'system'>) =>
  db
    .update(friendSides)
    .set(sideColumns(values))
    .where(and(eq(friendSides.friendship_id, values.id), eq(friendSides.system_id, values.system))),
)

const insertSide = query((db, values: SideValues & Placeholders<'friendship' | 'system' | 'of'>) =>
  db.insert(friendSides).values({
    friendship_id: values.friendship,
    system_id: values.system,
    friend_system_id: values.of,
    ...sideColumns(values),
  }),
)

const insertFriendship = createInserter(friendships, ['uuid', 'created'])

const sideBetween = query((db, { system, friend: other }: Placeholders<'system' | 'friend'>) =>
  db
    .select({ friendship_id: friendSides.friendship_id })
    .from(friendSides)
    .where(and(eq(friendSides.system_id, system), eq(friendSides.friend_system_id, other))),
)

const countFriends = query((db, { system }: Placeholders<'system'>, { count }) =>
  db
    .select({ size: sql<number>`${count()}`.as('size') })
    .from(friendSides)
    .where(eq(friendSides.system_id, system)),
)

const insertInvite = createInserter(friendInvites, [
  'uuid',
  'system_id',
  'hash',
  'share',
  'name',
  'expires',
])

const invitesOf = query((db, { system, now }: Placeholders<'system' | 'now'>) => {
  const { id, uuid, name, expires, share: offered, system_id } = friendInvites
  return db
    .select({ uuid, name, expires, share: offered })
    .from(friendInvites)
    .where(and(eq(system_id, system), gt(expires, now)))
    .orderBy(id)
})

const deleteInviteRow = query((db, values: Placeholders<'system' | 'uuid' | 'now'>) => {
  const { id, uuid, expires, system_id } = friendInvites
  const isOpen = and(eq(system_id, values.system), eq(uuid, values.uuid), gt(expires, values.now))
  return db.delete(friendInvites).where(isOpen).returning({ id })
})

const openInvite = query((db, { hash, now }: Placeholders<'hash' | 'now'>) => {
  const { system_id, share: offered, expires } = friendInvites
  return db
    .select({ system_id, share: offered })
    .from(friendInvites)
    .where(and(eq(friendInvites.hash, hash), gt(expires, now)))
})

/** Finds and deletes an invitation in one statement, so that two requests cannot both use it. */
const consumeInvite = query((db, { hash, now }: Placeholders<'hash' | 'now'>) => {
  const { name, share: offered, expires } = friendInvites
  return db
    .delete(friendInvites)
    .where(and(eq(friendInvites.hash, hash), gt(expires, now)))
    .returning({ name, share: offered })
})

const deleteExpired = query((db, { now }: Placeholders<'now'>) =>
  db.delete(friendInvites).where(lte(friendInvites.expires, now)),
)
