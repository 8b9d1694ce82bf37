import type { Draft, Entity } from '../model/entity'

/** Every level private, unless the draft says anything about privacy itself. */
export function withDefaultPrivacy<E extends Entity>(entity: E, draft: Draft<E>): Draft<E> {
  if (entity.levels.some((level) => level in draft)) return draft
  const levels = Object.fromEntries(entity.levels.map((level) => [level, 'private']))
  return { ...draft, ...levels }
}
