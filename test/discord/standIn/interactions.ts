import type { Context } from './context'
import { invalidField, isObject, refusal } from './errors'
import { mentionsOfBody, onlyUsers } from './mentions'
import { listOf, MessageFlag, rejectFlags } from './messageRules'
import { addMessage, deleteMessages, messageParts, userAuthor } from './messages'
import type { Answer, RestRequest } from './rest'
import { changeMessage, rejectParts } from './routesOfMessages'
import { bodies, requireBody } from './schemas'
import { serializeMessage } from './serialize'
import type { Interaction, JsonObject, Message } from './types'

/** Types of "Receiving and Responding to Interactions, Interaction Type". */
export const InteractionType = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const

/** Types of "Interaction Callback Type". */
const Callback = {
  message: 4,
  deferredMessage: 5,
  deferredUpdate: 6,
  update: 7,
  choices: 8,
  modal: 9,
} as const

const MAX_MODAL_COMPONENTS = 5

/** Answers an interaction: once, and within 3 seconds ("Responding to an Interaction"). */
export function answerInteraction(
  context: Context,
  { params, query, body, files }: RestRequest,
): Answer {
  const interaction = context.world.interactions.get(params.interaction_id ?? '')
  if (!interaction || interaction.token !== params.interaction_token) throw refusal(10062)
  if (interaction.answer !== null) throw refusal(40060)
  if (interaction.createdAt + context.options.interactionAnswerMs < context.clock.now())
    throw refusal(10062)
  const type = Number(body.type)
  const data = isObject(body.data) ? body.data : {}
  validateCallback(interaction, type, body)
  let message: Message | null = null
  if (type === Callback.message)
    message = createFollowUp(context, interaction, { body: data, files })
  if (type === Callback.deferredMessage) message = createDeferred(context, interaction, data)
  if (type === Callback.update && interaction.sourceMessage)
    changeFollowUp(context, interaction.sourceMessage, { body: data, files })
  if (type === Callback.update || type === Callback.deferredUpdate)
    interaction.originalId = interaction.sourceMessage?.id ?? null
  if (type === Callback.choices) interaction.choices = listOf(data.choices)
  if (type === Callback.modal) interaction.modal = data
  if (message) interaction.originalId = message.id
  interaction.answer = type
  context.record.changed()
  if (query.get('with_response') !== 'true') return {}
  return { body: callbackResponse(context, interaction, message ?? interaction.sourceMessage) }
}

function validateCallback(interaction: Interaction, type: number, body: JsonObject): void {
  const { message, update, autocomplete, modal } = bodies.callback
  const isAutocomplete = interaction.type === InteractionType.autocomplete
  const hasSource = interaction.sourceMessage !== null
  const schemas = {
    [Callback.message]: isAutocomplete ? null : message,
    [Callback.deferredMessage]: isAutocomplete ? null : message,
    [Callback.deferredUpdate]: hasSource ? update : null,
    [Callback.update]: hasSource ? update : null,
    [Callback.choices]: isAutocomplete ? autocomplete : null,
    [Callback.modal]: isAutocomplete || interaction.type === InteractionType.modal ? null : modal,
  }
  const schema = schemas[type as keyof typeof schemas]
  if (!schema)
    throw invalidField(['type'], 'INTERACTION_CALLBACK_TYPE_INVALID', 'Invalid callback type.')
  requireBody(schema, body)
  const data = isObject(body.data) ? body.data : {}
  if (type === Callback.modal && listOf(data.components).length > MAX_MODAL_COMPONENTS)
    throw invalidField(
      ['data', 'components'],
      'BASE_TYPE_BAD_LENGTH',
      'Must be between 1 and 5 in length.',
    )
  if (type === Callback.choices && listOf(data.choices).length > 25)
    throw invalidField(
      ['data', 'choices'],
      'BASE_TYPE_MAX_LENGTH',
      'Must be 25 or fewer in length.',
    )
}

function callbackResponse(
  context: Context,
  interaction: Interaction,
  message: Message | null,
): JsonObject {
  const type = interaction.answer
  return {
    interaction: {
      id: interaction.id,
      type: interaction.type,
      ...(message
        ? {
            response_message_id: message.id,
            response_message_loading: (message.flags & MessageFlag.loading) !== 0,
            response_message_ephemeral: message.ephemeralFor !== null,
          }
        : {}),
    },
    ...(message && (type === Callback.message || type === Callback.update)
      ? { resource: { type, message: serializeMessage(context, message) } }
      : {}),
  }
}

/** Interaction whose token is in the path, if the ID is the application's; expired: 50027. */
export function findInteractionByToken(context: Context, params: Record<string, string>) {
  if (params.webhook_id !== context.application.id) return null
  const interaction = [...context.world.interactions.values()].find(
    ({ token }) => token === params.webhook_token,
  )
  if (
    !interaction ||
    interaction.createdAt + context.options.interactionTokenMs < context.clock.now()
  )
    throw refusal(50027)
  // Without an initial answer there is nothing to follow up on.
  if (interaction.answer === null) throw refusal(10015)
  return interaction
}

type MessageRequest = Pick<RestRequest, 'body' | 'files'>

/** Creates the message of an initial answer or a follow-up. */
export function createFollowUp(
  context: Context,
  interaction: Interaction,
  request: MessageRequest,
): Message {
  const { body, files } = request
  const channel = context.world.getChannel(interaction.channelId)
  const pending = pendingAnswer(context, interaction)
  // The first follow-up to a deferred answer replaces it ("Followup Messages").
  if (pending) {
    changeFollowUp(context, pending, request)
    return pending
  }
  const flags = typeof body.flags === 'number' ? body.flags : 0
  const allowed =
    MessageFlag.suppressEmbeds |
    MessageFlag.ephemeral |
    MessageFlag.suppressNotifications |
    MessageFlag.isComponentsV2
  rejectFlags(flags, allowed, 'Only some flags can be set.')
  rejectParts(context, channel, body, files)
  const mentions = mentionsOfBody(context, channel, body, onlyUsers)
  return store(context, interaction, {
    ...messageParts(context, channel, body, files, mentions),
    ephemeralFor: flags & MessageFlag.ephemeral ? interaction.userId : null,
  })
}

function createDeferred(context: Context, interaction: Interaction, data: JsonObject): Message {
  const ephemeral = Number(data.flags ?? 0) & MessageFlag.ephemeral
  return store(context, interaction, {
    flags: MessageFlag.loading | ephemeral,
    ephemeralFor: ephemeral ? interaction.userId : null,
  })
}

function store(context: Context, interaction: Interaction, parts: Partial<Message>): Message {
  const channel = context.world.getChannel(interaction.channelId)
  const message = addMessage(context, channel, {
    author: userAuthor(context.world.bot),
    type: messageType(interaction),
    webhookId: context.application.id,
    applicationId: context.application.id,
    interaction,
    ...parts,
  })
  interaction.messageIds.push(message.id)
  return message
}

/** CHAT_INPUT_COMMAND, CONTEXT_MENU_COMMAND or DEFAULT ("Message Resource, Message Types"). */
function messageType({ type, event }: Interaction): number {
  if (type !== InteractionType.command) return 0
  return isObject(event.data) && event.data.type === 1 ? 20 : 23
}

function pendingAnswer(context: Context, interaction: Interaction): Message | null {
  if (interaction.originalId === null) return null
  const channel = context.world.getChannel(interaction.channelId)
  const original = channel.messages.get(interaction.originalId)
  return original && original.flags & MessageFlag.loading ? original : null
}

export function findFollowUp(context: Context, interaction: Interaction, id?: string): Message {
  const wanted = id ?? interaction.originalId
  const channel = context.world.getChannel(interaction.channelId)
  const message = wanted ? channel.messages.get(wanted) : undefined
  const isOwn = wanted === interaction.originalId || interaction.messageIds.includes(wanted ?? '')
  if (!message || message.isDeleted || !isOwn) throw refusal(10008)
  return message
}

export function changeFollowUp(
  context: Context,
  message: Message,
  { body, files }: MessageRequest,
): void {
  message.flags &= ~MessageFlag.loading
  changeMessage(context, message, body, files, context.application.botId, onlyUsers)
}

export function deleteFollowUp(context: Context, message: Message): void {
  const channel = context.world.getChannel(message.channelId)
  deleteMessages(context, channel, [message], context.application.botId)
}
