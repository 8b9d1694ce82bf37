import { t } from 'elysia'
import { bareId } from '../../model/core/platform'
import { redact } from '../../model/core/privacy'
import { type Guild, guild, memberGuild, systemGuild } from '../../model/proxy/guild'
import { bodySchema } from '../../serializers/schema'
import { anyPatchFromV2, patchFromV2, toV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import { actForMember } from '../../service/members/members'
import {
  getGuild,
  getMemberGuild,
  getSystemGuild,
  patchGuild,
  patchMemberGuild,
  patchSystemGuild,
} from '../../service/proxy/guilds'
import { actFor } from '../../service/systems/systems'
import { describe, writeErrors } from '../server/openapi'
import { parseBotPathId } from '../server/query'
import { botRoutes } from '../server/routeGroup'
import { showMemberGuild, showSystemGuild } from '../v2/guilds'
import { guildId, memberRef } from '../v2/params'
import { systemRef, TAG } from './params'

const ofGuild = t.Object({ guild_id: guildId })
const ofSystem = t.Object({ systemRef, guild_id: guildId })
const ofMember = t.Object({ memberRef, guild_id: guildId })

/** Settings for guilds. Only these routes create the settings of systems and members. */
export function guildRoutes(deps: Deps, bodyLimit: number) {
  return botRoutes(bodyLimit)
    .get(
      '/guilds/:guild_id',
      async ({ params, platform, viewer }) => {
        const id = parseBotPathId(platform, 'guild_id', params.guild_id)
        return showGuild(await getGuild(deps, viewer, id))
      },
      {
        params: ofGuild,
        detail: describe({
          tag: TAG,
          id: 'getGuild',
          summary: 'Get a guild’s settings',
          description: 'Returns the settings that moderators of the guild chose, or the defaults.',
          responses: { 200: 'GuildSettings' },
          errors: ['badRequest', 'unauthorized', 'forbidden'],
        }),
      },
    )
    .patch(
      '/guilds/:guild_id',
      async ({ params, platform, viewer, body }) => {
        const id = parseBotPathId(platform, 'guild_id', params.guild_id)
        const patch = patchFromV2(guild, body, { platform })
        return showGuild(await patchGuild(deps, viewer, id, patch))
      },
      {
        params: ofGuild,
        body: bodySchema(guild, 'patch'),
        detail: describe({
          tag: TAG,
          id: 'updateGuild',
          summary: 'Update a guild’s settings',
          description:
            'Changes only the given keys; lists of channels are replaced as a whole. The server applies `disabled_channels` and `require_system_tag` to every decision; the other settings are for the bot. The bot must make sure that the user is allowed to manage the guild.',
          responses: { 200: 'GuildSettings' },
          errors: [...writeErrors, 'invalidBody', 'forbidden'],
        }),
      },
    )
    .get(
      '/systems/:systemRef/guilds/:guild_id',
      async ({ params, platform, viewer: bot }) => {
        const guildKey = parseBotPathId(platform, 'guild_id', params.guild_id)
        const { viewer } = await actFor(deps, bot, params.systemRef)
        return showSystemGuild(await getSystemGuild(deps, viewer, guildKey))
      },
      {
        params: ofSystem,
        detail: describe({
          tag: TAG,
          id: 'getSystemGuild',
          summary: 'Get a system’s guild settings',
          description:
            'Responds with error 20009 if the settings were never created; the defaults apply then.',
          responses: { 200: 'SystemGuildSettings' },
          errors: ['badRequest', 'unauthorized', 'forbidden', 'systemNotFound', 'noSystemGuild'],
        }),
      },
    )
    .patch(
      '/systems/:systemRef/guilds/:guild_id',
      async ({ params, platform, viewer: bot, body }) => {
        const guildKey = parseBotPathId(platform, 'guild_id', params.guild_id)
        const patch = anyPatchFromV2(systemGuild, body)
        const { viewer } = await actFor(deps, bot, params.systemRef)
        return showSystemGuild(await patchSystemGuild(deps, viewer, guildKey, patch, 'create'))
      },
      {
        params: ofSystem,
        body: bodySchema(systemGuild, 'patch'),
        detail: describe({
          tag: TAG,
          id: 'updateSystemGuild',
          summary: 'Update a system’s guild settings',
          description:
            'Changes only the given keys, and creates the settings on first use. An empty object creates them with their defaults, so that the owner can change them too.',
          responses: { 200: 'SystemGuildSettings' },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .get(
      '/members/:memberRef/guilds/:guild_id',
      async ({ params, platform, viewer: bot }) => {
        const guildKey = parseBotPathId(platform, 'guild_id', params.guild_id)
        const viewer = await actForMember(deps, bot, params.memberRef)
        return showMemberGuild(await getMemberGuild(deps, viewer, params.memberRef, guildKey))
      },
      {
        params: ofMember,
        detail: describe({
          tag: TAG,
          id: 'getMemberGuild',
          summary: 'Get a member’s guild settings',
          description:
            'Responds with error 20010 if the settings were never created; the defaults apply then.',
          responses: { 200: 'MemberGuildSettings' },
          errors: ['badRequest', 'unauthorized', 'forbidden', 'memberNotFound', 'noMemberGuild'],
        }),
      },
    )
    .patch(
      '/members/:memberRef/guilds/:guild_id',
      async ({ params, platform, viewer: bot, body }) => {
        const guildKey = parseBotPathId(platform, 'guild_id', params.guild_id)
        const patch = anyPatchFromV2(memberGuild, body)
        const viewer = await actForMember(deps, bot, params.memberRef)
        return showMemberGuild(
          await patchMemberGuild(deps, viewer, params.memberRef, guildKey, patch, 'create'),
        )
      },
      {
        params: ofMember,
        body: bodySchema(memberGuild, 'patch'),
        detail: describe({
          tag: TAG,
          id: 'updateMemberGuild',
          summary: 'Update a member’s guild settings',
          description:
            'Changes only the given keys, and creates the settings on first use. An empty object creates them with their defaults, so that the owner can change them too.',
          responses: { 200: 'MemberGuildSettings' },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'memberNotFound'],
        }),
      },
    )
}

function showGuild(settings: Guild) {
  const { disabled_channels, log_channel, log_disabled_channels } = settings
  const row = {
    ...settings,
    disabled_channels: disabled_channels.map(bareId),
    log_channel: log_channel && bareId(log_channel),
    log_disabled_channels: log_disabled_channels.map(bareId),
  }
  return toV2(guild, redact(guild, row, 'owner'))
}
