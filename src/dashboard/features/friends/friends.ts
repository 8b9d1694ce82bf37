import { FRIENDS_BUCKET } from '../../../model/friends/bucket'
import { ApiError } from '../../api/client'
import { api } from '../../api/resources'
import type { Bucket, BucketKind, CustomField, Friend, Share } from '../../api/types'
import { errorText, LIMIT_REACHED } from '../../core/errorText'
import { groups, members } from '../../core/store'
import { useQuery } from '../../core/useQuery'
import { listNames, sharingStrings } from '../../texts/texts'

/** Friends, invitations and privacy buckets, as the extension API serializes them. */

export const defaultShare: Share = {
  see_front: true,
  see_members: false,
  announce: true,
  buckets: [],
}

/** Loads the privacy buckets in their order. */
export function useBuckets() {
  return useQuery(api.buckets.list, 'buckets')
}

export type LoadedBuckets = ReturnType<typeof useBuckets>

/** Returns the own name for a friend, or else the one the friend uses. */
export function nameOfFriend({ name, system }: Friend): string {
  return name || system?.name || sharingStrings.someone
}

/** Returns what an avatar needs to know about a friend. */
export function avatarOfFriend(friend: Friend) {
  const { avatar_url = null, color = null } = friend.system ?? {}
  return { name: nameOfFriend(friend), display_name: null, avatar_url, color }
}

export function titleOfBucket({ emoji, name }: Bucket): string {
  return emoji === null ? name : `${emoji} ${name}`
}

/** Returns the names of buckets by their IDs. */
export function describeBuckets(all: readonly Bucket[], ids: unknown): string {
  const named = all.filter(({ id }) => Array.isArray(ids) && ids.includes(id))
  return named.length === 0 ? sharingStrings.noOne : listNames(named.map(({ name }) => name))
}

/** Returns the IDs of the buckets that a new friend is in by default. */
export function defaultBuckets(all: readonly Bucket[]): string[] {
  return all.filter(({ name }) => name === FRIENDS_BUCKET).map(({ id }) => id)
}

interface Shared {
  readonly buckets?: readonly string[] | undefined
}

/** Returns the UUIDs of what is in a bucket, by kind. */
export function contentsOf({ id }: Bucket, fields: readonly CustomField[]) {
  const inside = ({ buckets }: Shared) => buckets?.includes(id) ?? false
  return {
    members: new Set(members.value.filter(({ ext }) => inside(ext ?? {})).map(({ uuid }) => uuid)),
    groups: new Set(groups.value.filter(inside).map(({ uuid }) => uuid)),
    fields: new Set(fields.filter(inside).map((field) => field.id)),
  } as const satisfies Record<BucketKind, ReadonlySet<string>>
}

/** Returns the code of an invitation, given by itself or in a link. */
export function readCode(typed: string): string {
  return typed.trim().replace(/^.*#\/friend\//, '')
}

const INVITE_IS_OVER = 29009

/** Returns true if the code of an invitation is wrong, used, withdrawn or expired. */
export function isOver(cause: unknown): boolean {
  return cause instanceof ApiError && cause.code === INVITE_IS_OVER
}

/** Returns a function that describes errors, with the texts of a limit and of a code that is over. */
export function explainWith(limit: string) {
  return errorText({ [LIMIT_REACHED]: limit, [INVITE_IS_OVER]: sharingStrings.inviteIsOver })
}
