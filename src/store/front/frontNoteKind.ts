import { type frontNote, validateFrontNote } from '../../model/front/frontNote'
import { type OwnedRowKind, ownedRowFacts } from '../core/ownedRows'
import { anyMember, author } from '../members/memberReference'
import { frontNoteEventData } from './statuses'

export const frontNoteKind: OwnedRowKind<typeof frontNote> = {
  ...ownedRowFacts('front_notes'),
  references: { member: anyMember('member_id'), by: author('by_member') },
  events: {
    created: 'CREATE_FRONT_NOTE',
    changed: 'UPDATE_FRONT_NOTE',
    removed: 'DELETE_FRONT_NOTE',
  },
  editedKeys: ['text'],
  permissions: { read: 'read_journal', write: 'switch' },
  validate: validateFrontNote,
  eventData: frontNoteEventData,
}
