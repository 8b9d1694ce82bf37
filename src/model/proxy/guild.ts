import { entity, type Patch, type Row } from '../core/entity'
import { flag, nullableFlag, nullableSnowflake, snowflakes, text, url } from '../core/field'
import { MAX_NAME_FORMAT } from '../systems/settings'

/** Settings of a system in one guild (a server of a chat platform). */
export const systemGuild = entity('system guild settings', {
  proxying_enabled: flag(true, { doc: 'Whether messages are proxied in this guild' }),
  tag: text({
    max: 79,
    doc: 'Tag used in this guild instead of the system’s tag',
    example: '| Hill',
  }),
  tag_enabled: flag(true, { doc: 'Whether the tag is shown in this guild' }),
  avatar_url: url({ doc: 'Address of the picture used in this guild' }),
  display_name: text({ max: 100, doc: 'Name of the system in this guild' }),
  name_format: text({ max: MAX_NAME_FORMAT, doc: 'Name format in this guild' }),
})

export type SystemGuild = Row<typeof systemGuild>
export type SystemGuildPatch = Patch<typeof systemGuild>

export const memberGuild = entity('member guild settings', {
  display_name: text({ max: 100, doc: 'Name of the member in this guild', example: 'Wren' }),
  avatar_url: url({ doc: 'Address of the picture used in this guild' }),
  keep_proxy: nullableFlag({
    doc: 'Whether proxied messages keep their tags in this guild; null uses the member’s setting',
  }),
})

export type MemberGuild = Row<typeof memberGuild>
export type MemberGuildPatch = Patch<typeof memberGuild>

/** Settings of a guild for all of its users. */
export const guild = entity('guild', {
  disabled_channels: snowflakes({ maxItems: 1000, doc: 'Channels in which no message is proxied' }),
  require_system_tag: flag(false, {
    doc: 'Whether proxied names must show a system tag',
    example: true,
  }),
  log_channel: nullableSnowflake({ doc: 'Channel in which the bot logs proxied messages' }),
  log_disabled_channels: snowflakes({
    maxItems: 1000,
    doc: 'Channels whose proxied messages are not logged',
  }),
  silent: flag(false, { doc: 'Whether proxied messages are sent without notifications' }),
  command_errors: flag(true, { doc: 'Whether the bot replies to unknown commands' }),
  say_enabled: flag(false, {
    doc: 'Whether members may speak through a command, without a message of the account',
  }),
})

export type Guild = Row<typeof guild>
export type GuildPatch = Patch<typeof guild>
