import {
  type Entity,
  isEmptyPatch,
  type JsonObject,
  MAX_BULK_ITEMS,
  type Patch,
  parseDraft,
  parsePartial,
  requireNonEmpty,
  serializeFields,
  throwIfInvalid,
} from '../model/core/entity'
import { error, type Problems } from '../model/core/errors'
import { excerptOf } from '../model/core/excerpt'
import type { Redacted } from '../model/core/privacy'
import { formatInstant, type Instant } from '../model/core/time'
import { isObject, Problem } from '../model/core/validation'
import { fronter } from '../model/front/fronter'
import { frontNote } from '../model/front/frontNote'
import { MAX_FRONTERS } from '../model/front/switch'
import { group } from '../model/groups/group'
import { groupExt } from '../model/groups/groupExt'
import { note } from '../model/journal/note'
import { poll, vote } from '../model/journal/poll'
import { post } from '../model/journal/post'
import { room } from '../model/journal/room'
import { type MemberDraft, member } from '../model/members/member'
import { type MemberExtPatch, memberExt } from '../model/members/memberExt'
import { type PushSubscription, type PushTargetDraft, pushTarget } from '../model/push/pushTarget'
import {
  isStrings,
  markSerialized,
  parseList,
  parseObject,
  type RawBody,
  type SerializedObject,
} from './body'
import { parseNamedItems, parseSwitchTime, rawInputOf, tooManyFronters, toV2 } from './v2'

/** Serializes an object of the extension API, which is named by its UUID. */
export function toExt<E extends Entity>(entity: E, redacted: Redacted<E>): SerializedObject {
  return markSerialized(serializeFields(entity, redacted, { id: redacted.uuid }))
}

/** Serializes a note for a list, with the beginning of its text. */
export function noteToList(redacted: Redacted<typeof note>): SerializedObject {
  const { text, ...rest } = toExt(note, redacted)
  return markSerialized({ ...rest, excerpt: typeof text === 'string' ? excerptOf(text) : null })
}

/** Serializes a room with the time of its newest post. */
export function roomToExt(redacted: Redacted<typeof room>, lastWritten: Instant | null) {
  const last_written = lastWritten === null ? null : formatInstant(lastWritten)
  return markSerialized({ ...toExt(room, redacted), last_written })
}

/** Serializes a post. Posts in rooms are neither read nor unread. */
export function postToExt(redacted: Redacted<typeof post>): SerializedObject {
  const json = toExt(post, redacted)
  return json.room === null ? json : markSerialized({ ...json, read: null })
}

/** Serializes a poll with the numbers of its votes, and with the votes unless it is in a list. */
export function pollToExt({
  poll: redacted,
  isClosed,
  counts,
  votes,
}: {
  poll: Redacted<typeof poll>
  isClosed: boolean
  counts: Readonly<Record<string, number>>
  votes?: readonly Redacted<typeof vote>[]
}): SerializedObject {
  return markSerialized({
    ...toExt(poll, redacted),
    closed: isClosed,
    counts,
    ...(votes && { votes: votes.map((row) => serializeFields(vote, row)) }),
  })
}

/** Serializes the address of a picture. */
export function pictureToExt(url: string): SerializedObject {
  return markSerialized({ url })
}

/** Serializes a page of the IDs that rows had in imported files. */
export function originPageToExt({
  rows,
  next,
}: {
  rows: readonly { id: string; target: string }[]
  next: string | null
}): SerializedObject {
  return markSerialized({ rows: rows.map(({ id, target }) => ({ id, target })), next })
}

/** Serializes the result of a test: the number of devices that get a notification. */
export function reminderTestToExt(targets: number): SerializedObject {
  return markSerialized({ targets })
}

/** Serializes a push target, and whether it belongs to the caller's session or token. */
export function pushTargetToExt({
  target,
  isThis,
}: {
  target: Redacted<typeof pushTarget>
  isThis: boolean
}): SerializedObject {
  return markSerialized({ ...toExt(pushTarget, target), is_this: isThis })
}

/** Serializes the public key of the server and the push targets of the caller. */
export function pushToExt(
  key: string | null,
  targets: readonly { target: Redacted<typeof pushTarget>; isThis: boolean }[],
): SerializedObject {
  return markSerialized({ key, targets: targets.map(pushTargetToExt) })
}

/** Parses the registration of a browser: its address and keys, and what it wants. */
export function pushTargetFromExt(body: RawBody): {
  subscription: PushSubscription
  draft: PushTargetDraft
} {
  const values = parseObject(body)
  const { endpoint, keys } = values
  const { p256dh, auth } = isObject(keys) ? keys : {}
  const problems: Problems = {}
  for (const [key, value] of Object.entries({ endpoint, 'keys.p256dh': p256dh, 'keys.auth': auth }))
    if (typeof value !== 'string')
      problems[key] = [new Problem(value === undefined ? 'required' : 'not_text')]
  const draft = parseDraft(pushTarget, { values, problems })
  return {
    subscription: { endpoint: String(endpoint), p256dh: String(p256dh), auth: String(auth) },
    draft,
  }
}

/** Serializes the numbers of unread posts by board. */
export function unreadToExt(counts: ReadonlyMap<string, number>): SerializedObject {
  return markSerialized(Object.fromEntries(counts))
}

/** Parses which posts to mark as read: those of a board, or those named. */
export function readMarksFromExt(body: RawBody): { for: string } | { ids: string[] } {
  const { for: board, ids } = parseObject(body)
  if (typeof board === 'string' && ids === undefined) return { for: board }
  const problem =
    board !== undefined
      ? new Problem('not_for_or_ids')
      : !isStrings(ids)
        ? new Problem('not_uuids')
        : ids.length > MAX_BULK_ITEMS
          ? new Problem('too_many_posts', { max: MAX_BULK_ITEMS, actual: ids.length })
          : null
  throwIfInvalid(problem ? { [board === undefined ? 'ids' : 'for']: [problem] } : {})
  return { ids: (ids as string[]).map((id) => id.toLowerCase()) }
}

/** Serializes the front: a switch, and each of its members with stint and status. */
export function frontToExt(
  { uuid, timestamp, hidden }: { uuid: string; timestamp: Instant; hidden?: number },
  fronters: readonly { member: Redacted<typeof member>; details: Redacted<typeof fronter> }[],
): SerializedObject {
  return markSerialized({
    switch: uuid,
    since: formatInstant(timestamp),
    fronters: fronters.map(({ member: row, details }) =>
      serializeFields(fronter, details, { member: toV2(member, row) }),
    ),
    ...(hidden !== undefined && { hidden }),
  })
}

/** Serializes an object without an ID. */
export function settingsToExt<E extends Entity>(entity: E, redacted: Redacted<E>) {
  return markSerialized(serializeFields(entity, redacted))
}

interface SwitchOfExt {
  members: string[]
  /** Statuses in the order of the members; undefined where none was sent. */
  statuses: (string | null | undefined)[]
  timestamp: Instant | null
  comment: string | null
}

/** Parses a switch whose members may have a status: references, or objects with `id` and `status`. */
export function switchFromExt(body: RawBody, now: Instant): SwitchOfExt {
  const { members, timestamp = null, comment = null } = parseObject(body)
  const problems: Problems = {}
  const parsed: SwitchOfExt = { members: [], statuses: [], timestamp: null, comment: null }
  if (members === undefined) problems.members = [new Problem('required')]
  else if (!Array.isArray(members)) problems.members = [new Problem('not_list')]
  else if (members.length > MAX_FRONTERS) problems.members = [tooManyFronters(members)]
  else
    for (const [index, item] of members.entries()) {
      const key = `members.${index}`
      const { id, status }: { id?: unknown; status?: unknown } = isObject(item)
        ? item
        : { id: item }
      if (typeof id !== 'string')
        problems[isObject(item) ? `${key}.id` : key] = [new Problem('not_fronter')]
      const text = status === undefined ? undefined : fronter.fields.status.parse(status)
      if (text instanceof Problem) problems[`${key}.status`] = [text]
      else parsed.statuses.push(text)
      parsed.members.push(String(id))
    }
  const time = timestamp === null ? null : parseSwitchTime(timestamp, now)
  if (time instanceof Problem) problems.timestamp = [time]
  else parsed.timestamp = time
  const text = frontNote.fields.text.parse(comment)
  if (text instanceof Problem) problems.comment = [text]
  else parsed.comment = text
  throwIfInvalid(problems)
  return parsed
}

/** Body for a member: keys of version 2 under `member`, and what the extension API adds. */
interface MemberBody<M> {
  member: M
  ext: MemberExtPatch
  problems: Problems
}

type MemberPatchBody = MemberBody<Patch<typeof member>>

function parseMember(values: JsonObject): MemberPatchBody & { isEmpty: boolean } {
  const { member: input = {}, ...rest } = values
  const memberPart = isObject(input)
    ? parsePartial(member, rawInputOf(member, input))
    : { values: {}, problems: {} }
  const added = parsePartial(memberExt, { values: rest })
  const problems: Problems = { ...added.problems }
  if (!isObject(input)) problems.member = [new Problem('not_object')]
  for (const [key, list] of Object.entries(memberPart.problems)) problems[`member.${key}`] = list
  const isEmpty = isEmptyPatch(memberPart.values) && isEmptyPatch(added.values)
  return { member: memberPart.values, ext: added.values, problems, isEmpty }
}

export function memberPatchFromExt(body: RawBody): MemberPatchBody {
  const parsed = parseMember(parseObject(body))
  if (isEmptyPatch(parsed.problems) && parsed.isEmpty) requireNonEmpty({})
  return parsed
}

export function memberDraftFromExt(body: RawBody): MemberBody<MemberDraft> {
  const values = parseObject(body)
  const { member: own, ext, problems } = parseMember(values)
  if (values.member === undefined) problems.member = [new Problem('required')]
  else if (isObject(values.member) && own.name === undefined && !('member.name' in problems))
    problems['member.name'] = [new Problem('required')]
  return { member: { ...own, name: own.name ?? '' }, ext, problems }
}

export function* memberChangesFromExt(body: RawBody) {
  const { items, problems } = yield* parseNamedItems(body, parseMember)
  return { problems, items: items.map(({ parsed, ...rest }) => ({ ...rest, body: parsed })) }
}

/** Serializes a group with what the extension API adds to it. */
export function groupToExt({
  group: redacted,
  ext,
}: {
  group: Redacted<typeof group>
  ext: Redacted<typeof groupExt>
}): SerializedObject {
  return markSerialized({ group: toV2(group, redacted), ...serializeFields(groupExt, ext) })
}

/** Parses the tree of all groups: a list of their IDs and those of their parents. */
export function treeFromExt(body: RawBody): { id: string; parent: string | null }[] {
  return parseList(body).map((item) => {
    const { id, parent = null } = isObject(item) ? item : {}
    if (typeof id !== 'string' || (parent !== null && typeof parent !== 'string'))
      throw error('badRequest', 'the body must be a list of objects with "id" and "parent"')
    return { id, parent }
  })
}

/** Serializes a collection of archived rows. */
export function archiveToExt(row: {
  collection: string
  rows: number
  bytes: number
  convertible: number
}): SerializedObject {
  return markSerialized({ ...row, convertible: row.convertible > 0 })
}

/** Serializes a page of archived rows, which are JSON already. */
export function archivePageToExt({ rows, next }: { rows: readonly string[]; next: number | null }) {
  return markSerialized({
    rows: rows.map((row) => JSON.parse(row)),
    next: next === null ? null : String(next),
  })
}
