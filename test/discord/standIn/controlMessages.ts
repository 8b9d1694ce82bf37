import { createAttachment, type NewAttachment } from './attachments'
import type { Context } from './context'
import {
  type CommandInvocation,
  invokeCommand,
  notPossible,
  pressComponent,
  submitModal,
} from './controlInvoke'
import { everyMention, resolveMentions } from './mentions'
import { MessageFlag, rejectBlockedWords, rejectEmpty, rejectTooLong } from './messageRules'
import { addMessage, deleteMessages, editMessage, storedPoll, userAuthor } from './messages'
import { publishChannel, publishMessage } from './publish'
import { pinMessage } from './routesOfMessages'
import { addReaction, parseEmoji, removeReaction } from './routesOfReactions'
import { serializeMessage } from './serialize'
import type { Channel, JsonObject, Message } from './types'

/** A file of a user: text, or bytes in base64, or zeros of a size. */
export interface FileInput {
  filename: string
  text?: string
  base64?: string
  size?: number
  contentType?: string
  description?: string
  isSpoiler?: boolean
  durationSeconds?: number
  waveform?: string
  /** Address on another origin, which no client may download from. */
  foreignUrl?: string
}

export interface MessageInput {
  userId: string
  /** Without a channel, the message is a direct message to the bot. */
  channelId?: string
  content?: string
  files?: FileInput[]
  embeds?: JsonObject[]
  replyTo?: string
  /** Pings the author of the message that is replied to; default true, as in Discord's client. */
  pingsReply?: boolean
  poll?: { question: string; answers: string[]; isMultiselect?: boolean; hours?: number }
  stickers?: string[]
  /** Message that is forwarded. */
  forward?: { channelId: string; messageId: string }
  /** Sends the only file as a voice message. */
  isVoice?: boolean
  /** @silent */
  isSilent?: boolean
  suppressesEmbeds?: boolean
  isTts?: boolean
  /** Invites to an activity. */
  hasActivity?: boolean
  /** Type of a system message, for example 7 for a join or 6 for a pin. */
  type?: number
  /** Flags beyond those above, for example 2 for a crosspost. */
  flags?: number
}

interface MessageRef {
  channelId: string
  messageId: string
}

/** Messages, reactions and interactions of users. */
export const messageActions = {
  sendMessage(context: Context, input: MessageInput) {
    const { world } = context
    const channel =
      input.channelId === undefined
        ? world.openDm(input.userId).channel
        : world.getChannel(input.channelId)
    world.requireSend(input.userId, channel)
    const message = addMessage(context, channel, userMessage(context, channel, input))
    return { id: message.id, channelId: channel.id }
  },

  /** Creates a forum post: a thread whose first message has the thread's ID. */
  createPost(context: Context, input: MessageInput & { channelId: string; name?: string }) {
    const forum = context.world.getChannel(input.channelId)
    const thread = context.world.createThread(forum, input.name ?? 'post', input.userId, 11)
    publishChannel(context, 'CREATE', thread, { newly_created: true })
    const message = userMessage(context, thread, input)
    addMessage(context, thread, { ...message, id: thread.id })
    return { id: thread.id, channelId: thread.id }
  },

  /** Sends a message through a webhook that is not the bot's. */
  sendWebhookMessage(
    context: Context,
    input: { webhookId: string; username?: string; content: string; flags?: number },
  ) {
    const webhook = context.world.webhooks.get(input.webhookId)
    if (!webhook) throw notPossible('there is no such webhook')
    const message = addMessage(context, context.world.getChannel(webhook.channelId), {
      author: {
        id: webhook.id,
        username: input.username ?? webhook.name,
        avatar: null,
        avatarUrl: null,
        isWebhook: true,
      },
      webhookId: webhook.id,
      applicationId: webhook.applicationId,
      content: input.content,
      flags: input.flags ?? 0,
    })
    return { id: message.id }
  },

  editMessage(context: Context, input: MessageRef & { content: string }) {
    const message = findMessage(context, input)
    const channel = context.world.getChannel(input.channelId)
    rejectTooLong({ content: input.content })
    const mentions = mentionsOf(context, channel, input.content, message.author.id)
    editMessage(context, message, { content: input.content, ...mentions }, message.author.id)
  },

  /** Adds a link preview: MESSAGE_UPDATE with an unchanged `edited_timestamp`. */
  addLinkPreview(context: Context, input: MessageRef & { url?: string }) {
    const message = findMessage(context, input)
    message.embeds = [...message.embeds, { type: 'link', url: input.url ?? 'https://example.com/' }]
    publishMessage(context, 'MESSAGE_UPDATE', message)
  },

  deleteMessage(context: Context, input: MessageRef & { userId?: string }) {
    const message = findMessage(context, input)
    const channel = context.world.getChannel(input.channelId)
    deleteMessages(context, channel, [message], input.userId ?? message.author.id)
  },

  deleteMessages(
    context: Context,
    input: { channelId: string; messageIds: string[]; userId: string },
  ) {
    const channel = context.world.getChannel(input.channelId)
    const messages = input.messageIds.map((id) => context.world.getMessage(channel, id))
    deleteMessages(context, channel, messages, input.userId, true)
  },

  pinMessage(context: Context, input: MessageRef & { userId: string; isPinned?: boolean }) {
    pinMessage(context, findMessage(context, input), input.isPinned ?? true, input.userId)
  },

  react(context: Context, input: MessageRef & { userId: string; emoji: string }) {
    addReaction(context, findMessage(context, input), parseEmoji(input.emoji), input.userId)
  },

  unreact(context: Context, input: MessageRef & { userId: string; emoji: string }) {
    removeReaction(context, findMessage(context, input), parseEmoji(input.emoji), input.userId)
  },

  /** Uses a slash command or a context menu, or types into an option with autocomplete. */
  invokeCommand(
    context: Context,
    input: Omit<CommandInvocation, 'options'> & {
      options?: Record<string, string | number | boolean | FileInput>
    },
  ) {
    const options = Object.entries(input.options ?? {}).map(([name, value]) => [
      name,
      typeof value === 'object' ? toAttachment(value) : value,
    ])
    return { id: invokeCommand(context, { ...input, options: Object.fromEntries(options) }).id }
  },

  pressComponent(
    context: Context,
    input: {
      userId: string
      channelId: string
      messageId: string
      customId: string
      values?: string[]
    },
  ) {
    return { id: pressComponent(context, input).id }
  },

  submitModal(context: Context, input: { interactionId: string; values: Record<string, string> }) {
    return { id: submitModal(context, input).id }
  },
}

function userMessage(context: Context, channel: Channel, input: MessageInput) {
  const { world } = context
  const content = input.content ?? ''
  const target = input.replyTo ? world.getMessage(channel, input.replyTo) : null
  const files = input.files ?? []
  rejectTooLong({ content }, world.getUser(input.userId).hasNitro)
  rejectBlockedWords(context, channel, content)
  if (!input.stickers && !input.forward && !input.hasActivity)
    rejectEmpty({ content, embeds: input.embeds, poll: input.poll }, files)
  const allowed = { ...everyMention, repliedUser: input.pingsReply ?? true }
  const forwarded = input.forward ? findMessage(context, input.forward) : null
  return {
    author: userAuthor(world.getUser(input.userId)),
    type: input.type ?? (target ? 19 : 0),
    content,
    embeds: input.embeds ?? [],
    attachments: files.map((file) => createAttachment(context, channel.id, toAttachment(file))),
    tts: input.isTts ?? false,
    flags: flagsOf(input),
    poll: input.poll ? pollOf(context, input.poll) : null,
    stickers: (input.stickers ?? []).map((name) => ({
      id: context.ids.next(),
      name,
      format_type: 1,
    })),
    activity: input.hasActivity ? { type: 1, party_id: 'party' } : null,
    reference: referenceOf(input, channel, target),
    snapshots: forwarded ? [{ message: serializeMessage(context, forwarded) }] : [],
    ...resolveMentions(context, channel, content, allowed, input.userId, target),
  }
}

function referenceOf(
  input: MessageInput,
  channel: Channel,
  target: Message | null,
): Message['reference'] {
  if (input.forward) return { type: 1, ...input.forward }
  return target ? { type: 0, channelId: channel.id, messageId: target.id } : null
}

function flagsOf(input: MessageInput): number {
  return (
    (input.flags ?? 0) |
    (input.isVoice ? MessageFlag.isVoiceMessage : 0) |
    (input.isSilent ? MessageFlag.suppressNotifications : 0) |
    (input.suppressesEmbeds ? MessageFlag.suppressEmbeds : 0) |
    (input.forward ? MessageFlag.hasSnapshot : 0)
  )
}

function pollOf(context: Context, poll: NonNullable<MessageInput['poll']>): JsonObject {
  return storedPoll(context, {
    question: { text: poll.question },
    answers: poll.answers.map((text) => ({ poll_media: { text } })),
    allow_multiselect: poll.isMultiselect ?? false,
    duration: poll.hours ?? 24,
  })
}

function mentionsOf(context: Context, channel: Channel, content: string, userId: string) {
  return resolveMentions(context, channel, content, everyMention, userId, null)
}

function toAttachment({ text, base64, size, ...file }: FileInput): NewAttachment {
  const bytes =
    base64 === undefined
      ? text === undefined
        ? new Uint8Array(size ?? 1)
        : new TextEncoder().encode(text)
      : Uint8Array.fromBase64(base64)
  return { ...file, bytes }
}

function findMessage({ world }: Context, { channelId, messageId }: MessageRef): Message {
  return world.getMessage(world.getChannel(channelId), messageId)
}
