import type { Context } from './context'
import { refusal } from './errors'
import {
  changeFollowUp,
  createFollowUp,
  deleteFollowUp,
  findFollowUp,
  findInteractionByToken,
} from './interactions'
import { mentionsOfBody, onlyUsers } from './mentions'
import { MessageFlag, rejectFlags, rejectUsername, rejectVoice } from './messageRules'
import { addMessage, deleteMessages, messageParts } from './messages'
import { Permission } from './permissions'
import { publishChannel, publishWebhooks } from './publish'
import type { Answer, RestRequest, Route } from './rest'
import { changeMessage, rejectParts, visibleChannel } from './routesOfMessages'
import { answers, bodies } from './schemas'
import { serializeMessage, serializeWebhook } from './serialize'
import type { Channel, JsonObject, Message, Webhook } from './types'

const PER_CHANNEL = 15
const PER_GUILD = 1000
/** Types of channels that can have webhooks: text, voice, announcement, stage, forum, media. */
const webhookChannels = [0, 2, 5, 13, 15, 16]

export const routesOfWebhooks: Route[] = [
  {
    name: 'POST /channels/{channel_id}/webhooks',
    body: bodies.createWebhook,
    answer: answers.webhook,
    handle: createWebhook,
  },
  {
    name: 'GET /channels/{channel_id}/webhooks',
    answer: answers.webhooks,
    handle(context, { params }) {
      const channel = visibleChannel(context, params.channel_id)
      context.world.require(context.application.botId, channel, 'MANAGE_WEBHOOKS')
      const all = context.world.webhooksOf(channel.id)
      return { body: all.map((webhook) => serializeWebhook(context, webhook)) }
    },
  },
  {
    name: 'GET /guilds/{guild_id}/webhooks',
    answer: answers.webhooks,
    handle(context, { params }) {
      const { world } = context
      const guild = world.getGuild(params.guild_id ?? '')
      const permissions = world.guildPermissionsOf(context.application.botId, guild)
      if (!(permissions & Permission.MANAGE_WEBHOOKS)) throw refusal(50013)
      const all = [...world.webhooks.values()].filter(({ guildId }) => guildId === guild.id)
      return { body: all.map((webhook) => serializeWebhook(context, webhook)) }
    },
  },
  {
    name: 'GET /webhooks/{webhook_id}',
    answer: answers.webhook,
    handle(context, { params }) {
      return { body: serializeWebhook(context, managedWebhook(context, params.webhook_id)) }
    },
  },
  {
    name: 'PATCH /webhooks/{webhook_id}',
    body: bodies.updateWebhook,
    answer: answers.webhook,
    handle(context, { params, body }) {
      const webhook = managedWebhook(context, params.webhook_id)
      if (typeof body.channel_id === 'string') moveWebhook(context, webhook, body.channel_id)
      return { body: serializeWebhook(context, renamed(context, webhook, body)) }
    },
  },
  {
    name: 'DELETE /webhooks/{webhook_id}',
    handle(context, { params }) {
      deleteWebhook(context, managedWebhook(context, params.webhook_id))
      return {}
    },
  },
  {
    name: 'GET /webhooks/{webhook_id}/{webhook_token}',
    answer: answers.webhook,
    isPublic: true,
    handle: (context, request) => ({
      body: serializeWebhook(context, webhookByToken(context, request), false),
    }),
  },
  {
    name: 'PATCH /webhooks/{webhook_id}/{webhook_token}',
    body: bodies.updateWebhook,
    answer: answers.webhook,
    isPublic: true,
    handle: (context, request) => ({
      body: serializeWebhook(
        context,
        renamed(context, webhookByToken(context, request), request.body),
        false,
      ),
    }),
  },
  {
    name: 'DELETE /webhooks/{webhook_id}/{webhook_token}',
    isPublic: true,
    handle(context, request) {
      deleteWebhook(context, webhookByToken(context, request))
      return {}
    },
  },
  {
    name: 'POST /webhooks/{webhook_id}/{webhook_token}',
    body: bodies.executeWebhook,
    answer: answers.message,
    isPublic: true,
    handle(context, request) {
      const interaction = findInteractionByToken(context, request.params)
      if (interaction)
        return { body: serializeMessage(context, createFollowUp(context, interaction, request)) }
      const message = executeWebhook(context, request)
      // Without `wait`, the answer has no body ("Webhook Resource, Execute Webhook").
      return request.query.get('wait') === 'true'
        ? { body: serializeMessage(context, message) }
        : {}
    },
  },
  ...['@original', '{message_id}'].flatMap((id): Route[] => {
    const path = `/webhooks/{webhook_id}/{webhook_token}/messages/${id}`
    return [
      {
        name: `GET ${path}`,
        answer: answers.message,
        isPublic: true,
        handle: (context, request) => ({
          body: serializeMessage(context, ownMessage(context, request)),
        }),
      },
      {
        name: `PATCH ${path}`,
        body: bodies.editWebhookMessage,
        answer: answers.message,
        isPublic: true,
        handle: changeOwnMessage,
      },
      { name: `DELETE ${path}`, isPublic: true, handle: deleteOwnMessage },
    ]
  }),
]

function createWebhook(context: Context, { params, body }: RestRequest): Answer {
  const { world, application, ids, record } = context
  const channel = visibleChannel(context, params.channel_id)
  if (!webhookChannels.includes(channel.type)) throw refusal(50024)
  world.require(application.botId, channel, 'MANAGE_WEBHOOKS')
  rejectUsername(context, body.name, 'name')
  if (world.webhooksOf(channel.id).length >= PER_CHANNEL) throw refusal(30007)
  const inGuild = [...world.webhooks.values()].filter(({ guildId }) => guildId === channel.guildId)
  if (inGuild.length >= PER_GUILD) throw refusal(30058)
  const webhook: Webhook = {
    id: ids.next(),
    channelId: channel.id,
    guildId: channel.guildId ?? '',
    name: String(body.name).trim(),
    avatar: null,
    token: record.issueSecret(),
    applicationId: application.id,
    creatorId: application.botId,
  }
  world.webhooks.set(webhook.id, webhook)
  publishWebhooks(context, channel)
  return { body: serializeWebhook(context, webhook) }
}

function getWebhook({ world }: Context, id = ''): Webhook {
  const webhook = world.webhooks.get(id)
  if (!webhook) throw refusal(10015)
  return webhook
}

function managedWebhook(context: Context, id?: string): Webhook {
  const webhook = getWebhook(context, id)
  const channel = context.world.getChannel(webhook.channelId)
  context.world.require(context.application.botId, channel, 'MANAGE_WEBHOOKS')
  return webhook
}

function webhookByToken(context: Context, { params }: RestRequest): Webhook {
  const webhook = getWebhook(context, params.webhook_id)
  if (webhook.token !== params.webhook_token) throw refusal(50027)
  return webhook
}

function renamed(context: Context, webhook: Webhook, body: JsonObject): Webhook {
  rejectUsername(context, body.name, 'name')
  if (typeof body.name === 'string') webhook.name = body.name.trim()
  publishWebhooks(context, context.world.getChannel(webhook.channelId))
  return webhook
}

export function moveWebhook(context: Context, webhook: Webhook, channelId: string): void {
  const from = context.world.getChannel(webhook.channelId)
  const to = context.world.getChannel(channelId)
  webhook.channelId = to.id
  publishWebhooks(context, from)
  publishWebhooks(context, to)
}

export function deleteWebhook(context: Context, webhook: Webhook): void {
  context.world.webhooks.delete(webhook.id)
  const channel = context.world.channels.get(webhook.channelId)
  if (channel) publishWebhooks(context, channel)
}

function executeWebhook(context: Context, request: RestRequest): Message {
  const { body, files } = request
  const webhook = webhookByToken(context, request)
  const flags = typeof body.flags === 'number' ? body.flags : 0
  const documented =
    MessageFlag.suppressEmbeds | MessageFlag.suppressNotifications | MessageFlag.isComponentsV2
  // IS_VOICE_MESSAGE is not among the documented flags, although clients send it.
  rejectFlags(flags, documented | MessageFlag.isVoiceMessage, 'Only some flags can be set.')
  if (flags & MessageFlag.isVoiceMessage) rejectVoice(context, body, files)
  rejectUsername(context, body.username, 'username')
  const parent = context.world.getChannel(webhook.channelId)
  rejectParts(context, parent, body, files)
  const mentions = mentionsOfBody(context, parent, body, onlyUsers)
  const channel = targetOf(context, parent, request)
  return addMessage(context, channel, {
    author: {
      id: webhook.id,
      username: typeof body.username === 'string' ? body.username.trim() : webhook.name,
      avatar: typeof body.avatar_url === 'string' ? avatarHash(body.avatar_url) : webhook.avatar,
      avatarUrl: typeof body.avatar_url === 'string' ? body.avatar_url : null,
      isWebhook: true,
    },
    webhookId: webhook.id,
    applicationId: webhook.applicationId,
    ...messageParts(context, channel, body, files, mentions),
  })
}

/** Channel or thread that a webhook posts to; forums need a thread or the name of a new one. */
function targetOf(context: Context, parent: Channel, { query, body }: RestRequest): Channel {
  const threadId = query.get('thread_id')
  const { thread_name: name } = body
  const isForum = [15, 16].includes(parent.type)
  if (threadId !== null && typeof name === 'string') throw refusal(220002)
  if (threadId !== null) {
    const thread = context.world.channels.get(threadId)
    if (!thread?.thread || thread.parentId !== parent.id) throw refusal(10003, 400)
    return thread
  }
  if (!isForum && typeof name === 'string') throw refusal(220003)
  if (!isForum) return parent
  if (typeof name !== 'string') throw refusal(220001)
  const thread = context.world.createThread(parent, name, context.application.botId, 11)
  publishChannel(context, 'CREATE', thread, { newly_created: true })
  return thread
}

/** Hash that Discord shows instead of the address of a picture. */
function avatarHash(url: string): string {
  return Bun.hash(url).toString(16).padStart(16, '0').repeat(2)
}

function ownMessage(context: Context, request: RestRequest): Message {
  const { params, query } = request
  const interaction = findInteractionByToken(context, params)
  if (interaction) return findFollowUp(context, interaction, params.message_id)
  const webhook = webhookByToken(context, request)
  const channel = context.world.channels.get(query.get('thread_id') ?? webhook.channelId)
  const message = channel && context.world.getMessage(channel, params.message_id ?? '')
  if (message?.webhookId !== webhook.id) throw refusal(10008)
  return message
}

function changeOwnMessage(context: Context, request: RestRequest): Answer {
  const { params, body, files } = request
  const interaction = findInteractionByToken(context, params)
  const message = ownMessage(context, request)
  if (interaction) changeFollowUp(context, message, request)
  else changeMessage(context, message, body, files, message.author.id, onlyUsers)
  return { body: serializeMessage(context, message) }
}

function deleteOwnMessage(context: Context, request: RestRequest): Answer {
  const interaction = findInteractionByToken(context, request.params)
  const message = ownMessage(context, request)
  if (interaction) deleteFollowUp(context, message)
  else
    deleteMessages(
      context,
      context.world.getChannel(message.channelId),
      [message],
      message.author.id,
    )
  return {}
}
