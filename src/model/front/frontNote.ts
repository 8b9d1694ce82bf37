import { type Draft, entity, type Patch, type Row, withKeys } from '../core/entity'
import type { Problems } from '../core/errors'
import { clientTimestamp, reference, requiredChoice, text, timestamp } from '../core/field'
import type { Instant } from '../core/time'
import { Problem, parseText } from '../core/validation'
import { MAX_COMMENT, MAX_STATUS } from './frontNoteSize'
import { isTooFarAhead, TOO_FAR_AHEAD } from './switch'

/** A text about the front: the status of a fronter, or a comment on a moment. */
export const frontNote = entity('frontNote', {
  kind: requiredChoice(['status', 'comment'], {
    doc: '`status` is the short text beside a fronter, `comment` a text about a moment',
    example: 'status',
  }),
  member: reference({ doc: 'Member that the text is about; null for the whole front' }),
  at: clientTimestamp({ doc: 'Time that the text is about; now by default' }),
  text: text({ max: MAX_COMMENT, doc: 'The text; null ends a status', example: 'at work' }),
  by: reference({ doc: 'Member who wrote a comment' }),
  author_name: text({
    max: 100,
    readonly: true,
    doc: 'Name of the author, once that member is deleted',
  }),
  created: timestamp({ doc: 'When the text was written' }),
  edited: timestamp({ doc: 'When the text was last changed' }),
})

/** Fields of a front note that a patch may change. */
export const patchedFrontNote = withKeys(frontNote, ['at', 'text', 'by'])

export type FrontNote = Row<typeof frontNote>
export type FrontNoteDraft = Draft<typeof frontNote>
export type FrontNotePatch = Patch<typeof frontNote>

/** Returns problems that field validation does not detect. */
export function validateFrontNote(
  { kind, member, at, text, by }: Pick<FrontNote, 'kind' | 'member' | 'at' | 'text' | 'by'>,
  now: Instant,
): Problems {
  const problems: Problems = {}
  if (at !== null && isTooFarAhead(at, now)) problems.at = [TOO_FAR_AHEAD]
  if (kind === 'comment') {
    if (text === null) problems.text = [new Problem('required')]
    return problems
  }
  if (member === null) problems.member = [new Problem('required')]
  const checked = text === null ? null : parseText(text, MAX_STATUS)
  if (checked instanceof Problem) problems.text = [checked]
  if (by !== null) problems.by = [new Problem('only_comment_has_author')]
  return problems
}
