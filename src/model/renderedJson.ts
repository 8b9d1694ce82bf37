import type { Entity } from './entity'
import { redactionOf } from './field'

/**
 * Audience of rendered JSON: v2 JSON of a row, cached once for its owner and once for all other
 * callers. It holds the members of the object after the identifiers, without the braces.
 */
export type Audience = 'owner' | 'others'

export type RenderJson = (entity: Entity, row: object, audience: Audience) => string

/** Increment when the JSON changes although the fields do not. */
const RENDER_VERSION = 1

/** Returns a hash of the field table. Cached JSON with another hash is ignored. */
export function schemaHash({ entries, levels }: Entity): number {
  const described = entries.map(([key, field]) => [
    key,
    field.kind,
    field.schema,
    field.guard,
    field.fallback,
    redactionOf(field),
  ])
  let hash = 0x811c9dc5
  for (const character of JSON.stringify([RENDER_VERSION, described, levels]))
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
  return hash >>> 1
}
