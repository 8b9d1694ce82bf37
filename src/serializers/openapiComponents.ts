import { type TSchema, Type } from '@sinclair/typebox'
import { token } from '../model/access/token'
import { reasonMessages } from '../model/core/reasonMessages'
import { group } from '../model/groups/group'
import { member } from '../model/members/member'
import { autoproxy } from '../model/proxy/autoproxy'
import { guild, memberGuild, systemGuild } from '../model/proxy/guild'
import { settings } from '../model/systems/settings'
import { system } from '../model/systems/system'
import { forEachExtPart } from '../model/transfer/transfer'
import { errorSchema, extErrorSchema } from './error'
import { extComponents } from './extComponents'
import { frontingComponents } from './fronting'
import { mapOf, responseSchema } from './schema'

const ownerId = Type.String({ description: 'Short ID of the owning system' })
const time = Type.String({ format: 'date-time' })
const snowflake = Type.String({
  pattern: '^\\S+$',
  description: 'ID of a chat platform: `platform:ID`, or digits only for Discord',
})

function ref(name: string): TSchema {
  return Type.Unsafe({ $ref: `#/components/schemas/${name}` })
}

function switchOf(members: TSchema, extra: Record<string, TSchema> = {}): TSchema {
  return Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      timestamp: time,
      members: Type.Array(members, {
        description: 'Fronting members in order; empty if nobody fronts',
      }),
      ...extra,
    },
    { additionalProperties: false },
  )
}

const reasonFields = {
  why: Type.String({ description: 'Reason in English' }),
  code: Type.Unsafe({ type: 'string', enum: Object.keys(reasonMessages) }),
  values: mapOf(Type.Unknown(), 'Values in the reason, such as the limit'),
}

const counts = Type.Object({
  added: Type.Integer(),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
  left_out: Type.Integer(),
})

const { private_members, ...commonTokenFields } = responseSchema(token).properties

const tokenSchema = Type.Object({
  ...commonTokenFields,
  private_members: Type.Optional(private_members),
})

const message = {
  timestamp: time,
  id: snowflake,
  original: snowflake,
  sender: snowflake,
  channel: snowflake,
  guild: Type.Union([snowflake, Type.Null()]),
  system: Type.Union([ref('System'), Type.Null()]),
  member: Type.Union([ref('Member'), Type.Null()]),
}

/** Component schemas of the API document. */
export const components = {
  Error: errorSchema,
  ExtError: extErrorSchema,
  ...extComponents,
  System: responseSchema(system),
  Settings: responseSchema(settings),
  GuildSettings: responseSchema(guild),
  SystemGuildSettings: responseSchema(systemGuild),
  MemberGuildSettings: responseSchema(memberGuild),
  Autoproxy: responseSchema(autoproxy),
  Member: responseSchema(member),
  MemberWithSystem: responseSchema(member, { system: ownerId }),
  Group: responseSchema(group),
  GroupWithSystem: responseSchema(group, { system: ownerId }),
  GroupWithMembers: responseSchema(group, {
    members: Type.Array(Type.String({ format: 'uuid' }), {
      description: 'UUIDs of the group’s members',
    }),
  }),
  Switch: switchOf(ref('Member')),
  Fronters: switchOf(ref('Member'), {
    hidden: Type.Optional(
      Type.Integer({
        description: 'For tokens of the scope `watch`: number of further, hidden fronters',
      }),
    ),
  }),
  SwitchOfIds: switchOf(Type.String({ description: 'Short ID of a member' })),
  ...frontingComponents,
  ImportReport: Type.Object({
    format: Type.Unsafe({
      type: 'string',
      enum: ['pluralkit', 'tupperbox', 'simplyplural', 'pluralport'],
    }),
    dry_run: Type.Boolean(),
    system: Type.String({ description: 'Short ID of the system' }),
    token: Type.Optional(Type.String()),
    members: counts,
    groups: counts,
    memberships: counts,
    switches: counts,
    ext: Type.Optional(
      Type.Object(
        forEachExtPart(() => counts),
        {
          description: 'Rows of the extension API, if the file has any',
        },
      ),
    ),
    repairs: Type.Array(
      Type.Object({
        kind: Type.String(),
        name: Type.Union([Type.String(), Type.Null()]),
        id: Type.Optional(Type.String({ description: 'ID in the file, in addition to the name' })),
        field: Type.String(),
        was: Type.Optional(Type.Unknown()),
        now: Type.Optional(Type.Unknown({ description: 'Imported value; null if it was dropped' })),
        ...reasonFields,
        left_out: Type.Optional(
          Type.Integer({ description: 'Number of rows that were not imported' }),
        ),
      }),
      { description: 'Invalid values in the file, and how they were repaired' },
    ),
    renamed: Type.Array(
      Type.Object({
        kind: Type.String(),
        name: Type.Union([Type.String(), Type.Null()]),
        from: Type.String(),
        to: Type.String({ description: 'New ID; empty in a dry run' }),
      }),
      { description: 'Entities that got a new ID because theirs was taken' },
    ),
    accounts: Type.Array(Type.Object({ id: snowflake, linked: Type.Boolean(), ...reasonFields }), {
      description: 'Accounts in the file, and whether they were linked',
    }),
    kept: mapOf(Type.Integer(), 'Rows without a counterpart here, which were archived'),
    skipped: mapOf(Type.Integer(), 'Rows that were skipped'),
  }),
  Token: tokenSchema,
  NewToken: Type.Composite([
    tokenSchema,
    Type.Object({ token: Type.String({ description: 'Token; shown only once' }) }),
  ]),
  Webhook: Type.Object(
    {
      url: Type.Union([Type.String(), Type.Null()]),
      state: Type.Unsafe({ type: 'string', enum: ['none', 'pending', 'active', 'disabled'] }),
      reason: Type.Union([Type.String(), Type.Null()], {
        description: 'Reason why the webhook is disabled',
      }),
      failing_since: Type.Union([time, Type.Null()]),
      dropped: Type.Integer({
        description:
          'Events that expired before they were delivered, and that no delivery reported yet',
      }),
      events: Type.Optional(
        Type.Unsafe({
          type: 'string',
          enum: ['all'],
          description: 'Present if the webhook also receives the events of the extension API',
        }),
      ),
      deliveries: Type.Array(
        Type.Object({
          event_id: Type.Union([Type.Integer(), Type.Null()]),
          type: Type.String(),
          at: time,
          status: Type.Union([Type.Integer(), Type.Null()]),
          error: Type.Union([Type.String(), Type.Null()]),
          attempt: Type.Integer(),
        }),
        { description: 'Last 50 delivery attempts, newest first' },
      ),
    },
    { additionalProperties: false },
  ),
  WebhookTest: Type.Object({
    status: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Status that the receiver responded with',
    }),
    error: Type.Optional(Type.String({ description: 'Reason why there was no response' })),
  }),
  Message: Type.Object(message, { additionalProperties: false }),
  MessageForAccount: Type.Object(
    {
      ...message,
      own: Type.Boolean({
        description:
          'Whether the account sent the message or is linked to its system: only then it may edit or delete the message',
      }),
      pings_enabled: Type.Boolean({
        description: 'Whether the system allows other users to ping the sender of the message',
      }),
    },
    { additionalProperties: false },
  ),
}
