import type { Context } from './context'
import { refusal } from './errors'
import { publishMember } from './publish'
import type { Route } from './rest'
import { answers, bodies } from './schemas'
import {
  serializeChannel,
  serializeGuild,
  serializeMember,
  serializeRole,
  serializeThreadMember,
} from './serialize'
import type { Guild } from './types'

/** Reads of a guild that the bot is a member of. */
export const routesOfGuilds: Route[] = [
  {
    name: 'GET /guilds/{guild_id}',
    answer: answers.guild,
    handle(context, { params, query }) {
      const guild = joinedGuild(context, params.guild_id)
      const size = guild.members.size
      const counts = { approximate_member_count: size, approximate_presence_count: size }
      return {
        body: { ...serializeGuild(guild), ...(query.get('with_counts') === 'true' ? counts : {}) },
      }
    },
  },
  {
    name: 'GET /guilds/{guild_id}/channels',
    answer: answers.channels,
    handle(context, { params }) {
      const guild = joinedGuild(context, params.guild_id)
      const channels = context.world.channelsOf(guild.id).filter(({ thread }) => !thread)
      return { body: channels.map((channel) => serializeChannel(context, channel)) }
    },
  },
  {
    name: 'GET /guilds/{guild_id}/roles',
    answer: answers.roles,
    handle: (context, { params }) => ({
      body: [...joinedGuild(context, params.guild_id).roles.values()].map(serializeRole),
    }),
  },
  {
    name: 'GET /guilds/{guild_id}/threads/active',
    answer: answers.threads,
    handle(context, { params }) {
      const { world, application } = context
      const guild = joinedGuild(context, params.guild_id)
      const threads = world
        .channelsOf(guild.id)
        .filter((channel) => channel.thread && !channel.thread.isArchived)
        .filter((channel) => world.can(application.botId, channel, 'VIEW_CHANNEL'))
      const joined = threads.filter(({ thread }) => thread?.members.has(application.botId))
      return {
        body: {
          threads: threads.map((channel) => serializeChannel(context, channel)),
          members: joined.map((channel) =>
            serializeThreadMember(context, channel, application.botId),
          ),
          has_more: false,
        },
      }
    },
  },
  {
    name: 'GET /guilds/{guild_id}/members/{user_id}',
    answer: answers.member,
    handle(context, { params }) {
      const guild = joinedGuild(context, params.guild_id)
      const member = context.world.getMember(guild, params.user_id ?? '')
      return { body: serializeMember(context, member) }
    },
  },
  {
    name: 'PATCH /guilds/{guild_id}/members/@me',
    body: bodies.editOwnMember,
    answer: answers.member,
    handle(context, { params, body }) {
      const guild = joinedGuild(context, params.guild_id)
      const member = context.world.getMember(guild, context.application.botId)
      if (body.nick === null || typeof body.nick === 'string') member.nick = body.nick
      publishMember(context, guild, member)
      return { body: serializeMember(context, member) }
    },
  },
  {
    name: 'GET /users/@me/guilds',
    answer: answers.myGuilds,
    handle: (context) => ({
      body: context.world.botGuilds().map((guild) => ({
        id: guild.id,
        name: guild.name,
        icon: null,
        banner: null,
        owner: guild.ownerId === context.application.botId,
        permissions: String(context.world.guildPermissionsOf(context.application.botId, guild)),
        features: [],
      })),
    }),
  },
]

function joinedGuild(context: Context, id = ''): Guild {
  const guild = context.world.getGuild(id)
  if (!guild.members.has(context.application.botId)) throw refusal(50001)
  return guild
}
