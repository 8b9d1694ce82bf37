import * as spec from 'discord-api-spec/zod'
import * as z from 'zod/mini'
import type { Context } from './context'
import { type FieldError, invalidBody, isObject } from './errors'
import type { JsonObject } from './types'

/** A schema of npm `discord-api-spec`, generated from Discord's OpenAPI document. */
export type Schema = z.ZodMiniType

/** Request bodies that the document describes in place instead of by name. */
const inline = {
  createWebhook: z.object({
    name: z.string().check(z.minLength(1), z.maxLength(80)),
    avatar: z.nullish(z.string()),
  }),
  updateWebhook: z.object({
    name: z.optional(z.string().check(z.minLength(1), z.maxLength(80))),
    avatar: z.nullish(z.string()),
    channel_id: z.nullish(spec.SnowflakeTypeSchema),
  }),
  bulkDelete: z.object({ messages: z.array(spec.SnowflakeTypeSchema) }),
  editOwnMember: z.object({ nick: z.nullish(z.string().check(z.maxLength(32))) }),
}

export const bodies = {
  ...inline,
  createMessage: spec.MessageCreateRequestSchema,
  editMessage: spec.MessageEditRequestPartialSchema,
  executeWebhook: spec.IncomingWebhookRequestPartialSchema,
  editWebhookMessage: spec.IncomingWebhookUpdateRequestPartialSchema,
  createDm: spec.CreatePrivateChannelRequestSchema,
  createCommand: spec.ApplicationCommandCreateRequestSchema,
  updateCommand: spec.ApplicationCommandPatchRequestPartialSchema,
  overwriteCommands: z.array(spec.ApplicationCommandUpdateRequestSchema),
  threadOfMessage: spec.CreateTextThreadWithMessageRequestSchema,
  createThread: z.union([
    spec.CreateForumThreadRequestSchema,
    spec.CreateTextThreadWithoutMessageRequestSchema,
  ]),
  callback: {
    message: spec.CreateMessageInteractionCallbackRequestSchema,
    update: spec.UpdateMessageInteractionCallbackRequestSchema,
    autocomplete: spec.ApplicationCommandAutocompleteCallbackRequestSchema,
    modal: spec.ModalInteractionCallbackRequestSchema,
  },
}

export const answers = {
  application: spec.PrivateApplicationResponseSchema,
  callback: spec.InteractionCallbackResponseSchema,
  channel: z.union([
    spec.GuildChannelResponseSchema,
    spec.ThreadResponseSchema,
    spec.PrivateChannelResponseSchema,
  ]),
  channels: z.array(spec.GuildChannelResponseSchema),
  command: spec.ApplicationCommandResponseSchema,
  commands: z.array(spec.ApplicationCommandResponseSchema),
  createdThread: spec.CreatedThreadResponseSchema,
  gateway: spec.GatewayResponseSchema,
  gatewayBot: spec.GatewayBotResponseSchema,
  guild: spec.GuildWithCountsResponseSchema,
  member: spec.GuildMemberResponseSchema,
  message: spec.MessageResponseSchema,
  messages: z.array(spec.MessageResponseSchema),
  me: spec.UserPIIResponseSchema,
  myGuilds: z.array(spec.MyGuildResponseSchema),
  roles: z.array(spec.GuildRoleResponseSchema),
  thread: spec.ThreadResponseSchema,
  threadMember: spec.ThreadMemberResponseSchema,
  threads: spec.ThreadsResponseSchema,
  user: spec.UserResponseSchema,
  users: z.array(spec.UserResponseSchema),
  webhook: spec.GuildIncomingWebhookResponseSchema,
  webhooks: z.array(spec.GuildIncomingWebhookResponseSchema),
  // The document gives numbers as codes in the tree of errors, Discord sends words.
  error: spec.ErrorSchema,
  rateLimited: spec.RatelimitedResponseSchema,
}

/** Schemas of the objects in gateway events, which the document does not describe themselves. */
const events: Record<string, Schema> = {
  CHANNEL_CREATE: answers.channel,
  CHANNEL_UPDATE: answers.channel,
  CHANNEL_DELETE: answers.channel,
  GUILD_CREATE: z.intersection(
    spec.GuildResponseSchema,
    z.object({
      channels: z.array(spec.GuildChannelResponseSchema),
      threads: z.array(spec.ThreadResponseSchema),
      members: z.array(spec.GuildMemberResponseSchema),
    }),
  ),
  GUILD_MEMBER_UPDATE: spec.GuildMemberResponseSchema,
  GUILD_ROLE_CREATE: z.object({ role: spec.GuildRoleResponseSchema }),
  GUILD_ROLE_UPDATE: z.object({ role: spec.GuildRoleResponseSchema }),
  GUILD_UPDATE: spec.GuildResponseSchema,
  INTERACTION_CREATE: z.object({
    channel: answers.channel,
    member: z.optional(spec.GuildMemberResponseSchema),
    user: z.optional(spec.UserResponseSchema),
    message: z.optional(spec.MessageResponseSchema),
  }),
  MESSAGE_REACTION_ADD: z.object({ member: z.optional(spec.GuildMemberResponseSchema) }),
  MESSAGE_CREATE: spec.MessageResponseSchema,
  MESSAGE_UPDATE: spec.MessageResponseSchema,
  THREAD_CREATE: spec.ThreadResponseSchema,
  THREAD_UPDATE: spec.ThreadResponseSchema,
}

/** Throws 50035 with the tree of errors unless the body matches the schema of its operation. */
export function requireBody(schema: Schema, body: unknown): JsonObject {
  const result = schema.safeParse(body)
  if (!result.success) throw invalidBody(result.error.issues.flatMap(fieldErrors))
  return isObject(body) ? body : {}
}

/** Records a problem if an event is not what Discord could send. */
export function assertEvent(context: Context, type: string, data: unknown): void {
  const schema = events[type]
  if (schema) assertMatches(context, schema, data, type)
}

/** Records a problem if an answer is not what Discord could send. */
export function assertMatches(context: Context, schema: Schema, data: unknown, name: string): void {
  if (!context.options.isValidating) return
  const result = schema.safeParse(data)
  // The document lacks the reference type of forwards ("Message Resource, Message Reference Types").
  const issues = result.error?.issues.filter(
    ({ path }) => !path.join('.').endsWith('message_reference.type'),
  )
  const [issue] = issues ?? []
  if (!issue) return
  context.record.addProblem(
    `the stand-in sent an invalid ${name}: ${issue.path.join('.')} ${issue.message}`,
  )
}

type Issue = z.core.$ZodIssue

/** Errors in Discord's words ("Reference, Error Messages"). */
function fieldErrors(issue: Issue): FieldError[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  if (issue.code === 'invalid_union' && issue.errors.length > 0) return unionErrors(issue, path)
  return [{ path, ...described(issue) }]
}

/** Errors of the alternative that was meant: the one of the same type, with the fewest errors. */
function unionErrors(
  issue: Issue & { code: 'invalid_union' },
  path: (string | number)[],
): FieldError[] {
  const distance = (issues: Issue[]) =>
    issues.length + (issues.some((inner) => inner.path[0] === 'type') ? 1000 : 0)
  const [closest = []] = issue.errors.toSorted((one, other) => distance(one) - distance(other))
  return closest.flatMap(fieldErrors).map((error) => ({ ...error, path: [...path, ...error.path] }))
}

/** Fields with a minimum and a maximum, whose errors name both. */
const boundedFields = [
  'username 80',
  'name 80',
  'name 32',
  'description 100',
  'title 45',
  'custom_id 100',
]

function isBounded({ path }: Issue, limit: unknown): boolean {
  return boundedFields.includes(`${String(path.at(-1))} ${limit}`)
}

function described(issue: Issue): { code: string; message: string } {
  if (issue.code === 'too_big' && isBounded(issue, issue.maximum))
    return {
      code: 'BASE_TYPE_BAD_LENGTH',
      message: `Must be between 1 and ${issue.maximum} in length.`,
    }
  switch (issue.code) {
    case 'too_big':
      return issue.origin === 'number' || issue.origin === 'int'
        ? {
            code: 'NUMBER_TYPE_MAX',
            message: `Value should be less than or equal to ${issue.maximum}.`,
          }
        : {
            code: 'BASE_TYPE_MAX_LENGTH',
            message: `Must be ${issue.maximum} or fewer in length.`,
          }
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int'
        ? {
            code: 'NUMBER_TYPE_MIN',
            message: `Value should be greater than or equal to ${issue.minimum}.`,
          }
        : { code: 'BASE_TYPE_MIN_LENGTH', message: `Must be at least ${issue.minimum} in length.` }
    case 'invalid_type':
      return issue.input === undefined
        ? { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' }
        : { code: 'BASE_TYPE_INVALID', message: `Could not interpret as ${issue.expected}.` }
    case 'invalid_value':
      return {
        code: 'BASE_TYPE_CHOICES',
        message: `Value must be one of ${issue.values.join(', ')}.`,
      }
    case 'invalid_format':
      return issue.format === 'url'
        ? { code: 'URL_TYPE_INVALID_URL', message: 'Not a well formed URL.' }
        : { code: 'BASE_TYPE_INVALID', message: `Not a valid ${issue.format}.` }
    default:
      return { code: 'BASE_TYPE_INVALID', message: issue.message }
  }
}
