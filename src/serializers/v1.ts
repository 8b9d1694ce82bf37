import { type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import {
  type Entity,
  entity,
  type JsonObject,
  parseDraft,
  parseLevel,
  parsePartial,
  requireNonEmpty,
  serializeValue,
  throwIfInvalid,
} from '../model/core/entity'
import { error, type Problems } from '../model/core/errors'
import { required, text } from '../model/core/field'
import { type Redacted, redactionOf } from '../model/core/privacy'
import { formatInstant, type Instant } from '../model/core/time'
import { MAX_TAG_AFFIXES, MAX_URL, Problem } from '../model/core/validation'
import { type MemberDraft, type MemberPatch, member } from '../model/members/member'
import type { Message } from '../model/proxy/message'
import { type SettingsPatch, settings } from '../model/systems/settings'
import { type SystemPatch, system } from '../model/systems/system'
import { markSerialized, parseObject, type RawBody, type SerializedObject } from './body'
import { exampleOf, fieldSchema, rawBody } from './schema'
import { parseFronters, parseSwitch } from './v2'

/** Version 1 has a lower limit for names than version 2. */
const MAX_NAME = 50

/** Stored as given, because version 1 never validated URLs. */
const address = text({ max: MAX_URL, doc: 'URL, not validated' })

const affix = text({ max: MAX_TAG_AFFIXES, doc: 'Prefix or suffix of the first proxy tag' })

/*
 * Version 1 gets no new fields: these tables list its fields, in its order. `created` is serialized
 * separately, because it has another position.
 */

const systemV1 = entity(
  system.name,
  {
    name: system.fields.name,
    description: system.fields.description,
    tag: system.fields.tag,
    color: system.fields.color,
    avatar_url: address,
    banner: address,
  },
  ['description_privacy', 'member_list_privacy', 'front_privacy', 'front_history_privacy'],
)

const memberV1 = entity(
  member.name,
  {
    name: required({
      max: MAX_NAME,
      doc: member.fields.name.doc,
      example: member.fields.name.example,
    }),
    display_name: text({ max: MAX_NAME, doc: member.fields.display_name.doc }),
    description: member.fields.description,
    pronouns: member.fields.pronouns,
    color: member.fields.color,
    avatar_url: address,
    banner: address,
    birthday: member.fields.birthday,
    proxy_tags: member.fields.proxy_tags,
    keep_proxy: member.fields.keep_proxy,
  },
  [
    'visibility',
    'name_privacy',
    'description_privacy',
    'avatar_privacy',
    'birthday_privacy',
    'pronoun_privacy',
    'metadata_privacy',
  ],
)

export function systemToV1(redacted: Redacted<typeof system>): SerializedObject {
  return markSerialized({
    id: redacted.hid,
    ...fieldsToV1(systemV1, redacted),
    // The time zone is a setting in version 2. PluralKit has returned UTC here since 2021.
    tz: 'UTC',
    created: serializeValue(system.fields.created, redacted.created ?? null),
    ...levelsToV1(systemV1, redacted),
  })
}

export function memberToV1(redacted: Redacted<typeof member>): SerializedObject {
  const [tag] = redacted.proxy_tags ?? []
  return markSerialized({
    id: redacted.hid,
    ...fieldsToV1(memberV1, redacted),
    prefix: tag?.prefix ?? null,
    suffix: tag?.suffix ?? null,
    created: serializeValue(member.fields.created, redacted.created ?? null),
    privacy: redacted.visibility ?? null,
    ...levelsToV1(memberV1, redacted),
  })
}

export function switchToV1(timestamp: Instant, members: readonly unknown[]): SerializedObject {
  return markSerialized({ timestamp: formatInstant(timestamp), members })
}

export function messageToV1(
  { timestamp, id, original, sender, channel }: Message,
  system: SerializedObject | null,
  member: SerializedObject | null,
): SerializedObject {
  return markSerialized({
    timestamp: formatInstant(timestamp),
    id,
    original,
    sender,
    channel,
    system,
    member,
  })
}

/** Splits a patch into system and settings, because `tz` is a setting now. */
export function systemPatchFromV1(body: RawBody): {
  system: SystemPatch
  settings: SettingsPatch
} {
  const input = parseObject(body)
  const { values, problems } = parsePartial(systemV1, { values: input, levels: input })
  const settings: SettingsPatch = {}
  if (input.tz !== undefined) {
    const timezone = parseTimezone(input.tz)
    if (timezone instanceof Problem) problems.tz = [timezone]
    else settings.timezone = timezone
  }
  throwIfInvalid(problems)
  requireNonEmpty({ ...values, ...settings })
  return { system: values, settings }
}

export function memberPatchFromV1(body: RawBody): MemberPatch {
  const input = parseObject(body)
  const { values, problems } = parsePartial(memberV1, { values: input, levels: input })
  const legacy = parseLegacyKeys(input, values)
  throwIfInvalid({ ...problems, ...legacy.problems })
  const patch = { ...values, ...legacy.values }
  requireNonEmpty(patch)
  return patch
}

export function memberDraftFromV1(body: RawBody): MemberDraft {
  const input = parseObject(body)
  const legacy = parseLegacyKeys(
    input,
    parsePartial(memberV1, { values: input, levels: input }).values,
  )
  const draft = parseDraft(memberV1, { values: input, levels: input, problems: legacy.problems })
  return { ...draft, ...legacy.values }
}

/** Parses the fronters of a new switch; version 1 has no other key. */
export function frontersFromV1(body: RawBody): string[] {
  const members = parseFronters(parseSwitch(body).members)
  if (members instanceof Problem) throw error('invalidBody', { members: [members] })
  return members
}

/** Parses keys that newer ones replaced. They are ignored if the newer ones are given. */
function parseLegacyKeys(input: JsonObject, newer: MemberPatch) {
  const values: MemberPatch = {}
  const problems: Problems = {}
  const { prefix, suffix, privacy } = input
  if (input.proxy_tags === undefined && (prefix !== undefined || suffix !== undefined)) {
    for (const [key, part] of Object.entries({ prefix, suffix })) {
      const read = affix.parse(part ?? null)
      if (read instanceof Problem) problems[key] = [read]
    }
    const tags = member.fields.proxy_tags.parse([
      { prefix: prefix ?? null, suffix: suffix ?? null },
    ])
    if (!(tags instanceof Problem)) values.proxy_tags = tags
    // Each is valid, but together they are too long.
    else if (!problems.prefix && !problems.suffix) problems.prefix = [tags]
  }
  if (privacy !== undefined && !memberV1.levels.some((level) => level in newer)) {
    const level = parseLevel(privacy)
    if (level instanceof Problem) problems.privacy = [level]
    else for (const name of member.levels) values[name] = level
  }
  return { values, problems }
}

function parseTimezone(value: unknown): string | Problem {
  return value === null || value === ''
    ? settings.fields.timezone.defaultValue
    : settings.fields.timezone.parse(value)
}

/** Serializes all fields: version 1 never omits a key. */
function fieldsToV1({ entries }: Entity, redacted: object): JsonObject {
  const values = redacted as JsonObject
  return Object.fromEntries(
    entries.map(([key, field]) => [key, serializeValue(field, values[key] ?? null)]),
  )
}

function levelsToV1(entity: Entity, redacted: object): JsonObject {
  const values = redacted as JsonObject
  return Object.fromEntries(entity.levels.map((level) => [level, values[level] ?? null]))
}

const levelSchema = Type.Unsafe({ type: ['string', 'null'], enum: ['public', 'private', null] })
const nullableText = Type.Unsafe({ type: ['string', 'null'] })
const nullableTime = Type.Unsafe({ type: ['string', 'null'], format: 'date-time' })

/** Omits maximum lengths, because values written by version 2 may exceed those of version 1. */
function responseSchema({ entries, levels }: Entity, extra: Record<string, TSchema>): TSchema {
  const fieldSchemas = entries.map(([key, field]): [string, TSchema] => {
    const hidden = redactionOf(field)
    const isNullable = field.defaultValue === null || hidden === 'null' || hidden === 'absent'
    const { maxLength: _, ...schema } = fieldSchema(field, isNullable)
    return [key, schema as TSchema]
  })
  const properties = {
    id: Type.String(),
    ...Object.fromEntries(fieldSchemas),
    ...extra,
    ...Object.fromEntries(levels.map((level) => [level, levelSchema])),
  }
  return Type.Unsafe({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  })
}

function requestSchema(
  entity: Entity,
  extra: Record<string, TSchema>,
  requiredKeys: string[],
): TUnsafe<RawBody> {
  const { entries, levels } = entity
  const writableFields = entries
    .filter(([, field]) => !field.readonly)
    .map(([key, field]) => [key, fieldSchema(field, field.nullable)])
  return rawBody({
    type: 'object',
    ...(requiredKeys.length > 0 && { required: requiredKeys }),
    properties: {
      ...Object.fromEntries(writableFields),
      ...extra,
      ...Object.fromEntries(levels.map((level) => [level, levelSchema])),
    },
    example: exampleOf(entity),
  })
}

const legacyKeys = { prefix: nullableText, suffix: nullableText, privacy: levelSchema }

function switchSchema(members: TSchema): TSchema {
  return Type.Object(
    { timestamp: Type.String({ format: 'date-time' }), members: Type.Array(members) },
    { additionalProperties: false },
  )
}

const systemSchema = responseSchema(systemV1, { tz: Type.Literal('UTC'), created: nullableTime })
const memberSchema = responseSchema(memberV1, { ...legacyKeys, created: nullableTime })

/** Schemas of version 1, for its documentation. */
export const schemasV1 = {
  system: systemSchema,
  systemPatch: requestSchema(systemV1, { tz: nullableText }, []),
  member: memberSchema,
  members: Type.Array(memberSchema),
  memberDraft: requestSchema(memberV1, legacyKeys, ['name']),
  memberPatch: requestSchema(memberV1, legacyKeys, []),
  switches: Type.Array(switchSchema(Type.String())),
  fronters: switchSchema(memberSchema),
  message: Type.Object(
    {
      timestamp: Type.String({ format: 'date-time' }),
      id: Type.String(),
      original: Type.String(),
      sender: Type.String(),
      channel: Type.String(),
      system: Type.Union([systemSchema, Type.Null()]),
      member: Type.Union([memberSchema, Type.Null()]),
    },
    { additionalProperties: false },
  ),
}
