import { frontNotes } from '../../db/tables'
import { visibleFrontNotes } from '../../db/visible'
import { frontNote, validateFrontNote } from '../../model/front/frontNote'
import type { OwnedRowKind } from '../core/ownedRows'
import { anyMember, author } from '../members/memberReference'
import { frontNoteEventData } from './statuses'

export const frontNoteKind: OwnedRowKind<typeof frontNote> = {
  entity: frontNote,
  table: frontNotes,
  rows: visibleFrontNotes,
  references: { member: anyMember('member_id'), by: author('by_member') },
  order: 'at',
  missing: 'frontNoteNotFound',
  events: {
    created: 'CREATE_FRONT_NOTE',
    changed: 'UPDATE_FRONT_NOTE',
    removed: 'DELETE_FRONT_NOTE',
  },
  limit: { counter: 'front_notes' },
  timeKeys: ['at', 'created'],
  editedKeys: ['text'],
  permissions: { read: 'read_journal', write: 'switch' },
  validate: validateFrontNote,
  eventData: frontNoteEventData,
}
