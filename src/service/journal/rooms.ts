import { desc, eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { rooms } from '../../db/tables'
import { visiblePosts, visibleRooms } from '../../db/visible'
import { type Redacted, systemOf, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { type RoomDraft, type RoomPatch, room } from '../../model/journal/room'
import { smallLimits } from '../../store/core/usage'
import { deleteOrHideRoom } from '../../store/journal/roomDeletion'
import type { Deps } from '../core/deps'
import { createOwnedRows } from '../core/ownedRows'

export const roomRows = createOwnedRows<typeof room>({
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
})

/** A room with the time of its newest post; null if it has none. */
export interface ListedRoom {
  readonly room: Redacted<typeof room>
  readonly lastWritten: Instant | null
}

/** Lists the rooms of the caller's system by position. */
export async function listRooms(deps: Deps, viewer: Viewer): Promise<ListedRoom[]> {
  return withNewestPosts(deps, viewer, await roomRows.listInOrder(deps, viewer))
}

export async function createRoom(
  deps: Deps,
  viewer: Viewer,
  draft: RoomDraft,
): Promise<ListedRoom> {
  return { room: await roomRows.create(deps, viewer, draft), lastWritten: null }
}

export async function patchRoom(
  deps: Deps,
  viewer: Viewer,
  id: string,
  patch: RoomPatch,
): Promise<ListedRoom> {
  const changed = await roomRows.patch(deps, viewer, id, patch)
  const [listed] = await withNewestPosts(deps, viewer, [changed])
  return listed ?? { room: changed, lastWritten: null }
}

export const { delete: deleteRoom } = roomRows

async function withNewestPosts(
  { db }: Deps,
  viewer: Viewer,
  listed: Redacted<typeof room>[],
): Promise<ListedRoom[]> {
  const found = await newestPosts(db).all({ system: systemOf(viewer) })
  const times = new Map(found.map(({ uuid, written }) => [uuid, written]))
  return listed.map((one) => ({ room: one, lastWritten: times.get(one.uuid ?? '') ?? null }))
}

const lastPosition = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ position: sql<number | null>`max(${visibleRooms.position})`.as('position') })
    .from(visibleRooms)
    .where(eq(visibleRooms.system_id, system)),
)

const newestPosts = query((db, { system }: Placeholders<'system'>) => {
  const newest = db
    .select({ written: visiblePosts.written })
    .from(visiblePosts)
    .where(eq(visiblePosts.room_id, visibleRooms.id))
    .orderBy(desc(visiblePosts.written))
    .limit(1)
  return db
    .select({ uuid: visibleRooms.uuid, written: sql<number | null>`(${newest})`.as('written') })
    .from(visibleRooms)
    .where(eq(visibleRooms.system_id, system))
})
