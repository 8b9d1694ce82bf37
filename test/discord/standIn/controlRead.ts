import { serializeAttachment } from './attachments'
import type { Context } from './context'
import { notPossible } from './controlInvoke'
import { isObject } from './errors'
import { MessageFlag } from './messageRules'
import { serializeCommand } from './serialize'
import type { Channel, Interaction, JsonObject, Message } from './types'

/** A message as users see it, with what the client hides: who was notified. */
export interface SeenMessage {
  id: string
  channelId: string
  type: number
  author: { id: string; name: string; avatarUrl: string | null; isWebhook: boolean }
  content: string
  embeds: JsonObject[]
  attachments: {
    id: string
    filename: string
    size: number
    contentType: string
    description: string | null
    isSpoiler: boolean
    durationSeconds: number | null
    waveform: string | null
    /** Content of text files. */
    text: string | null
  }[]
  components: JsonObject[]
  poll: JsonObject | null
  flags: number
  isTts: boolean
  isPinned: boolean
  isEdited: boolean
  /** A deferred answer that has not arrived yet. */
  isLoading: boolean
  replyTo: string | null
  webhookId: string | null
  interactionId: string | null
  ephemeralFor: string | null
  mentions: string[]
  mentionRoles: string[]
  mentionEveryone: boolean
  notified: string[]
  /** Users by emoji. */
  reactions: Record<string, string[]>
}

export interface SeenInteraction {
  id: string
  /** Type of the initial answer, or null. */
  answer: number | null
  /** The client shows "This interaction failed". */
  isFailed: boolean
  messages: SeenMessage[]
  modal: JsonObject | null
  choices: JsonObject[] | null
}

export interface Allowance {
  /** Allowed number of answers with these statuses; 0 if not named. */
  statuses?: Partial<Record<401 | 403 | 429, number>>
  identifies?: number
}

/** Reads of the world and of the record. */
export const readActions = {
  /**
   * Messages of a channel in order, or those from one on; with a user, also those that only this
   * user sees.
   */
  messages({ world }: Context, input: { channelId: string; userId?: string; from?: string }) {
    return messagesFrom(world.getChannel(input.channelId), input.from)
      .filter(({ ephemeralFor }) => ephemeralFor === null || ephemeralFor === input.userId)
      .map(seenMessage)
  },

  directMessages({ world }: Context, { userId, from }: { userId: string; from?: string }) {
    const channel = [...world.channels.values()].find(({ recipientId }) => recipientId === userId)
    return channel ? messagesFrom(channel, from).map(seenMessage) : []
  },

  message({ world }: Context, input: { channelId: string; messageId: string }) {
    const message = world.getChannel(input.channelId).messages.get(input.messageId)
    return message && !message.isDeleted ? seenMessage(message) : null
  },

  /** Addresses of the files of a message, as a client gets them now. */
  attachmentUrls(context: Context, input: { channelId: string; messageId: string }) {
    const message = context.world.getChannel(input.channelId).messages.get(input.messageId)
    return (message?.attachments ?? []).map((file) =>
      String(serializeAttachment(context, file).url),
    )
  },

  interaction(context: Context, { id }: { id: string }) {
    const interaction = context.world.interactions.get(id)
    if (!interaction) throw notPossible('there is no such interaction')
    return seenInteraction(context, interaction)
  },

  webhooks({ world }: Context, { channelId }: { channelId: string }) {
    return world.webhooksOf(channelId).map(({ token: _, ...webhook }) => webhook)
  },

  commands(context: Context, { guildId = null }: { guildId?: string | null } = {}) {
    return [...context.world.commands.values()]
      .filter((command) => command.guildId === guildId)
      .map((command) => serializeCommand(context, command))
  },

  presence({ world }: Context) {
    return world.presence
  },

  /** Changes of messages in the order in which they happened. */
  journal({ world }: Context, { channelId }: { channelId?: string } = {}) {
    return world.journal.filter((entry) => channelId === undefined || entry.channelId === channelId)
  },

  requests({ record }: Context, { route }: { route?: string } = {}) {
    return record.requests.filter((request) => route === undefined || request.route === route)
  },

  /** Times of the monotonic clock at which frames of messages were written and requests arrived. */
  times({ record }: Context, { route }: { route: string }) {
    const requests = record.requests
      .filter((request) => request.route === route)
      .map(({ receivedAt, body }) => ({
        receivedAt,
        content: isObject(body) && typeof body.content === 'string' ? body.content : '',
      }))
    return { frames: record.frames, requests }
  },

  connections({ record }: Context) {
    return record.connections
  },

  downloads({ record }: Context) {
    return record.downloads
  },

  sessions({ sessions }: Context) {
    return sessions.list().map(({ shard, intents, seq, socket }) => ({
      shard,
      intents,
      seq,
      isConnected: socket !== null,
    }))
  },

  counts({ record }: Context) {
    return {
      identifies: record.identifies,
      resumes: record.resumes,
      unauthorized: record.countStatus(401),
      forbidden: record.countStatus(403),
      rateLimited: record.countStatus(429),
    }
  },

  /** Every secret that the stand-in issued, for the search in logs and databases. */
  secrets({ record }: Context) {
    return [...record.secrets]
  },

  /** Remembers a secret or marker of the test, for example a login link. */
  addSecret({ record }: Context, { secret }: { secret: string }) {
    record.secrets.add(secret)
  },

  /** Breaches of the rules so far, beyond the allowance of the scenario. */
  problems({ record }: Context, { statuses = {}, identifies }: Allowance = {}) {
    const over = ([401, 403, 429] as const).flatMap((status) => {
      const [count, allowed] = [record.countStatus(status), statuses[status] ?? 0]
      return count > allowed ? [`${count} answers with status ${status}, ${allowed} allowed`] : []
    })
    const starts =
      identifies !== undefined && record.identifies > identifies
        ? [`${record.identifies} IDENTIFYs, ${identifies} allowed`]
        : []
    return [...record.problems, ...over, ...starts]
  },

  /** Resolves with the next version after the given one. */
  async nextVersion(
    { record }: Context,
    { after, timeoutMs = 1000 }: { after: number; timeoutMs?: number },
  ) {
    return { version: await record.afterVersion(after, timeoutMs) }
  },
}

/** Messages that were not deleted, from one on. */
function messagesFrom({ messages }: Channel, from = '0'): Message[] {
  const first = BigInt(from)
  return [...messages.values()].filter(({ id, isDeleted }) => !isDeleted && BigInt(id) >= first)
}

function seenInteraction(context: Context, interaction: Interaction): SeenInteraction {
  const channel = context.world.getChannel(interaction.channelId)
  const isLate = interaction.createdAt + context.options.interactionAnswerMs < context.clock.now()
  return {
    id: interaction.id,
    answer: interaction.answer,
    isFailed: interaction.answer === null && isLate,
    messages: interaction.messageIds.flatMap((id) => {
      const message = channel.messages.get(id)
      return message && !message.isDeleted ? [seenMessage(message)] : []
    }),
    modal: interaction.modal,
    choices: interaction.choices,
  }
}

function seenMessage(message: Message): SeenMessage {
  return {
    id: message.id,
    channelId: message.channelId,
    type: message.type,
    author: {
      id: message.author.id,
      name: message.author.username,
      avatarUrl: message.author.avatarUrl,
      isWebhook: message.author.isWebhook,
    },
    content: message.content,
    embeds: message.embeds,
    attachments: message.attachments.map((attachment) => ({
      id: attachment.id,
      filename: attachment.filename,
      size: attachment.bytes.length,
      contentType: attachment.contentType,
      description: attachment.description,
      isSpoiler: attachment.isSpoiler,
      durationSeconds: attachment.durationSeconds,
      waveform: attachment.waveform,
      text: /^text\/|json/.test(attachment.contentType)
        ? new TextDecoder().decode(attachment.bytes)
        : null,
    })),
    components: message.components,
    poll: message.poll,
    flags: message.flags,
    isTts: message.tts,
    isPinned: message.pinned,
    isEdited: message.editedAt !== null,
    isLoading: (message.flags & MessageFlag.loading) !== 0,
    replyTo: message.reference?.messageId ?? null,
    webhookId: message.webhookId,
    interactionId: message.interaction?.id ?? null,
    ephemeralFor: message.ephemeralFor,
    mentions: message.mentions,
    mentionRoles: message.mentionRoles,
    mentionEveryone: message.mentionEveryone,
    notified: message.notified,
    reactions: Object.fromEntries(message.reactions.map(({ name, userIds }) => [name, userIds])),
  }
}
