import { entity } from '../../src/model/core/entity'
import type { Problems } from '../../src/model/core/errors'
import {
  clientTimestamp,
  count,
  reference,
  required,
  text,
  timestamp,
} from '../../src/model/core/field'
import { Problem } from '../../src/model/core/validation'

/** Kind that is ordered by position, with a reference to a member. */
export const tea = entity('tea', {
  name: required({ max: 50, doc: 'Name', example: 'Assam' }),
  taste: text({ max: 1_000, doc: 'How it tastes' }),
  member: reference({ doc: 'Member who likes it' }),
  position: count(0, { doc: 'Position in the list' }),
})

/** Returns problems that field validation does not detect. */
export function validateTea({ name, taste }: { name?: unknown; taste?: unknown }): Problems {
  return name === taste ? { taste: [new Problem('unusable_name')] } : {}
}

/** Kind that is ordered by time and read in pages, with an author. */
export const dream = entity('dream', {
  member: reference({ doc: 'Member who dreamt it' }),
  author_name: text({ max: 100, readonly: true, doc: 'Name of a deleted member' }),
  text: required({ max: 1_000, doc: 'Text', example: 'I could fly.' }),
  night: clientTimestamp({ doc: 'When it was dreamt; now by default' }),
  edited: timestamp({ doc: 'When the text was last changed' }),
})
