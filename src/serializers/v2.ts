import { type Token, type TokenDraft, token, validateToken } from '../model/access/token'
import {
  type Draft,
  type Entity,
  isEmptyPatch,
  type JsonObject,
  MAX_BULK_ITEMS,
  type Patch,
  parseDraft,
  parsePartial,
  parsePatch,
  type RawInput,
  type Row,
  serializeFields,
  throwIfInvalid,
} from '../model/core/entity'
import { error, type Problems } from '../model/core/errors'
import { type Audience, type Redacted, redact, type SerializedJson } from '../model/core/privacy'
import { formatInstant, type Instant, parseInstant } from '../model/core/time'
import { isObject, Problem } from '../model/core/validation'
import { isTooFarAhead, MAX_FRONTERS, type SwitchDraft, TOO_FAR_AHEAD } from '../model/front/switch'
import type { Message } from '../model/proxy/message'
import {
  isStrings,
  markSerialized,
  parseList,
  parseObject,
  parseStrings,
  type RawBody,
  type SerializedObject,
  serializedJson,
} from './body'

/** Serializes a redacted row: `hid` becomes `id`, and privacy levels are nested. */
export function toV2<E extends Entity>(entity: E, redacted: Redacted<E>): SerializedObject {
  const identity: JsonObject =
    redacted.hid === undefined ? {} : { id: redacted.hid, uuid: redacted.uuid }
  const json = serializeFields(entity, redacted, identity)
  if (entity.levels.length > 0) json.privacy = privacyToV2(entity, redacted)
  return markSerialized(json)
}

/** Renders the JSON object of a row for an audience. */
export function renderRowJson(
  entity: Entity,
  row: object,
  audience: Audience | 'friend',
): SerializedJson {
  const visible = redact(entity, row as Row<Entity>, audience)
  return serializedJson(JSON.stringify(toV2(entity, visible)))
}

export function patchFromV2<E extends Entity>(
  entity: E,
  body: RawBody,
  more: Pick<RawInput, 'platform' | 'problems'> = {},
): Patch<E> {
  return parsePatch(entity, joinInput(rawInputOf(entity, parseObject(body)), more))
}

function joinInput(input: RawInput, more: Pick<RawInput, 'platform' | 'problems'>): RawInput {
  return { ...input, ...more, problems: { ...input.problems, ...more.problems } }
}

/** Like `patchFromV2`, but accepts an empty patch. */
export function anyPatchFromV2<E extends Entity>(entity: E, body: RawBody): Patch<E> {
  const { values, problems } = parsePartial(entity, rawInputOf(entity, parseObject(body)))
  throwIfInvalid(problems)
  return values
}

/** Parses a new object. Problems that were found by other means are reported with its own. */
export function draftFromV2<E extends Entity>(
  entity: E,
  body: RawBody,
  problems: Problems = {},
): Draft<E> {
  return parseDraft(entity, joinInput(rawInputOf(entity, parseObject(body)), { problems }))
}

/** Parses an object of privacy levels without other fields. */
export function levelsFromV2<E extends Entity>(entity: E, body: RawBody): Patch<E> {
  return parsePatch(entity, { values: {}, levels: parseObject(body) })
}

/** Returns the privacy levels of a row or a patch as an object; null if none is visible. */
export function privacyToV2(entity: Entity, values: JsonObject): JsonObject | null {
  const visible: JsonObject = {}
  for (const level of entity.levels) if (values[level] !== undefined) visible[level] = values[level]
  return isEmptyPatch(visible) ? null : visible
}

/** Separates the privacy levels of an object from its other values. */
export function rawInputOf(entity: Entity, values: JsonObject): RawInput {
  const { privacy: levels = null } = values
  if (levels === null || entity.levels.length === 0) return { values }
  if (isObject(levels)) return { values, levels }
  return { values, problems: { privacy: [new Problem('not_privacy')] } }
}

/** Serializes a switch. Its members are short IDs in the history, and objects everywhere else. */
export function switchToV2(
  { uuid, timestamp, hidden }: { uuid: string; timestamp: Instant; hidden?: number },
  members: readonly unknown[],
): SerializedObject {
  const extra = hidden === undefined ? {} : { hidden }
  return markSerialized({ id: uuid, timestamp: formatInstant(timestamp), members, ...extra })
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

/** Parses a new switch with keys in any case, because some clients rely on this PluralKit behaviour. */
export function parseSwitch(body: RawBody): { members?: unknown; timestamp?: unknown } {
  const values = parseObject(body)
  const lowerCased = Object.entries(values).map(([key, value]) => [key.toLowerCase(), value])
  return { ...Object.fromEntries(lowerCased), ...values }
}

export function parseFronters(members: unknown): string[] | Problem {
  if (members === undefined) return new Problem('required')
  if (!isStrings(members)) return new Problem('not_texts')
  return members.length > MAX_FRONTERS ? tooManyFronters(members) : members
}

export function switchTimeFromV2(body: RawBody, now: Instant): Instant {
  const { timestamp } = parseObject(body)
  const time = timestamp === undefined ? new Problem('required') : parseSwitchTime(timestamp, now)
  if (time instanceof Problem) throw error('invalidBody', { timestamp: [time] })
  return time
}

/** Parses the new members of a switch from a list of references. */
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

/** Includes the token itself, which is shown only in this response. */
export function createdTokenToV2({ secret, ...row }: Token & { secret: string }) {
  return markSerialized({ ...serializeToken(row), token: secret })
}

function serializeToken(row: Token): JsonObject {
  const { private_members, ...rest } = serializeFields(token, row)
  return row.scope === 'watch' ? { ...rest, private_members } : rest
}

export function tokenFromV2(body: RawBody, now: Instant): TokenDraft {
  const draft = draftFromV2(token, body)
  throwIfInvalid(validateToken(draft, now))
  return draft
}

/**
 * Parses a list of patches, each with the reference of its row. Yields before each of them, so that
 * the caller can pause. Problems are keyed by position.
 */
export function* changesFromV2<E extends Entity>(
  entity: E,
  body: RawBody,
): Generator<void, { items: NamedPatch<E>[]; problems: Problems }> {
  const { items, problems } = yield* parseNamedItems(body, (values) => {
    const parsed = parsePartial(entity, rawInputOf(entity, values))
    return { ...parsed, isEmpty: isEmptyPatch(parsed.values) }
  })
  return {
    items: items.map(({ parsed, ...rest }) => ({ ...rest, patch: parsed.values })),
    problems,
  }
}

/** Item of a list, with the reference of its row and its position in the list. */
interface NamedItem {
  ref: string
  position: number
}

/** Parses the items of a list, each with the reference of its row, and collects their problems. */
export function* parseNamedItems<P extends { problems: Problems; isEmpty: boolean }>(
  body: RawBody,
  parse: (values: JsonObject) => P,
): Generator<void, { items: (NamedItem & { parsed: P })[]; problems: Problems }> {
  const list = parseList(body)
  if (list.length === 0 || list.length > MAX_BULK_ITEMS)
    throw error('badRequest', `the body must be a list of 1 to ${MAX_BULK_ITEMS} objects`)
  const problems: Problems = {}
  const items: (NamedItem & { parsed: P })[] = []
  for (const [position, item] of list.entries()) {
    yield
    if (!isObject(item)) {
      problems[position] = [new Problem('not_object')]
      continue
    }
    const { id, ...values } = item
    const parsed = parse(values)
    for (const [key, found] of Object.entries(parsed.problems))
      problems[`${position}.${key}`] = found
    if (typeof id !== 'string') problems[`${position}.id`] = [new Problem('required')]
    if (parsed.isEmpty && Object.keys(parsed.problems).length === 0)
      problems[position] = [new Problem('no_valid_key')]
    items.push({ ref: typeof id === 'string' ? id : '', position, parsed })
  }
  return { items, problems }
}

interface NamedPatch<E extends Entity> extends NamedItem {
  patch: Patch<E>
}

/** Serializes a linked account, without its settings. */
export function accountToV2({ id }: { id: string }) {
  return markSerialized({ id })
}

export function linkCodeToV2(code: string, expires: Instant) {
  return markSerialized({ code, expires: formatInstant(expires) })
}

/** Serializes a new webhook. Its signing token is shown only in this response. */
export function registrationToV2(url: string, token: string) {
  return markSerialized({ url, state: 'pending', token })
}

/** Serializes the response of a receiver to a PING, or the reason why there was none. */
export function pingToV2(sent: { status: number } | { error: string }) {
  return markSerialized(
    'status' in sent ? { status: sent.status } : { status: null, error: sent.error },
  )
}

/** Serializes an import report as it is: it contains only data of the caller's own file. */
export function reportToV2(report: { format: string; dry_run: boolean; renamed: object[] }) {
  return markSerialized({ ...report })
}

/** Like `messageToV2`, but takes the system and the member as JSON text. */
export function serializeMessage(message: Message, system: string | null, member: string | null) {
  const { system: _, member: __, ...head } = messageToV2(message, null, null)
  return serializedJson(
    `${JSON.stringify(head).slice(0, -1)},"system":${system},"member":${member}}`,
  )
}

export function parseSwitchTime(value: unknown, now: Instant): Instant | Problem {
  const time = parseTime(value)
  if (time instanceof Problem || !isTooFarAhead(time, now)) return time
  return TOO_FAR_AHEAD
}

export function parseTime(value: unknown): Instant | Problem {
  const instant = typeof value === 'string' ? parseInstant(value) : null
  return instant ?? new Problem('not_time')
}

export function tooManyFronters({ length }: readonly unknown[]): Problem {
  return new Problem('too_many_members', { max: MAX_FRONTERS, actual: length })
}
