import { type Draft, entity, type Patch, type Row } from '../core/entity'
import type { Problems } from '../core/errors'
import { clientTimestamp, color, flag, reference, text, timestamp } from '../core/field'
import { Problem } from '../core/validation'

export const note = entity('note', {
  member: reference({ doc: 'Member that the note belongs to; null for the whole system' }),
  author_name: text({
    max: 100,
    readonly: true,
    doc: 'Name of the member, once that member is deleted',
  }),
  title: text({ max: 200, doc: 'Title', example: 'Tuesday' }),
  text: text({ max: 100_000, doc: 'Text in Markdown', example: '**Quiet** morning.' }),
  color: color({ doc: 'Colour, six hexadecimal digits', example: '88c0a8' }),
  date: clientTimestamp({ doc: 'Time of the entry; now by default' }),
  pinned: flag(false, { doc: 'Whether the note is pinned' }),
  created: timestamp({ doc: 'When the note was written' }),
  edited: timestamp({ doc: 'When the note was last changed' }),
})

export type Note = Row<typeof note>
export type NoteDraft = Draft<typeof note>
export type NotePatch = Patch<typeof note>

/** Returns problems that field validation does not detect. */
export function validateNote({ title, text }: Pick<Note, 'title' | 'text'>): Problems {
  return title === null && text === null ? { text: [new Problem('title_or_text_required')] } : {}
}
