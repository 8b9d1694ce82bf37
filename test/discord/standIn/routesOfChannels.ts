import { invalidField, isObject, refusal } from './errors'
import { addMessage, messageParts, userAuthor } from './messages'
import { publishChannel, publishTyping } from './publish'
import type { Route } from './rest'
import { rejectParts, visibleChannel } from './routesOfMessages'
import { answers, bodies } from './schemas'
import { serializeChannel, serializeMessage, serializeThreadMember } from './serialize'

export const routesOfChannels: Route[] = [
  {
    name: 'GET /channels/{channel_id}',
    answer: answers.channel,
    handle: (context, { params }) => ({
      body: serializeChannel(context, visibleChannel(context, params.channel_id)),
    }),
  },
  {
    name: 'GET /channels/{channel_id}/thread-members/{user_id}',
    answer: answers.threadMember,
    handle(context, { params }) {
      const channel = visibleChannel(context, params.channel_id)
      const userId = params.user_id ?? ''
      if (!channel.thread?.members.has(userId)) throw refusal(10007)
      return { body: serializeThreadMember(context, channel, userId) }
    },
  },
  {
    name: 'POST /channels/{channel_id}/typing',
    handle(context, { params }) {
      const channel = visibleChannel(context, params.channel_id)
      context.world.requireSend(context.application.botId, channel)
      publishTyping(context, channel, context.application.botId)
      return {}
    },
  },
  {
    name: 'POST /channels/{channel_id}/messages/{message_id}/threads',
    body: bodies.threadOfMessage,
    answer: answers.thread,
    handle(context, { params, body }) {
      const { world, application } = context
      const channel = visibleChannel(context, params.channel_id)
      world.require(application.botId, channel, 'CREATE_PUBLIC_THREADS')
      const message = world.getMessage(channel, params.message_id ?? '')
      const thread = world.createThread(
        channel,
        String(body.name),
        application.botId,
        11,
        message.id,
      )
      publishChannel(context, 'CREATE', thread, { newly_created: true })
      return { status: 201, body: serializeChannel(context, thread) }
    },
  },
  {
    name: 'POST /channels/{channel_id}/threads',
    body: bodies.createThread,
    answer: answers.createdThread,
    handle(context, { params, body, files }) {
      const { world, application } = context
      const channel = visibleChannel(context, params.channel_id)
      const isPrivate = body.type === 12
      world.require(
        application.botId,
        channel,
        isPrivate ? 'CREATE_PRIVATE_THREADS' : 'CREATE_PUBLIC_THREADS',
      )
      const thread = world.createThread(
        channel,
        String(body.name),
        application.botId,
        isPrivate ? 12 : 11,
      )
      publishChannel(context, 'CREATE', thread, { newly_created: true })
      const created = serializeChannel(context, thread)
      if (channel.type !== 15) return { status: 201, body: created }
      if (!isObject(body.message))
        throw invalidField(['message'], 'BASE_TYPE_REQUIRED', 'This field is required')
      rejectParts(context, channel, body.message, files)
      const none = { mentions: [], mentionRoles: [], mentionEveryone: false }
      const message = addMessage(context, thread, {
        id: thread.id,
        author: userAuthor(world.bot),
        ...messageParts(context, thread, body.message, files, none),
      })
      return { status: 201, body: { ...created, message: serializeMessage(context, message) } }
    },
  },
]
