import { roomToExt } from '../../serializers/ext'
import type { Deps } from '../../service/core/deps'
import {
  createRoom,
  deleteRoom,
  type ListedRoom,
  listRooms,
  orderRooms,
  patchRoom,
} from '../../service/journal/rooms'
import { ownedRoutes } from './ownedRoutes'

const serialize = ({ room, lastWritten }: ListedRoom) => roomToExt(room, lastWritten)

export function roomRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    list: 'rooms',
    tag: 'Journal',
    docs: {
      create: 'Only `name` is required. A new room is the last one of the list.',
      patch: 'Changes only the given keys.',
      delete: 'Permanently deletes the room and its posts.',
    },
    operations: { create: createRoom, patch: patchRoom, delete: deleteRoom, order: orderRooms },
    serialize,
    listing: {
      read: listRooms,
      isPaged: false,
      serialize,
      description: 'All rooms of your system, by `position`.',
    },
  })
}
