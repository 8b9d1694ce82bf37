import { randomUUID } from 'node:crypto'
import type { Db } from '../../db/types'
import { isDisabled } from '../../db/visible'
import { smallLimits } from '../../model/access/rowLimits'
import { error } from '../../model/core/errors'
import { type Redacted, redact, requireSystem, type Viewer } from '../../model/core/privacy'
import { isUuid } from '../../model/core/ref'
import { storedBytes } from '../../model/core/textSize'
import { DAY, type Instant } from '../../model/core/time'
import { invite, type Share, type SharePatch, share } from '../../model/friends/friend'
import { system } from '../../model/systems/system'
import { generateUrlSecret, hashSecret } from '../../store/access/secrets'
import { addUsage, freeUsage, limitReached } from '../../store/core/usage'
import {
  type BucketRef,
  listBucketRefs,
  resolveBuckets,
  setBuckets,
} from '../../store/friends/bucketRows'
import { recordFriendEvent } from '../../store/friends/endFriendship'
import { scheduleFriendRefresh } from '../../store/friends/friendDues'
import {
  areFriends,
  countFriends,
  getFriendship,
  insertFriendship,
  insertSide,
} from '../../store/friends/friendRows'
import {
  deleteExpiredInvites,
  deleteOpenInvite,
  findOpenInvite,
  insertInvite,
  listOpenInvites,
  useInvite,
} from '../../store/friends/inviteRows'
import { requireExists } from '../../store/systems/deletion'
import { findSystemById } from '../../store/systems/systemRows'
import type { Deps } from '../core/deps'
import { bucketsForNewFriend } from './buckets'
import type { FriendBody } from './friends'
import { type ShownFriend, showFriend } from './showFriends'

/** Time for which an invitation can be accepted. */
const INVITE_LIFETIME = 7 * DAY

export interface ShownInvite {
  readonly invite: Redacted<typeof invite>
  readonly share: Redacted<typeof share>
}

/** Creates an invitation. Its code is returned once, and only its hash is stored. */
export async function createInvite(
  deps: Deps,
  viewer: Viewer,
  { name = null, share: sharePatch }: FriendBody,
): Promise<ShownInvite & { code: string }> {
  const systemId = requireSystem(viewer, 'manage_friends')
  const code = generateUrlSecret()
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    const now = deps.now()
    const expired = await deleteExpiredInvites(tx, systemId, now)
    const freed = expired.reduce((sum, inviteRow) => sum + storedBytes(inviteRow.name), 0)
    await addUsage(deps, tx, systemId, { text_bytes: storedBytes(name) - freed })
    const open = await listOpenInvites(tx, systemId, now)
    if (open.length >= smallLimits.invites)
      throw limitReached('open invitations', smallLimits.invites)
    const { buckets, ...flags } = await chooseShare(deps, tx, systemId, sharePatch)
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

/** Lists the open invitations of the caller's system, oldest first, with buckets that still exist. */
export async function listInvites(deps: Deps, viewer: Viewer): Promise<ShownInvite[]> {
  const systemId = requireSystem(viewer, 'manage_friends')
  const open = await listOpenInvites(deps.db, systemId, deps.now())
  const bucketIds = new Set((await listBucketRefs(deps.db, systemId)).map(({ uuid }) => uuid))
  return open.map(({ share: offered, ...row }) => {
    const buckets = offered.buckets.filter((uuid) => bucketIds.has(uuid))
    return showInvite({ ...row, share: { ...offered, buckets } })
  })
}

export async function deleteInvite(deps: Deps, viewer: Viewer, id: string): Promise<void> {
  const systemId = requireSystem(viewer, 'manage_friends')
  await deps.transact({ system: systemId }, async (tx) => {
    const uuid = isUuid(id) ? id.toLowerCase() : ''
    const deleted = await deleteOpenInvite(tx, systemId, uuid, deps.now())
    if (!deleted) throw error('inviteNotFound')
    await freeUsage(tx, systemId, { text_bytes: storedBytes(deleted.name) })
  })
}

/** Preview of an invitation for its receiver. */
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
  const inviteRow = await findOpenInvite(deps.db, hashSecret(code), deps.now())
  const friendSystem = inviteRow && (await findSystemById(deps.db, inviteRow.system_id))
  if (!friendSystem || (await isDisabled(deps.db, friendSystem.id))) return null
  return {
    system: redact(system, friendSystem, 'friend'),
    share: redact(share, inviteRow.share, 'friend'),
  }
}

/** Accepts an invitation; returns null if its code is wrong, used or expired. */
export async function acceptInvite(
  deps: Deps,
  viewer: Viewer,
  code: string,
  { name = null, notify_me = false, share: sharePatch }: FriendBody,
): Promise<ShownFriend | null> {
  const systemId = requireSystem(viewer, 'manage_friends')
  const hash = hashSecret(code)
  const inviteRow = await findOpenInvite(deps.db, hash, deps.now())
  if (!inviteRow || (await isDisabled(deps.db, inviteRow.system_id))) return null
  const inviter = inviteRow.system_id
  if (inviter === systemId) throw error('badRequest', 'this is your own invitation')
  const uuid = await deps.transact({ systems: [systemId, inviter] }, async (tx) => {
    const now = deps.now()
    await requireExists(tx, systemId)
    // The inviting system may have been deleted or disabled while this waited for its lock.
    const isShown = (await findSystemById(tx, inviter)) && !(await isDisabled(tx, inviter))
    const used = isShown && (await useInvite(tx, hash, now))
    if (!used) return null
    if (await areFriends(tx, systemId, inviter)) throw error('conflict', 'already friends')
    for (const id of [systemId, inviter])
      if ((await countFriends(tx, id)) >= smallLimits.friends)
        throw limitReached('friends', smallLimits.friends)
    const friendship = { uuid: randomUUID(), created: now }
    const friendshipId = await insertFriendship(tx, friendship)
    // Buckets of the invitation that were deleted since are left out.
    const offered = await knownBuckets(tx, inviter, used.share.buckets)
    const chosen = await chooseShare(deps, tx, systemId, sharePatch)
    // The name of the invitation counted already, and becomes that of the friend.
    await addUsage(deps, tx, systemId, { text_bytes: storedBytes(name) })
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
      await insertSide(tx, {
        ...side,
        id: friendshipId,
        system_id: system,
        friend_system_id: of,
      })
      await setBuckets(tx, system, 'friends', friendshipId, buckets)
    }
    for (const id of [systemId, inviter]) {
      await recordFriendEvent(deps, tx, 'CREATE_FRIEND', id, friendship.uuid, { keys: [] })
      await scheduleFriendRefresh(tx, id, now)
    }
    return friendship.uuid
  })
  return uuid && showFriend(deps, await getFriendship(deps.db, systemId, uuid))
}

function showInvite(row: { uuid: string; name: string | null; expires: Instant; share: Share }) {
  return { invite: redact(invite, row, 'owner'), share: redact(share, row.share, 'owner') }
}

/** Completes a share with the defaults, which include the bucket for friends. */
async function chooseShare(deps: Deps, tx: Db, systemId: number, sharePatch: SharePatch) {
  const usual = await bucketsForNewFriend(deps, tx, systemId)
  const buckets = sharePatch.buckets
    ? await resolveBuckets(tx, systemId, sharePatch.buckets)
    : usual
  const { see_front = true, see_members = false, announce = true } = sharePatch
  return { see_front, see_members, announce, buckets }
}

async function knownBuckets(
  tx: Db,
  systemId: number,
  uuids: readonly string[],
): Promise<BucketRef[]> {
  return (await listBucketRefs(tx, systemId)).filter(({ uuid }) => uuids.includes(uuid))
}
