import { notes } from '../../db/tables'
import { visibleNotes } from '../../db/visible'
import { note, validateNote } from '../../model/journal/note'
import type { OwnedRowKind } from '../core/ownedRows'
import { author } from '../members/memberReference'

export const noteKind: OwnedRowKind<typeof note> = {
  entity: note,
  table: notes,
  rows: visibleNotes,
  references: { member: author('member_id') },
  order: 'date',
  missing: 'noteNotFound',
  events: { created: 'CREATE_NOTE', changed: 'UPDATE_NOTE', removed: 'DELETE_NOTE' },
  limit: { counter: 'notes' },
  timeKeys: ['date', 'created'],
  editedKeys: ['title', 'text'],
  validate: validateNote,
  eventData: ({ member }) => ({ member }),
}
