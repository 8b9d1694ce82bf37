import { Type } from '@sinclair/typebox'
import {
  MAX_PREFERENCE_ITEMS,
  type Preferences,
  type PreferencesPatch,
  preferences,
} from '../model/access/preferences'
import { loginLink } from '../model/core/dashboardLinks'
import {
  entity,
  fillDefaults,
  parseDraft,
  parsePartial,
  requireNonEmpty,
  throwIfInvalid,
} from '../model/core/entity'
import { error, type Problems } from '../model/core/errors'
import { flag, requiredChoice, text } from '../model/core/field'
import { formatInstant, type Instant } from '../model/core/time'
import { Problem } from '../model/core/validation'
import { system, visibilities } from '../model/systems/system'
import { isStrings, markSerialized, parseObject, type RawBody } from './body'
import { bodySchema, rawBody } from './schema'

/** Serializers of the endpoints that only the dashboard uses. */

interface Session {
  uuid: string
  name: string
  created: Instant
  last_used: Instant
  expires: Instant
}

interface SystemIdentity {
  hid: string
  uuid: string
  name: string | null
}

export function sessionToWeb(session: Session, system: SystemIdentity) {
  const { uuid: id, name, created, expires } = session
  return markSerialized({
    system: { id: system.hid, uuid: system.uuid, name: system.name },
    session: { id, name, created: formatInstant(created), expires: formatInstant(expires) },
  })
}

export function deviceToWeb(session: Session, isCurrent: boolean) {
  const { uuid: id, name, created, last_used, expires } = session
  return markSerialized({
    id,
    name,
    created: formatInstant(created),
    last_used: formatInstant(last_used),
    expires: formatInstant(expires),
    this: isCurrent,
  })
}

export function loginToWeb(system: { name: string | null }) {
  return markSerialized({ system: { name: system.name } })
}

/** Serializes a new system with its session and its first token, which is shown once. */
export function createdSystemToWeb(session: Session, system: SystemIdentity, token: string) {
  return markSerialized({ ...sessionToWeb(session, system), token })
}

export function loginLinkToWeb(address: string, code: string, expires: Instant) {
  return markSerialized({ url: loginLink(address, code), expires: formatInstant(expires) })
}

export function registrationToWeb(registration: string, needsSetup: boolean) {
  return markSerialized({ registration, needs_setup: needsSetup })
}

export function setupToWeb(expires: Instant) {
  return markSerialized({ expires: formatInstant(expires) })
}

export function importPlaceToWeb(ready: boolean) {
  return markSerialized({ ready })
}

/** Serializes the preferences and, if there are archived rows, the numbers that can be converted. */
export function preferencesToWeb(
  { pinned, statuses, word }: Preferences,
  convertible: readonly { collection: string; rows: number }[] | null,
) {
  const archive = convertible && { archive: { convertible } }
  return markSerialized({ pinned, statuses, word, ...archive })
}

export interface Login {
  proof: { token: string } | { code: string }
  remember: boolean
}

/** Parses a login: a token or the code of a login link, and whether to remember it. */
export function loginFromWeb(body: RawBody): Login {
  const { token, code, remember = false } = parseObject(body)
  const problems: Problems = {}
  if (typeof remember !== 'boolean') problems.remember = [new Problem('not_flag')]
  if (code !== undefined && typeof code !== 'string') problems.code = [mustBeText]
  if (token !== undefined && typeof token !== 'string') problems.token = [mustBeText]
  if (token === undefined && code === undefined) problems.token = [new Problem('required')]
  if (token !== undefined && code !== undefined) problems.code = [new Problem('token_or_code')]
  throwIfInvalid(problems)
  const proof = typeof code === 'string' ? { code } : { token: normalizeToken(String(token)) }
  return { proof, remember: remember === true }
}

const MAX_CODE = 100

const newSystem = entity('new system', {
  name: { ...system.fields.name, required: true },
  visibility: requiredChoice(visibilities, {
    doc: 'What others may see: everything, only the fronters, or nothing',
    example: 'private',
  }),
  code: text({ max: MAX_CODE, doc: 'Code of a set-up link' }),
  invite: text({
    max: MAX_CODE,
    doc: 'Invitation code, if the server requires one; spaces, dashes and case are ignored',
  }),
  remember: flag(false, {
    doc: 'Whether to stay logged in after the browser is closed',
    example: true,
  }),
})

/** Parses a new system, with the code of a set-up link or an invite. */
export function newSystemFromWeb(body: RawBody) {
  const values = parseObject(body)
  const problems: Problems = {}
  if (values.code && values.invite) problems.code = [new Problem('code_or_invite')]
  return fillDefaults(newSystem, parseDraft(newSystem, { values, problems }))
}

/** Removes white space and `Bearer`, which may be pasted with a token. */
function normalizeToken(token: string): string {
  return token.trim().replace(/^Bearer\s+/i, '')
}

export function codeFromWeb(body: RawBody): string {
  const { code } = parseObject(body)
  if (typeof code !== 'string') throw error('invalidBody', { code: [mustBeText] })
  return code
}

const MAX_DEVICE_NAME = 100

export function deviceNameFromWeb(body: RawBody): string {
  const { name } = parseObject(body)
  const problem =
    typeof name !== 'string'
      ? mustBeText
      : name === ''
        ? new Problem('empty')
        : name.length > MAX_DEVICE_NAME
          ? new Problem('too_long', { max: MAX_DEVICE_NAME, actual: name.length })
          : null
  if (problem) throw error('invalidBody', { name: [problem] })
  return String(name)
}

export function preferencesFromWeb(body: RawBody): PreferencesPatch {
  const input = parseObject(body)
  const { values, problems } = parsePartial(preferences, { values: input })
  const patch: PreferencesPatch = { ...values }
  for (const key of ['pinned', 'statuses'] as const) {
    const list = input[key]
    if (list === undefined) continue
    if (!isStrings(list)) problems[key] = [new Problem('not_references')]
    else if (list.length > MAX_PREFERENCE_ITEMS)
      problems[key] = [new Problem('too_many', { max: MAX_PREFERENCE_ITEMS, actual: list.length })]
    else patch[key] = list
  }
  throwIfInvalid(problems)
  requireNonEmpty(patch)
  return patch
}

const mustBeText = new Problem('not_text')

const time = Type.String({ format: 'date-time' })
const deviceName = Type.String({ description: 'Name of the device, such as “Firefox on Android”' })

/** Placeholders for secrets on the API page. */
export const EXAMPLE_TOKEN = 'your token'
export const EXAMPLE_LOGIN = 'the code after #/login/'
export const EXAMPLE_SETUP = 'the code after #/setup/'
export const EXAMPLE_SESSION = '3f0b2c1e-5d7a-4c8e-9b1f-6a2d4e8c7b90'

const session = Type.Object({
  system: Type.Object({
    id: Type.String(),
    uuid: Type.String({ format: 'uuid' }),
    name: Type.Union([Type.String(), Type.Null()]),
  }),
  session: Type.Object({
    id: Type.String({ format: 'uuid' }),
    name: deviceName,
    created: time,
    expires: time,
  }),
})

export const schemasWeb = {
  newSystem: bodySchema(newSystem, 'draft'),
  createdSystem: Type.Object({
    ...session.properties,
    token: Type.String({ description: 'Token of the scope `full`; it is not shown again' }),
  }),
  setupCode: codeBody(EXAMPLE_SETUP),
  setup: Type.Object({ expires: time }),
  registration: Type.Object({
    registration: Type.Unsafe({
      type: 'string',
      enum: ['closed', 'invite', 'open'],
      description: 'Who may create a system in a browser; `closed` if the limit is reached',
    }),
    needs_setup: Type.Boolean({
      description: 'Whether there is no system yet, so that a set-up link creates the first one',
    }),
  }),
  loginLink: Type.Object({ url: Type.String(), expires: time }),
  importPlace: Type.Object({
    ready: Type.Boolean({ description: 'Whether the file may be sent now; else ask again' }),
  }),
  login: rawBody({
    type: 'object',
    properties: {
      token: { type: 'string', description: 'Token of the scope `full`' },
      code: { type: 'string', description: 'Code of a login link, instead of a token' },
      remember: {
        type: 'boolean',
        description: 'Whether to stay logged in after the browser is closed',
      },
    },
    example: { token: EXAMPLE_TOKEN, remember: true },
  }),
  code: codeBody(EXAMPLE_LOGIN),
  deviceName: rawBody({
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', minLength: 1, maxLength: MAX_DEVICE_NAME } },
    example: { name: 'The phone in the kitchen' },
  }),
  preferences: rawBody({
    type: 'object',
    properties: {
      pinned: { type: 'array', items: { type: 'string' }, maxItems: MAX_PREFERENCE_ITEMS },
      statuses: {
        type: 'array',
        items: { type: 'string' },
        maxItems: MAX_PREFERENCE_ITEMS,
        deprecated: true,
        description:
          'Use the kind of a member instead. The present members of a group that is named here become custom fronts; removing a group changes no member.',
      },
      word: { type: 'string', minLength: 1, maxLength: 30 },
    },
    example: { word: 'headmates' },
  }),
  session,
  device: Type.Object({
    id: Type.String({ format: 'uuid' }),
    name: deviceName,
    created: time,
    last_used: time,
    expires: time,
    this: Type.Boolean({ description: 'Whether this is the session of the request' }),
  }),
  loginPreview: Type.Object({
    system: Type.Object({ name: Type.Union([Type.String(), Type.Null()]) }),
  }),
  preferencesResponse: Type.Object({
    pinned: Type.Array(Type.String({ format: 'uuid' }), {
      description: 'UUIDs of members that are shown first, in order',
    }),
    statuses: Type.Array(Type.String({ format: 'uuid' }), {
      deprecated: true,
      description: 'UUIDs of groups. Use the kind of a member (`custom_front`) instead',
    }),
    word: Type.String({ description: 'Term for members, such as “headmates”' }),
    archive: Type.Optional(
      Type.Object(
        {
          convertible: Type.Array(
            Type.Object({ collection: Type.String(), rows: Type.Integer() }),
            {
              description:
                'Collections with the numbers of rows that can be converted; 1,001 means more than 1,000',
            },
          ),
        },
        { description: 'Only if the system has archived rows' },
      ),
    ),
  }),
}

function codeBody(code: string) {
  return rawBody({
    type: 'object',
    required: ['code'],
    properties: { code: { type: 'string' } },
    example: { code },
  })
}
