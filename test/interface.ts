/**
 * Contract with clients: every key with its limit, guard and default value, and every endpoint.
 * `interface.test.ts` compares the field tables and the API document with it, so that no key or
 * endpoint is added or removed by accident. All other tests are derived from the field tables.
 */

/** Contract of one key. By default it is null initially, has no limit and is public. */
export interface FieldContract {
  kind: string
  defaultValue?: unknown
  /** Maximum number of characters, or of items of a list. */
  max?: number
  /** Maximum number of characters of each item. */
  maxEach?: number
  choices?: string[]
  required?: true
  readonly?: true
  /** Privacy level that hides the field. */
  guard?: string
  /** Key whose value is shown while the field is hidden. */
  fallback?: string
  ownerOnly?: 'null' | 'absent'
}

export interface EntityContract {
  fields: Record<string, FieldContract>
  /** All privacy levels, including those that hide a list instead of a field. */
  levels: string[]
}

export const entityContracts: Record<string, EntityContract> = {
  system: {
    fields: {
      name: { kind: 'text', max: 100, guard: 'name_privacy' },
      description: { kind: 'text', max: 1000, guard: 'description_privacy' },
      tag: { kind: 'text', max: 79 },
      pronouns: { kind: 'text', max: 100, guard: 'pronoun_privacy' },
      avatar_url: { kind: 'url', max: 256, guard: 'avatar_privacy' },
      banner: { kind: 'url', max: 256, guard: 'banner_privacy' },
      color: { kind: 'color' },
      created: { kind: 'timestamp', readonly: true },
      webhook_url: { kind: 'url', max: 256, ownerOnly: 'absent', readonly: true },
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
        kind: 'text',
        max: 100,
        guard: 'name_privacy',
        fallback: 'display_name',
        required: true,
      },
      display_name: { kind: 'text', max: 100, guard: 'name_privacy' },
      color: { kind: 'color' },
      birthday: { kind: 'date', guard: 'birthday_privacy' },
      pronouns: { kind: 'text', max: 100, guard: 'pronoun_privacy' },
      avatar_url: { kind: 'url', max: 256, guard: 'avatar_privacy' },
      webhook_avatar_url: { kind: 'url', max: 256, guard: 'avatar_privacy' },
      banner: { kind: 'url', max: 256, guard: 'banner_privacy' },
      description: { kind: 'text', max: 1000, guard: 'description_privacy' },
      created: { kind: 'timestamp', guard: 'metadata_privacy', readonly: true },
      proxy_tags: { kind: 'proxyTags', defaultValue: [], max: 100, guard: 'proxy_privacy' },
      keep_proxy: { kind: 'flag', defaultValue: false },
      tts: { kind: 'flag', defaultValue: false },
      autoproxy_enabled: { kind: 'flag', defaultValue: true, ownerOnly: 'null' },
      message_count: { kind: 'count', defaultValue: 0, guard: 'metadata_privacy', readonly: true },
      last_message_timestamp: { kind: 'timestamp', guard: 'metadata_privacy', readonly: true },
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
        kind: 'text',
        max: 100,
        guard: 'name_privacy',
        fallback: 'display_name',
        required: true,
      },
      display_name: { kind: 'text', max: 100, guard: 'name_privacy' },
      description: { kind: 'text', max: 1000, guard: 'description_privacy' },
      created: { kind: 'timestamp', guard: 'metadata_privacy', readonly: true },
      icon: { kind: 'url', max: 256, guard: 'icon_privacy' },
      banner: { kind: 'url', max: 256, guard: 'banner_privacy' },
      color: { kind: 'color' },
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
      timezone: { kind: 'timezone', defaultValue: 'UTC', ownerOnly: 'absent' },
      pings_enabled: { kind: 'flag', defaultValue: true },
      latch_timeout: { kind: 'count' },
      member_default_private: { kind: 'flag', defaultValue: false, ownerOnly: 'absent' },
      group_default_private: { kind: 'flag', defaultValue: false, ownerOnly: 'absent' },
      show_private_info: { kind: 'flag', defaultValue: true, ownerOnly: 'absent' },
      member_limit: { kind: 'count', defaultValue: 1000, ownerOnly: 'absent', readonly: true },
      group_limit: { kind: 'count', defaultValue: 250, ownerOnly: 'absent', readonly: true },
      case_sensitive_proxy_tags: { kind: 'flag', defaultValue: true },
      proxy_error_message_enabled: { kind: 'flag', defaultValue: true },
      hid_display_split: { kind: 'flag', defaultValue: false },
      hid_display_caps: { kind: 'flag', defaultValue: false },
      hid_list_padding: { kind: 'choice', defaultValue: 'off', choices: ['off', 'left', 'right'] },
      proxy_switch: { kind: 'choice', defaultValue: 'off', choices: ['off', 'new', 'add'] },
      name_format: { kind: 'text', defaultValue: '{name} {tag}', max: 200 },
      description_templates: {
        kind: 'texts',
        defaultValue: [],
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
        kind: 'choice',
        defaultValue: 'off',
        choices: ['off', 'front', 'latch', 'member'],
      },
      autoproxy_member: { kind: 'reference' },
      last_latch_timestamp: { kind: 'timestamp', readonly: true },
    },
    levels: [],
  },
  systemGuild: {
    fields: {
      proxying_enabled: { kind: 'flag', defaultValue: true },
      tag: { kind: 'text', max: 79 },
      tag_enabled: { kind: 'flag', defaultValue: true },
      avatar_url: { kind: 'url', max: 256 },
      display_name: { kind: 'text', max: 100 },
      name_format: { kind: 'text', max: 200 },
    },
    levels: [],
  },
  memberGuild: {
    fields: {
      display_name: { kind: 'text', max: 100 },
      avatar_url: { kind: 'url', max: 256 },
      keep_proxy: { kind: 'flag' },
    },
    levels: [],
  },
  guild: {
    fields: {
      disabled_channels: { kind: 'snowflakes', defaultValue: [], max: 1000, maxEach: 255 },
      require_system_tag: { kind: 'flag', defaultValue: false },
    },
    levels: [],
  },
}

/** All endpoints, in the notation of the API document. */
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
  'GET /web/registration',
  'POST /web/setup',
  'POST /web/systems',
  'POST /web/login-links',
  'POST /web/import-place',
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
