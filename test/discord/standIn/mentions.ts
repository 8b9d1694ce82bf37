import type { Context } from './context'
import { invalidField, isObject } from './errors'
import { Permission } from './permissions'
import type { Channel, JsonObject, Message } from './types'

type MentionType = 'users' | 'roles' | 'everyone'

/** Mentions that a message may contain. */
export interface AllowedMentions {
  parse: MentionType[]
  users: string[]
  roles: string[]
  repliedUser: boolean
}

/** Defaults without `allowed_mentions` ("Message Resource, Allowed Mentions Object"). */
export const everyMention: AllowedMentions = {
  parse: ['users', 'roles', 'everyone'],
  users: [],
  roles: [],
  repliedUser: true,
}

export const onlyUsers: AllowedMentions = { ...everyMention, parse: ['users'] }

function parseAllowedMentions(body: JsonObject, fallback: AllowedMentions): AllowedMentions {
  const { allowed_mentions: given } = body
  if (!isObject(given)) return fallback
  const parse = strings(given.parse)
  const [users, roles] = [strings(given.users), strings(given.roles)]
  for (const [type, listed] of Object.entries({ users, roles }))
    if (parse.includes(type) && listed.length > 0)
      throw invalidField(
        ['allowed_mentions', type],
        'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
        `parse:["${type}"] and ${type}: [ids...] are mutually exclusive.`,
      )
  const isType = (type: string): type is MentionType =>
    ['users', 'roles', 'everyone'].includes(type)
  return { parse: parse.filter(isType), users, roles, repliedUser: given.replied_user === true }
}

/** Mentions of a message that the bot sends by itself, through a webhook or as an answer. */
export function mentionsOfBody(
  context: Context,
  channel: Channel,
  body: JsonObject,
  fallback: AllowedMentions,
  repliedTo: Message | null = null,
): Mentions {
  const content = typeof body.content === 'string' ? body.content : ''
  const allowed = parseAllowedMentions(body, fallback)
  return resolveMentions(context, channel, content, allowed, context.application.botId, repliedTo)
}

export type Mentions = Pick<Message, 'mentions' | 'mentionRoles' | 'mentionEveryone'>

/**
 * Mentions of a message. They follow its content, `allowed_mentions`, the role's `mentionable` and
 * Mention Everyone of the sender; for webhooks and interactions the bot is the sender.
 */
export function resolveMentions(
  context: Context,
  channel: Channel,
  content: string,
  allowed: AllowedMentions,
  senderId: string,
  repliedTo: Message | null,
): Mentions {
  const { world } = context
  const text = withoutCode(content)
  const guild = channel.guildId === null ? null : world.getGuild(channel.guildId)
  const mayMentionAll =
    (world.permissionsOf(senderId, channel) & Permission.MENTION_EVERYONE) !== 0n
  const allows = (type: 'users' | 'roles', id: string) =>
    allowed.parse.includes(type) || allowed[type].includes(id)
  const users = unique(text.matchAll(/<@!?(\d+)>/g)).filter(
    (id) => world.users.has(id) && allows('users', id),
  )
  const replied =
    repliedTo && allowed.repliedUser && !repliedTo.webhookId ? [repliedTo.author.id] : []
  const roles = unique(text.matchAll(/<@&(\d+)>/g)).filter((id) => {
    const role = guild?.roles.get(id)
    return role && allows('roles', id) && (role.mentionable || mayMentionAll)
  })
  return {
    mentions: [...new Set([...users, ...replied])],
    mentionRoles: roles,
    mentionEveryone:
      guild !== null &&
      /@(everyone|here)/.test(text) &&
      allowed.parse.includes('everyone') &&
      mayMentionAll,
  }
}

/** Users who get a ping: they are mentioned, can view the channel and did not write the message. */
export function notifiedUsers(
  context: Context,
  channel: Channel,
  found: Mentions,
  authorId: string,
) {
  const { world } = context
  const guild = channel.guildId === null ? null : world.getGuild(channel.guildId)
  const members = [...(guild?.members.values() ?? [])]
  const byRole = members.filter(({ roles }) => roles.some((id) => found.mentionRoles.includes(id)))
  const ids = [
    ...found.mentions,
    ...byRole.map(({ userId }) => userId),
    ...(found.mentionEveryone ? members.map(({ userId }) => userId) : []),
    ...(channel.recipientId === null ? [] : [channel.recipientId]),
  ]
  return [...new Set(ids)].filter((id) => id !== authorId && world.can(id, channel, 'VIEW_CHANNEL'))
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function unique(matches: Iterable<RegExpMatchArray>): string[] {
  return [...new Set([...matches].map(([, id = '']) => id))]
}

/** Mentions in code are text. */
function withoutCode(content: string): string {
  return content.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
}
