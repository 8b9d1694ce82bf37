import { type TSchema, Type } from '@sinclair/typebox'
import { autoproxy } from '../model/autoproxy'
import { group } from '../model/group'
import { guild, memberGuild, systemGuild } from '../model/guild'
import { member } from '../model/member'
import { settings } from '../model/settings'
import { system } from '../model/system'
import { token } from '../model/token'
import { errorSchema } from './error'
import { frontingComponents } from './fronting'
import { mapOf, responseSchema } from './schema'

const ownerId = Type.String({ description: 'Short ID of the owning system' })
const time = Type.String({ format: 'date-time' })
const snowflake = Type.String({
  pattern: '^\\S+$',
  description: 'A chat platform’s ID: digits on Discord, on others with the platform in front',
})

function ref(name: string): TSchema {
  return Type.Unsafe({ $ref: `#/components/schemas/${name}` })
}

function switchOf(members: TSchema, more: Record<string, TSchema> = {}): TSchema {
  return Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      timestamp: time,
      members: Type.Array(members, { description: 'Who fronts, in order; empty for nobody' }),
      ...more,
    },
    { additionalProperties: false },
  )
}

const tally = Type.Object({
  added: Type.Integer(),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
  left_out: Type.Integer(),
})

const { private_members, ...ofEveryToken } = responseSchema(token).properties

const tokenSchema = Type.Object({
  ...ofEveryToken,
  private_members: Type.Optional(private_members),
})

/** The named shapes of the API documentation. */
export const components = {
  Error: errorSchema,
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
    members: Type.Array(Type.String({ format: 'uuid' }), { description: 'UUIDs of its members' }),
  }),
  Switch: switchOf(ref('Member')),
  /** As a watcher gets it. */
  Fronters: switchOf(ref('Member'), {
    hidden: Type.Optional(
      Type.Integer({ description: 'For one who watches: how many more there are' }),
    ),
  }),
  SwitchOfIds: switchOf(Type.String({ description: 'Short ID of a member' })),
  ...frontingComponents,
  ImportReport: Type.Object({
    format: Type.Unsafe({ type: 'string', enum: ['pluralkit', 'tupperbox', 'simplyplural'] }),
    dry_run: Type.Boolean(),
    system: Type.String({ description: 'Short ID of the system' }),
    token: Type.Optional(Type.String()),
    members: tally,
    groups: tally,
    memberships: tally,
    switches: tally,
    repairs: Type.Array(
      Type.Object({
        kind: Type.String(),
        name: Type.Union([Type.String(), Type.Null()]),
        id: Type.Optional(Type.String({ description: 'What the file calls it beside its name' })),
        field: Type.String(),
        was: Type.Optional(Type.Unknown()),
        now: Type.Optional(
          Type.Unknown({ description: 'Null where nothing is left of the value' }),
        ),
        why: Type.String(),
        left_out: Type.Optional(
          Type.Integer({ description: 'The row did not come in, or so many of them' }),
        ),
      }),
      { description: 'What was not as it should be, and what became of it' },
    ),
    renamed: Type.Array(
      Type.Object({
        kind: Type.String(),
        name: Type.Union([Type.String(), Type.Null()]),
        from: Type.String(),
        to: Type.String({ description: 'Empty in a dry run: it is not drawn yet' }),
      }),
      { description: 'Whose ID was not free here' },
    ),
    accounts: Type.Array(
      Type.Object({ id: snowflake, linked: Type.Boolean(), why: Type.String() }),
      { description: 'Accounts that the file names, and what became of them' },
    ),
    kept: mapOf(Type.Integer(), 'Rows without a counterpart, stored aside'),
    skipped: mapOf(Type.Integer(), 'Rows not taken'),
  }),
  Token: tokenSchema,
  NewToken: Type.Composite([
    tokenSchema,
    Type.Object({ token: Type.String({ description: 'The token itself, shown this once' }) }),
  ]),
  Webhook: Type.Object(
    {
      url: Type.Union([Type.String(), Type.Null()]),
      state: Type.Unsafe({ type: 'string', enum: ['none', 'pending', 'active', 'disabled'] }),
      reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is disabled' }),
      failing_since: Type.Union([time, Type.Null()]),
      dropped: Type.Integer({
        description: 'Events that waited so long that they had to go, and that no delivery told of',
      }),
      deliveries: Type.Array(
        Type.Object({
          event_id: Type.Union([Type.Integer(), Type.Null()]),
          type: Type.String(),
          at: time,
          status: Type.Union([Type.Integer(), Type.Null()]),
          error: Type.Union([Type.String(), Type.Null()]),
          attempt: Type.Integer(),
        }),
        { description: 'The last 50 attempts, newest first' },
      ),
    },
    { additionalProperties: false },
  ),
  WebhookTest: Type.Object({
    status: Type.Union([Type.Integer(), Type.Null()], {
      description: 'What the receiver answered',
    }),
    error: Type.Optional(Type.String({ description: 'Why there was no answer' })),
  }),
  Message: Type.Object(
    {
      timestamp: time,
      id: snowflake,
      original: snowflake,
      sender: snowflake,
      channel: snowflake,
      guild: Type.Union([snowflake, Type.Null()]),
      system: Type.Union([ref('System'), Type.Null()]),
      member: Type.Union([ref('Member'), Type.Null()]),
    },
    { additionalProperties: false },
  ),
}
