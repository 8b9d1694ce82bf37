import type { Entity } from './entity'
import { hiddenAs } from './field'

/**
 * A face is what somebody sees of a row, spelled for version 2 and kept with it: one for its owner,
 * one for everybody else. It is the inside of the object, behind the identity.
 */
export type Audience = 'owner' | 'others'

/** Spells a face. */
export type RenderFace = (entity: Entity, row: object, audience: Audience) => string

/** Counted up when the same fields are put together in another way. */
const SPELLING = 1

/** A number that changes whenever the table does: a face of another shape is no face. */
export function shapeOf({ entries, levels }: Entity): number {
  const said = entries.map(([key, field]) => [
    key,
    field.kind,
    field.schema,
    field.guard,
    field.standIn,
    hiddenAs(field),
  ])
  let hash = 0x811c9dc5
  for (const letter of JSON.stringify([SPELLING, said, levels]))
    hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193)
  return hash >>> 1
}
