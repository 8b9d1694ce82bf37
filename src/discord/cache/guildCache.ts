import type { GatewayEvent } from '../gateway/events'
import {
  type CachedChannel,
  type CachedGuild,
  type ChannelFields,
  createCachedGuild,
  type EditableGuild,
  type LoadedGuild,
} from './cachedGuild'

/** Reads that fill the cache. Each returns null if the bot has no access, or the object does not exist. */
export interface GuildSource {
  loadGuild(id: string): Promise<LoadedGuild | null>
  loadChannel(id: string): Promise<(ChannelFields & { guild_id?: string | undefined }) | null>
}

/**
 * Guilds of the bot, filled by events. A resumed session sends no GUILD_CREATE, so a guild that is
 * missing is loaded when it is first needed, once for concurrent callers.
 */
export interface GuildCache {
  handle(event: GatewayEvent, shard: { readonly id: number; readonly count: number }): void
  /** Returns the guild, loading it if needed; null if the bot is not in it. */
  findGuild(id: string): Promise<CachedGuild | null>
  /** Returns the channel or thread, loading it or its guild if needed. */
  findChannel(guildId: string, channelId: string): Promise<CachedChannel | null>
  /** Loads the guild again, after Discord refused what the cache allowed. */
  reload(id: string): Promise<void>
  readonly size: number
}

export function createGuildCache(source: GuildSource, ownUserId: () => string): GuildCache {
  const guilds = new Map<string, EditableGuild>()
  const loads = new Map<string, Load>()
  const channelLoads = new Map<string, Promise<void>>()

  const load = (id: string): Load => {
    const inFlight = loads.get(id)
    if (inFlight) return inFlight
    const events: GatewayEvent[] = []
    const done = source.loadGuild(id).then(
      (loaded) => {
        loads.delete(id)
        if (!loaded) return void guilds.delete(id)
        guilds.set(id, createCachedGuild(id, loaded))
        for (const event of events) apply(event)
      },
      (cause) => {
        loads.delete(id)
        throw cause
      },
    )
    const started = { done, events }
    loads.set(id, started)
    return started
  }

  const findGuild = async (id: string) => {
    if (!guilds.has(id)) await load(id).done
    return guilds.get(id) ?? null
  }

  const loadChannel = async (guild: EditableGuild, id: string) => {
    const channel = await source.loadChannel(id)
    if (channel?.guild_id === guild.id) guild.setChannel(channel)
  }

  const apply = (event: GatewayEvent) => {
    if (event.type === 'GUILD_CREATE') {
      if (!event.data.unavailable)
        guilds.set(event.data.id, fromGuildCreate(event.data, ownUserId()))
      return
    }
    if (event.type === 'GUILD_DELETE') {
      // Unavailable guilds have an outage; the bot is still in them.
      if (!event.data.unavailable) guilds.delete(event.data.id)
      return
    }
    const id = guildOf(event)
    const guild = id === undefined ? undefined : guilds.get(id)
    if (guild) updateGuild(guild, event, ownUserId())
  }

  return {
    handle(event, shard) {
      if (event.type === 'READY') {
        const listed = new Set(event.data.guilds.map(({ id }) => id))
        for (const id of guilds.keys())
          if (shardOf(id, shard.count) === shard.id && !listed.has(id)) guilds.delete(id)
        return
      }
      const id = guildOf(event)
      // The answer of a load under way may be older than this event.
      if (id !== undefined) loads.get(id)?.events.push(event)
      apply(event)
    },
    findGuild,
    async findChannel(guildId, channelId) {
      await findGuild(guildId)
      const guild = guilds.get(guildId)
      if (!guild) return null
      const channel = guild.findChannel(channelId)
      if (channel) return channel
      const loading = channelLoads.get(channelId) ?? loadChannel(guild, channelId)
      channelLoads.set(channelId, loading)
      await loading.finally(() => channelLoads.delete(channelId))
      return guilds.get(guildId)?.findChannel(channelId) ?? null
    },
    reload: (id) => load(id).done,
    get size() {
      return guilds.size
    },
  }
}

interface Load {
  readonly done: Promise<void>
  /** Events that arrived meanwhile. */
  readonly events: GatewayEvent[]
}

export function shardOf(guildId: string, shardCount: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(shardCount))
}

type GuildCreate = Extract<GatewayEvent, { type: 'GUILD_CREATE' }>['data']

function fromGuildCreate(data: GuildCreate, ownUserId: string): EditableGuild {
  const ownMember = data.members.find(({ user }) => user.id === ownUserId)
  return createCachedGuild(data.id, {
    guild: data,
    channels: data.channels,
    threads: data.threads,
    ownRoleIds: ownMember?.roles ?? [],
  })
}

/** ID of the guild whose cached data an event changes. */
function guildOf(event: GatewayEvent): string | undefined {
  switch (event.type) {
    case 'GUILD_CREATE':
    case 'GUILD_UPDATE':
    case 'GUILD_DELETE':
      return event.data.id
    case 'GUILD_ROLE_CREATE':
    case 'GUILD_ROLE_UPDATE':
    case 'GUILD_ROLE_DELETE':
    case 'GUILD_MEMBER_UPDATE':
    case 'THREAD_DELETE':
    case 'THREAD_LIST_SYNC':
      return event.data.guild_id
    case 'CHANNEL_CREATE':
    case 'CHANNEL_UPDATE':
    case 'CHANNEL_DELETE':
    case 'THREAD_CREATE':
    case 'THREAD_UPDATE':
      return 'guild_id' in event.data ? event.data.guild_id : undefined
    default:
      return undefined
  }
}

function updateGuild(guild: EditableGuild, event: GatewayEvent, ownUserId: string): void {
  switch (event.type) {
    case 'GUILD_UPDATE':
      guild.update(event.data)
      break
    case 'GUILD_ROLE_CREATE':
    case 'GUILD_ROLE_UPDATE':
      guild.setRole(event.data.role)
      break
    case 'GUILD_ROLE_DELETE':
      guild.deleteRole(event.data.role_id)
      break
    case 'CHANNEL_CREATE':
    case 'CHANNEL_UPDATE':
    case 'THREAD_CREATE':
      guild.setChannel(event.data)
      break
    case 'CHANNEL_DELETE':
    case 'THREAD_DELETE':
      guild.deleteChannel(event.data.id)
      break
    case 'THREAD_UPDATE':
      if ('thread_metadata' in event.data && event.data.thread_metadata?.archived)
        guild.deleteChannel(event.data.id)
      else guild.setChannel(event.data)
      break
    case 'THREAD_LIST_SYNC':
      guild.deleteThreads(event.data.channel_ids ?? null)
      event.data.threads.forEach(guild.setChannel)
      break
    case 'GUILD_MEMBER_UPDATE':
      // Sent for the bot's own member without the intent GUILD_MEMBERS.
      if (event.data.user.id === ownUserId) guild.setOwnRoles(event.data.roles)
  }
}
