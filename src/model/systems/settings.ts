import { entity, type Patch, type Row } from '../core/entity'
import { choice, count, flag, nullableCount, textList, textOr, timezone } from '../core/field'

export const DEFAULT_NAME_FORMAT = '{name} {tag}'
export const MAX_NAME_FORMAT = 200

/** Seconds until a latch expires, unless the system sets another timeout. */
export const DEFAULT_LATCH_TIMEOUT = 6 * 60 * 60

export const settings = entity('settings', {
  timezone: timezone({ ownerOnly: 'absent', doc: 'Time zone name', example: 'Europe/Oslo' }),
  pings_enabled: flag(true, {
    doc: 'Whether a bell reaction pings the author of a proxied message',
  }),
  latch_timeout: nullableCount({
    doc: 'Seconds until latch autoproxy times out; null means 6 hours, 0 means never',
  }),
  member_default_private: flag(false, {
    ownerOnly: 'absent',
    doc: 'Whether members created through a bot or the dashboard start private',
  }),
  group_default_private: flag(false, {
    ownerOnly: 'absent',
    doc: 'Whether groups created through a bot or the dashboard start private',
  }),
  show_private_info: flag(true, {
    ownerOnly: 'absent',
    doc: 'Whether a bot shows private information to its owner by default',
  }),
  member_limit: count(1000, {
    ownerOnly: 'absent',
    readonly: true,
    doc: 'Maximum number of members',
  }),
  group_limit: count(250, {
    ownerOnly: 'absent',
    readonly: true,
    doc: 'Maximum number of groups',
  }),
  case_sensitive_proxy_tags: flag(true, { doc: 'Whether proxy tags are case-sensitive' }),
  proxy_error_message_enabled: flag(true, {
    doc: 'Whether a bot notifies the user when proxying fails',
  }),
  hid_display_split: flag(false, {
    doc: 'Whether a bot shows 6-letter IDs as two halves joined by a hyphen',
  }),
  hid_display_caps: flag(false, { doc: 'Whether a bot shows IDs in upper case' }),
  hid_list_padding: choice(['off', 'left', 'right'], {
    defaultValue: 'off',
    doc: 'How a bot pads 5-letter IDs in lists',
  }),
  proxy_switch: choice(['off', 'new', 'add'], {
    defaultValue: 'off',
    doc: 'Effect of a proxied message on the current switch',
  }),
  name_format: textOr(DEFAULT_NAME_FORMAT, {
    max: MAX_NAME_FORMAT,
    doc: 'Format of the name of a proxied message',
  }),
  description_templates: textList({
    maxItems: 3,
    max: 1000,
    ownerOnly: 'absent',
    doc: 'Templates for new descriptions',
  }),
})

export type Settings = Row<typeof settings>
export type SettingsPatch = Patch<typeof settings>

/**
 * Settings of a new system that is not public: anyone who knows the ID of a member or group may look
 * it up, even if the lists of its system are private, and fronters are shown with all their public
 * fields.
 */
export const privateByDefault: SettingsPatch = {
  member_default_private: true,
  group_default_private: true,
}
