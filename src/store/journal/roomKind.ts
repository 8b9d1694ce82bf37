import { eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { rooms } from '../../db/tables'
import { visibleRooms } from '../../db/visible'
import { smallLimits } from '../../model/access/rowLimits'
import { room } from '../../model/journal/room'
import type { OwnedRowKind } from '../core/ownedRows'
import { deleteOrHideRoom } from './roomDeletion'

export const roomKind: OwnedRowKind<typeof room> = {
  entity: room,
  table: rooms,
  rows: visibleRooms,
  references: {},
  order: 'position',
  missing: 'roomNotFound',
  events: { created: 'CREATE_ROOM', changed: 'UPDATE_ROOM', removed: 'DELETE_ROOM' },
  limit: { max: smallLimits.rooms, what: 'rooms' },
  timeKeys: [],
  eventData: () => ({}),
  // A new room is the last one, unless the client says otherwise.
  async chooseValues(tx, systemId, given, before) {
    if (before !== null || given.position !== undefined) return {}
    const last = await lastPosition(tx).get({ system: systemId })
    return { position: (last?.position ?? -1) + 1 }
  },
  remove: deleteOrHideRoom,
}

const lastPosition = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ position: sql<number | null>`max(${visibleRooms.position})`.as('position') })
    .from(visibleRooms)
    .where(eq(visibleRooms.system_id, system)),
)
