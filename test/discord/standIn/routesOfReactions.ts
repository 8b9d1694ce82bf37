import type { Context } from './context'
import { refusal } from './errors'
import { publishReaction, publishReactionsCleared } from './publish'
import type { Route } from './rest'
import { visibleChannel } from './routesOfMessages'
import { answers } from './schemas'
import { serializeUser } from './serialize'
import type { Message, Reaction } from './types'

const MAX_REACTIONS = 20
const path = '/channels/{channel_id}/messages/{message_id}/reactions'

export const routesOfReactions: Route[] = [
  {
    name: `PUT ${path}/{emoji_name}/@me`,
    handle(context, { params }) {
      const { message, emoji } = find(context, params)
      addReaction(context, message, emoji, context.application.botId)
      return {}
    },
  },
  {
    name: `DELETE ${path}/{emoji_name}/@me`,
    handle(context, { params }) {
      const { message, emoji } = find(context, params)
      removeReaction(context, message, emoji, context.application.botId)
      return {}
    },
  },
  {
    name: `DELETE ${path}/{emoji_name}/{user_id}`,
    handle(context, { params }) {
      const { message, emoji } = find(context, params)
      requireModeration(context, message)
      removeReaction(context, message, emoji, params.user_id ?? '')
      return {}
    },
  },
  {
    name: `GET ${path}/{emoji_name}`,
    answer: answers.users,
    handle(context, { params }) {
      const { message, emoji } = find(context, params)
      const users = reactionOf(message, emoji)?.userIds ?? []
      return { body: users.map((id) => serializeUser(context.world.getUser(id))) }
    },
  },
  {
    name: `DELETE ${path}/{emoji_name}`,
    handle(context, { params }) {
      const { message, emoji } = find(context, params)
      requireModeration(context, message)
      const reaction = reactionOf(message, emoji)
      if (!reaction) throw refusal(10014)
      message.reactions = message.reactions.filter((other) => other !== reaction)
      publishReactionsCleared(context, message, reaction)
      return {}
    },
  },
  {
    name: `DELETE ${path}`,
    handle(context, { params }) {
      const { message } = find(context, params)
      requireModeration(context, message)
      message.reactions = []
      publishReactionsCleared(context, message)
      return {}
    },
  },
]

interface Emoji {
  name: string
  id: string | null
}

function find(context: Context, params: Record<string, string>) {
  const channel = visibleChannel(context, params.channel_id)
  const message = context.world.getMessage(channel, params.message_id ?? '')
  return { channel, message, emoji: parseEmoji(params.emoji_name ?? '👍') }
}

/** A Unicode emoji, or `name:id` of a custom one ("Create Reaction"). */
export function parseEmoji(text: string): Emoji {
  const [, name, id] = /^(\w{2,32}):(\d+)$/.exec(text) ?? []
  if (name && id) return { name, id }
  if (!/^\p{RGI_Emoji}$|^\p{Emoji}\ufe0f?$/v.test(text) || /^[\d#*]$/.test(text))
    throw refusal(10014)
  return { name: text, id: null }
}

function reactionOf({ reactions }: Message, { name, id }: Emoji): Reaction | undefined {
  // A variation selector does not make another emoji.
  const plain = (text: string) => text.replaceAll('\ufe0f', '')
  return reactions.find((reaction) =>
    id ? reaction.emojiId === id : plain(reaction.name) === plain(name),
  )
}

/** Adds a reaction; a new emoji needs Add Reactions, and a message has 20 at most. */
export function addReaction(
  context: Context,
  message: Message,
  emoji: Emoji,
  userId: string,
): void {
  const { world } = context
  const channel = world.getChannel(message.channelId)
  world.require(userId, channel, 'READ_MESSAGE_HISTORY')
  let reaction = reactionOf(message, emoji)
  if (!reaction) {
    world.require(userId, channel, 'ADD_REACTIONS')
    if (message.reactions.length >= MAX_REACTIONS) throw refusal(30010)
    reaction = { name: emoji.name, emojiId: emoji.id, userIds: [] }
    message.reactions.push(reaction)
  }
  if (reaction.userIds.includes(userId)) return
  reaction.userIds.push(userId)
  world.note({
    kind: 'react',
    channelId: channel.id,
    messageId: message.id,
    by: userId,
    detail: emoji.name,
  })
  publishReaction(context, 'MESSAGE_REACTION_ADD', message, reaction, userId)
}

export function removeReaction(
  context: Context,
  message: Message,
  emoji: Emoji,
  userId: string,
): void {
  const reaction = reactionOf(message, emoji)
  if (!reaction?.userIds.includes(userId)) throw refusal(10014)
  reaction.userIds = reaction.userIds.filter((id) => id !== userId)
  if (reaction.userIds.length === 0)
    message.reactions = message.reactions.filter((other) => other !== reaction)
  context.world.note({
    kind: 'unreact',
    channelId: message.channelId,
    messageId: message.id,
    by: userId,
    detail: emoji.name,
  })
  publishReaction(context, 'MESSAGE_REACTION_REMOVE', message, reaction, userId)
}

function requireModeration({ world, application }: Context, message: Message): void {
  world.require(application.botId, world.getChannel(message.channelId), 'MANAGE_MESSAGES')
}
