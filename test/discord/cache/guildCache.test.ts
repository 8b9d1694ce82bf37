import { createGuildCache, type GuildCache, shardOf } from '../../../src/discord/cache/guildCache'
import { createGuildSource } from '../../../src/discord/cache/guildSource'
import { startGateway } from '../../../src/discord/gateway/gateway'
import type { GatewayInfo } from '../../../src/discord/gateway/shard'
import { computeChannelPermissions } from '../../../src/discord/permissions/computePermissions'
import { hasPermissions } from '../../../src/discord/permissions/permission'
import { describe, expect, test } from '../../tools/test'
import { until } from '../../tools/until'
import { gatewayTiming, type TestDiscord, useDiscord, userAgent } from '../tools/testDiscord'

const start = useDiscord()

/** Starts a cache; connected, it is filled by events. */
async function createCache(scene: TestDiscord, isConnected: boolean): Promise<GuildCache> {
  const { discord, clock, log, createRest, cleanUp } = scene
  const rest = createRest()
  const cache = createGuildCache(
    createGuildSource(rest, () => discord.botId),
    () => discord.botId,
  )
  if (!isConnected) return cache
  const gateway = await startGateway({
    clock,
    token: discord.token,
    userAgent,
    shards: 1,
    sessions: { load: async () => null, save: async () => {}, delete: async () => {} },
    log,
    loadGatewayInfo: () => rest.request<GatewayInfo>('GET', '/gateway/bot'),
    applicationId: () => null,
    onEvent: cache.handle,
    onFatal: () => {},
    timing: gatewayTiming,
  })
  cleanUp(gateway.stop)
  await until(() => cache.size === 1)
  return cache
}

/** Everything that a cache knows about a guild. */
async function contentsOf(cache: GuildCache, guildId: string) {
  const guild = await cache.findGuild(guildId)
  if (!guild) return null
  const { ownerId, boostTier, ownRoleIds } = guild
  const channels = guild.listChannels().toSorted((a, b) => a.id.localeCompare(b.id))
  return {
    ownerId,
    boostTier,
    channels,
    ownRoles: ownRoleIds.map((id) => [id, guild.findRole(id)]),
    everyone: guild.findRole(guildId),
  }
}

async function countReads({ discord }: TestDiscord): Promise<number> {
  const all = await discord.users.requests()
  return all.filter(({ route }) => route !== 'GET /gateway/bot').length
}

/** Changes that people make; each one changes the cache. */
const changes: Record<string, (scene: TestDiscord) => Promise<unknown>> = {
  'the boost tier': ({ discord, guild }) =>
    discord.users.updateGuild({ guildId: guild.id, premiumTier: 3 }),
  'a new channel': ({ discord, guild }) =>
    discord.users.createChannel({
      guildId: guild.id,
      slowmodeSeconds: 5,
      overwrites: [
        { roleId: guild.id, deny: ['SEND_MESSAGES'] },
        { userId: guild.ownerId, allow: ['SEND_MESSAGES'] },
      ],
    }),
  'a renamed channel': ({ discord, guild }) =>
    discord.users.updateChannel({ channelId: guild.channelId, name: 'renamed' }),
  'a deleted channel': ({ discord, guild }) =>
    discord.users.deleteChannel({ channelId: guild.channels.other ?? '' }),
  'a new thread': ({ discord, guild }) =>
    discord.users.createThread({ parentId: guild.channelId, ownerId: guild.ownerId }),
  'permissions of @everyone': ({ discord, guild }) =>
    discord.users.updateRole({ guildId: guild.id, roleId: guild.id, permissions: [] }),
  'a role that becomes mentionable': ({ discord, guild }) =>
    discord.users.updateRole({
      guildId: guild.id,
      roleId: guild.botRoleId ?? '',
      isMentionable: true,
    }),
  'roles of the bot': ({ discord, guild }) =>
    discord.users.updateMember({ guildId: guild.id, userId: discord.botId, roles: [] }),
}

describe('guild in the cache', () => {
  test('is filled by events and needs no requests', async () => {
    const scene = await start()
    const cache = await createCache(scene, true)
    const contents = await contentsOf(cache, scene.guild.id)
    expect(contents).toMatchObject({ ownerId: scene.guild.ownerId, boostTier: 0 })
    expect(contents?.channels.map(({ name }) => name)).toEqual(['general', 'other'])
    expect(contents?.ownRoles.map(([id]) => id)).toEqual([scene.guild.botRoleId ?? ''])
    expect(await countReads(scene)).toBe(0)
  })

  test('is the same whether events or requests fill it', async () => {
    const scene = await start()
    await changes['a new channel']?.(scene)
    await changes['a new thread']?.(scene)
    const [filled, loaded] = [await createCache(scene, true), await createCache(scene, false)]
    expect(await contentsOf(loaded, scene.guild.id)).toEqual(
      await contentsOf(filled, scene.guild.id),
    )
    expect(await countReads(scene)).toBe(4)
  })

  test('is loaded once for concurrent callers', async () => {
    const scene = await start()
    const cache = await createCache(scene, false)
    const { id, channelId } = scene.guild
    await Promise.all([cache.findGuild(id), cache.findGuild(id), cache.findChannel(id, channelId)])
    expect(await countReads(scene)).toBe(4)
  })

  test.each(Object.entries(changes))('follows %s', async (_, change) => {
    const scene = await start()
    const cache = await createCache(scene, true)
    const before = await contentsOf(cache, scene.guild.id)
    await change(scene)
    await until(async () => !Bun.deepEquals(await contentsOf(cache, scene.guild.id), before))
    const loaded = await createCache(scene, false)
    expect(await contentsOf(cache, scene.guild.id)).toEqual(
      await contentsOf(loaded, scene.guild.id),
    )
  })

  test('is unknown if the bot is not in it', async () => {
    const scene = await start()
    const cache = await createCache(scene, false)
    const other = await scene.discord.users.createGuild({ botPermissions: null })
    scene.allow({ statuses: { 403: 1 } })
    expect(await cache.findGuild(other.id)).toBeNull()
  })

  test('keeps changes that arrive while it is loaded', async () => {
    const scene = await start()
    const cache = await createCache(scene, false)
    const loading = cache.findGuild(scene.guild.id)
    const data = { guild_id: scene.guild.id, role_id: scene.guild.botRoleId ?? '' }
    cache.handle({ type: 'GUILD_ROLE_DELETE', data }, { id: 0, count: 1 })
    expect((await loading)?.findRole(data.role_id)).toBeUndefined()
  })

  test('is kept during an outage, and deleted when the bot leaves', async () => {
    const scene = await start()
    const { id: guildId } = scene.guild
    const cache = await createCache(scene, true)
    await scene.discord.users.setGuildAvailable({ guildId, isAvailable: false })
    await scene.discord.users.setGuildAvailable({ guildId, isAvailable: true })
    await changes['the boost tier']?.(scene)
    await until(async () => (await cache.findGuild(guildId))?.boostTier === 3)
    expect(await countReads(scene)).toBe(0)
    await scene.discord.users.removeBot({ guildId })
    await until(() => cache.size === 0)
  })

  test('is loaded again after Discord refused what it allowed', async () => {
    const scene = await start()
    const cache = await createCache(scene, false)
    await cache.findGuild(scene.guild.id)
    const { id: guildId, channelId } = scene.guild
    await scene.discord.users.updateRole({ guildId, roleId: guildId, permissions: [] })
    await cache.reload(guildId)
    const guild = await cache.findGuild(guildId)
    const channel = await cache.findChannel(guildId, channelId)
    if (!guild || !channel) throw new Error('the guild is not in the cache')
    const member = { userId: '1', roleIds: [] }
    const granted = computeChannelPermissions(guild, channel, member, Date.now())
    expect(hasPermissions(granted, 'ViewChannel')).toBe(false)
  })
})

test('a channel that is missing is loaded once for concurrent callers', async () => {
  const scene = await start()
  const cache = await createCache(scene, false)
  const { id: guildId } = scene.guild
  await cache.findGuild(guildId)
  const { id } = await scene.discord.users.createChannel({ guildId, name: 'new' })
  const found = await Promise.all([cache.findChannel(guildId, id), cache.findChannel(guildId, id)])
  expect(found.map((channel) => channel?.name)).toEqual(['new', 'new'])
  expect(await countReads(scene)).toBe(5)
})

test('a channel of another guild is not found', async () => {
  const scene = await start()
  const cache = await createCache(scene, false)
  const other = await scene.discord.users.createGuild()
  expect(await cache.findChannel(scene.guild.id, other.channelId)).toBeNull()
})

test('a guild that a new session does not list is deleted', async () => {
  const scene = await start()
  const { id: guildId } = scene.guild
  const cache = await createCache(scene, true)
  // Without GUILD_DELETE, as if the bot was removed while it was not connected.
  await scene.discord.users.removeMember({ guildId, userId: scene.discord.botId })
  await scene.discord.users.sendOpcode({ op: 9, isResumable: false })
  await until(() => cache.size === 0)
})

test.each([
  ['0', 1, 0],
  ['4194304', 2, 1],
  ['8388608', 2, 0],
])('guild %s belongs, of %i shards, to shard %i', (id, count, shard) =>
  expect(shardOf(id, count)).toBe(shard),
)
