import { sql } from 'drizzle-orm'
import type { Db } from '../../db/types'
import { visibleRooms } from '../../db/visible'
import { error } from '../../model/core/errors'
import { isUuid } from '../../model/core/ref'
import { Problem } from '../../model/core/validation'
import type { Post, post } from '../../model/journal/post'
import { getOwnedRow, type OwnedRow, type OwnedRowKind, type Reference } from '../core/ownedRows'
import { findLatest } from '../front/switchRows'
import { ownedRowKind } from '../members/memberReference'
import { enqueuePush } from '../push/enqueuePush'
import { roomKind } from './roomKind'

const room: Reference = {
  column: 'room_id',
  uuid: (id) =>
    sql`(select ${visibleRooms.uuid} from ${visibleRooms} where ${visibleRooms.id} = ${id})`,
  resolve: (tx, systemId, ref) => getOwnedRow(tx, roomKind, systemId, ref),
}

const postRows = ownedRowKind('posts')

export const postKind: OwnedRowKind<typeof post> = {
  ...postRows,
  references: { room, ...postRows.references },
  check: requireSamePlace,
  onCreate: notifyRecipient,
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

/** Throws unless a reply is in the room or on the board of the post that it replies to. */
async function requireSamePlace(tx: Db, reply: Post, systemId: number): Promise<void> {
  const { reply_to } = reply
  if (reply_to === null) return
  if (!isUuid(reply_to)) throw error('postNotFound')
  const target = await getOwnedRow(tx, postKind, systemId, reply_to)
  if (target.room !== reply.room || target.for !== reply.for)
    throw error('invalidBody', {
      reply_to: [new Problem('other_thread')],
    })
}
