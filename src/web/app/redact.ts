import type { Entity, Level, Row } from '../../model/entity'
import { memberExt } from '../../model/ext/memberExt'
import { member } from '../../model/member'
import { redact } from '../../model/privacy'
import type { Member } from './types'

interface OwnEntity {
  readonly id: string
  readonly uuid: string
  readonly privacy: Readonly<Record<string, Level>> | null
}

/** Redacts an entity for anonymous callers, by the same rule as the server. */
export function redactForPublic<T extends OwnEntity>(entity: Entity, own: T): T {
  const row = { ...own, ...own.privacy } as Row<Entity>
  const { uuid: _, hid: __, ...shown } = redact(entity, row, false)
  const redacted = { ...own, ...shown, privacy: null }
  // Remove keys that anonymous callers do not get, or the owner's values would remain.
  for (const [key] of entity.entries) if (!(key in shown)) Reflect.deleteProperty(redacted, key)
  return redacted
}

/** Redacts a member with what the extension API adds to it, and its values of public fields. */
export function redactMember(own: Member, publicFields: readonly { id: string }[] = []): Member {
  const { ext, ...shown } = redactForPublic(member, own)
  if (!ext) return shown
  const { id, uuid, privacy } = own
  const values = publicFields.flatMap((field) =>
    field.id in ext.fields ? [[field.id, ext.fields[field.id]]] : [],
  )
  const public_fields = Object.fromEntries(values)
  const row = redactForPublic(memberExt, { ...ext, id, uuid, privacy, public_fields })
  const { id: _, uuid: __, privacy: ___, public_fields: ____, ...added } = row
  return { ...shown, ext: added }
}

/**
 * Counts the private levels of an entity. A level that only replaces a value counts if there is a
 * replacement: a private name without a display name is shown as it is.
 */
export function countPrivate(entity: Entity, own: OwnEntity): number {
  const shown = redactForPublic(entity, own)
  const isReplaced = (level: string) =>
    entity.entries.every(
      ([key, { guard, fallback }]) =>
        guard !== level ||
        fallback === undefined ||
        Reflect.get(shown, key) !== Reflect.get(own, key),
    )
  return entity.levels.filter((level) => own.privacy?.[level] === 'private' && isReplaced(level))
    .length
}
