import type { Entity, Level, Row } from '../../../model/core/entity'
import { redact } from '../../../model/core/privacy'
import { group } from '../../../model/groups/group'
import { member } from '../../../model/members/member'
import { listedMemberExt } from '../../../model/members/memberExt'
import type { Group, Member } from '../../api/types'

interface OwnEntity {
  readonly id: string
  readonly uuid: string
  readonly privacy: Readonly<Record<string, Level>> | null
}

/** Redacts an entity for anonymous callers, by the same rule as the server. */
export function redactForPublic<T extends OwnEntity>(entity: Entity, values: T): T {
  return redactFor('public', entity, values)
}

/** Redacts an entity for anonymous callers or a friend, by the same rule as the server. */
function redactFor<T extends OwnEntity>(to: 'public' | 'friend', entity: Entity, values: T): T {
  const row = { ...values, ...values.privacy } as Row<Entity>
  const { uuid: _, hid: __, ...shown } = redact(entity, row, to)
  const redacted = { ...values, ...shown, privacy: null }
  // Remove keys that the caller does not get, or the owner's values would remain.
  for (const [key] of entity.entries) if (!(key in shown)) Reflect.deleteProperty(redacted, key)
  return redacted
}

/** Redacts a member with what the extension API adds to it, and its values of public fields. */
export function redactMember(member: Member, publicFields: readonly { id: string }[] = []): Member {
  return redactMemberFor('public', member, publicFields)
}

/** Redacts a member for a friend, with its values of the fields that the friend sees. */
export function redactMemberForFriend(member: Member, fields: readonly { id: string }[]): Member {
  return redactMemberFor('friend', member, fields)
}

function redactMemberFor(
  to: 'public' | 'friend',
  ownMember: Member,
  fields: readonly { id: string }[],
): Member {
  const { ext, ...shown } = redactFor(to, member, ownMember)
  if (!ext) return shown
  const { id, uuid, privacy } = ownMember
  const values = fields.flatMap((field) =>
    field.id in ext.fields ? [[field.id, ext.fields[field.id]]] : [],
  )
  const visible = Object.fromEntries(values)
  const parts = { public_fields: visible, friend_fields: visible }
  const row = redactFor(to, listedMemberExt, { ...ext, id, uuid, privacy, ...parts })
  const { id: _, uuid: __, privacy: ___, public_fields, friend_fields, ...added } = row
  return { ...shown, ext: added }
}

export function redactGroupForFriend({ members: _, buckets: __, ...values }: Group): Group {
  return redactFor('friend', group, values)
}

/**
 * Counts the private levels of an entity. A level that only replaces a value counts if there is a
 * replacement: a private name without a display name is shown as it is.
 */
export function countPrivate(entity: Entity, values: OwnEntity): number {
  const shown = redactForPublic(entity, values)
  const isReplaced = (level: string) =>
    entity.entries.every(
      ([key, { guard, fallback }]) =>
        guard !== level ||
        fallback === undefined ||
        Reflect.get(shown, key) !== Reflect.get(values, key),
    )
  return entity.levels.filter((level) => values.privacy?.[level] === 'private' && isReplaced(level))
    .length
}
