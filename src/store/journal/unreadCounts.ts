import { and, eq, isNull, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { posts } from '../../db/tables'
import type { Db } from '../../db/types'
import { isImportCommitted, visibleMembers } from '../../db/visible'
import { createYielder } from '../../db/yieldToEventLoop'

/** Unread posts that one statement counts, while other requests wait. */
const RANGE = 5_000

/** Counts unread posts by the UUID of the member on whose board they are; null for the system. */
export async function countUnreadPosts(
  db: Db,
  systemId: number,
  signal: AbortSignal,
): Promise<Map<string | null, number>> {
  const sizes = await countByMember(db, systemId, signal)
  const ids = JSON.stringify([...sizes.keys()].filter((id) => id !== null))
  const uuids = new Map((await membersWithIds(db).all({ ids })).map(({ id, uuid }) => [id, uuid]))
  const counts = new Map<string | null, number>()
  for (const [memberId, size] of sizes) {
    // Posts for members that are being deleted are on the system's board already.
    const recipient = uuids.get(memberId ?? 0) ?? null
    counts.set(recipient, (counts.get(recipient) ?? 0) + size)
  }
  return counts
}

async function countByMember(
  db: Db,
  systemId: number,
  signal: AbortSignal,
): Promise<Map<number | null, number>> {
  // After every range, because a write waits for several turns of the event loop.
  const yieldIfDue = createYielder(0, signal)
  const sizes = new Map<number | null, number>()
  for (let from = FIRST; from !== LAST; ) {
    const range = { system: systemId, from: from.written, fromId: from.id }
    const to = (await endOfRange(db).get({ ...range, skipped: RANGE - 1 })) ?? LAST
    const counted = await unreadInRange(db).all({ ...range, to: to.written, toId: to.id })
    for (const { for_member, size } of counted)
      sizes.set(for_member, (sizes.get(for_member) ?? 0) + size)
    await yieldIfDue()
    from = to
  }
  return sizes
}

/** Time and row ID of a post, by which ranges of unread posts begin and end. */
interface Position {
  readonly written: number
  readonly id: number
}

const FIRST: Position = { written: Number.MIN_SAFE_INTEGER, id: 0 }
const LAST: Position = { written: Number.MAX_SAFE_INTEGER, id: 0 }

/** Unread posts of a system after a position, also those of imports that are not finished. */
function isUnreadAfter({ system, from, fromId }: Placeholders<'system' | 'from' | 'fromId'>) {
  return and(
    eq(posts.system_id, system),
    isNull(posts.room_id),
    eq(posts.read, sql`0`),
    sql`(${posts.written}, ${posts.id}) > (${from}, ${fromId})`,
  )
}

const endOfRange = query((db, values: Placeholders<'system' | 'from' | 'fromId' | 'skipped'>) =>
  db
    .select({ written: sql<number>`${posts.written}`.as('written'), id: posts.id })
    .from(posts)
    .where(isUnreadAfter(values))
    .orderBy(posts.written, posts.id)
    .limit(1)
    .offset(values.skipped),
)

/** Posts on boards are in no room, so only their import may hide them. */
const unreadInRange = query(
  (db, values: Placeholders<'system' | 'from' | 'fromId' | 'to' | 'toId'>, { count }) => {
    const sizes = db
      .select({
        for_member: posts.for_member,
        import_id: posts.import_id,
        size: count().as('size'),
      })
      .from(posts)
      .where(
        and(
          isUnreadAfter(values),
          sql`(${posts.written}, ${posts.id}) <= (${values.to}, ${values.toId})`,
        ),
      )
      .groupBy(posts.for_member, posts.import_id)
      .as('sizes')
    return db
      .select({ for_member: sizes.for_member, size: sizes.size })
      .from(sizes)
      .where(isImportCommitted(sizes.import_id))
  },
)

const membersWithIds = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db
    .select({ id: visibleMembers.id, uuid: visibleMembers.uuid })
    .from(visibleMembers)
    .where(inJsonNumbers(visibleMembers.id, ids)),
)
