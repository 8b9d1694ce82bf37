import type { room } from '../../model/journal/room'
import { type OwnedRowKind, ownedRowFacts } from '../core/ownedRows'
import { deleteOrHideRoom } from './roomDeletion'

export const roomKind: OwnedRowKind<typeof room> = {
  ...ownedRowFacts('rooms'),
  remove: deleteOrHideRoom,
}
