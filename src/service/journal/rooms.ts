import { type Redacted, systemOf, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import type { RoomDraft, RoomPatch, room } from '../../model/journal/room'
import { roomKind } from '../../store/journal/roomKind'
import { listNewestPosts } from '../../store/journal/roomRows'
import type { Deps } from '../core/deps'
import { changeOwned, createOwned, deleteOwned, listOwned, orderOwned } from '../core/ownedRows'

/** A room with the time of its newest post; null if it has none. */
export interface ListedRoom {
  readonly room: Redacted<typeof room>
  readonly lastWritten: Instant | null
}

/** Lists the rooms of the caller's system by position. */
export async function listRooms(deps: Deps, viewer: Viewer): Promise<ListedRoom[]> {
  return withNewestPosts(deps, viewer, await listOwned(deps, viewer, roomKind))
}

/** Puts all rooms into a new order. */
export async function orderRooms(
  deps: Deps,
  viewer: Viewer,
  ids: readonly string[],
): Promise<ListedRoom[]> {
  return withNewestPosts(deps, viewer, await orderOwned(deps, viewer, roomKind, 'room', ids))
}

export async function createRoom(
  deps: Deps,
  viewer: Viewer,
  draft: RoomDraft,
): Promise<ListedRoom> {
  return { room: await createOwned(deps, viewer, roomKind, draft), lastWritten: null }
}

export async function patchRoom(
  deps: Deps,
  viewer: Viewer,
  id: string,
  patch: RoomPatch,
): Promise<ListedRoom> {
  const changed = await changeOwned(deps, viewer, roomKind, id, patch)
  const [listed] = await withNewestPosts(deps, viewer, [changed])
  return listed ?? { room: changed, lastWritten: null }
}

/** Deletes a room with its posts. */
export function deleteRoom(deps: Deps, viewer: Viewer, id: string): Promise<void> {
  return deleteOwned(deps, viewer, roomKind, id)
}

async function withNewestPosts(
  { db }: Deps,
  viewer: Viewer,
  listed: Redacted<typeof room>[],
): Promise<ListedRoom[]> {
  const rows = await listNewestPosts(db, systemOf(viewer))
  const times = new Map(rows.map(({ uuid, written }) => [uuid, written]))
  return listed.map((row) => ({ room: row, lastWritten: times.get(row.uuid ?? '') ?? null }))
}
