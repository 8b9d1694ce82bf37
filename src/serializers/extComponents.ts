import { type TSchema, Type } from '@sinclair/typebox'
import type { Entity } from '../model/core/entity'
import { bucket } from '../model/friends/bucket'
import { friend, invite, share } from '../model/friends/friend'
import { fronter } from '../model/front/fronter'
import { group } from '../model/groups/group'
import { groupExt } from '../model/groups/groupExt'
import { note } from '../model/journal/note'
import { poll, vote } from '../model/journal/poll'
import { post } from '../model/journal/post'
import { room } from '../model/journal/room'
import { customField } from '../model/members/customField'
import { member } from '../model/members/member'
import { listedMemberExt, memberExt } from '../model/members/memberExt'
import { listsInFile, type OwnedName, ownedKind } from '../model/ownedKinds'
import { pushTarget } from '../model/push/pushTarget'
import { extSettings } from '../model/systems/extSettings'
import { system } from '../model/systems/system'
import { profileOf } from './extFriends'
import { fieldSchema, mapOf, responseSchema } from './schema'

const time = Type.String({ format: 'date-time' })

const pollSums = {
  closed: Type.Boolean({ description: 'Whether voting has ended' }),
  counts: mapOf(Type.Integer(), 'Number of votes by the ID of the option'),
}

const sharedFront = Type.Object({
  fronters: Type.Array(withMember(responseSchema(fronter), memberInFront()), {
    description: 'Fronters that are shared; nothing tells of others',
  }),
})

const inviteKeys = {
  id: Type.String({ format: 'uuid' }),
  name: nullable(Type.String(), invite.fields.name.doc),
  share: shareSchema(true),
  expires: time,
}

/** Name of the component of a kind of rows, such as `FrontNote`. */
type Component<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Capitalize<Word>}${Component<Rest>}`
  : Capitalize<Name>

type OwnedComponent = Component<OwnedName>

/** Returns the name of the component of a kind of rows. */
export function componentOf(name: OwnedName): OwnedComponent {
  const words = name.split('_').map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
  return words.join('') as OwnedComponent
}

const ownedComponents = Object.fromEntries(
  listsInFile.map((list) => [componentOf(ownedKind(list).name), owned(ownedKind(list).entity)]),
) as Record<OwnedComponent, TSchema>

/** Component schemas of the extension API. */
export const extComponents = {
  ...ownedComponents,
  Front: Type.Object({
    switch: Type.String({ format: 'uuid', description: 'UUID of the latest switch' }),
    since: Type.String({ format: 'date-time', description: 'Time of the latest switch' }),
    fronters: Type.Array(withMember(responseSchema(fronter))),
    hidden: Type.Optional(
      Type.Integer({
        description: 'For tokens of the scope `watch`: number of further, hidden fronters',
      }),
    ),
  }),
  ExtSettings: responseSchema(extSettings),
  ExtendedMember: extended('member', member, memberExt),
  ExtendedMemberInList: extended('member', member, listedMemberExt),
  ExtendedGroup: extended('group', group, groupExt),
  NoteInList: withoutText(owned(note)),
  Room: withExtra(owned(room), {
    last_written: Type.Union([time, Type.Null()], { description: 'Time of the newest post' }),
  }),
  Post: withNullable(owned(post), 'read'),
  Poll: withExtra(owned(poll), {
    ...pollSums,
    votes: Type.Array(responseSchema(vote), { description: 'Votes, oldest first' }),
  }),
  PushTarget: withIsThis(owned(pushTarget)),
  Push: Type.Object({
    key: Type.Union([Type.String(), Type.Null()], {
      description: 'Public key for `applicationServerKey`, in Base64url; null if push is off',
    }),
    targets: Type.Array(withIsThis(owned(pushTarget))),
  }),
  UnreadPosts: mapOf(Type.Integer(), 'Number of unread posts by board'),
  PollInList: withExtra(owned(poll), pollSums),
  Bucket: withExtra(owned(bucket), {
    members: Type.Integer({ description: 'Number of members in the bucket' }),
    groups: Type.Integer({ description: 'Number of groups in the bucket' }),
    fields: Type.Integer({ description: 'Number of custom fields in the bucket' }),
    friends: Type.Integer({ description: 'Number of friends in the bucket' }),
  }),
  Friend: Type.Object({
    id: Type.String({
      format: 'uuid',
      description: 'UUID of the friendship, the same on both sides',
    }),
    name: nullable(Type.String(), 'Own name for the friend'),
    system: nullable(profile(), 'System of the friend; null while it is disabled'),
    since: time,
    share: shareSchema(true),
    theirs: shareSchema(false),
    notify_me: Type.Boolean({ description: friend.fields.notify_me.doc }),
    front: nullable(sharedFront, 'Who is fronting; null if it is not shared'),
  }),
  FriendFront: sharedFront,
  FriendMember: forFriends('member', member, memberExt),
  FriendMemberInList: forFriends('member', member, listedMemberExt),
  FriendGroup: forFriends('group', group, groupExt),
  FriendField: withoutKeys(owned(customField), 'buckets'),
  Invite: Type.Object(inviteKeys),
  NewInvite: Type.Object({
    ...inviteKeys,
    code: Type.String({ description: 'Code of the invitation, shown once' }),
    url: nullable(Type.String(), 'Address that opens the invitation; null without `PUBLIC_URL`'),
  }),
  InvitePreview: Type.Object({
    system: Type.Object({
      name: nullable(Type.String(), 'Name of the system'),
      avatar_url: nullable(Type.String(), 'Address of the picture'),
      color: nullable(Type.String(), 'Colour'),
    }),
    share: shareSchema(false),
  }),
  ReminderTest: Type.Object({
    targets: Type.Integer({ description: 'Number of devices that get a notification' }),
  }),
  Picture: Type.Object({
    url: Type.String({ format: 'uri', description: 'Address of the picture' }),
  }),
  OriginPage: Type.Object({
    rows: Type.Array(
      Type.Object({
        id: Type.String({ description: 'ID in the imported file' }),
        target: Type.String({ format: 'uuid', description: 'UUID of the row here' }),
      }),
    ),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Value of `after` for the next page; null at the end',
    }),
  }),
  ArchivedCollection: Type.Object({
    collection: Type.String({ description: 'Name in the imported file', examples: ['notes'] }),
    rows: Type.Integer({ description: 'Number of rows' }),
    bytes: Type.Integer({ description: 'Size of the rows as JSON' }),
    convertible: Type.Boolean({ description: 'Whether a conversion has not read all rows yet' }),
  }),
  ArchivePage: Type.Object({
    rows: Type.Array(Type.Unknown(), { description: 'Rows as in the imported file' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Value of `after` for the next page; null at the end',
    }),
  }),
}

export type ExtComponent = keyof typeof extComponents

function nullable(schema: TSchema, description: string): TSchema {
  return Type.Union([schema, Type.Null()], { description })
}

/** Schema of what a system shows to a friend; only the own side has buckets. */
function shareSchema(isOwn: boolean): TSchema {
  const schema = responseSchema(share)
  return isOwn ? withRequired(schema, 'buckets') : withoutKeys(schema, 'buckets')
}

function withRequired({ required, ...rest }: TSchema, key: string): TSchema {
  return Type.Unsafe({ ...rest, required: [...new Set([...required, key])] })
}

/** Schema without keys that the caller never gets. */
function withoutKeys({ properties, required, ...rest }: TSchema, ...keys: string[]): TSchema {
  return Type.Unsafe({
    ...rest,
    required: required.filter((key: string) => !keys.includes(key)),
    properties: Object.fromEntries(
      Object.entries(properties).filter(([key]) => !keys.includes(key)),
    ),
  })
}

/** Schema of what friends see of a system. */
function profile(): TSchema {
  const shown = profileOf(responseSchema(system).properties)
  const id = Type.String({ description: 'Short ID' })
  const uuid = Type.String({ format: 'uuid' })
  return Type.Unsafe({
    type: 'object',
    required: ['id', 'uuid', ...Object.keys(shown)],
    properties: { id, uuid, ...shown },
  })
}

/** Schema of an extended object without the keys that friends never get. */
function forFriends(key: string, entity: Entity, added: Entity): TSchema {
  const absent = added.entries
    .filter(([, field]) => field.isAbsentForFriends || field.ownerOnly === 'absent')
    .map(([name]) => name)
  return withoutKeys(extended(key, entity, added), ...absent)
}

/** Schema of an object that is named by its UUID. */
function owned(entity: Entity): TSchema {
  const { properties, required, ...rest } = responseSchema(entity)
  return Type.Unsafe({
    ...rest,
    required: ['id', ...required],
    properties: { id: Type.String({ format: 'uuid' }), ...properties },
  })
}

/** Schema of what is added to a member, with the member of version 2. */
function withMember(
  { properties, required, ...rest }: TSchema,
  ofMember: object = { $ref: '#/components/schemas/Member' },
): TSchema {
  return Type.Unsafe({
    ...rest,
    required: ['member', ...required],
    properties: { member: ofMember, ...properties },
  })
}

/** Schema of a member in the front of a friend, of which some friends see what names it only. */
function memberInFront(): TSchema {
  const { properties, ...rest } = responseSchema(member)
  const hidden = member.entries.filter(
    ([, { isShownInFront, defaultValue }]) => !isShownInFront && !Array.isArray(defaultValue),
  )
  const nullableKeys = hidden.map(([key, field]) => [key, fieldSchema(field, true)])
  return Type.Unsafe({
    ...rest,
    properties: { ...properties, ...Object.fromEntries(nullableKeys) },
  })
}

/** Schema of an object of version 2 with what the extension API adds to it. */
function extended(key: string, entity: Entity, added: Entity): TSchema {
  const { properties, required, ...rest } = responseSchema(added)
  return Type.Unsafe({
    ...rest,
    required: [key, ...required],
    properties: { [key]: responseSchema(entity), ...properties },
  })
}

function withIsThis(schema: TSchema): TSchema {
  return withExtra(schema, {
    is_this: Type.Boolean({ description: 'Whether your session or token registered it' }),
  })
}

/** Schema of a note in a list, which has the beginning of its text. */
function withoutText({ properties, required, ...rest }: TSchema): TSchema {
  const { text, ...others } = properties
  return Type.Unsafe({
    ...rest,
    required: [...required.filter((key: string) => key !== 'text'), 'excerpt'],
    properties: {
      ...others,
      excerpt: { ...text, description: 'First 300 characters of the text', example: undefined },
    },
  })
}

/** Schema of an object with more keys than its field table has. */
function withExtra(
  { properties, required, ...rest }: TSchema,
  extra: Record<string, TSchema>,
): TSchema {
  return Type.Unsafe({
    ...rest,
    required: [...required, ...Object.keys(extra)],
    properties: { ...properties, ...extra },
  })
}

function withNullable({ properties, ...rest }: TSchema, key: string): TSchema {
  const { type, ...schema } = properties[key]
  return Type.Unsafe({
    ...rest,
    properties: { ...properties, [key]: { ...schema, type: [type, 'null'] } },
  })
}
