import { FRIENDS_BUCKET } from '../../../model/friends/bucket'
import { ApiError, errorMessage } from '../../api/client'
import type { CustomField } from '../../core/customFields'
import { groups, members } from '../../core/store'
import { useQuery } from '../../core/useQuery'
import { listNames, sharingStrings } from '../../texts/texts'
import type { PublicFronter } from '../privacy/publicView'

/** Friends, invitations and privacy buckets, as the extension API serializes them. */

/** Parts that one system shows to the other. */
export interface Share {
  readonly see_front: boolean
  readonly see_members: boolean
  readonly announce: boolean
  /** IDs. */
  readonly buckets: readonly string[]
}

export type ShareFlags = Omit<Share, 'buckets'>

export interface FriendSystem {
  readonly id: string
  readonly name: string | null
  readonly description: string | null
  readonly pronouns: string | null
  readonly avatar_url: string | null
  readonly banner: string | null
  readonly color: string | null
}

export interface FriendFront {
  readonly fronters: readonly (PublicFronter & { readonly since: string })[]
}

export interface Friend {
  readonly id: string
  /** Own name for the friend. */
  readonly name: string | null
  /** Null while the system is disabled. */
  readonly system: FriendSystem | null
  readonly since: string
  readonly share: Share
  readonly theirs: ShareFlags
  readonly notify_me: boolean
  /** Null if it is not shared. */
  readonly front: FriendFront | null
}

export interface Invitation {
  readonly id: string
  readonly name: string | null
  readonly share: Share
  readonly expires: string
}

/** Invitation when it is created; the code is never shown again. */
export interface CreatedInvitation extends Invitation {
  readonly code: string
  /** Null if the server does not know its address. */
  readonly url: string | null
}

/** Kinds of things that can be in a bucket. */
export const bucketKinds = ['members', 'groups', 'fields'] as const
export type BucketKind = (typeof bucketKinds)[number]

export interface Bucket extends Readonly<Record<BucketKind, number>> {
  readonly id: string
  readonly name: string
  readonly about: string | null
  readonly color: string | null
  readonly emoji: string | null
  readonly default_for: readonly string[]
  readonly friends: number
}

export const FRIENDS_PATH = 'ext/v1/friends'
export const INVITES_PATH = 'ext/v1/friends/invites'
export const BUCKETS_PATH = 'ext/v1/buckets'

export const defaultShare: Share = {
  see_front: true,
  see_members: false,
  announce: true,
  buckets: [],
}

export function friendPath({ id }: { readonly id: string }): string {
  return `${FRIENDS_PATH}/${id}`
}

export function bucketPath({ id }: Bucket): string {
  return `${BUCKETS_PATH}/${id}`
}

/** Loads the privacy buckets in their order. */
export function useBuckets() {
  return useQuery<readonly Bucket[]>(BUCKETS_PATH, 'buckets')
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

/** Returns true if the code of an invitation is wrong, used, withdrawn or expired. */
export function isOver(cause: unknown): boolean {
  return cause instanceof ApiError && cause.code === 29009
}

/** Describes an error, with the texts of a limit and of a code that is over. */
export function explainWith(limit: string) {
  return (cause: unknown) => {
    if (cause instanceof ApiError && cause.code === 49001) return limit
    return isOver(cause) ? sharingStrings.inviteIsOver : errorMessage(cause)
  }
}
