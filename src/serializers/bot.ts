import { type TSchema, Type } from '@sinclair/typebox'
import { loginLink } from '../model/core/dashboardLinks'
import { entity, fillDefaults, type JsonObject, parseDraft } from '../model/core/entity'
import { error, type Problems } from '../model/core/errors'
import {
  clientTimestamp,
  flag,
  nullableSnowflake,
  reference,
  required,
  requiredFlag,
  requiredReference,
  snowflake,
  text,
} from '../model/core/field'
import { bareId, describeId, formatId, isIdOf, type Platform } from '../model/core/platform'
import { isUuid } from '../model/core/ref'
import { formatInstant, type Instant } from '../model/core/time'
import { isObject, Problem } from '../model/core/validation'
import {
  type Decision,
  defaultProxyLimits,
  ignoreReasons,
  type ProxyLimits,
  type ProxyMessage,
  refuseReasons,
} from '../model/proxy/decide'
import { system } from '../model/systems/system'
import {
  markSerialized,
  parseObject,
  parseStrings,
  type RawBody,
  type SerializedObject,
  serializedJson,
} from './body'
import { bodySchema, EXAMPLE_MEMBER, fieldSchema, rawBody } from './schema'

/** Bodies and responses of the bot API that version 2 does not have. */

const newSystem = entity('new system', {
  account_id: nullableSnowflake({ doc: 'Chat account to link to the system' }),
  name: text({ max: 100, doc: system.fields.name.doc }),
  invite: text({
    max: 100,
    doc: 'Invitation code, if the server requires one; spaces, dashes and case are ignored',
  }),
})

const newToken = entity('new token', {
  name: text({ max: 100, doc: 'Name of the token; replaces an existing token of that name' }),
})

const account = entity('account', {
  autoproxy_enabled: requiredFlag({ doc: 'Whether autoproxy is enabled for this account' }),
})

const link = entity('link', {
  account_id: snowflake({ doc: 'Account to link' }),
  code: required({
    max: 100,
    doc: 'Link code of the system; spaces, dashes and case are ignored',
  }),
})

const incoming = entity('message', {
  account_id: snowflake({ doc: 'Account that sent the message' }),
  guild_id: snowflake({ doc: 'Guild that the message was sent in' }),
  channel_id: snowflake({ doc: 'Channel that the message was sent in' }),
  thread_id: nullableSnowflake({ doc: 'Thread that the message was sent in' }),
  has_attachments: flag(false, { doc: 'Whether the message has attachments' }),
  has_poll: flag(false, { doc: 'Whether the message has a poll' }),
  is_edit: flag(false, { doc: 'Whether this is an edit of an earlier message' }),
  at: clientTimestamp({ doc: 'Time of the message; defaults to now' }),
  as: reference({
    doc: 'Short ID or UUID of a member of the account’s system to proxy as; autoproxy and backslash commands do not apply, and proxy tags of any member are removed',
  }),
  original: nullableSnowflake({
    doc: 'ID of the message; the decision is `ignore` if a proxied message of it is recorded',
  }),
  dry_run: flag(false, { doc: 'Decide without any effect' }),
})

const record = entity('message record', {
  id: snowflake({ doc: 'ID of the proxied message' }),
  original: snowflake({ doc: 'ID of the original message' }),
  sender: snowflake({ doc: 'Account that sent the original message' }),
  channel: snowflake({ doc: 'Channel' }),
  guild: nullableSnowflake({ doc: 'Guild' }),
  member: requiredReference({ doc: 'Short ID or UUID of the proxied member' }),
  timestamp: clientTimestamp({ doc: 'Time of the message; defaults to now' }),
})

/** Limit of records that one request deletes. */
export const MAX_DELETED = 500

export function newSystemFromBot(body: RawBody, platform: Platform) {
  return fillDefaults(newSystem, parseDraft(newSystem, { values: parseOptional(body), platform }))
}

export function tokenNameFromBot(body: RawBody): string | null {
  return parseDraft(newToken, { values: parseOptional(body) }).name ?? null
}

export function accountFromBot(body: RawBody) {
  return parseDraft(account, { values: parseObject(body) })
}

export function linkFromBot(body: RawBody, platform: Platform) {
  return parseDraft(link, { values: parseObject(body), platform })
}

export function recordFromBot(body: RawBody, platform: Platform) {
  return fillDefaults(record, parseDraft(record, { values: parseObject(body), platform }))
}

export function incomingFromBot(body: RawBody, platform: Platform, now: () => Instant) {
  const values = parseObject(body)
  const problems: Problems = {}
  const content = parseContent(values.content, problems)
  const previous = parsePrevious(values.previous, problems)
  const limits = parseLimits(values.limits, problems)
  const message = fillDefaults(incoming, parseDraft(incoming, { values, platform, problems }))
  const at = message.at ?? now()
  return Object.assign(message, { content, previous, limits, platform, at })
}

export function deletedFromBot(body: RawBody, platform: Platform): string[] {
  const ids = parseStrings(body)
  if (ids.length > MAX_DELETED) throw error('badRequest', `at most ${MAX_DELETED} IDs`)
  if (!ids.every((id) => isIdOf(platform, id)))
    throw error('badRequest', `every ID must be ${describeId(platform)}`)
  return ids.map((id) => formatId({ platform, id }))
}

/** Serializes a decision. `member` is JSON text as its owner sees it. */
export function decisionToBot(decision: Decision, systemHid: string | null, member: string | null) {
  if (decision.action === 'refuse') {
    const { action, reason, notify, text } = decision
    return serializedJson(JSON.stringify({ action, reason, notify, text }))
  }
  if (decision.action !== 'proxy') return serializedJson(JSON.stringify(decision))
  const { matched, message } = decision
  const rest = JSON.stringify({ matched, message }).slice(1)
  return serializedJson(
    `{"action":"proxy","system":${JSON.stringify(systemHid)},"member":${member},${rest}`,
  )
}

/** Serializes a message with what the account that asked may do with it. */
export function messageToBot(message: SerializedObject, isOwn: boolean, pings_enabled: boolean) {
  return markSerialized({ ...message, own: isOwn, pings_enabled })
}

export function createdSystemToBot(system: SerializedObject, token: string) {
  return markSerialized({ system, token })
}

export function loginLinkToBot(address: string, code: string, expires: Instant) {
  return markSerialized({ url: loginLink(address, code), expires: formatInstant(expires) })
}

export function tokenToBot(token: string) {
  return markSerialized({ token })
}

/** Serializes an account, given its stored ID and the short ID of its system. */
export function accountToBot(id: string, system: string, autoproxy_enabled: boolean) {
  return markSerialized({ account_id: bareId(id), system, autoproxy_enabled })
}

export function linkToBot(id: string, system: string) {
  return markSerialized({ account_id: bareId(id), system })
}

/** Parses a body that may be empty, because all of its keys are optional. */
function parseOptional(body: RawBody): JsonObject {
  return body.text === '' ? {} : parseObject(body)
}

/** Accepts any text, because the content is never stored; null counts as empty. */
function parseContent(value: unknown, problems: Problems): string | null {
  if (typeof value === 'string' || value === null) return value
  problems.content = [new Problem(value === undefined ? 'required' : 'not_text_or_null')]
  return null
}

function parsePrevious(value: unknown, problems: Problems): ProxyMessage['previous'] {
  if (value === undefined || value === null) return null
  const { name, member = null } = isObject(value) ? value : {}
  const isMember = member === null || (typeof member === 'string' && isUuid(member))
  if (typeof name === 'string' && isMember) return { name, member: member?.toLowerCase() ?? null }
  problems.previous = [new Problem('not_previous')]
  return null
}

/** Parses the limits of a platform; defaults are those of Discord. */
function parseLimits(value: unknown, problems: Problems): ProxyLimits {
  const limits = { ...defaultProxyLimits }
  if (value === undefined || value === null) return limits
  if (!isObject(value)) {
    problems.limits = [new Problem('not_limits')]
    return limits
  }
  for (const key of ['content', 'name'] as const) {
    const limit = value[key] ?? limits[key]
    if (typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0) limits[key] = limit
    else problems[`limits.${key}`] = [new Problem('not_positive')]
  }
  return limits
}

const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()])
const tag = Type.Object({ prefix: nullable(Type.String()), suffix: nullable(Type.String()) })
const oneOf = (values: readonly string[]) => Type.Unsafe({ type: 'string', enum: values })
const ref = (name: string) => Type.Unsafe({ $ref: `#/components/schemas/${name}` })
const token = Type.String({ description: 'Token of the system; shown only once' })

/** IDs of a platform, for examples. */
const exampleIds = {
  account: '100000000000000001',
  guild: '200000000000000001',
  channel: '300000000000000001',
  original: '400000000000000001',
  sent: '400000000000000002',
}

/** Code and messages of examples. */
export const EXAMPLE_CODE = 'K7MQ3XPA'
export const EXAMPLE_MESSAGES = [exampleIds.sent]

/** Schemas of the bot API, for its documentation. */
export const schemasBot = {
  newSystem: bodySchema(newSystem, 'draft', {
    account_id: exampleIds.account,
    name: system.fields.name.example,
  }),
  createdSystem: Type.Object({ system: ref('System'), token }),
  newToken: bodySchema(newToken, 'draft', { name: 'my app' }),
  token: Type.Object({ token }),
  accountPatch: bodySchema(account, 'draft', { autoproxy_enabled: false }),
  account: Type.Object({
    account_id: Type.String(),
    system: Type.String({ description: 'Short ID of the system' }),
    autoproxy_enabled: Type.Boolean(),
  }),
  link: bodySchema(link, 'draft', { account_id: exampleIds.account, code: EXAMPLE_CODE }),
  linked: Type.Object({
    account_id: Type.String(),
    system: Type.String({ description: 'Short ID of the system' }),
  }),
  record: bodySchema(record, 'draft', {
    id: exampleIds.sent,
    original: exampleIds.original,
    sender: exampleIds.account,
    channel: exampleIds.channel,
    guild: exampleIds.guild,
    member: EXAMPLE_MEMBER,
  }),
  incoming: rawBody({
    type: 'object',
    required: ['account_id', 'guild_id', 'channel_id', 'content'],
    properties: {
      ...Object.fromEntries(
        incoming.entries.map(([key, field]) => [key, fieldSchema(field, field.nullable)]),
      ),
      content: {
        type: ['string', 'null'],
        description: 'Text of the message; null counts as empty',
      },
      limits: {
        type: ['object', 'null'],
        description: 'Maximum lengths on the platform; defaults are those of Discord',
        properties: {
          content: { type: ['integer', 'null'], minimum: 1, default: defaultProxyLimits.content },
          name: { type: ['integer', 'null'], minimum: 1, default: defaultProxyLimits.name },
        },
      },
      previous: {
        type: ['object', 'null'],
        description: 'Previous message in the channel',
        properties: {
          name: { type: 'string', description: 'Displayed name of its author' },
          member: {
            type: ['string', 'null'],
            description: 'UUID of its member, if it was proxied',
          },
        },
      },
    },
    example: {
      account_id: exampleIds.account,
      guild_id: exampleIds.guild,
      channel_id: exampleIds.channel,
      content: 'w:hello',
      previous: { name: 'Finch', member: null },
    },
  }),
  decision: Type.Union([
    Type.Object({
      action: Type.Literal('proxy'),
      system: Type.String({ description: 'Short ID of the system' }),
      member: ref('Member'),
      matched: Type.Object({
        by: oneOf(['tags', 'autoproxy', 'as']),
        tag: nullable(tag),
        mode: nullable(oneOf(['front', 'latch', 'member'])),
      }),
      message: Type.Object({
        content: Type.String(),
        name: Type.String({
          description:
            'Name to send the message with, adapted to the platform. On Discord it may contain invisible characters, to avoid forbidden words and to keep messages of different members apart',
        }),
        plain_name: Type.String({
          description:
            'The same name without invisible characters, for logs, search, pings and comparisons, and for platforms that set names themselves',
        }),
        avatar_url: nullable(Type.String()),
        tts: Type.Boolean(),
      }),
    }),
    Type.Object({ action: Type.Literal('ignore'), reason: oneOf(ignoreReasons) }),
    Type.Object({
      action: Type.Literal('refuse'),
      reason: oneOf(refuseReasons),
      notify: Type.Boolean({ description: 'Whether the bot should notify the user' }),
      text: Type.String({ description: 'Message for the user' }),
    }),
    Type.Object({ action: Type.Literal('autoproxy_off') }),
    Type.Object({ action: Type.Literal('unlatch') }),
  ]),
}
