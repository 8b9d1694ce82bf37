import type { Entity, Fields, Level, Row } from '../../model/entity'
import type { group } from '../../model/group'
import type { member } from '../../model/member'
import type { system } from '../../model/system'

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
export type Member = Serialized<typeof member>
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
}

/** Returns true if the entity is in public lists. */
export function isListed({
  privacy,
}: {
  privacy: Readonly<Record<string, Level>> | null
}): boolean {
  return privacy === null || privacy.visibility === 'public'
}
