import { createAttachment } from './attachments'
import type { Context } from './context'
import { invalidField, isObject } from './errors'
import { type Mentions, notifiedUsers } from './mentions'
import { listOf, MessageFlag, type UploadedFile } from './messageRules'
import { publishDeletion, publishMessage } from './publish'
import { iso } from './serialize'
import type { Attachment, Author, Channel, JsonObject, Message, User } from './types'

export type NewMessage = Partial<Message> & { author: Author }

/** Stores a message and sends MESSAGE_CREATE. */
export function addMessage(context: Context, channel: Channel, fields: NewMessage): Message {
  const { ids, clock, world } = context
  const message: Message = {
    id: ids.next(),
    channelId: channel.id,
    type: 0,
    content: '',
    embeds: [],
    attachments: [],
    components: [],
    poll: null,
    stickers: [],
    activity: null,
    flags: 0,
    tts: false,
    mentions: [],
    mentionRoles: [],
    mentionEveryone: false,
    reference: null,
    snapshots: [],
    pinned: false,
    createdAt: clock.now(),
    editedAt: null,
    reactions: [],
    webhookId: null,
    applicationId: null,
    interaction: null,
    nonce: null,
    ephemeralFor: null,
    notified: [],
    isDeleted: false,
    ...fields,
  }
  message.notified = notifiedUsers(context, channel, message, message.author.id)
  channel.messages.set(message.id, message)
  if (channel.thread) channel.thread.isArchived = false
  world.note({
    kind: 'create',
    channelId: channel.id,
    messageId: message.id,
    by: message.author.id,
  })
  publishMessage(context, 'MESSAGE_CREATE', message)
  return message
}

/** Changes a message and sends MESSAGE_UPDATE. Edits notify no user. */
export function editMessage(
  context: Context,
  message: Message,
  changes: Partial<Message>,
  by: string,
): void {
  Object.assign(message, changes, { editedAt: context.clock.now() })
  context.world.note({ kind: 'edit', channelId: message.channelId, messageId: message.id, by })
  publishMessage(context, 'MESSAGE_UPDATE', message)
}

export function deleteMessages(
  context: Context,
  channel: Channel,
  messages: Message[],
  by: string,
  isBulk = false,
): void {
  for (const message of messages) {
    message.isDeleted = true
    context.world.note({ kind: 'delete', channelId: channel.id, messageId: message.id, by })
  }
  const visible = messages.filter(({ ephemeralFor }) => ephemeralFor === null)
  publishDeletion(
    context,
    channel,
    visible.map(({ id }) => id),
    isBulk,
  )
}

export function userAuthor(user: User): Author {
  return {
    id: user.id,
    username: user.username,
    avatar: user.avatar,
    avatarUrl: null,
    isWebhook: false,
  }
}

/** Parts of a message that a request body contains, as they are stored. */
export function messageParts(
  context: Context,
  channel: Channel,
  body: JsonObject,
  files: UploadedFile[],
  mentions: Mentions,
): Partial<Message> {
  const flags = typeof body.flags === 'number' ? body.flags : 0
  return {
    content: typeof body.content === 'string' ? body.content.trim() : '',
    embeds: storedEmbeds(body),
    components: storedComponents(listOf(body.components)),
    attachments: storedFiles(context, channel, body, files),
    poll: isObject(body.poll) ? storedPoll(context, body.poll) : null,
    flags,
    tts: body.tts === true,
    ...mentions,
  }
}

/** Changed parts of a message; `attachments` lists which files are kept ("Edit Message"). */
export function editedParts(
  context: Context,
  message: Message,
  body: JsonObject,
  files: UploadedFile[],
): Partial<Message> {
  const channel = context.world.getChannel(message.channelId)
  const kept = Array.isArray(body.attachments) ? keptFiles(message, body) : message.attachments
  const fresh = storedFiles(context, channel, body, files)
  return {
    ...(body.content === undefined
      ? {}
      : { content: typeof body.content === 'string' ? body.content.trim() : '' }),
    ...(body.embeds === undefined ? {} : { embeds: storedEmbeds(body) }),
    ...(body.components === undefined
      ? {}
      : { components: storedComponents(listOf(body.components)) }),
    ...(typeof body.flags === 'number'
      ? {
          flags:
            (message.flags & ~MessageFlag.suppressEmbeds) |
            (body.flags & MessageFlag.suppressEmbeds),
        }
      : {}),
    attachments: [...kept, ...fresh],
  }
}

function keptFiles(message: Message, body: JsonObject): Attachment[] {
  const ids = listOf(body.attachments).map(({ id }) => String(id))
  const unknown = ids.find(
    (id) => id.length > 3 && !message.attachments.some((attachment) => attachment.id === id),
  )
  if (unknown)
    throw invalidField(['attachments'], 'MESSAGE_ATTACHMENT_NOT_FOUND', 'Attachment was not found.')
  return message.attachments.filter(({ id }) => ids.includes(id))
}

function storedFiles(context: Context, channel: Channel, body: JsonObject, files: UploadedFile[]) {
  return files.map((file) => {
    const metadata = listOf(body.attachments).find(({ id }) => String(id) === file.index)
    const text = (name: string) =>
      typeof metadata?.[name] === 'string' ? String(metadata[name]) : null
    return createAttachment(context, channel.id, {
      filename: text('filename') ?? file.filename,
      bytes: file.bytes,
      contentType: file.type,
      description: text('description'),
      durationSeconds: typeof metadata?.duration_secs === 'number' ? metadata.duration_secs : null,
      waveform: text('waveform'),
      title: text('title'),
      ...(metadata?.is_spoiler === true ? { isSpoiler: true } : {}),
    })
  })
}

/** Embeds as Discord returns them: with a type, without empty fields. */
function storedEmbeds(body: JsonObject): JsonObject[] {
  return listOf(body.embeds).map((embed) => {
    const stored: JsonObject = { ...withoutNulls(embed), type: 'rich' }
    if (Array.isArray(stored.fields))
      stored.fields = listOf(stored.fields).map((field) => ({
        ...field,
        inline: field.inline === true,
      }))
    if (typeof stored.timestamp === 'string') stored.timestamp = iso(Date.parse(stored.timestamp))
    return stored
  })
}

/** Components with IDs, which Discord assigns in order ("Component Reference, Anatomy of a Component"). */
export function storedComponents(components: JsonObject[]): JsonObject[] {
  let last = 0
  const number = (component: JsonObject): JsonObject => {
    const id = typeof component.id === 'number' && component.id > 0 ? component.id : ++last
    const { components: inner, accessory, ...rest } = withoutNulls(component)
    return {
      ...rest,
      id,
      ...([3, 5, 6, 7, 8].includes(Number(component.type))
        ? { min_values: rest.min_values ?? 1, max_values: rest.max_values ?? 1 }
        : {}),
      ...(Array.isArray(inner) ? { components: listOf(inner).map(number) } : {}),
      ...(isObject(accessory) ? { accessory: number(accessory) } : {}),
    }
  }
  return components.map(number)
}

export function storedPoll(context: Context, poll: JsonObject): JsonObject {
  const hours = typeof poll.duration === 'number' ? poll.duration : 24
  return {
    question: poll.question,
    answers: listOf(poll.answers).map((answer, index) => ({
      answer_id: index + 1,
      poll_media: answer.poll_media,
    })),
    expiry: iso(context.clock.now() + hours * 3600_000),
    allow_multiselect: poll.allow_multiselect === true,
    layout_type: 1,
    results: { is_finalized: false, answer_counts: [] },
  }
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
}
