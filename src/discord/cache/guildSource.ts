import type {
  APIChannel,
  APIGuild,
  APIGuildMember,
  RESTGetAPIGuildThreadsResult,
} from 'discord-api-types/v10'
import { hasCode } from '../rest/errors'
import type { RestClient } from '../rest/restClient'
import type { GuildSource } from './guildCache'

/** Unknown channel, unknown guild, missing access. */
const NOT_ACCESSIBLE = [10003, 10004, 50001]

/** Reads guilds and channels that events did not bring. */
export function createGuildSource(rest: RestClient, ownUserId: () => string): GuildSource {
  return {
    async loadGuild(guild_id) {
      const params = { guild_id, user_id: ownUserId() }
      // Alone, so that a guild without the bot costs one refused request instead of four.
      const guild = await nullIfHidden(
        rest.request<APIGuild>('GET', '/guilds/{guild_id}', { params }),
      )
      if (!guild) return null
      const [channels, { threads }, { roles: ownRoleIds }] = await Promise.all([
        rest.request<APIChannel[]>('GET', '/guilds/{guild_id}/channels', { params }),
        rest.request<RESTGetAPIGuildThreadsResult>('GET', '/guilds/{guild_id}/threads/active', {
          params,
        }),
        rest.request<APIGuildMember>('GET', '/guilds/{guild_id}/members/{user_id}', { params }),
      ])
      return { guild, channels, threads, ownRoleIds }
    },
    loadChannel: (channel_id) =>
      nullIfHidden(
        rest.request<APIChannel>('GET', '/channels/{channel_id}', { params: { channel_id } }),
      ),
  }
}

async function nullIfHidden<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read
  } catch (cause) {
    if (hasCode(cause, ...NOT_ACCESSIBLE)) return null
    throw cause
  }
}
