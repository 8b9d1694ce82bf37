import type { token } from '../../model/access/token'
import type { Level } from '../../model/core/entity'
import type { bucket } from '../../model/friends/bucket'
import type { friend, invite, share } from '../../model/friends/friend'
import type { frontNote } from '../../model/front/frontNote'
import type { group } from '../../model/groups/group'
import type { note } from '../../model/journal/note'
import type { poll, vote } from '../../model/journal/poll'
import type { post } from '../../model/journal/post'
import type { room } from '../../model/journal/room'
import type { customField } from '../../model/members/customField'
import type { member } from '../../model/members/member'
import type { memberExt } from '../../model/members/memberExt'
import type { reminder } from '../../model/reminders/reminder'
import type { system } from '../../model/systems/system'
import type { Json, Serialized } from './json'

/** What the server answers. The fields are those of the tables in `model`. */

export type System = Serialized<typeof system>
/** Fields that the extension API adds to a member. */
export type MemberExt = Json<typeof memberExt> & {
  /** Beginning of a long `about`, which is null then. Absent outside lists. */
  readonly about_excerpt?: string | null
}
export type Member = Serialized<typeof member> & {
  /** Absent in responses of v2. */
  readonly ext?: MemberExt | undefined
}
/** Member with a status; '' for none. */
export interface FronterStatus {
  readonly id: string
  readonly status: string
}
/** Change that archives or restores a member. */
export type ArchiveChange = Pick<MemberExt, 'archived' | 'archived_reason'>
export type MemberLevel = (typeof member)['levels'][number]
export type Levels = Partial<Readonly<Record<MemberLevel, Level>>>
/** Patch of a member's privacy levels; the ID is its UUID. */
export interface LevelChange {
  readonly id: string
  readonly privacy: Levels
}
export type Group = Serialized<typeof group> & {
  /** UUIDs. */
  readonly members?: readonly string[]
  /** UUID of the group that contains this one. */
  readonly parent?: string | null
  readonly emoji?: string | null
  readonly position?: number
  /** IDs of the privacy buckets whose friends see the group. */
  readonly buckets?: readonly string[]
}

/** Member as the extension API serializes it: with what it adds to the member of v2. */
export type SerializedMember = MemberExt & { readonly member: Member }

/** Group as the extension API serializes it: with what it adds to the group of v2. */
export type SerializedGroup = Pick<
  Group,
  'members' | 'parent' | 'emoji' | 'position' | 'buckets'
> & {
  readonly group: Group
}

export interface SerializedSwitch {
  readonly id: string
  readonly timestamp: string
  readonly members: readonly (string | Member)[]
}

export interface SerializedFront {
  readonly fronters: readonly { readonly member: Member; readonly status: string | null }[]
}

export interface Preferences {
  readonly pinned: readonly string[]
  readonly word: string
  /** Absent without archived rows. */
  readonly archive?: { readonly convertible: readonly ConvertibleRows[] }
}

export interface ConvertibleRows {
  readonly collection: string
  readonly rows: number
}

/** Numbers of unread posts by the UUID of the member, or `@system`. */
export type Unread = Readonly<Record<string, number>>

interface Named {
  readonly id: string
}

/** Field that a system added to its members. */
export type CustomField = Named &
  Pick<Json<typeof customField>, 'name' | 'type' | 'options' | 'privacy'> & {
    /** IDs of the privacy buckets whose friends see the field; absent in what others get. */
    readonly buckets?: readonly string[]
  }

export type Note = Named & Json<typeof note>
export type NoteInList = Omit<Note, 'text'> & { readonly excerpt: string | null }
export type Room = Named & Json<typeof room> & { readonly last_written: string | null }
export type Post = Named & Json<typeof post>
export type Vote = Json<typeof vote>
export type Poll = Named &
  Json<typeof poll> & {
    readonly closed: boolean
    /** Numbers of votes by option. */
    readonly counts: Readonly<Record<string, number>>
    /** Absent in lists. */
    readonly votes?: readonly Vote[]
  }
export type Reminder = Named & Json<typeof reminder>

/** Status text or comment; members are UUIDs. */
export type FrontNote = Named & Json<typeof frontNote> & { readonly at: string }

/** Parts that one system shows to the other. */
export type Share = Omit<Json<typeof share>, 'buckets'> & {
  /** IDs. */
  readonly buckets: readonly string[]
}
export type ShareFlags = Omit<Share, 'buckets'>

export type FriendSystem = Pick<
  System,
  'id' | 'name' | 'description' | 'pronouns' | 'avatar_url' | 'banner' | 'color'
>

/** Public fronters; null if no switch was ever logged. */
export interface PublicFront {
  readonly since: string
  readonly fronters: readonly PublicFronter[]
  /** Number of further fronters that a friend may not see. */
  readonly hidden?: number
}

export interface PublicFronter {
  readonly member: Member
  /** Null if there is none, or it is private. */
  readonly status: string | null
  /** Beginning of the stint. */
  readonly since?: string
}

/** Switch of the public history, with short member IDs. */
export interface PublicSwitch {
  readonly id: string
  readonly timestamp: string
  readonly members: readonly string[]
}

export interface FriendFront {
  readonly fronters: readonly (PublicFronter & { readonly since: string })[]
}

export type Friend = Named &
  Json<typeof friend> & {
    /** Null while the system is disabled. */
    readonly system: FriendSystem | null
    readonly since: string
    readonly share: Share
    readonly theirs: ShareFlags
    /** Null if it is not shared. */
    readonly front: FriendFront | null
  }

export type Invitation = Named &
  Pick<Json<typeof invite>, 'name'> & { readonly share: Share; readonly expires: string }

/** Invitation when it is created; the code is never shown again. */
export interface CreatedInvitation extends Invitation {
  readonly code: string
  /** Null if the server does not know its address. */
  readonly url: string | null
}

export const bucketKinds = ['members', 'groups', 'fields'] as const
export type BucketKind = (typeof bucketKinds)[number]

export type Bucket = Named &
  Omit<Json<typeof bucket>, 'position'> &
  Readonly<Record<BucketKind | 'friends', number>>

export type Token = Pick<Json<typeof token>, 'name' | 'scope' | 'last_used' | 'expires'> & {
  readonly created: string
  readonly private_members?: boolean
}

/** Browser that is logged in. */
export interface Device {
  readonly id: string
  readonly name: string
  readonly created: string
  readonly last_used: string
  readonly this: boolean
}

/** Setting for who may create a system in the browser. */
export interface Registration {
  readonly registration: 'closed' | 'invite' | 'open'
  /** There is no system yet. */
  readonly needs_setup: boolean
}

export interface ArchivedCollection {
  readonly collection: string
  readonly rows: number
  readonly convertible: boolean
}

export interface ArchivePage<Row = unknown> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

/** IDs of the imported file with what they are here. */
export interface OriginPage {
  readonly rows: readonly { readonly id: string; readonly target: string }[]
  readonly next: string | null
}

/** Returns true if the entity is in public lists. */
export function isListed({
  privacy,
}: {
  privacy: Readonly<Record<string, Level>> | null
}): boolean {
  return privacy === null || privacy.visibility === 'public'
}

/** Returns true for a state such as "Asleep" that is logged like a member. */
export function isCustomFront({ ext }: Member): boolean {
  return ext?.kind === 'custom_front'
}

export function isArchived({ ext }: Member): boolean {
  return ext?.archived ?? false
}
