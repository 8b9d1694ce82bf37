import { type note, validateNote } from '../../model/journal/note'
import { type OwnedRowKind, ownedRowFacts } from '../core/ownedRows'
import { author } from '../members/memberReference'

export const noteKind: OwnedRowKind<typeof note> = {
  ...ownedRowFacts('notes'),
  references: { member: author('member_id') },
  events: { created: 'CREATE_NOTE', changed: 'UPDATE_NOTE', removed: 'DELETE_NOTE' },
  editedKeys: ['title', 'text'],
  validate: validateNote,
  eventData: ({ member }) => ({ member }),
}
