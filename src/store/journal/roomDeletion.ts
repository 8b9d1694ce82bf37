import { eq, inArray, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { posts, rooms } from '../../db/tables'
import type { Db } from '../../db/types'
import type { UsageChange } from '../core/usage'

/** Number of posts that can be deleted in one short transaction. */
const INLINE_LIMIT = 500

/** Deletes a room with its posts, or hides it if it has many. Returns what this frees at once. */
export async function deleteOrHideRoom(tx: Db, id: number): Promise<UsageChange> {
  const freed = await deletePosts(tx, id, INLINE_LIMIT)
  if ((freed.posts ?? 0) === -INLINE_LIMIT) await hideRoom(tx).run({ id })
  else await deleteRoom(tx, id)
  return freed
}

/** Deletes some posts of a room. Returns what this frees. */
export async function deletePosts(tx: Db, roomId: number, most: number): Promise<UsageChange> {
  const deleted = await deleteSome(tx).all({ room: roomId, most })
  const bytes = deleted.reduce((sum, { size }) => sum + Number(size), 0)
  return { posts: -deleted.length, text_bytes: -bytes }
}

export async function deleteRoom(tx: Db, id: number): Promise<void> {
  await remove(tx).run({ id })
}

/** Lists the rooms whose posts wait for removal. */
export async function listHiddenRooms(db: Db): Promise<{ id: number; system_id: number }[]> {
  return await hidden(db).all({})
}

const hidden = query((db) =>
  db
    .select({ id: rooms.id, system_id: rooms.system_id })
    .from(rooms)
    .where(eq(rooms.is_deleted, true)),
)

const hideRoom = query((db, { id }: Placeholders<'id'>) =>
  db.update(rooms).set({ is_deleted: true }).where(eq(rooms.id, id)),
)

const remove = query((db, { id }: Placeholders<'id'>) => db.delete(rooms).where(eq(rooms.id, id)))

const deleteSome = query((db, { room, most }: Placeholders<'room' | 'most'>, { size }) => {
  const some = db
    .select({ id: posts.id })
    .from(posts)
    .where(eq(posts.room_id, room))
    .orderBy(posts.written)
    .limit(most)
  return db
    .delete(posts)
    .where(inArray(posts.id, some))
    .returning({
      size: sql<number>`${size(sql`coalesce(${posts.title}, '')`)} + ${size(posts.text)}`.as(
        'size',
      ),
    })
})
