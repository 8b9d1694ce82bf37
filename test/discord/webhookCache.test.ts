import type { APIMessage } from 'discord-api-types/v10'
import { createWebhookCache, type OwnWebhook } from '../../src/discord/cache/webhookCache'
import type { RestClient } from '../../src/discord/rest/restClient'
import { errorOf } from '../tools/outcomeOf'
import { describe, expect, test } from '../tools/test'
import { type TestDiscord, useDiscord } from './tools/testDiscord'

const start = useDiscord()
const LIST = 'GET /channels/{channel_id}/webhooks'
const CREATE = 'POST /channels/{channel_id}/webhooks'

function createCache({ createRest, discord, guild }: TestDiscord) {
  const rest = createRest()
  const cache = createWebhookCache(rest, () => discord.applicationId)
  const send = (content: string) => cache.use(guild.channelId, (own) => execute(rest, own, content))
  return { cache, send }
}

function execute(rest: RestClient, { id, token }: OwnWebhook, content: string) {
  return rest.request<APIMessage>('POST', '/webhooks/{webhook_id}/{webhook_token}', {
    params: { webhook_id: id, webhook_token: token },
    query: { wait: true },
    body: { content },
    auth: false,
  })
}

async function countOf({ discord }: TestDiscord, route: string): Promise<number> {
  return (await discord.users.requests({ route })).length
}

describe('webhook of a channel', () => {
  test('is created once for concurrent messages', async () => {
    const scene = await start()
    const { send } = createCache(scene)
    await Promise.all(['one', 'two', 'three'].map(send))
    const webhooks = await scene.discord.users.webhooks({ channelId: scene.guild.channelId })
    expect(webhooks).toMatchObject([
      { name: 'Multitude', applicationId: scene.discord.applicationId },
    ])
    expect(await countOf(scene, LIST)).toBe(1)
  })

  test('is found, and those of others are not used', async () => {
    const scene = await start()
    const { channelId, ownerId } = scene.guild
    await scene.discord.users.createWebhook({ channelId, creatorId: ownerId })
    await scene.discord.users.createWebhook({ channelId, creatorId: ownerId, applicationId: '999' })
    const { id } = await createCache(scene).send('hello')
    const [message] = await scene.discord.users.messages({ channelId })
    expect(message).toMatchObject({ id, author: { name: 'Multitude' } })
    await createCache(scene).send('again')
    expect(await countOf(scene, CREATE)).toBe(1)
  })

  test('is looked up again after WEBHOOKS_UPDATE', async () => {
    const scene = await start()
    const { cache, send } = createCache(scene)
    await send('one')
    await send('two')
    expect(await countOf(scene, LIST)).toBe(1)
    const data = { channel_id: scene.guild.channelId, guild_id: scene.guild.id }
    cache.handle({ type: 'WEBHOOKS_UPDATE', data })
    await send('three')
    expect([await countOf(scene, LIST), await countOf(scene, CREATE)]).toEqual([2, 1])
  })

  test('is created once although WEBHOOKS_UPDATE arrives meanwhile', async () => {
    const scene = await start()
    const { cache, send } = createCache(scene)
    const data = { channel_id: scene.guild.channelId, guild_id: scene.guild.id }
    const first = send('one')
    cache.handle({ type: 'WEBHOOKS_UPDATE', data })
    await Promise.all([first, send('two')])
    expect(await countOf(scene, CREATE)).toBe(1)
  })

  test('is replaced once after it was deleted', async () => {
    const scene = await start()
    const { send } = createCache(scene)
    await send('one')
    const { channelId } = scene.guild
    const [old] = await scene.discord.users.webhooks({ channelId })
    await scene.discord.users.deleteWebhook({ webhookId: old?.id ?? '', isSilent: true })
    await send('two')
    const contents = (await scene.discord.users.messages({ channelId })).map((one) => one.content)
    expect(contents).toEqual(['one', 'two'])
    const used = await scene.discord.users.requests({
      route: 'POST /webhooks/{webhook_id}/{webhook_token}',
    })
    expect(used.filter(({ path }) => path.includes(old?.id ?? '?'))).toHaveLength(2)
  })

  test('is not created without the permission, and the next message tries again', async () => {
    const scene = await start()
    scene.allow({ statuses: { 403: 1 } })
    const { id: guildId, botRoleId: roleId } = scene.guild
    await scene.discord.users.updateRole({ guildId, roleId: roleId ?? '', permissions: [] })
    const { send } = createCache(scene)
    expect(await errorOf(send('one'))).toMatchObject({ code: 50013 })
    await scene.discord.users.updateRole({ guildId, roleId: roleId ?? '', permissions: 'all' })
    expect((await send('two')).content).toBe('two')
  })
})
