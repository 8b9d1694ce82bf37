import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { posts } from '../../db/tables'
import type { Db } from '../../db/types'
import {
  hiddenMembers,
  isImportCommitted,
  visibleMemberUuid,
  visiblePosts,
  visibleRooms,
} from '../../db/visible'
import { createYielder } from '../../db/yieldToEventLoop'
import { error } from '../../model/core/errors'
import { type Redacted, requireSystem, type Viewer } from '../../model/core/privacy'
import { isUuid } from '../../model/core/ref'
import { Problem } from '../../model/core/validation'
import { type Post, post, validatePost } from '../../model/journal/post'
import { getOwnEntities } from '../../store/core/entityRows'
import { recordEvent } from '../../store/events/recordEvent'
import { findLatest } from '../../store/front/switchRows'
import { memberRowKind } from '../../store/members/memberRows'
import { enqueuePush } from '../../store/push/pushQueue'
import type { Deps } from '../core/deps'
import { createOwnedRows, type OwnedRow, type PageRequest, type Reference } from '../core/ownedRows'
import { anyMember, author } from '../members/memberReference'
import { roomRows } from './rooms'

/** Name of the board of the whole system, in queries and bodies. */
export const SYSTEM_BOARD = '@system'

const room: Reference = {
  column: 'room_id',
  uuid: (id) =>
    sql`(select ${visibleRooms.uuid} from ${visibleRooms} where ${visibleRooms.id} = ${id})`,
  resolve: roomRows.get,
}

const rows = createOwnedRows<typeof post>({
  entity: post,
  table: posts,
  rows: visiblePosts,
  references: { room, for: anyMember('for_member'), by: author('by_member') },
  order: 'written',
  missing: 'postNotFound',
  events: { created: 'CREATE_POST', changed: 'UPDATE_POST', removed: 'DELETE_POST' },
  limit: { counter: 'posts' },
  timeKeys: ['written'],
  editedKeys: ['title', 'text'],
  validate: validatePost,
  check: requireSamePlace,
  eventData: placeOf,
  onCreate: notifyRecipient,
})

export const { create: createPost, patch: patchPost, delete: deletePost } = rows

/** Posts of a room, of a board, unread ones of all boards, or all. */
export type PostFilter =
  | { readonly room: string }
  | { readonly for: string }
  | { readonly unread: true }
  | null

/** Lists posts of the caller's system, newest first. */
export async function listPosts(
  { db }: Deps,
  viewer: Viewer,
  filter: PostFilter,
  page: PageRequest,
): Promise<Redacted<typeof post>[]> {
  const systemId = requireSystem(viewer, 'read_journal')
  const values = await rows.pageValues(db, systemId, page)
  const list = async (): Promise<OwnedRow<typeof post>[]> => {
    if (filter === null) return await pageOfAll(db).all(values)
    if ('unread' in filter) return await pageOfUnread(db).all(values)
    if ('room' in filter) {
      const { id } = await roomRows.get(db, systemId, filter.room)
      return await pageOfRoom(db).all({ ...values, room: id })
    }
    if (filter.for !== SYSTEM_BOARD) {
      const [recipient] = await getOwnEntities(db, memberRowKind, systemId, [filter.for])
      return await pageOfBoard(db).all({ ...values, recipient: recipient?.id ?? 0 })
    }
    return listSystemBoard(db, values)
  }
  return (await list()).map(rows.redactForOwner)
}

/** Lists posts of the system's board, where those for members that are being deleted are already. */
async function listSystemBoard(
  db: Db,
  values: Awaited<ReturnType<typeof rows.pageValues>>,
): Promise<OwnedRow<typeof post>[]> {
  const yieldIfDue = createYielder()
  let found = await pageOfSystemBoard(db).all(values)
  for (const { id: recipient } of await formerRecipients(db).all({ system: values.system })) {
    const former = await pageOfBoard(db).all({ ...values, recipient })
    found = [...found, ...former].toSorted(newestFirst).slice(0, values.limit)
    await yieldIfDue()
  }
  return found
}

/** Counts unread posts by the UUID of the member on whose board they are. */
export async function countUnread({ db }: Deps, viewer: Viewer): Promise<Map<string, number>> {
  const systemId = requireSystem(viewer, 'read_journal')
  const counts = new Map<string, number>()
  for (const { recipient, size } of await unreadByBoard(db).all({ system: systemId })) {
    const board = recipient ?? SYSTEM_BOARD
    counts.set(board, (counts.get(board) ?? 0) + size)
  }
  return counts
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
      await setRead(tx).run({ ids: JSON.stringify(unread.map(({ id }) => id)) })
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
  const values = { system: systemId, limit: READ_BATCH }
  if ('ids' in marks) return unreadAmong(tx).all({ ...values, ids: JSON.stringify(marks.ids) })
  if (marks.for === SYSTEM_BOARD) {
    const unread = await unreadOfSystem(tx).all(values)
    for (const { id: recipient } of await formerRecipients(tx).all({ system: systemId })) {
      if (unread.length >= READ_BATCH) break
      unread.push(...(await unreadOfBoard(tx).all({ ...values, recipient })))
    }
    return unread.slice(0, READ_BATCH)
  }
  const [recipient] = await getOwnEntities(tx, memberRowKind, systemId, [marks.for])
  return unreadOfBoard(tx).all({ ...values, recipient: recipient?.id ?? 0 })
}

/** Queues notifications about a post to a member who is in front. */
async function notifyRecipient(
  tx: Db,
  { for: recipient, system_id: system }: OwnedRow<typeof post>,
) {
  if (recipient === null) return
  const front = await findLatest(tx, system)
  if (front?.members.some(({ uuid: fronter }) => fronter === recipient))
    await enqueuePush(tx, system, 'posts', recipient)
}

function placeOf({ room, for: recipient, by }: Post) {
  return { room, for: recipient, by }
}

/** Throws unless a reply is in the room or on the board of the post that it replies to. */
async function requireSamePlace(tx: Db, reply: Post, systemId: number): Promise<void> {
  const { reply_to } = reply
  if (reply_to === null) return
  if (!isUuid(reply_to)) throw error('postNotFound')
  const target = await rows.get(tx, systemId, reply_to)
  if (target.room !== reply.room || target.for !== reply.for)
    throw error('invalidBody', {
      reply_to: [new Problem('Must be a post of the same room or board.')],
    })
}

function newestFirst(a: OwnedRow<typeof post>, b: OwnedRow<typeof post>): number {
  return (b.written ?? 0) - (a.written ?? 0) || b.id - a.id
}

const isOnBoard = (column: (name: string) => SQL) => sql`${column('room_id')} is null`

const pageOfAll = rows.selectPage()
const pageOfRoom = rows.selectPage(
  ({ room }: Placeholders<'room'>, column) => sql`${column('room_id')} = ${room}`,
)
const pageOfBoard = rows.selectPage(
  ({ recipient }: Placeholders<'recipient'>, column) =>
    sql`${isOnBoard(column)} and ${column('for_member')} = ${recipient}`,
)
const pageOfSystemBoard = rows.selectPage(
  (_, column) => sql`${isOnBoard(column)} and ${column('for_member')} is null`,
)
const pageOfUnread = rows.selectPage(
  (_, column) => sql`${isOnBoard(column)} and ${column('read')} = 0`,
)

const { id, system_id, room_id, for_member, uuid, read } = visiblePosts
const recipient = sql<string | null>`${visibleMemberUuid(for_member)}`.as('recipient')

/** Numbers of unread posts on boards. These are in no room, so only their import may hide them. */
const unreadByBoard = query((db, { system }: Placeholders<'system'>, { count }) => {
  const sizes = db
    .select({
      for_member: posts.for_member,
      import_id: posts.import_id,
      size: count().as('size'),
    })
    .from(posts)
    .where(and(eq(posts.system_id, system), isNull(posts.room_id), eq(posts.read, sql`0`)))
    .groupBy(posts.for_member, posts.import_id)
    .as('sizes')
  return db
    .select({
      recipient: sql<string | null>`${visibleMemberUuid(sizes.for_member)}`.as('recipient'),
      size: sizes.size,
    })
    .from(sizes)
    .where(isImportCommitted(sizes.import_id))
})

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
