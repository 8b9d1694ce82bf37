import { type TSchema, Type } from '@sinclair/typebox'
import { entity, fillDefaults, type JsonObject, parseDraft } from '../model/entity'
import { error, type Problems } from '../model/errors'
import {
  clientTimestamp,
  flag,
  nullableSnowflake,
  required,
  requiredFlag,
  requiredReference,
  snowflake,
  text,
} from '../model/field'
import { bareId, describeId, formatId, isIdOf, type Platform } from '../model/platform'
import {
  type Decision,
  ignoreReasons,
  type ProxyLimits,
  type ProxyMessage,
  refuseReasons,
  usualLimits,
} from '../model/proxy/decide'
import { isUuid } from '../model/ref'
import { system } from '../model/system'
import { formatInstant, type Instant } from '../model/time'
import { Problem } from '../model/validation'
import {
  isObject,
  markSerialized,
  parseObject,
  parseStrings,
  type RawBody,
  type SerializedObject,
  serializedJson,
} from './body'
import { bodySchema, EXAMPLE_MEMBER, fieldSchema, rawBody } from './schema'

/** What a bot sends, beside what version 2 already knows. */

const newSystem = entity('new system', {
  account_id: nullableSnowflake({ doc: 'Chat account to link to it' }),
  name: text({ max: 100, doc: system.fields.name.doc }),
  invite: text({
    max: 100,
    doc: 'Code of the operator, where systems are made by invitation; spaces, dashes and case do not matter',
  }),
})

const newToken = entity('new token', {
  name: text({ max: 100, doc: 'Name of the token; it replaces an older one of that name' }),
})

const account = entity('account', {
  autoproxy_enabled: requiredFlag({ doc: 'Whether autoproxy may speak for this account' }),
})

const link = entity('link', {
  account_id: snowflake({ doc: 'Account to link' }),
  code: required({
    max: 100,
    doc: 'What the system was given; spaces, dashes and case do not matter',
  }),
})

const incoming = entity('message', {
  account_id: snowflake({ doc: 'Account that sent the message' }),
  guild_id: snowflake({ doc: 'Guild it was sent in' }),
  channel_id: snowflake({ doc: 'Channel it was sent in' }),
  thread_id: nullableSnowflake({ doc: 'Thread it was sent in' }),
  has_attachments: flag(false, { doc: 'Whether files come with it' }),
  has_poll: flag(false, { doc: 'Whether a poll comes with it' }),
  is_edit: flag(false, { doc: 'Whether it was sent before and is now edited' }),
  at: clientTimestamp({ doc: 'When it was sent; now when left out' }),
  dry_run: flag(false, { doc: 'Only say what would be done' }),
})

const record = entity('message record', {
  id: snowflake({ doc: 'ID of the message as it was sent for the member' }),
  original: snowflake({ doc: 'ID of the message that triggered it' }),
  sender: snowflake({ doc: 'Account that sent the original' }),
  channel: snowflake({ doc: 'Channel' }),
  guild: nullableSnowflake({ doc: 'Guild' }),
  member: requiredReference({ doc: 'Short ID or UUID of the member who spoke' }),
  timestamp: clientTimestamp({ doc: 'When it was sent; now when left out' }),
})

/** Most records that one request deletes. */
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

export function incomingFromBot(body: RawBody, platform: Platform) {
  const values = parseObject(body)
  const problems: Problems = {}
  const content = parseContent(values.content, problems)
  const previous = parsePrevious(values.previous, problems)
  const limits = parseLimits(values.limits, problems)
  const draft = parseDraft(incoming, { values, platform, problems })
  return { ...fillDefaults(incoming, draft), content, previous, limits }
}

export function deletedFromBot(body: RawBody, platform: Platform): string[] {
  const ids = parseStrings(body)
  if (ids.length > MAX_DELETED) throw error('badRequest', `at most ${MAX_DELETED} IDs`)
  if (!ids.every((id) => isIdOf(platform, id)))
    throw error('badRequest', `every ID must be ${describeId(platform)}`)
  return ids.map((id) => formatId({ platform, id }))
}

/** Spells a decision; the member comes as the JSON of its owner's view. */
export function decisionToBot(decision: Decision, systemHid: string | null, member: string | null) {
  if (decision.action !== 'proxy') return serializedJson(JSON.stringify(decision))
  const { action, matched, message } = decision
  const head = JSON.stringify({ action, system: systemHid }).slice(0, -1)
  const tail = JSON.stringify({ matched, message }).slice(1)
  return serializedJson(`${head},"member":${member},${tail}`)
}

export function createdSystemToBot(system: SerializedObject, token: string) {
  return markSerialized({ system, token })
}

export function loginLinkToBot(address: string, code: string, expires: Instant) {
  return markSerialized({ url: `${address}/#/login/${code}`, expires: formatInstant(expires) })
}

export function tokenToBot(token: string) {
  return markSerialized({ token })
}

/** An account by the ID that is kept, and the short ID of its system. */
export function accountToBot(id: string, system: string, autoproxy_enabled: boolean) {
  return markSerialized({ account_id: bareId(id), system, autoproxy_enabled })
}

export function linkToBot(id: string, system: string) {
  return markSerialized({ account_id: bareId(id), system })
}

/** A body that may be missing altogether, where every key of it may be. */
function parseOptional(body: RawBody): JsonObject {
  return body.text === '' ? {} : parseObject(body)
}

/** Never stored, so anything that is text will do; null counts as empty. */
function parseContent(value: unknown, problems: Problems): string | null {
  if (typeof value === 'string' || value === null) return value
  problems.content = [new Problem(value === undefined ? 'Required.' : 'Must be a string or null.')]
  return null
}

function parsePrevious(value: unknown, problems: Problems): ProxyMessage['previous'] {
  if (value === undefined || value === null) return null
  const { name, member = null } = isObject(value) ? value : {}
  const isMember = member === null || (typeof member === 'string' && isUuid(member))
  if (typeof name === 'string' && isMember) return { name, member: member?.toLowerCase() ?? null }
  problems.previous = [new Problem('Must be an object with "name" and "member", a UUID or null.')]
  return null
}

/** What a platform takes, where that is not what Discord takes. */
function parseLimits(value: unknown, problems: Problems): ProxyLimits {
  const limits = { ...usualLimits }
  if (value === undefined || value === null) return limits
  if (!isObject(value)) {
    problems.limits = [new Problem('Must be an object with "content" and "name".')]
    return limits
  }
  for (const key of ['content', 'name'] as const) {
    const given = value[key] ?? limits[key]
    if (typeof given === 'number' && Number.isSafeInteger(given) && given > 0) limits[key] = given
    else problems[`limits.${key}`] = [new Problem('Must be a whole number, 1 or more.')]
  }
  return limits
}

const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()])
const tag = Type.Object({ prefix: nullable(Type.String()), suffix: nullable(Type.String()) })
const reasons = (words: readonly string[]) => Type.Unsafe({ type: 'string', enum: words })
const ref = (name: string) => Type.Unsafe({ $ref: `#/components/schemas/${name}` })
const token = Type.String({ description: 'The system’s token; it is shown this once' })

/** IDs of a platform, for bodies that are shown. */
const shown = {
  account: '100000000000000001',
  guild: '200000000000000001',
  channel: '300000000000000001',
  original: '400000000000000001',
  sent: '400000000000000002',
}

/** The code and the messages of bodies that are shown. */
export const EXAMPLE_CODE = 'K7MQ3XPA'
export const EXAMPLE_MESSAGES = [shown.sent]

/** The shapes of the bot interface, for its documentation. */
export const schemasBot = {
  newSystem: bodySchema(newSystem, 'draft', {
    account_id: shown.account,
    name: system.fields.name.example,
  }),
  madeSystem: Type.Object({ system: ref('System'), token }),
  newToken: bodySchema(newToken, 'draft', { name: 'my app' }),
  token: Type.Object({ token }),
  accountPatch: bodySchema(account, 'draft', { autoproxy_enabled: false }),
  account: Type.Object({
    account_id: Type.String(),
    system: Type.String({ description: 'Short ID of the system' }),
    autoproxy_enabled: Type.Boolean(),
  }),
  link: bodySchema(link, 'draft', { account_id: shown.account, code: EXAMPLE_CODE }),
  linked: Type.Object({
    account_id: Type.String(),
    system: Type.String({ description: 'Short ID of the system' }),
  }),
  record: bodySchema(record, 'draft', {
    id: shown.sent,
    original: shown.original,
    sender: shown.account,
    channel: shown.channel,
    guild: shown.guild,
    member: EXAMPLE_MEMBER,
  }),
  incoming: rawBody({
    type: 'object',
    required: ['account_id', 'guild_id', 'channel_id', 'content'],
    properties: {
      ...Object.fromEntries(
        incoming.entries.map(([key, field]) => [key, fieldSchema(field, field.nullable)]),
      ),
      content: { type: ['string', 'null'], description: 'Text; null counts as empty' },
      limits: {
        type: ['object', 'null'],
        description: 'Where the platform’s messages may be longer or shorter than Discord’s',
        properties: {
          content: { type: ['integer', 'null'], minimum: 1, default: usualLimits.content },
          name: { type: ['integer', 'null'], minimum: 1, default: usualLimits.name },
        },
      },
      previous: {
        type: ['object', 'null'],
        description: 'The message before it in the channel',
        properties: {
          name: { type: 'string', description: 'Name it is shown under' },
          member: {
            type: ['string', 'null'],
            description: 'UUID of its member, if it was proxied here',
          },
        },
      },
    },
    example: {
      account_id: shown.account,
      guild_id: shown.guild,
      channel_id: shown.channel,
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
        by: reasons(['tags', 'autoproxy']),
        tag: nullable(tag),
        mode: nullable(reasons(['front', 'latch', 'member'])),
      }),
      message: Type.Object({
        content: Type.String(),
        name: Type.String({
          description:
            'Name to send it under, ready for the platform: on Discord with invisible characters where it forbids a word or would merge two speakers',
        }),
        plain_name: Type.String({
          description:
            'The same name without such characters: for logs, search, pings and comparing, and for platforms that set names themselves',
        }),
        avatar_url: nullable(Type.String()),
        tts: Type.Boolean(),
      }),
    }),
    Type.Object({ action: Type.Literal('ignore'), reason: reasons(ignoreReasons) }),
    Type.Object({
      action: Type.Literal('refuse'),
      reason: reasons(refuseReasons),
      notify: Type.Boolean({ description: 'Whether the user wants to be told' }),
      text: Type.String({ description: 'Words for the user' }),
    }),
    Type.Object({ action: Type.Literal('autoproxy_off') }),
    Type.Object({ action: Type.Literal('unlatch') }),
  ]),
}
