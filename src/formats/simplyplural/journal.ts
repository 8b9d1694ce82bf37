import { note } from '../../model/journal/note'
import { post } from '../../model/journal/post'
import { room } from '../../model/journal/room'
import type { Subject } from '../bundle'
import { colorOf, nameOr, readRef, textOf } from '../repair'
import { encryptedMessages } from './chat'
import type { ReadContext } from './readContext'
import { type AppRow, createdAt, timeOf } from './rows'

export function readNotes(context: ReadContext): void {
  const { log } = context
  for (const row of context.rows('notes')) {
    const [title, text] = [textOf(row.title), textOf(row.note)]
    if (title === undefined && text === undefined) {
      context.archiveRest('notes', row, null)
      continue
    }
    const subject: Subject = { kind: 'note', name: title ?? null }
    const member = context.writer(row.member)
    if (member === null && textOf(row.member) !== undefined) {
      const why = 'note_of_system'
      log.repair(subject, 'member', row.member, null, why)
    }
    const date = timeOf(row.date) ?? createdAt(row, null)
    const index = readRef(row.color) ?? ''
    const color = /^[0-7]$/.test(index) ? indexedColors[Number(index)] : undefined
    context.add(
      'notes',
      note,
      { collection: 'notes', id: row._id },
      { title, text, color: color ?? colorOf(row.color, subject, log) },
      { subject, refs: { member }, values: { date, created: createdAt(row, date) } },
    )
    context.archiveRest('notes', row, ['member', 'title', 'note', 'color', 'date'])
  }
}

/** Colours of old files, which have an index. */
const indexedColors = '000000 c83232 32c832 3232c8 eb0e58 56dceb eb59da f25d3b'.split(' ')

/** Adds board messages. */
export function readBoards(context: ReadContext): void {
  for (const row of context.rows('boardMessages')) {
    const [title, text] = [textOf(row.title), textOf(row.message)]
    if (text === undefined) {
      context.archiveRest('boardMessages', row, null)
      continue
    }
    const subject: Subject = { kind: 'post', name: title ?? null }
    const recipient = context.memberKeys.get(textOf(row.writtenFor) ?? '') ?? null
    if (recipient === null && textOf(row.writtenFor) !== undefined) {
      const why = 'board_of_system'
      context.log.repair(subject, 'for', row.writtenFor, null, why)
    }
    context.add(
      'posts',
      post,
      { collection: 'boardMessages', id: row._id },
      { title, text },
      {
        subject,
        refs: { room: null, for: recipient, by: context.writer(row.writtenBy), reply_to: null },
        values: {
          written: timeOf(row.writtenAt) ?? createdAt(row, null),
          read: row.read === true,
        },
      },
    )
    const keys = ['title', 'message', 'writtenBy', 'writtenFor', 'writtenAt', 'read']
    context.archiveRest('boardMessages', row, keys)
  }
}

/** Adds rooms in the order of their categories, and the chat messages in them. */
export function readChat(context: ReadContext): void {
  const rooms = readRooms(context)
  const isEncrypted = encryptedMessages(context.rows('chatMessages'))
  const roomOf = new Map<string, string>()
  for (const row of context.rows('chatMessages')) {
    const channel = textOf(row.channel)
    if (channel !== undefined && rooms.has(channel) && !isEncrypted(row))
      roomOf.set(row._id, channel)
  }
  for (const row of context.rows('chatMessages')) {
    if (isEncrypted(row)) {
      context.log.skip('chatMessages')
      continue
    }
    const channel = roomOf.get(row._id)
    const text = textOf(row.message)
    if (channel === undefined || text === undefined) {
      context.archiveRest('chatMessages', row, null)
      continue
    }
    const replyTo = textOf(row.replyTo)
    const isReply = replyTo !== undefined && roomOf.get(replyTo) === channel
    const subject: Subject = { kind: 'post', name: null }
    context.add(
      'posts',
      post,
      { collection: 'chatMessages', id: row._id },
      { text: withMentions(text, context.names) },
      {
        subject,
        refs: {
          room: channel,
          for: null,
          by: context.writer(row.writer),
          reply_to: isReply ? replyTo : null,
        },
        values: {
          written: timeOf(row.writtenAt) ?? createdAt(row, null),
          edited: timeOf(row.updatedAt),
        },
      },
    )
    const keys = ['channel', 'message', 'writer', 'writtenAt', 'updatedAt']
    const isReplyRead = replyTo === undefined || isReply
    context.archiveRest('chatMessages', row, isReplyRead ? [...keys, 'replyTo'] : keys)
  }
}

function withMentions(text: string, names: ReadonlyMap<string, string>): string {
  return text.replace(/<###@([^#]*)###>/g, (_, id: string) => `@${names.get(id) ?? 'unknown'}`)
}

/** Returns the IDs of the rooms. */
function readRooms(context: ReadContext): Set<string> {
  const { log } = context
  const channels = new Map(context.rows('channels').map((row) => [row._id, row]))
  const categories = categoriesInOrder(context)
  const categoryOf = new Map<string, AppRow>()
  for (const category of categories) {
    const ids = Array.isArray(category.channels) ? category.channels : []
    const roomIds = ids.filter((id) => channels.has(id) && !categoryOf.has(id))
    for (const id of roomIds) categoryOf.set(id, category)
    context.archiveRest(
      'channelCategories',
      category,
      roomIds.length > 0 ? ['name', 'channels'] : null,
    )
  }
  const ordered = [...new Set([...categoryOf.keys(), ...channels.keys()])]
  for (const [position, id] of ordered.entries()) {
    const row = channels.get(id)
    if (!row) continue
    const subject: Subject = { kind: 'room', name: textOf(row.name) ?? null }
    const { values } = context.add(
      'rooms',
      room,
      { collection: 'channels', id },
      {
        name: textOf(row.name),
        about: textOf(row.desc),
        category: textOf(categoryOf.get(id)?.name),
      },
      { subject },
    )
    Object.assign(values, { position, name: nameOr(textOf(values.name), null, subject, log) })
    context.archiveRest('channels', row, ['name', 'desc'])
  }
  return new Set(channels.keys())
}

/** Returns the categories in the order that the owner chose. */
function categoriesInOrder(context: ReadContext): AppRow[] {
  const rows = new Map(context.rows('channelCategories').map((row) => [row._id, row]))
  const chosen = context.owner?.categories
  const order = Array.isArray(chosen) ? chosen.filter((id) => rows.has(id)) : []
  return [...new Set([...order, ...rows.keys()])].flatMap((id) => rows.get(id) ?? [])
}
