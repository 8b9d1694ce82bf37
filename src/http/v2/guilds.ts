import { t } from 'elysia'
import { error } from '../../model/core/errors'
import { redact, requireSystem } from '../../model/core/privacy'
import type { GuildAutoproxy } from '../../model/proxy/autoproxy'
import { autoproxy } from '../../model/proxy/autoproxy'
import { memberGuild, systemGuild } from '../../model/proxy/guild'
import { bodySchema } from '../../serializers/schema'
import { patchFromV2, toV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import { getOwnAutoproxy, patchAutoproxy } from '../../service/proxy/autoproxy'
import {
  getMemberGuild,
  getSystemGuild,
  patchMemberGuild,
  patchSystemGuild,
} from '../../service/proxy/guilds'
import { describe, writeErrors } from '../server/openapi'
import {
  parameter,
  parameters,
  parsePathId,
  parsePlatformId,
  requiredParameter,
} from '../server/query'
import { routes } from '../server/routeGroup'
import { guildId, memberRef } from './params'

const ofGuild = t.Object({ guild_id: guildId })
const ofMember = t.Object({ memberRef, guild_id: guildId })
const autoproxyQuery = parameters({
  guild_id: requiredParameter({
    type: 'string',
    description: 'ID of the guild',
    example: '200000000000000001',
  }),
  channel_id: parameter({ type: 'string', description: 'Not supported; causes an error' }),
})

/** Settings of a system and its members for a guild. Only the owner has access. */
export function guildRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/@me/guilds/:guild_id',
      async ({ params, viewer }) => {
        const guild = parsePathId('guild_id', params.guild_id)
        return showSystemGuild(await getSystemGuild(deps, viewer, guild))
      },
      {
        params: ofGuild,
        detail: describe({
          tag: 'Guilds',
          id: 'getOwnSystemGuild',
          summary: 'Get your system’s guild settings',
          description:
            'The settings exist only after a bot created them; until then this responds with error 20009.',
          requiresAuth: true,
          responses: { 200: 'SystemGuildSettings' },
          errors: ['badRequest', 'unauthorized', 'noSystemGuild'],
        }),
      },
    )
    .patch(
      '/systems/@me/guilds/:guild_id',
      async ({ params, viewer, body }) => {
        const guild = parsePathId('guild_id', params.guild_id)
        const patch = patchFromV2(systemGuild, body)
        return showSystemGuild(await patchSystemGuild(deps, viewer, guild, patch, 'refuse'))
      },
      {
        params: ofGuild,
        body: bodySchema(systemGuild, 'patch'),
        detail: describe({
          tag: 'Guilds',
          id: 'updateOwnSystemGuild',
          summary: 'Update your system’s guild settings',
          description:
            'Changes only the given keys. The settings exist only after a bot created them; until then this responds with error 20009.',
          responses: { 200: 'SystemGuildSettings' },
          errors: [...writeErrors, 'invalidBody', 'noSystemGuild'],
        }),
      },
    )
    .get(
      '/members/:memberRef/guilds/:guild_id',
      async ({ params, viewer }) => {
        const guild = parsePathId('guild_id', params.guild_id)
        return showMemberGuild(await getMemberGuild(deps, viewer, params.memberRef, guild))
      },
      {
        params: ofMember,
        detail: describe({
          tag: 'Guilds',
          id: 'getOwnMemberGuild',
          summary: 'Get your member’s guild settings',
          description:
            'The settings exist only after a bot created them; until then this responds with error 20010.',
          requiresAuth: true,
          responses: { 200: 'MemberGuildSettings' },
          errors: [
            'badRequest',
            'unauthorized',
            'memberNotFound',
            'notYourMember',
            'noMemberGuild',
          ],
        }),
      },
    )
    .patch(
      '/members/:memberRef/guilds/:guild_id',
      async ({ params, viewer, body }) => {
        const guild = parsePathId('guild_id', params.guild_id)
        const patch = patchFromV2(memberGuild, body)
        return showMemberGuild(
          await patchMemberGuild(deps, viewer, params.memberRef, guild, patch, 'refuse'),
        )
      },
      {
        params: ofMember,
        body: bodySchema(memberGuild, 'patch'),
        detail: describe({
          tag: 'Guilds',
          id: 'updateOwnMemberGuild',
          summary: 'Update your member’s guild settings',
          description:
            'Changes only the given keys. The settings exist only after a bot created them; until then this responds with error 20010.',
          responses: { 200: 'MemberGuildSettings' },
          errors: [
            ...writeErrors,
            'invalidBody',
            'memberNotFound',
            'notYourMember',
            'noMemberGuild',
          ],
        }),
      },
    )
    .get(
      '/systems/@me/autoproxy',
      async ({ query, viewer }) => {
        // Anonymous callers get 401 before the query is validated.
        requireSystem(viewer, 'read')
        return showAutoproxy(await getOwnAutoproxy(deps, viewer, autoproxyGuild(query)))
      },
      {
        query: autoproxyQuery,
        detail: describe({
          tag: 'Guilds',
          id: 'getAutoproxy',
          summary: 'Get autoproxy settings for a guild',
          description:
            'Returns the autoproxy mode and member in this guild; the mode is `off` if never set.',
          requiresAuth: true,
          responses: { 200: 'Autoproxy' },
          errors: ['badRequest', 'unimplemented', 'unauthorized'],
        }),
      },
    )
    .patch(
      '/systems/@me/autoproxy',
      async ({ query, viewer, body }) => {
        const guild = autoproxyGuild(query)
        const patch = patchFromV2(autoproxy, body)
        return showAutoproxy(await patchAutoproxy(deps, viewer, guild, patch))
      },
      {
        query: autoproxyQuery,
        body: bodySchema(autoproxy, 'patch'),
        detail: describe({
          tag: 'Guilds',
          id: 'updateAutoproxy',
          summary: 'Update autoproxy settings for a guild',
          description:
            'In mode `front`, messages are proxied as the first fronter; in `latch`, as the last proxied member; in `member`, as `autoproxy_member`, which this mode requires. In `latch`, `"autoproxy_member": null` clears the latch.',
          responses: { 200: 'Autoproxy' },
          errors: [
            ...writeErrors,
            'invalidBody',
            'autoproxyMemberMissing',
            'unimplemented',
            'notYourMember',
            'systemNotFound',
          ],
        }),
      },
    )
}

function autoproxyGuild(query: { guild_id?: unknown; channel_id?: unknown }): string {
  const channel = parsePlatformId('channel_id', query.channel_id)
  const guild = parsePlatformId('guild_id', query.guild_id)
  if (channel !== null) throw error('unimplemented', 'autoproxy of a channel')
  if (guild === null) throw error('unimplemented', 'autoproxy without guild_id')
  return guild
}

function showAutoproxy({ autoproxy_member, ...rest }: GuildAutoproxy) {
  const row = { ...rest, autoproxy_member: autoproxy_member?.hid ?? null }
  return toV2(autoproxy, redact(autoproxy, row, 'owner'))
}

export function showSystemGuild(row: Awaited<ReturnType<typeof getSystemGuild>>) {
  return toV2(systemGuild, redact(systemGuild, row, 'owner'))
}

export function showMemberGuild(row: Awaited<ReturnType<typeof getMemberGuild>>) {
  return toV2(memberGuild, redact(memberGuild, row, 'owner'))
}
