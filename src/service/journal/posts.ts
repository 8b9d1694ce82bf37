import type { Db } from '../../db/types'
import type { PageRequest } from '../../model/core/listPage'
import { type Redacted, requireSystem, type Viewer } from '../../model/core/privacy'
import type { PostDraft, PostPatch, post } from '../../model/journal/post'
import { getOwnEntities } from '../../store/core/entityRows'
import { getOwnedRow, pageValues } from '../../store/core/ownedRows'
import { recordEvent } from '../../store/events/recordEvent'
import { postKind } from '../../store/journal/postKind'
import {
  listBoardPage,
  listRoomPage,
  listSystemBoard,
  listUnreadAmong,
  listUnreadOfBoard,
  listUnreadOfSystem,
  listUnreadPage,
  type PostRow,
  setPostsRead,
} from '../../store/journal/postRows'
import { roomKind } from '../../store/journal/roomKind'
import { countUnreadPosts } from '../../store/journal/unreadCounts'
import { memberRowKind } from '../../store/members/memberRows'
import type { Deps } from '../core/deps'
import {
  changeOwned,
  createOwned,
  deleteOwned,
  listOwnedPage,
  redactForOwner,
} from '../core/ownedRows'

/** Name of the board of the whole system, in queries and bodies. */
export const SYSTEM_BOARD = '@system'

export function createPost(
  deps: Deps,
  viewer: Viewer,
  draft: PostDraft,
): Promise<Redacted<typeof post>> {
  return createOwned(deps, viewer, postKind, draft)
}

export function patchPost(
  deps: Deps,
  viewer: Viewer,
  uuid: string,
  patch: PostPatch,
): Promise<Redacted<typeof post>> {
  return changeOwned(deps, viewer, postKind, uuid, patch)
}

export function deletePost(deps: Deps, viewer: Viewer, uuid: string): Promise<void> {
  return deleteOwned(deps, viewer, postKind, uuid)
}

/** Posts of a room, of a board, unread ones of all boards, or all. */
export type PostFilter =
  | { readonly room: string }
  | { readonly for: string }
  | { readonly unread: true }
  | null

/** Lists posts of the caller's system, newest first. */
export async function listPosts(
  deps: Deps,
  viewer: Viewer,
  filter: PostFilter,
  page: PageRequest,
): Promise<Redacted<typeof post>[]> {
  if (filter === null) return listOwnedPage(deps, viewer, postKind, page)
  const { db } = deps
  const systemId = requireSystem(viewer, 'read_journal')
  const values = await pageValues(db, postKind, systemId, page)
  const list = async (): Promise<PostRow[]> => {
    if ('unread' in filter) return await listUnreadPage(db, values)
    if ('room' in filter) {
      const { id } = await getOwnedRow(db, roomKind, systemId, filter.room)
      return await listRoomPage(db, id, values)
    }
    if (filter.for !== SYSTEM_BOARD) {
      const [recipient] = await getOwnEntities(db, memberRowKind, systemId, [filter.for])
      return await listBoardPage(db, recipient?.id ?? 0, values)
    }
    return listSystemBoard(db, values)
  }
  return (await list()).map((row) => redactForOwner(postKind, row))
}

/** Counts unread posts by the UUID of the member on whose board they are. */
export async function countUnread(
  { db }: Deps,
  viewer: Viewer,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const systemId = requireSystem(viewer, 'read_journal')
  const counts = await countUnreadPosts(db, systemId, signal)
  return new Map([...counts].map(([recipient, size]) => [recipient ?? SYSTEM_BOARD, size]))
}

/** Posts to mark as read: all of a board, or those named. */
export type ReadMarks = { readonly for: string } | { readonly ids: readonly string[] }

/** Posts that are marked as read in one transaction. */
const READ_BATCH = 2_000

/** Marks posts as read, in batches, and records one event if any was unread. */
export async function markPostsRead(deps: Deps, viewer: Viewer, marks: ReadMarks): Promise<void> {
  const systemId = requireSystem(viewer)
  let isRecorded = false
  for (let changed = READ_BATCH; changed === READ_BATCH; )
    changed = await deps.transact({ system: systemId }, async (tx) => {
      const unread = await findUnread(tx, systemId, marks)
      if (unread.length === 0) return 0
      await setPostsRead(
        tx,
        unread.map(({ id }) => id),
      )
      if (!isRecorded)
        await recordEvent(tx, deps.now(), {
          system_id: systemId,
          type: 'UPDATE_POST',
          subject: null,
          data: { room: null, for: unread[0]?.recipient ?? null, by: null, keys: ['read'] },
        })
      isRecorded = true
      return unread.length
    })
}

async function findUnread(tx: Db, systemId: number, marks: ReadMarks) {
  if ('ids' in marks) return listUnreadAmong(tx, systemId, marks.ids, READ_BATCH)
  if (marks.for === SYSTEM_BOARD) return listUnreadOfSystem(tx, systemId, READ_BATCH)
  const [recipient] = await getOwnEntities(tx, memberRowKind, systemId, [marks.for])
  return listUnreadOfBoard(tx, systemId, recipient?.id ?? 0, READ_BATCH)
}
