import type { frontNote } from '../../model/front/frontNote'
import type { OwnedRowKind } from '../core/ownedRows'
import { ownedRowKind } from '../members/memberReference'
import { frontNoteEventData } from './statuses'

export const frontNoteKind: OwnedRowKind<typeof frontNote> = {
  ...ownedRowKind('front_notes'),
  eventData: frontNoteEventData,
}
