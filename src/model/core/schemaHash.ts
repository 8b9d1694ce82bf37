import type { Entity } from './entity'
import { type Audience, redactionOf, type SerializedJson } from './privacy'

/** Renders the v2 JSON object of a complete row. */
export type RenderJson = (
  entity: Entity,
  row: object,
  audience: Audience | 'friend',
) => SerializedJson

/** Increment when the JSON changes although the fields do not. */
const RENDER_VERSION = 2

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
