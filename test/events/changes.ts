import { group } from '../../src/model/groups/group'
import { member } from '../../src/model/members/member'

/** "METHOD /path", its body, and a name for the created entity in later steps. */
export type Step = [line: string, body?: unknown, name?: string]

export type ExpectedEvent = [type: string, id: string | null, data: unknown]

/**
 * A change and its events. The owner sends v1 and v2 requests, or a bot that acts for the owner.
 * `<made>` is the UUID of the created entity, `<time>` the time in the response.
 */
export interface Change {
  by?: 'bot'
  after?: Step[]
  does: Step
  events: ExpectedEvent[]
}

const wren = '<wren.uuid>'
const finch = '<finch.uuid>'
const ofGuild = { guild_id: '<guild>', channel_id: null }
const autoproxy = 'PATCH /v2/systems/@me/autoproxy?guild_id=<guild>'
const wrenLatched: Step = [autoproxy, { autoproxy_mode: 'latch', autoproxy_member: '<wren>' }]
const river: Step = ['POST /v2/groups', { name: 'River' }, 'river']
export const flock: Step = ['POST /v2/groups', { name: 'Flock' }, 'flock']
export const wrenInFlock: Step = ['POST /v2/groups/<flock>/members/add', ['<wren>']]
export const wrenFronts: Step = ['POST /v2/systems/@me/switches', { members: ['<wren>'] }, 'front']

const ids = { id: '<sent>', original: '<said>', sender: '<account>', channel: '<channel>' }
const at = '2026-01-02T03:04:05.25Z'
export const message = { ...ids, guild: '<guild>', member: '<wren>', timestamp: at }
export const incoming = {
  account_id: '<account>',
  guild_id: '<guild>',
  channel_id: '<channel>',
  content: '\\\\ hello',
}
const proxied: ExpectedEvent = [
  'CREATE_MESSAGE',
  null,
  { ...ids, guild: '<guild>', timestamp: at, system: 'OWNER VIEW', member: 'OWNER VIEW' },
]

export const changesOfSystems: Record<string, Change> = {
  'a system changes its name': {
    does: ['PATCH /v2/systems/@me', { name: 'Lantern Vale' }],
    events: [['UPDATE_SYSTEM', null, { name: 'Lantern Vale' }]],
  },
  'a system sets all fields, of which only new values are sent': {
    does: [
      'PATCH /v2/systems/@me',
      {
        name: 'Lantern Hill',
        description: 'Of the hill',
        tag: '| L',
        pronouns: 'they/them',
        avatar_url: 'https://example.org/a.png',
        banner: 'https://example.org/b.png',
        color: 'F2B632',
        privacy: { front_privacy: 'private', name_privacy: 'public' },
      },
    ],
    events: [
      [
        'UPDATE_SYSTEM',
        null,
        {
          description: 'Of the hill',
          tag: '| L',
          pronouns: 'they/them',
          avatar_url: 'https://example.org/a.png',
          banner: 'https://example.org/b.png',
          color: 'f2b632',
          privacy: { front_privacy: 'private' },
        },
      ],
    ],
  },
  'a system clears its tag and a privacy level': {
    after: [['PATCH /v2/systems/@me', { tag: '| L', privacy: { name_privacy: 'private' } }]],
    does: ['PATCH /v2/systems/@me', { tag: '', privacy: { name_privacy: null } }],
    events: [['UPDATE_SYSTEM', null, { tag: null, privacy: { name_privacy: 'public' } }]],
  },
  'a system changes its name and time zone with version 1': {
    does: ['PATCH /v1/s', { name: 'Lantern Vale', tz: 'Europe/Oslo' }],
    events: [
      ['UPDATE_SETTINGS', null, { timezone: 'Europe/Oslo' }],
      ['UPDATE_SYSTEM', null, { name: 'Lantern Vale' }],
    ],
  },
  'a bot changes a system': {
    by: 'bot',
    does: ['PATCH /v2/systems/@me', { color: '00ff00' }],
    events: [['UPDATE_SYSTEM', null, { color: '00ff00' }]],
  },
  'a system changes its settings': {
    does: ['PATCH /v2/systems/@me/settings', { latch_timeout: 60, pings_enabled: true }],
    events: [['UPDATE_SETTINGS', null, { latch_timeout: 60 }]],
  },
  'a bot links an account': {
    does: ['PUT /bot/systems/<system>/accounts/18446744073709551615'],
    events: [['LINK_ACCOUNT', '18446744073709551615', null]],
  },
  'a bot unlinks an account': {
    does: ['DELETE /bot/systems/<system>/accounts/<account>'],
    events: [['UNLINK_ACCOUNT', '<account>', null]],
  },
  'a bot deletes an account': {
    does: ['DELETE /bot/accounts/<account>'],
    events: [['UNLINK_ACCOUNT', '<account>', null]],
  },
  'a bot creates the settings of a system for a guild': {
    does: ['PATCH /bot/systems/<system>/guilds/<guild>', { tag: '| G', tag_enabled: true }],
    events: [['UPDATE_SYSTEM_GUILD', null, { guild_id: '<guild>', tag: '| G' }]],
  },
  'a system changes its settings for a guild': {
    after: [['PATCH /bot/systems/<system>/guilds/<guild>', { tag: '| G' }]],
    does: ['PATCH /v2/systems/@me/guilds/<guild>', { proxying_enabled: false, tag: '| G' }],
    events: [['UPDATE_SYSTEM_GUILD', null, { guild_id: '<guild>', proxying_enabled: false }]],
  },
  'autoproxy is set': {
    does: [autoproxy, { autoproxy_mode: 'member', autoproxy_member: '<wren>' }],
    events: [
      ['UPDATE_AUTOPROXY', null, { ...ofGuild, autoproxy_mode: 'member', autoproxy_member: wren }],
    ],
  },
  'a latch is set': {
    after: [[autoproxy, { autoproxy_mode: 'latch' }]],
    does: wrenLatched,
    events: [
      [
        'UPDATE_AUTOPROXY',
        null,
        { ...ofGuild, autoproxy_member: wren, last_latch_timestamp: '<time>' },
      ],
    ],
  },
  'backslashes in a message unlatch': {
    after: [wrenLatched],
    does: ['POST /bot/proxy', incoming],
    events: [
      [
        'UPDATE_AUTOPROXY',
        null,
        { ...ofGuild, autoproxy_member: null, last_latch_timestamp: null },
      ],
    ],
  },
}

export const changesOfMembers: Record<string, Change> = {
  'a member is created': {
    does: [
      'POST /v2/members',
      { name: 'Kestrel', proxy_tags: [{ prefix: 'k:' }], privacy: { visibility: 'private' } },
    ],
    events: [
      [
        'CREATE_MEMBER',
        '<made>',
        {
          name: 'Kestrel',
          proxy_tags: [{ prefix: 'k:', suffix: null }],
          privacy: { visibility: 'private' },
        },
      ],
    ],
  },
  'a member is created with version 1': {
    does: ['POST /v1/m', { name: 'Kestrel', pronouns: null, message_count: 7 }],
    events: [['CREATE_MEMBER', '<made>', { name: 'Kestrel', pronouns: null }]],
  },
  'a bot creates a member in a system whose new members are private': {
    by: 'bot',
    after: [['PATCH /v2/systems/@me/settings', { member_default_private: true }]],
    does: ['POST /v2/members', { name: 'Kestrel' }],
    events: [['CREATE_MEMBER', '<made>', { name: 'Kestrel', privacy: allPrivate(member.levels) }]],
  },
  'a member changes': {
    does: [
      'PATCH /v2/members/<wren>',
      {
        name: 'Wren',
        display_name: 'Wren of the Hill',
        birthday: '0004-11-02',
        proxy_tags: [],
        tts: true,
        autoproxy_enabled: false,
        privacy: { birthday_privacy: 'private', visibility: 'public' },
      },
    ],
    events: [
      [
        'UPDATE_MEMBER',
        wren,
        {
          display_name: 'Wren of the Hill',
          birthday: '0004-11-02',
          proxy_tags: [],
          tts: true,
          autoproxy_enabled: false,
          privacy: { birthday_privacy: 'private' },
        },
      ],
    ],
  },
  'a member changes with version 1': {
    does: ['PATCH /v1/m/<wren>', { description: 'Small and loud', prefix: 'w:' }],
    events: [['UPDATE_MEMBER', wren, { description: 'Small and loud' }]],
  },
  'a bot changes a member': {
    by: 'bot',
    does: ['PATCH /v2/members/<wren>', { keep_proxy: true }],
    events: [['UPDATE_MEMBER', wren, { keep_proxy: true }]],
  },
  'a member is deleted with version 1': {
    does: ['DELETE /v1/m/<wren>'],
    events: [['DELETE_MEMBER', wren, null]],
  },
  'a member chosen by autoproxy is deleted': {
    after: [[autoproxy, { autoproxy_mode: 'member', autoproxy_member: '<wren>' }]],
    does: ['DELETE /v2/members/<wren>'],
    events: [
      ['UPDATE_AUTOPROXY', null, { ...ofGuild, autoproxy_mode: 'off', autoproxy_member: null }],
      ['DELETE_MEMBER', wren, null],
    ],
  },
  'a bot creates the settings of a member for a guild': {
    does: ['PATCH /bot/members/<wren>/guilds/<guild>', { display_name: 'W', keep_proxy: null }],
    events: [['UPDATE_MEMBER_GUILD', wren, { guild_id: '<guild>', display_name: 'W' }]],
  },
  'a member changes its settings for a guild': {
    after: [['PATCH /bot/members/<wren>/guilds/<guild>', { display_name: 'W' }]],
    does: ['PATCH /v2/members/<wren>/guilds/<guild>', { display_name: 'W', keep_proxy: true }],
    events: [['UPDATE_MEMBER_GUILD', wren, { guild_id: '<guild>', keep_proxy: true }]],
  },
  'a group is created': {
    does: ['POST /v2/groups', { name: 'Flock', icon: null, privacy: { list_privacy: 'private' } }],
    events: [
      [
        'CREATE_GROUP',
        '<made>',
        { name: 'Flock', icon: null, privacy: { list_privacy: 'private' } },
      ],
    ],
  },
  'a bot creates a group in a system whose new groups are private': {
    by: 'bot',
    after: [['PATCH /v2/systems/@me/settings', { group_default_private: true }]],
    does: ['POST /v2/groups', { name: 'Flock' }],
    events: [['CREATE_GROUP', '<made>', { name: 'Flock', privacy: allPrivate(group.levels) }]],
  },
  'a group changes': {
    after: [flock],
    does: ['PATCH /v2/groups/<flock>', { color: 'ABCDEF', privacy: { icon_privacy: 'private' } }],
    events: [
      ['UPDATE_GROUP', '<flock.uuid>', { color: 'abcdef', privacy: { icon_privacy: 'private' } }],
    ],
  },
  'a group is deleted': {
    after: [flock],
    does: ['DELETE /v2/groups/<flock>'],
    events: [['DELETE_GROUP', '<flock.uuid>', null]],
  },
  'members are added to a group, one of which is already in it': {
    after: [flock, wrenInFlock],
    does: ['POST /v2/groups/<flock>/members/add', ['<wren>', '<finch>', '<finch.uuid>']],
    events: [ofFlock('add', finch)],
  },
  'members are removed from a group, one of which is not in it': {
    after: [flock, wrenInFlock],
    does: ['POST /v2/groups/<flock>/members/remove', ['<wren>', '<finch>']],
    events: [ofFlock('remove', wren)],
  },
  'the members of a group are replaced': {
    after: [flock, wrenInFlock],
    does: ['POST /v2/groups/<flock>/members/overwrite', ['<finch>', '<wren>']],
    events: [ofFlock('overwrite', finch, wren)],
  },
  'all members of a group are removed': {
    after: [flock, wrenInFlock],
    does: ['POST /v2/groups/<flock>/members/overwrite', []],
    events: [ofFlock('overwrite')],
  },
  'the groups of a member are replaced': {
    after: [flock, river, wrenInFlock],
    does: ['POST /v2/members/<wren>/groups/overwrite', ['<river>']],
    events: [
      ['UPDATE_GROUP_MEMBERS', '<river.uuid>', { action: 'add', members: [wren] }],
      ofFlock('remove', wren),
    ],
  },
}

export const changesOfFronts: Record<string, Change> = {
  'a switch is logged': {
    does: ['POST /v2/systems/@me/switches', { members: ['<finch>', '<wren>'] }],
    events: [switched(finch, wren)],
  },
  'a switch is logged with version 1': {
    does: ['POST /v1/s/switches', { members: ['<wren>'] }],
    events: [switched(wren)],
  },
  'a bot logs a switch without fronters, to the microsecond': {
    by: 'bot',
    does: [
      'POST /v2/systems/@me/switches',
      { members: [], timestamp: '2026-01-01T10:00:00.500001' },
    ],
    events: [
      [
        'CREATE_SWITCH',
        '<made>',
        { id: '<made>', timestamp: '2026-01-01T10:00:00.500001Z', members: [] },
      ],
    ],
  },
  'the members of a switch change': {
    after: [wrenFronts],
    does: ['PATCH /v2/systems/@me/switches/<front>/members', ['<finch>']],
    events: [['UPDATE_SWITCH', '<front>', { members: [finch] }]],
  },
  'the time of a switch changes': {
    after: [wrenFronts],
    does: ['PATCH /v2/systems/@me/switches/<front>', { timestamp: '2026-01-01T11:00:00+01:00' }],
    events: [['UPDATE_SWITCH', '<front>', { timestamp: '2026-01-01T10:00:00Z' }]],
  },
  'a switch is deleted': {
    after: [wrenFronts],
    does: ['DELETE /v2/systems/@me/switches/<front>'],
    events: [['DELETE_SWITCH', '<front>', null]],
  },
  'a bot deletes all switches': {
    after: [wrenFronts],
    does: ['DELETE /bot/systems/<system>/switches'],
    events: [['DELETE_ALL_SWITCHES', null, null]],
  },
  'a message is proxied': {
    does: ['POST /bot/messages', message],
    events: [proxied],
  },
  'a message is proxied in latch mode': {
    after: [[autoproxy, { autoproxy_mode: 'latch' }]],
    does: ['POST /bot/messages', message],
    events: [
      proxied,
      ['UPDATE_AUTOPROXY', null, { ...ofGuild, autoproxy_member: wren, last_latch_timestamp: at }],
    ],
  },
  'a message is proxied and adds its member to the front': {
    after: [
      ['PATCH /v2/systems/@me/settings', { proxy_switch: 'add' }],
      ['POST /v2/systems/@me/switches', { members: ['<finch>'] }, 'front'],
    ],
    does: ['POST /bot/messages', message],
    events: [proxied, ['UPDATE_SWITCH', '<front>', { members: [finch, wren] }]],
  },
}

function ofFlock(action: string, ...members: string[]): ExpectedEvent {
  return ['UPDATE_GROUP_MEMBERS', '<flock.uuid>', { action, members }]
}

function switched(...members: string[]): ExpectedEvent {
  return ['CREATE_SWITCH', '<made>', { id: '<made>', timestamp: '<time>', members }]
}

function allPrivate(levels: readonly string[]): Record<string, string> {
  return Object.fromEntries(levels.map((level) => [level, 'private']))
}
