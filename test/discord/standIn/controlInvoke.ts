import { createAttachment, type NewAttachment, serializeAttachment } from './attachments'
import type { Context } from './context'
import { DiscordError, isObject } from './errors'
import { InteractionType } from './interactions'
import { listOf, nested } from './messageRules'
import { publishInteraction } from './publish'
import {
  appPermissions,
  serializeChannel,
  serializeMember,
  serializeMessage,
  serializePartialMember,
  serializeRole,
  serializeUser,
} from './serialize'
import type { Channel, Command, Interaction, JsonObject, Message } from './types'

/** Interactions that a user starts in Discord's client. */

export interface CommandInvocation {
  userId: string
  channelId: string
  /** Name of the command, with subcommands separated by spaces: `member info`. */
  command: string
  /** Values of the options by name; a file for an attachment. */
  options?: Record<string, string | number | boolean | NewAttachment>
  /** Message or user of a context menu command. */
  targetId?: string
  /** Name of the option that the user is typing: asks for autocomplete. */
  focused?: string
}

export function invokeCommand(context: Context, invocation: CommandInvocation): Interaction {
  const { world } = context
  const channel = world.getChannel(invocation.channelId)
  const [name = '', ...path] = invocation.targetId
    ? [invocation.command]
    : invocation.command.split(' ')
  const type = invocation.targetId ? (world.users.has(invocation.targetId) ? 2 : 3) : 1
  const command = [...world.commands.values()].find(
    ({ definition, guildId }) =>
      definition.name === name &&
      (definition.type ?? 1) === type &&
      (guildId === null || guildId === channel.guildId),
  )
  if (!command) throw notPossible(`the application has no command ${name}`)
  requireUsable(context, command, channel, invocation.userId)
  const resolved: JsonObject = {}
  const data: JsonObject = {
    id: command.id,
    name,
    type,
    ...(command.guildId === null ? {} : { guild_id: command.guildId }),
  }
  if (invocation.targetId) {
    data.target_id = invocation.targetId
    resolveTarget(context, channel, invocation.targetId, resolved)
  } else
    data.options = buildOptions(context, channel, command.definition, path, invocation, resolved)
  if (Object.keys(resolved).length > 0) data.resolved = resolved
  const kind = invocation.focused ? InteractionType.autocomplete : InteractionType.command
  return createInteraction(context, channel, invocation.userId, kind, data)
}

function requireUsable(
  context: Context,
  { definition }: Command,
  channel: Channel,
  userId: string,
) {
  const { world } = context
  const contexts = Array.isArray(definition.contexts) ? definition.contexts : [0, 1]
  if (!contexts.includes(channel.guildId === null ? 1 : 0))
    throw notPossible('the command cannot be used in this context')
  if (channel.guildId === null) return
  const { default_member_permissions: needed } = definition
  const bits = needed === null || needed === undefined ? 0n : BigInt(String(needed))
  if ((world.guildPermissionsOf(userId, world.getGuild(channel.guildId)) & bits) !== bits)
    throw notPossible('the user may not use the command')
  if (!world.can(userId, channel, 'USE_APPLICATION_COMMANDS'))
    throw notPossible('the user may not use commands in the channel')
}

function resolveTarget(context: Context, channel: Channel, id: string, resolved: JsonObject): void {
  if (context.world.users.has(id)) resolveUser(context, channel, id, resolved)
  else
    resolved.messages = {
      [id]: serializeMessage(context, context.world.getMessage(channel, id)),
    }
}

function resolveUser(context: Context, channel: Channel, id: string, resolved: JsonObject): void {
  const { world } = context
  const users = isObject(resolved.users) ? resolved.users : {}
  resolved.users = { ...users, [id]: serializeUser(world.getUser(id)) }
  const member = channel.guildId ? world.getGuild(channel.guildId).members.get(id) : undefined
  if (!member) return
  const members = isObject(resolved.members) ? resolved.members : {}
  const permissions = String(world.permissionsOf(id, channel))
  resolved.members = { ...members, [id]: { ...serializePartialMember(member), permissions } }
}

/** Options as the client sends them: nested in subcommands, with resolved users and files. */
function buildOptions(
  context: Context,
  channel: Channel,
  definition: JsonObject,
  path: string[],
  invocation: CommandInvocation,
  resolved: JsonObject,
): JsonObject[] {
  const [next, ...rest] = path
  const known = listOf(definition.options)
  if (next !== undefined) {
    const group = known.find(({ name, type }) => name === next && (type === 1 || type === 2))
    if (!group) throw notPossible(`there is no subcommand ${next}`)
    const options = buildOptions(context, channel, group, rest, invocation, resolved)
    return [{ name: next, type: group.type, options }]
  }
  if (known.some(({ type }) => type === 1 || type === 2))
    throw notPossible('a subcommand is missing')
  const given = invocation.options ?? {}
  const unknown = Object.keys(given).find((name) => !known.some((option) => option.name === name))
  if (unknown) throw notPossible(`there is no option ${unknown}`)
  const missing = known.find(({ name, required }) => required === true && !(String(name) in given))
  if (missing && !invocation.focused) throw notPossible(`the option ${missing.name} is required`)
  return known.flatMap((option) => {
    const name = String(option.name)
    const value = given[name]
    if (value === undefined) return []
    rejectChoice(option, value, invocation.focused === name)
    return [
      {
        name,
        type: option.type,
        value: resolveOption(context, channel, Number(option.type), value, resolved),
        ...(invocation.focused === name ? { focused: true } : {}),
      },
    ]
  })
}

function rejectChoice(option: JsonObject, value: unknown, isFocused: boolean): void {
  const choices = listOf(option.choices)
  if (isFocused || choices.length === 0 || choices.some((choice) => choice.value === value)) return
  throw notPossible(`${value} is not a choice of ${option.name}`)
}

/** Value of an option; users, roles, channels and files are IDs with a resolved object. */
function resolveOption(
  context: Context,
  channel: Channel,
  type: number,
  value: string | number | boolean | NewAttachment,
  resolved: JsonObject,
): unknown {
  const add = (kind: string, id: string, object: JsonObject) => {
    const known = isObject(resolved[kind]) ? resolved[kind] : {}
    resolved[kind] = { ...known, [id]: object }
    return id
  }
  if (typeof value === 'object') {
    const attachment = createAttachment(context, channel.id, value)
    return add('attachments', attachment.id, {
      ...serializeAttachment(context, attachment),
      ephemeral: true,
    })
  }
  const id = String(value)
  if (type === 6 || (type === 9 && context.world.users.has(id))) {
    resolveUser(context, channel, id, resolved)
    return id
  }
  if (type === 7)
    return add('channels', id, serializeChannel(context, context.world.getChannel(id)))
  if (type === 8 || type === 9) {
    const role = context.world.getGuild(channel.guildId ?? '').roles.get(id)
    if (!role) throw notPossible('there is no such role')
    return add('roles', id, serializeRole(role))
  }
  return value
}

/** Presses a button or picks from a menu of a message that the user sees. */
export function pressComponent(
  context: Context,
  press: {
    userId: string
    channelId: string
    messageId: string
    customId: string
    values?: string[]
  },
): Interaction {
  const channel = context.world.getChannel(press.channelId)
  const message = visibleMessage(channel, press.messageId, press.userId)
  const component = nested(message.components).find(({ custom_id: id }) => id === press.customId)
  if (!component) throw notPossible(`the message has no component ${press.customId}`)
  if (component.disabled === true) throw notPossible('the component is disabled')
  const data = {
    custom_id: press.customId,
    component_type: component.type,
    id: component.id,
    ...(press.values ? { values: press.values } : {}),
  }
  const { userId } = press
  return createInteraction(context, channel, userId, InteractionType.component, data, { message })
}

/** Submits the modal that an interaction opened; values by custom ID. */
export function submitModal(
  context: Context,
  submission: { interactionId: string; values: Record<string, string> },
): Interaction {
  const trigger = context.world.interactions.get(submission.interactionId)
  if (!trigger?.modal) throw notPossible('the interaction has not opened a modal')
  const channel = context.world.getChannel(trigger.channelId)
  const inputs = nested(listOf(trigger.modal.components))
  const unknown = Object.keys(submission.values).find(
    (id) => !inputs.some((input) => input.custom_id === id),
  )
  if (unknown) throw notPossible(`the modal has no input ${unknown}`)
  const data = {
    custom_id: trigger.modal.custom_id,
    components: listOf(trigger.modal.components).map((row) => submittedRow(row, submission.values)),
  }
  return createInteraction(context, channel, trigger.userId, InteractionType.modal, data, {
    message: trigger.sourceMessage,
    trigger,
  })
}

function submittedRow(row: JsonObject, values: Record<string, string>): JsonObject {
  const submitted = (input: JsonObject): JsonObject => {
    const id = String(input.custom_id)
    const value = values[id] ?? input.value ?? ''
    const { length } = String(value)
    if (input.required !== false && length === 0) throw notPossible(`the input ${id} is required`)
    if (typeof input.max_length === 'number' && length > input.max_length)
      throw notPossible(`the input ${id} is too long`)
    if (typeof input.min_length === 'number' && length > 0 && length < input.min_length)
      throw notPossible(`the input ${id} is too short`)
    return { type: input.type, id: 1, custom_id: id, value }
  }
  // An action row has `components`, a label has `component` ("Component Reference").
  if (isObject(row.component)) return { type: row.type, id: 1, component: submitted(row.component) }
  return { type: row.type, id: 1, components: listOf(row.components).map(submitted) }
}

function visibleMessage(channel: Channel, id: string, userId: string): Message {
  const message = channel.messages.get(id)
  const isVisible = message && !message.isDeleted && [null, userId].includes(message.ephemeralFor)
  if (!isVisible) throw notPossible('the user does not see the message')
  return message
}

function createInteraction(
  context: Context,
  channel: Channel,
  userId: string,
  type: number,
  data: JsonObject,
  extra: { message?: Message | null; trigger?: Interaction } = {},
): Interaction {
  const { world, ids, clock, record, application } = context
  const guild = channel.guildId === null ? null : world.getGuild(channel.guildId)
  const member = guild?.members.get(userId)
  if (!world.can(userId, channel, 'VIEW_CHANNEL'))
    throw notPossible('the user cannot view the channel')
  const permissions = String(world.permissionsOf(userId, channel))
  const [id, token] = [ids.next(), record.issueSecret(64)]
  const interaction: Interaction = {
    id,
    token,
    type,
    userId,
    channelId: channel.id,
    createdAt: clock.now(),
    answer: null,
    originalId: null,
    messageIds: [],
    sourceMessage: extra.message ?? null,
    trigger: extra.trigger ?? null,
    modal: null,
    choices: null,
    event: {
      id,
      application_id: application.id,
      type,
      data,
      token,
      version: 1,
      channel_id: channel.id,
      channel: serializeChannel(context, channel),
      app_permissions: appPermissions(context, channel),
      locale: 'en-US',
      entitlements: [],
      authorizing_integration_owners: { 0: guild?.id ?? '0' },
      context: guild ? 0 : 1,
      attachment_size_limit: context.options.fileLimits.tiers[guild?.premiumTier ?? 0],
      ...(guild && member
        ? {
            guild_id: guild.id,
            guild_locale: 'en-US',
            guild: { id: guild.id, locale: 'en-US', features: [] },
            member: { ...serializeMember(context, member), permissions },
          }
        : { user: serializeUser(world.getUser(userId)) }),
      ...(extra.message ? { message: serializeMessage(context, extra.message) } : {}),
    },
  }
  world.interactions.set(id, interaction)
  publishInteraction(context, interaction)
  return interaction
}

/** Refusal of a control request: Discord's client would not let the user do this. */
export function notPossible(message: string): DiscordError {
  return new DiscordError(409, { message, code: 0 })
}
