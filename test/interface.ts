/**
 * What clients rely on: every key with its limit, its guard and its first value, and every endpoint.
 * It is written out here, and nowhere else in the tests, so that nothing joins or leaves the
 * interface by accident. `interface.test.ts` holds the field tables and the API document to it; all
 * other tests are made from the field tables.
 */

/** What is promised of one key. What is not said is null, without a limit, and seen by everyone. */
export interface Promised {
  holds: string
  initial?: unknown
  /** Most characters, or items of a list; of each item. */
  max?: number
  maxEach?: number
  choices?: string[]
  required?: true
  readonly?: true
  /** The level that hides it, and the key that is shown in its place then. */
  guard?: string
  standIn?: string
  ownerOnly?: 'null' | 'absent'
}

export interface Noun {
  fields: Record<string, Promised>
  /** Every privacy level, also those that hide no field but close a list. */
  levels: string[]
}

export const nouns: Record<string, Noun> = {
  system: {
    fields: {
      name: { holds: 'text', max: 100, guard: 'name_privacy' },
      description: { holds: 'text', max: 1000, guard: 'description_privacy' },
      tag: { holds: 'text', max: 79 },
      pronouns: { holds: 'text', max: 100, guard: 'pronoun_privacy' },
      avatar_url: { holds: 'url', max: 256, guard: 'avatar_privacy' },
      banner: { holds: 'url', max: 256, guard: 'banner_privacy' },
      color: { holds: 'color' },
      created: { holds: 'timestamp', readonly: true },
      webhook_url: { holds: 'url', max: 256, ownerOnly: 'absent', readonly: true },
    },
    levels: [
      'name_privacy',
      'description_privacy',
      'avatar_privacy',
      'banner_privacy',
      'pronoun_privacy',
      'member_list_privacy',
      'group_list_privacy',
      'front_privacy',
      'front_history_privacy',
    ],
  },
  member: {
    fields: {
      name: {
        holds: 'text',
        max: 100,
        guard: 'name_privacy',
        standIn: 'display_name',
        required: true,
      },
      display_name: { holds: 'text', max: 100, guard: 'name_privacy' },
      color: { holds: 'color' },
      birthday: { holds: 'date', guard: 'birthday_privacy' },
      pronouns: { holds: 'text', max: 100, guard: 'pronoun_privacy' },
      avatar_url: { holds: 'url', max: 256, guard: 'avatar_privacy' },
      webhook_avatar_url: { holds: 'url', max: 256, guard: 'avatar_privacy' },
      banner: { holds: 'url', max: 256, guard: 'banner_privacy' },
      description: { holds: 'text', max: 1000, guard: 'description_privacy' },
      created: { holds: 'timestamp', guard: 'metadata_privacy', readonly: true },
      proxy_tags: { holds: 'proxyTags', initial: [], max: 100, guard: 'proxy_privacy' },
      keep_proxy: { holds: 'flag', initial: false },
      tts: { holds: 'flag', initial: false },
      autoproxy_enabled: { holds: 'flag', initial: true, ownerOnly: 'null' },
      message_count: { holds: 'count', initial: 0, guard: 'metadata_privacy', readonly: true },
      last_message_timestamp: { holds: 'timestamp', guard: 'metadata_privacy', readonly: true },
    },
    levels: [
      'visibility',
      'name_privacy',
      'description_privacy',
      'birthday_privacy',
      'pronoun_privacy',
      'avatar_privacy',
      'banner_privacy',
      'metadata_privacy',
      'proxy_privacy',
    ],
  },
  group: {
    fields: {
      name: {
        holds: 'text',
        max: 100,
        guard: 'name_privacy',
        standIn: 'display_name',
        required: true,
      },
      display_name: { holds: 'text', max: 100, guard: 'name_privacy' },
      description: { holds: 'text', max: 1000, guard: 'description_privacy' },
      created: { holds: 'timestamp', guard: 'metadata_privacy', readonly: true },
      icon: { holds: 'url', max: 256, guard: 'icon_privacy' },
      banner: { holds: 'url', max: 256, guard: 'banner_privacy' },
      color: { holds: 'color' },
    },
    levels: [
      'name_privacy',
      'description_privacy',
      'banner_privacy',
      'icon_privacy',
      'list_privacy',
      'metadata_privacy',
      'visibility',
    ],
  },
  settings: {
    fields: {
      timezone: { holds: 'timezone', initial: 'UTC', ownerOnly: 'absent' },
      pings_enabled: { holds: 'flag', initial: true },
      latch_timeout: { holds: 'count' },
      member_default_private: { holds: 'flag', initial: false, ownerOnly: 'absent' },
      group_default_private: { holds: 'flag', initial: false, ownerOnly: 'absent' },
      show_private_info: { holds: 'flag', initial: true, ownerOnly: 'absent' },
      member_limit: { holds: 'count', initial: 1000, ownerOnly: 'absent', readonly: true },
      group_limit: { holds: 'count', initial: 250, ownerOnly: 'absent', readonly: true },
      case_sensitive_proxy_tags: { holds: 'flag', initial: true },
      proxy_error_message_enabled: { holds: 'flag', initial: true },
      hid_display_split: { holds: 'flag', initial: false },
      hid_display_caps: { holds: 'flag', initial: false },
      hid_list_padding: { holds: 'choice', initial: 'off', choices: ['off', 'left', 'right'] },
      proxy_switch: { holds: 'choice', initial: 'off', choices: ['off', 'new', 'add'] },
      name_format: { holds: 'text', initial: '{name} {tag}', max: 200 },
      description_templates: {
        holds: 'texts',
        initial: [],
        max: 3,
        maxEach: 1000,
        ownerOnly: 'absent',
      },
    },
    levels: [],
  },
  autoproxy: {
    fields: {
      autoproxy_mode: {
        holds: 'choice',
        initial: 'off',
        choices: ['off', 'front', 'latch', 'member'],
      },
      autoproxy_member: { holds: 'reference' },
      last_latch_timestamp: { holds: 'timestamp', readonly: true },
    },
    levels: [],
  },
  systemGuild: {
    fields: {
      proxying_enabled: { holds: 'flag', initial: true },
      tag: { holds: 'text', max: 79 },
      tag_enabled: { holds: 'flag', initial: true },
      avatar_url: { holds: 'url', max: 256 },
      display_name: { holds: 'text', max: 100 },
      name_format: { holds: 'text', max: 200 },
    },
    levels: [],
  },
  memberGuild: {
    fields: {
      display_name: { holds: 'text', max: 100 },
      avatar_url: { holds: 'url', max: 256 },
      keep_proxy: { holds: 'flag' },
    },
    levels: [],
  },
  guild: {
    fields: {
      disabled_channels: { holds: 'snowflakes', initial: [], max: 1000, maxEach: 255 },
      require_system_tag: { holds: 'flag', initial: false },
    },
    levels: [],
  },
}

/** Every endpoint, as the API document spells it. */
export const endpoints = [
  'GET /v2/systems/@me/tokens',
  'POST /v2/systems/@me/tokens',
  'DELETE /v2/systems/@me/tokens/{name}',
  'PATCH /v2/systems/@me/members',
  'PATCH /v2/systems/@me/groups',
  'POST /bot/systems/{systemRef}/login',
  'POST /web/session',
  'GET /web/session',
  'DELETE /web/session',
  'POST /web/login',
  'GET /web/sessions',
  'DELETE /web/sessions',
  'PATCH /web/sessions/{id}',
  'DELETE /web/sessions/{id}',
  'GET /web/preferences',
  'PATCH /web/preferences',
  'GET /v2/systems/{systemRef}',
  'PATCH /v2/systems/{systemRef}',
  'GET /v2/systems/{systemRef}/settings',
  'PATCH /v2/systems/{systemRef}/settings',
  'GET /v2/systems/@me/accounts',
  'POST /v2/systems/@me/link-code',
  'GET /v2/systems/@me/guilds/{guild_id}',
  'PATCH /v2/systems/@me/guilds/{guild_id}',
  'GET /v2/members/{memberRef}/guilds/{guild_id}',
  'PATCH /v2/members/{memberRef}/guilds/{guild_id}',
  'GET /v2/systems/@me/autoproxy',
  'PATCH /v2/systems/@me/autoproxy',
  'GET /v2/systems/{systemRef}/members',
  'POST /v2/members',
  'GET /v2/members/{memberRef}',
  'PATCH /v2/members/{memberRef}',
  'DELETE /v2/members/{memberRef}',
  'GET /v2/members/{memberRef}/groups',
  'POST /v2/members/{memberRef}/groups/add',
  'POST /v2/members/{memberRef}/groups/remove',
  'POST /v2/members/{memberRef}/groups/overwrite',
  'GET /v2/systems/{systemRef}/groups',
  'POST /v2/groups',
  'GET /v2/groups/{groupRef}',
  'PATCH /v2/groups/{groupRef}',
  'DELETE /v2/groups/{groupRef}',
  'GET /v2/groups/{groupRef}/members',
  'POST /v2/groups/{groupRef}/members/add',
  'POST /v2/groups/{groupRef}/members/remove',
  'POST /v2/groups/{groupRef}/members/overwrite',
  'GET /v2/systems/{systemRef}/switches',
  'POST /v2/systems/{systemRef}/switches',
  'GET /v2/systems/{systemRef}/fronters',
  'GET /v2/systems/{systemRef}/fronting.ics',
  'GET /v2/systems/{systemRef}/fronting/days',
  'GET /v2/systems/{systemRef}/fronting/hours',
  'GET /v2/systems/{systemRef}/fronting/pairs',
  'GET /v2/systems/{systemRef}/fronting/stints',
  'GET /v2/systems/{systemRef}/fronting/totals',
  'GET /v2/systems/{systemRef}/switches/{switchRef}',
  'PATCH /v2/systems/{systemRef}/switches/{switchRef}',
  'DELETE /v2/systems/{systemRef}/switches/{switchRef}',
  'PATCH /v2/systems/{systemRef}/switches/{switchRef}/members',
  'GET /v2/messages/{message}',
  'GET /v2/systems/@me/webhook',
  'PUT /v2/systems/@me/webhook',
  'DELETE /v2/systems/@me/webhook',
  'POST /v2/systems/@me/webhook/verify',
  'POST /v2/systems/@me/webhook/enable',
  'POST /v2/systems/@me/webhook/test',
  'GET /v2/systems/@me/events',
  'GET /v2/systems/{systemRef}/fronters/stream',
  'POST /v2/systems/@me/import',
  'GET /v2/systems/@me/export',
  'GET /v2/systems/@me/export/front-history',
  'GET /v1/s',
  'PATCH /v1/s',
  'GET /v1/s/{id}',
  'GET /v1/a/{id}',
  'GET /v1/s/{id}/members',
  'GET /v1/s/{id}/switches',
  'GET /v1/s/{id}/fronters',
  'POST /v1/s/switches',
  'GET /v1/m/{id}',
  'PATCH /v1/m/{id}',
  'DELETE /v1/m/{id}',
  'POST /v1/m',
  'GET /v1/msg/{id}',
  'POST /bot/systems',
  'DELETE /bot/systems/{systemRef}',
  'DELETE /bot/systems/{systemRef}/switches',
  'POST /bot/systems/{systemRef}/token',
  'PUT /bot/systems/{systemRef}/accounts/{account_id}',
  'DELETE /bot/systems/{systemRef}/accounts/{account_id}',
  'GET /bot/accounts/{account_id}',
  'PATCH /bot/accounts/{account_id}',
  'DELETE /bot/accounts/{account_id}',
  'POST /bot/link',
  'GET /bot/guilds/{guild_id}',
  'PATCH /bot/guilds/{guild_id}',
  'GET /bot/systems/{systemRef}/guilds/{guild_id}',
  'PATCH /bot/systems/{systemRef}/guilds/{guild_id}',
  'GET /bot/members/{memberRef}/guilds/{guild_id}',
  'PATCH /bot/members/{memberRef}/guilds/{guild_id}',
  'POST /bot/proxy',
  'POST /bot/messages',
  'DELETE /bot/messages/{id}',
  'POST /bot/messages/delete',
  'POST /private/bulk_privacy/member',
  'POST /private/bulk_privacy/group',
]
