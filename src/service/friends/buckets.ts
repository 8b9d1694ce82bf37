import type { Db } from '../../db/types'
import { error } from '../../model/core/errors'
import { type Redacted, systemOf, type Viewer } from '../../model/core/privacy'
import { isUuid } from '../../model/core/ref'
import {
  type BucketDraft,
  type BucketPatch,
  type bucket,
  defaultBuckets,
  FRIENDS_BUCKET,
} from '../../model/friends/bucket'
import { getOwnEntities } from '../../store/core/entityRows'
import { type BucketCounts, countBucketContents } from '../../store/friends/bucketCounts'
import { bucketKind } from '../../store/friends/bucketKind'
import {
  type BucketRef,
  listBucketRefs,
  listContents,
  setContents,
} from '../../store/friends/bucketRows'
import { scheduleFriendRefresh } from '../../store/friends/friendDues'
import { groupRowKind } from '../../store/groups/groupRows'
import { listDefinitions } from '../../store/members/fieldValueRows'
import { memberRowKind } from '../../store/members/memberRows'
import type { Deps } from '../core/deps'
import {
  changeOwned,
  createOwned,
  createOwnedIn,
  deleteOwnedIn,
  listOwned,
  orderOwned,
  recordOwned,
  redactForOwner,
  withOwnedRow,
} from '../core/ownedRows'

/** A privacy bucket with the numbers of what is in it. */
export interface ListedBucket {
  readonly bucket: Redacted<typeof bucket>
  readonly counts: BucketCounts
}

/** Contents of a bucket, as references of a client. */
export interface BucketContents {
  readonly members?: readonly string[] | undefined
  readonly groups?: readonly string[] | undefined
  readonly fields?: readonly string[] | undefined
}

/** Lists the buckets of the caller's system by position. */
export async function listBuckets(deps: Deps, viewer: Viewer): Promise<ListedBucket[]> {
  return withCounts(deps, viewer, await listOwned(deps, viewer, bucketKind))
}

/** Puts all buckets into a new order. */
export async function orderBuckets(
  deps: Deps,
  viewer: Viewer,
  ids: readonly string[],
): Promise<ListedBucket[]> {
  const ordered = await orderOwned(deps, viewer, bucketKind, 'privacy bucket', ids)
  return withCounts(deps, viewer, ordered)
}

export async function createBucket(
  deps: Deps,
  viewer: Viewer,
  draft: BucketDraft,
): Promise<ListedBucket> {
  const [listed] = await withCounts(deps, viewer, [
    await createOwned(deps, viewer, bucketKind, draft),
  ])
  return requireListed(listed)
}

export async function patchBucket(
  deps: Deps,
  viewer: Viewer,
  id: string,
  patch: BucketPatch,
): Promise<ListedBucket> {
  const [listed] = await withCounts(deps, viewer, [
    await changeOwned(deps, viewer, bucketKind, id, patch),
  ])
  return requireListed(listed)
}

/** Deletes a bucket. Its members, groups, fields and friends remain and are no longer shared by it. */
export async function deleteBucket(deps: Deps, viewer: Viewer, id: string): Promise<void> {
  await withOwnedRow(deps, viewer, bucketKind, id, async (tx, row) => {
    await deleteOwnedIn(deps, tx, bucketKind, row)
    await scheduleFriendRefresh(tx, row.system_id, deps.now())
  })
}

/** Replaces what a bucket contains, of the given kinds. */
export async function putBucketContents(
  deps: Deps,
  viewer: Viewer,
  id: string,
  contents: BucketContents,
): Promise<ListedBucket> {
  const changed = await withOwnedRow(deps, viewer, bucketKind, id, async (tx, row) => {
    const named = await resolveContents(tx, row.system_id, contents)
    const keys: string[] = []
    for (const [content, ids] of named) {
      const before = await listContents(tx, row.id, content)
      if (JSON.stringify(before) === JSON.stringify(ids.toSorted((a, b) => a - b))) continue
      await setContents(tx, row.id, content, ids)
      keys.push(content)
    }
    if (keys.length > 0) {
      await recordOwned(deps, tx, 'UPDATE_BUCKET', row, { keys })
      await scheduleFriendRefresh(tx, row.system_id, deps.now())
    }
    return redactForOwner(bucketKind, row)
  })
  const [listed] = await withCounts(deps, viewer, [changed])
  return requireListed(listed)
}

/**
 * Returns the buckets that a new friend is in by default. Creates the default buckets for a system
 * without buckets.
 */
export async function bucketsForNewFriend(
  deps: Deps,
  tx: Db,
  systemId: number,
): Promise<BucketRef[]> {
  const buckets = await listBucketRefs(tx, systemId)
  if (buckets.length > 0) return buckets.filter(({ name }) => name === FRIENDS_BUCKET).slice(0, 1)
  const created: BucketRef[] = []
  for (const draft of defaultBuckets)
    created.push(await createOwnedIn(deps, tx, bucketKind, systemId, draft))
  return created.slice(0, 1)
}

function requireListed(listed: ListedBucket | undefined): ListedBucket {
  if (!listed) throw error('bucketNotFound')
  return listed
}

async function resolveContents(tx: Db, systemId: number, contents: BucketContents) {
  const named: ['members' | 'groups' | 'fields', number[]][] = []
  const idsOf = (rows: readonly { id: number }[]) => [...new Set(rows.map(({ id }) => id))]
  if (contents.members)
    named.push([
      'members',
      idsOf(await getOwnEntities(tx, memberRowKind, systemId, contents.members)),
    ])
  if (contents.groups)
    named.push(['groups', idsOf(await getOwnEntities(tx, groupRowKind, systemId, contents.groups))])
  if (contents.fields) {
    const byUuid = new Map(
      (await listDefinitions(tx, systemId)).map((field) => [field.uuid, field]),
    )
    const fields = contents.fields.map((uuid) => {
      const field = isUuid(uuid) ? byUuid.get(uuid.toLowerCase()) : undefined
      if (!field) throw error('fieldNotFound')
      return field
    })
    named.push(['fields', idsOf(fields)])
  }
  return named
}

async function withCounts(
  deps: Deps,
  viewer: Viewer,
  listed: readonly Redacted<typeof bucket>[],
): Promise<ListedBucket[]> {
  const byUuid = await countBucketContents(deps.db, systemOf(viewer))
  const none = { members: 0, groups: 0, fields: 0, friends: 0 }
  return listed.map((row) => ({ bucket: row, counts: byUuid.get(row.uuid ?? '') ?? none }))
}
