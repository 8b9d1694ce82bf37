import { sql } from 'drizzle-orm'
import type { Db } from '../../db/types'
import { visibleRooms } from '../../db/visible'
import { error } from '../../model/core/errors'
import { isUuid } from '../../model/core/ref'
import { Problem } from '../../model/core/validation'
import { type Post, type post, validatePost } from '../../model/journal/post'
import {
  getOwnedRow,
  type OwnedRow,
  type OwnedRowKind,
  ownedRowFacts,
  type Reference,
} from '../core/ownedRows'
import { findLatest } from '../front/switchRows'
import { anyMember, author } from '../members/memberReference'
import { enqueuePush } from '../push/enqueuePush'
import { roomKind } from './roomKind'

const room: Reference = {
  column: 'room_id',
  uuid: (id) =>
    sql`(select ${visibleRooms.uuid} from ${visibleRooms} where ${visibleRooms.id} = ${id})`,
  resolve: (tx, systemId, ref) => getOwnedRow(tx, roomKind, systemId, ref),
}

export const postKind: OwnedRowKind<typeof post> = {
  ...ownedRowFacts('posts'),
  references: { room, for: anyMember('for_member'), by: author('by_member') },
  events: { created: 'CREATE_POST', changed: 'UPDATE_POST', removed: 'DELETE_POST' },
  editedKeys: ['title', 'text'],
  validate: validatePost,
  check: requireSamePlace,
  eventData: placeOf,
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

function placeOf({ room, for: recipient, by }: Post) {
  return { room, for: recipient, by }
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
