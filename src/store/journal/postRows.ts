import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { posts } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { hiddenMembers, visibleMemberUuid, visiblePosts } from '../../db/visible'
import { createYielder } from '../../db/yieldToEventLoop'
import type { post } from '../../model/journal/post'
import { type OwnedRow, type PageValues, selectPage } from '../core/ownedRows'
import { postKind } from './postKind'

export type PostRow = OwnedRow<typeof post>

/** Lists one page of the unread posts on the boards of a system. */
export function listUnreadPage(db: Db, values: PageValues): MaybePromise<PostRow[]> {
  return pageOfUnread(db).all(values)
}

export function listRoomPage(db: Db, roomId: number, values: PageValues): MaybePromise<PostRow[]> {
  return pageOfRoom(db).all({ ...values, room: roomId })
}

/** Lists one page of the board of a member. */
export function listBoardPage(
  db: Db,
  recipientId: number,
  values: PageValues,
): MaybePromise<PostRow[]> {
  return pageOfBoard(db).all({ ...values, recipient: recipientId })
}

/** Lists posts of the system's board, where those for members that are being deleted are already. */
export async function listSystemBoard(db: Db, values: PageValues): Promise<PostRow[]> {
  const yieldIfDue = createYielder()
  let posts = await pageOfSystemBoard(db).all(values)
  for (const { id: recipient } of await formerRecipients(db).all({ system: values.system })) {
    const former = await pageOfBoard(db).all({ ...values, recipient })
    posts = [...posts, ...former].toSorted(newestFirst).slice(0, values.limit)
    await yieldIfDue()
  }
  return posts
}

/** An unread post, with the UUID of the member on whose board it is. */
export interface UnreadPost {
  readonly id: number
  readonly recipient: string | null
}

/** Lists some of the unread posts among those with the given UUIDs. */
export function listUnreadAmong(
  db: Db,
  systemId: number,
  uuids: readonly string[],
  limit: number,
): MaybePromise<UnreadPost[]> {
  return unreadAmong(db).all({ system: systemId, limit, ids: JSON.stringify(uuids) })
}

/** Lists some of the unread posts on the board of a member. */
export function listUnreadOfBoard(
  db: Db,
  systemId: number,
  recipientId: number,
  limit: number,
): MaybePromise<UnreadPost[]> {
  return unreadOfBoard(db).all({ system: systemId, limit, recipient: recipientId })
}

/** Lists some of the unread posts on the system's board, where those for deleted members are. */
export async function listUnreadOfSystem(
  db: Db,
  systemId: number,
  limit: number,
): Promise<UnreadPost[]> {
  const unread: UnreadPost[] = await unreadOfSystem(db).all({ system: systemId, limit })
  for (const { id: recipient } of await formerRecipients(db).all({ system: systemId })) {
    if (unread.length >= limit) break
    unread.push(...(await listUnreadOfBoard(db, systemId, recipient, limit)))
  }
  return unread.slice(0, limit)
}

export async function setPostsRead(tx: Db, ids: readonly number[]): Promise<void> {
  await setRead(tx).run({ ids: JSON.stringify(ids) })
}

function newestFirst(a: PostRow, b: PostRow): number {
  return (b.written ?? 0) - (a.written ?? 0) || b.id - a.id
}

const isOnBoard = (column: (name: string) => SQL) => sql`${column('room_id')} is null`

const pageOfRoom = selectPage(
  postKind,
  ({ room }: Placeholders<'room'>, column) => sql`${column('room_id')} = ${room}`,
)
const pageOfBoard = selectPage(
  postKind,
  ({ recipient }: Placeholders<'recipient'>, column) =>
    sql`${isOnBoard(column)} and ${column('for_member')} = ${recipient}`,
)
const pageOfSystemBoard = selectPage(
  postKind,
  (_, column) => sql`${isOnBoard(column)} and ${column('for_member')} is null`,
)
const pageOfUnread = selectPage(
  postKind,
  (_, column) => sql`${isOnBoard(column)} and ${column('read')} = 0`,
)

const { id, system_id, room_id, for_member, uuid, read } = visiblePosts
const recipient = sql<string | null>`${visibleMemberUuid(for_member)}`.as('recipient')

/** Members that are being deleted and on whose board a system has posts. */
const formerRecipients = query((db, { system }: Placeholders<'system'>) => {
  const isOnBoard = and(
    eq(posts.system_id, system),
    eq(posts.for_member, hiddenMembers.id),
    isNull(posts.room_id),
  )
  const first = db.select({ id: posts.id }).from(posts).where(isOnBoard).limit(1)
  return db.select({ id: hiddenMembers.id }).from(hiddenMembers).where(sql`(${first}) is not null`)
})

/** Builds a query of unread posts on boards. */
function selectUnread<Name extends string = never>(
  condition: (
    values: Placeholders<Name>,
    dialect: Parameters<Parameters<typeof query>[0]>[2],
  ) => SQL,
) {
  return query((db, values: Placeholders<Name | 'system' | 'limit'>, dialect) => {
    const { system, limit } = values as Placeholders<'system' | 'limit'>
    return db
      .select({ id, recipient })
      .from(visiblePosts)
      .where(
        and(eq(system_id, system), isNull(room_id), eq(read, sql`0`), condition(values, dialect)),
      )
      .limit(limit)
  })
}

const unreadAmong = selectUnread(({ ids }: Placeholders<'ids'>, { inJsonTexts }) =>
  inJsonTexts(uuid, ids),
)
const unreadOfBoard = selectUnread(({ recipient: board }: Placeholders<'recipient'>) =>
  eq(for_member, board),
)
const unreadOfSystem = selectUnread(() => sql`${for_member} is null`)

const setRead = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db.update(posts).set({ read: true }).where(inJsonNumbers(posts.id, ids)),
)
