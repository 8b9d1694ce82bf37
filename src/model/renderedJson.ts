import type { Entity } from './entity'
import { redactionOf } from './field'

/**
 * A face is what somebody sees of a row, spelled for version 2 and kept with it: one for its owner,
 * one for everybody else. It is the inside of the object, behind the identity.
 */
export type Audience = 'owner' | 'others'

/** Spells a face. */
export type RenderJson = (entity: Entity, row: object, audience: Audience) => string

/** Counted up when the same fields are put together in another way. */
const RENDER_VERSION = 1

/** A number that changes whenever the table does: a face of another shape is no face. */
export function schemaHash({ entries, levels }: Entity): number {
  const said = entries.map(([key, field]) => [
    key,
    field.kind,
    field.schema,
    field.guard,
    field.fallback,
    redactionOf(field),
  ])
  let hash = 0x811c9dc5
  for (const letter of JSON.stringify([RENDER_VERSION, said, levels]))
    hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193)
  return hash >>> 1
}
