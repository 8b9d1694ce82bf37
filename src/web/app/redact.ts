import type { Entity, Level, Row } from '../../model/entity'
import { redact } from '../../model/privacy'

interface Own {
  readonly id: string
  readonly uuid: string
  readonly privacy: Readonly<Record<string, Level>> | null
}

/** What anybody sees of one of ours, by the very rule of the server. */
export function redactForPublic<T extends Own>(entity: Entity, own: T): T {
  const row = { ...own, ...own.privacy } as Row<Entity>
  const { uuid: _, hid: __, ...shown } = redact(entity, row, false)
  const seen = { ...own, ...shown, privacy: null }
  // What strangers do not even get the key of is not taken from our own instead.
  for (const [key] of entity.entries) if (!(key in shown)) Reflect.deleteProperty(seen, key)
  return seen
}

/** How many of its levels are private. */
export function countPrivate({ levels }: Entity, { privacy }: Own): number {
  return levels.filter((level) => privacy?.[level] === 'private').length
}
