import {
  type Draft,
  type Entity,
  isEmptyPatch,
  type JsonObject,
  MAX_AT_ONCE,
  type Patch,
  parseDraft,
  parsePartial,
  parsePatch,
  type RawInput,
  type Row,
  serializeFields,
  throwIfInvalid,
} from '../model/entity'
import { error, type Problems } from '../model/errors'
import type { Message } from '../model/message'
import type { Platform } from '../model/platform'
import { type Redacted, redact } from '../model/privacy'
import { parseRef } from '../model/ref'
import type { Audience } from '../model/renderedJson'
import { isTooFarAhead, MAX_FRONTERS, type SwitchDraft } from '../model/switch'
import { formatInstant, type Instant, parseInstant } from '../model/time'
import { problemsOfToken, type Token, type TokenDraft, token } from '../model/token'
import { Problem } from '../model/validation'
import {
  isObject,
  isStrings,
  markSerialized,
  parseList,
  parseObject,
  parseStrings,
  type RawBody,
  type SerializedObject,
  serializedJson,
} from './body'

/** Spells what a viewer sees: `hid` is `id`, levels are nested, and the fields know the rest. */
export function toV2<E extends Entity>(
  entity: E,
  redacted: Redacted<E>,
  extra: JsonObject = {},
): SerializedObject {
  const values = redacted as JsonObject
  const identity = redacted.hid === undefined ? {} : { id: redacted.hid, uuid: redacted.uuid }
  const json: JsonObject = { ...identity, ...extra, ...serializeFields(entity, values) }
  if (entity.levels.length > 0) json.privacy = privacyToV2(entity, values)
  return markSerialized(json)
}

/** The face of a row: what the audience sees of it, without braces and identity. */
export function renderRowJson(entity: Entity, row: object, audience: Audience): string {
  const redacted = redact(entity, row as Row<Entity>, audience === 'owner')
  const { id: _, uuid: __, ...inside } = toV2(entity, redacted)
  return JSON.stringify(inside).slice(1, -1)
}

export function patchFromV2<E extends Entity>(
  entity: E,
  body: RawBody,
  platform?: Platform,
): Patch<E> {
  return parsePatch(entity, { ...rawInputOf(entity, parseObject(body)), platform })
}

/** As patchFromV2, where nothing at all is a fine thing to say. */
export function anyPatchFromV2<E extends Entity>(entity: E, body: RawBody): Patch<E> {
  const { values, problems } = parsePartial(entity, rawInputOf(entity, parseObject(body)))
  throwIfInvalid(problems)
  return values
}

export function draftFromV2<E extends Entity>(entity: E, body: RawBody): Draft<E> {
  return parseDraft(entity, rawInputOf(entity, parseObject(body)))
}

/** Privacy levels alone, as a bare object. */
export function levelsFromV2<E extends Entity>(entity: E, body: RawBody): Patch<E> {
  return parsePatch(entity, { values: {}, levels: parseObject(body) })
}

/** The levels of a row or a patch as the nested object; null when none may be seen. */
export function privacyToV2(entity: Entity, values: JsonObject): JsonObject | null {
  const shown = entity.levels.filter((level) => values[level] !== undefined)
  if (shown.length === 0) return null
  return Object.fromEntries(shown.map((level) => [level, values[level]]))
}

function rawInputOf(entity: Entity, values: JsonObject): RawInput {
  const levels = values.privacy ?? {}
  if (entity.levels.length === 0) return { values }
  if (isObject(levels)) return { values, levels }
  return { values, problems: { privacy: [new Problem('Must be an object of privacy levels.')] } }
}

/** A switch; its members are short IDs in the history and objects everywhere else. */
export function switchToV2(
  { uuid, timestamp, hidden }: { uuid: string; timestamp: Instant; hidden?: number },
  members: readonly unknown[],
): SerializedObject {
  const more = hidden === undefined ? {} : { hidden }
  return markSerialized({ id: uuid, timestamp: formatInstant(timestamp), members, ...more })
}

export function switchFromV2(body: RawBody, now: Instant): SwitchDraft {
  const { members, timestamp = null } = parseSwitch(body)
  const problems: Problems = {}
  const fronters = parseFronters(members)
  if (fronters instanceof Problem) problems.members = [fronters]
  const time = timestamp === null ? null : parseSwitchTime(timestamp, now)
  if (time instanceof Problem) problems.timestamp = [time]
  throwIfInvalid(problems)
  return { members: fronters as string[], timestamp: time as Instant | null }
}

/** The keys of a new switch in any case: some clients rely on PluralKit to read them so. */
export function parseSwitch(body: RawBody): { members?: unknown; timestamp?: unknown } {
  const given = parseObject(body)
  const inAnyCase = Object.entries(given).map(([key, value]) => [key.toLowerCase(), value])
  return { ...Object.fromEntries(inAnyCase), ...given }
}

/** The references of who fronts, as a key of a body. */
export function parseFronters(members: unknown): string[] | Problem {
  if (members === undefined) return new Problem('Required.')
  if (!isStrings(members)) return new Problem('Must be a list of strings.')
  return members.length > MAX_FRONTERS ? tooManyFronters(members) : members
}

/** The new time of a switch. */
export function switchTimeFromV2(body: RawBody, now: Instant): Instant {
  const { timestamp } = parseObject(body)
  const time = timestamp === undefined ? new Problem('Required.') : parseSwitchTime(timestamp, now)
  if (time instanceof Problem) throw error('invalidBody', { timestamp: [time] })
  return time
}

/** The new members of a switch: a bare list. */
export function switchMembersFromV2(body: RawBody): string[] {
  const members = parseStrings(body)
  if (members.length > MAX_FRONTERS)
    throw error('invalidBody', { members: [tooManyFronters(members)] })
  return members
}

export function messageToV2(
  message: Message,
  system: SerializedObject | null,
  member: SerializedObject | null,
): SerializedObject {
  const { id, original, sender, channel, guild, timestamp } = message
  return markSerialized({
    timestamp: formatInstant(timestamp),
    id,
    original,
    sender,
    channel,
    guild,
    system,
    member,
  })
}

export function tokenToV2(row: Token) {
  return markSerialized(serializeToken(row))
}

/** With the token itself, this once. */
export function createdTokenToV2({ secret, ...row }: Token & { secret: string }) {
  return markSerialized({ ...serializeToken(row), token: secret })
}

function serializeToken(row: Token): JsonObject {
  const { private_members, ...rest } = serializeFields(token, row)
  return row.scope === 'watch' ? { ...rest, private_members } : rest
}

export function tokenFromV2(body: RawBody, now: Instant): TokenDraft {
  const draft = draftFromV2(token, body)
  throwIfInvalid(problemsOfToken(draft, now))
  return draft
}

/**
 * Reads a list of patches, each with the reference of its row; a pause is possible after each of
 * them. Problems are named by position.
 */
export function* changesFromV2<E extends Entity>(
  entity: E,
  body: RawBody,
): Generator<void, NamedPatch<E>[]> {
  const items = parseList(body)
  if (items.length === 0 || items.length > MAX_AT_ONCE)
    throw error('badRequest', `the body must be a list of 1 to ${MAX_AT_ONCE} objects`)
  const problems: Problems = {}
  const named = new Set<string>()
  const changes: NamedPatch<E>[] = []
  for (const [at, item] of items.entries()) {
    yield
    const place = String(at)
    if (!isObject(item)) {
      problems[place] = [new Problem('Must be an object.')]
      continue
    }
    const { id, ...given } = item
    const found = parsePartial(entity, rawInputOf(entity, given))
    for (const [key, told] of Object.entries(found.problems)) problems[`${place}.${key}`] = told
    const ref = typeof id === 'string' ? parseRef(id) : null
    const name = ref && JSON.stringify(ref)
    if (typeof id !== 'string') problems[`${place}.id`] = [new Problem('Required.')]
    else if (name !== null && named.has(name))
      problems[`${place}.id`] = [new Problem('Named twice.')]
    if (name !== null) named.add(name)
    if (isEmptyPatch(found.values) && Object.keys(found.problems).length === 0)
      problems[place] = [new Problem('No valid key was given.')]
    changes.push({ ref: String(id), patch: found.values })
  }
  throwIfInvalid(problems)
  return changes
}

export interface NamedPatch<E extends Entity> {
  ref: string
  patch: Patch<E>
}

/** Of a linked account nobody needs more than whose it is. */
export function accountToV2({ id }: { id: string }) {
  return markSerialized({ id })
}

export function linkCodeToV2(code: string, expires: Instant) {
  return markSerialized({ code, expires: formatInstant(expires) })
}

/** A webhook that was just registered; its token is shown this once. */
export function registrationToV2(url: string, token: string) {
  return markSerialized({ url, state: 'pending', token })
}

/** What a receiver answered to a PING, or why it did not. */
export function pingToV2(sent: { status: number } | { error: string }) {
  return markSerialized('status' in sent ? sent : { status: null, error: sent.error })
}

/** It has nothing but what came with the file. */
export function reportToV2(report: { format: string; dry_run: boolean; renamed: object[] }) {
  return markSerialized({ ...report })
}

/** The same as text, where the system and the member are JSON already. */
export function serializeMessage(message: Message, system: string | null, member: string | null) {
  const { system: _, member: __, ...head } = messageToV2(message, null, null)
  return serializedJson(
    `${JSON.stringify(head).slice(0, -1)},"system":${system},"member":${member}}`,
  )
}

function parseSwitchTime(value: unknown, now: Instant): Instant | Problem {
  const time = parseTime(value)
  if (time instanceof Problem || !isTooFarAhead(time, now)) return time
  return new Problem('Must not be more than a day ahead.')
}

export function parseTime(value: unknown): Instant | Problem {
  const instant = typeof value === 'string' ? parseInstant(value) : null
  return instant ?? new Problem('Must be an ISO 8601 time.')
}

function tooManyFronters({ length }: string[]): Problem {
  return new Problem(`At most ${MAX_FRONTERS} members.`, MAX_FRONTERS, length)
}
