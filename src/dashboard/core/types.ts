import type { Entity, Fields, Level, Row } from '../../model/core/entity'
import type { group } from '../../model/groups/group'
import type { member } from '../../model/members/member'
import type { memberExt } from '../../model/members/memberExt'
import type { system } from '../../model/systems/system'

/**
 * Entity as serialized by v2: short ID and UUID, times as text, privacy levels in their own object.
 */
export type Serialized<E> =
  E extends Entity<Fields, infer L>
    ? Readonly<Omit<Row<E>, L | 'created' | 'last_message_timestamp'>> & Identified<L>
    : never

interface Identified<L extends string> {
  readonly id: string
  readonly uuid: string
  readonly created: string | null
  /** Null for anonymous callers. */
  readonly privacy: Readonly<Record<L, Level>> | null
}

export type System = Serialized<typeof system>
/** Fields that the extension API adds to a member. */
export type MemberExt = Readonly<
  Omit<Row<typeof memberExt>, 'archived_at'> & {
    archived_at: string | null
    /** Beginning of a long `about`, which is null then. Absent outside lists. */
    about_excerpt?: string | null
  }
>
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
