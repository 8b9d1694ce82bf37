/**
 * Contract with clients: every key with its limit, guard and default value. `interface.test.ts`
 * compares the field tables with it, so that no key is added or removed by accident. All other
 * tests are derived from the field tables. The contract of endpoints is in `test/contract/endpoints`.
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
      log_channel: { kind: 'snowflake' },
      log_disabled_channels: { kind: 'snowflakes', defaultValue: [], max: 1000, maxEach: 255 },
      silent: { kind: 'flag', defaultValue: false },
      command_errors: { kind: 'flag', defaultValue: true },
      say_enabled: { kind: 'flag', defaultValue: false },
    },
    levels: [],
  },
}
