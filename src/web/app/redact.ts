import type { Entity, Level, Row } from '../../model/entity'
import { redact } from '../../model/privacy'

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
