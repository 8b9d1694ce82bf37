import type { Draft, Entity } from '../../model/core/entity'

/** Sets every privacy level to private, unless the draft has a privacy level itself. */
export function withDefaultPrivacy<E extends Entity>(entity: E, draft: Draft<E>): Draft<E> {
  if (entity.levels.some((level) => level in draft)) return draft
  const levels = Object.fromEntries(entity.levels.map((level) => [level, 'private']))
  return { ...draft, ...levels }
}
