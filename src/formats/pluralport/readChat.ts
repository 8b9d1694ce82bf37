import type { JsonObject } from '../../model/core/entity'
import { isObject } from '../../model/core/validation'
import { type Entry, inListOrder, isBlank, readKeys, subjectOfRecord, withName } from './entry'
import type { ReadContext } from './readContext'
import { boardPostRecord, messageRecord, roomRecord } from './records'

export function readRooms(context: ReadContext): JsonObject[] {
  return inListOrder(context.rooms).map((entry, index) => {
    const row = context.rowOf(roomRecord, entry)
    const placed = entry.own ? row : { ...row, position: index }
    context.archiveRest('chat.conversations', entry, keysOfRoom(entry))
    return withName(placed, entry, 'room', context.log)
  })
}

/** Returns the keys that a room holds. Every member may read it, and all rooms are of one kind. */
function keysOfRoom({ record: { kind, access } }: Entry): string[] {
  const isPlain: JsonObject = {
    kind: kind === 'internal_chat' || kind === 'unknown',
    access: isObject(access) && access.kind === 'all_members',
  }
  return roomRecord.keys.filter((key) => isPlain[key] !== false)
}

export function readMessages(context: ReadContext): JsonObject[] {
  const roomOf = new Map(
    context.messages.map(({ record, uuid }) => [
      uuid,
      context.find('chat.conversations', record.conversation_id),
    ]),
  )
  return context.messages.flatMap((entry) => {
    const row = context.rowOf(messageRecord, entry)
    if (!row.room || !row.text) {
      context.archiveRest('chat.messages', entry, null)
      return []
    }
    const isReply = entry.own !== null || roomOf.get(String(row.reply_to)) === row.room
    const keys = readKeys(messageRecord, entry, row)
    const read = keys.filter((key) => isReply || key !== 'reply_to_message_id')
    context.archiveRest('chat.messages', entry, read)
    return [isReply ? row : { ...row, reply_to: null }]
  })
}

export function readBoard(context: ReadContext): JsonObject[] {
  const boards = isObject(context.file.boards) ? context.file.boards : {}
  return context.entries('boards.posts', 'posts', boards.posts).flatMap((entry) => {
    const { record, own } = entry
    const row = context.rowOf(boardPostRecord, entry)
    if (!row.text || !isBlank(record.deleted_at)) {
      context.archiveRest('boards.posts', entry, null)
      return []
    }
    if (!own && row.for === undefined && !isBlank(record.target_member_id)) {
      const why = 'board_of_system'
      const subject = subjectOfRecord('post', record)
      context.log.repair(subject, 'for', record.target_member_id, null, why)
    }
    context.archiveRest('boards.posts', entry, readKeys(boardPostRecord, entry, row))
    return [row]
  })
}
