import { desc, eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import type { Db, MaybePromise } from '../../db/types'
import { visiblePosts, visibleRooms } from '../../db/visible'
import type { Instant } from '../../model/core/time'

/** Lists the rooms of a system with the time of their newest post; null for a room without posts. */
export function listNewestPosts(
  db: Db,
  systemId: number,
): MaybePromise<{ uuid: string; written: Instant | null }[]> {
  return newestPosts(db).all({ system: systemId })
}

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
