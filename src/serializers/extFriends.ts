import {
  type JsonObject,
  parsePartial,
  requireNonEmpty,
  serializeFields,
  throwIfInvalid,
} from '../model/core/entity'
import type { Problems } from '../model/core/errors'
import type { Redacted } from '../model/core/privacy'
import { formatInstant, type Instant } from '../model/core/time'
import { isObject, Problem } from '../model/core/validation'
import { bucket } from '../model/friends/bucket'
import { friend, invite, share } from '../model/friends/friend'
import { fronter } from '../model/front/fronter'
import { member } from '../model/members/member'
import { system } from '../model/systems/system'
import { isStrings, markSerialized, parseObject, type RawBody, type SerializedObject } from './body'
import { toExt } from './ext'
import { toV2 } from './v2'

/** Serializes a privacy bucket with the numbers of what is in it. */
export function bucketToExt({
  bucket: redacted,
  counts,
}: {
  bucket: Redacted<typeof bucket>
  counts: { members: number; groups: number; fields: number; friends: number }
}): SerializedObject {
  const { members, groups, fields, friends } = counts
  return markSerialized({ ...toExt(bucket, redacted), members, groups, fields, friends })
}

interface BucketContents {
  members?: string[]
  groups?: string[]
  fields?: string[]
}

/** Parses what a bucket contains: lists of references by kind. */
export function bucketContentsFromExt(body: RawBody): BucketContents {
  const values = parseObject(body)
  const contents: BucketContents = {}
  const problems: Problems = {}
  for (const key of ['members', 'groups', 'fields'] as const) {
    const value = values[key]
    if (isStrings(value)) contents[key] = value
    else if (value !== undefined) problems[key] = [new Problem('not_references')]
  }
  throwIfInvalid(problems)
  requireNonEmpty(contents)
  return contents
}

/** Parses what a client sends about a friend or an invitation. */
export function friendFromExt(body: RawBody) {
  return parseFriend(parseObject(body))
}

/** Parses an invitation that is accepted: its code, and the own side of the friendship. */
export function acceptedInviteFromExt(body: RawBody) {
  const values = parseObject(body)
  const side = parseFriend(values, problemsOfCode(values))
  return { code: String(values.code), ...side }
}

export function inviteCodeFromExt(body: RawBody): string {
  const values = parseObject(body)
  throwIfInvalid(problemsOfCode(values))
  return String(values.code)
}

function problemsOfCode({ code }: JsonObject): Problems {
  if (typeof code === 'string') return {}
  return { code: [new Problem(code === undefined ? 'required' : 'not_text')] }
}

/** Throws all problems of a body together, with those that were found before. */
function parseFriend(values: JsonObject, earlierProblems: Problems = {}) {
  const { share: shareInput = {}, ...rest } = values
  const parsedFriend = parsePartial(friend, { values: rest })
  const shared = parsePartial(share, { values: isObject(shareInput) ? shareInput : {} })
  const problems: Problems = { ...earlierProblems, ...parsedFriend.problems }
  if (!isObject(shareInput)) problems.share = [new Problem('not_object')]
  for (const [key, list] of Object.entries(shared.problems)) problems[`share.${key}`] = list
  throwIfInvalid(problems)
  return { ...parsedFriend.values, share: shared.values }
}

/** Serializes a friend: the own side, what the friend shows, and who is fronting there. */
export function friendToExt({
  uuid,
  since,
  friend: redactedFriend,
  system: profile,
  share: shared,
  theirs,
  front,
}: {
  uuid: string
  since: Instant
  friend: Redacted<typeof friend>
  system: Redacted<typeof system> | null
  share: Redacted<typeof share>
  theirs: Redacted<typeof share>
  front: SharedFront | null
}): SerializedObject {
  const { name, notify_me } = serializeFields(friend, redactedFriend)
  return markSerialized({
    id: uuid,
    name,
    system: profile && {
      id: profile.hid,
      uuid: profile.uuid,
      ...profileOf(serializeFields(system, profile)),
    },
    since: formatInstant(since),
    share: serializeFields(share, shared),
    theirs: serializeFields(share, theirs),
    notify_me,
    front: front && sharedFrontToExt(front),
  })
}

/** Returns what friends see of a system. */
export function profileOf<T>(values: Readonly<Record<string, T>>): Record<string, T | undefined> {
  const { name, description, pronouns, avatar_url, banner, color } = values
  return { name, description, pronouns, avatar_url, banner, color }
}

/** Members in front that a friend shares. */
interface SharedFront {
  readonly fronters: readonly {
    readonly member: Redacted<typeof member>
    readonly details: Redacted<typeof fronter>
  }[]
}

/** Serializes the front of a friend. It has neither the switch nor a number of other fronters. */
export function sharedFrontToExt({ fronters }: SharedFront): SerializedObject {
  return markSerialized({
    fronters: fronters.map(({ member: row, details }) =>
      serializeFields(fronter, details, { member: toV2(member, row) }),
    ),
  })
}

/** Serializes an invitation. The code is there when it is created, and never again. */
export function inviteToExt(
  {
    invite: redacted,
    share: shared,
  }: { invite: Redacted<typeof invite>; share: Redacted<typeof share> },
  created: { code: string; url: string | null } | null = null,
): SerializedObject {
  const { id, name, expires } = toExt(invite, redacted)
  return markSerialized({ id, name, share: serializeFields(share, shared), expires, ...created })
}

/** Serializes what the receiver of an invitation sees before accepting it. */
export function invitePreviewToExt({
  system: redacted,
  share: shared,
}: {
  system: Redacted<typeof system>
  share: Redacted<typeof share>
}): SerializedObject {
  const { name, avatar_url, color } = serializeFields(system, redacted)
  return markSerialized({
    system: { name, avatar_url, color },
    share: serializeFields(share, shared),
  })
}
