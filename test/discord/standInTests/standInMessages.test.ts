import { describe, expect, test } from '../../tools/test'
import { startDiscord } from '../standIn/startDiscord'
import { rest } from '../tools/rawClient'
import { startRestWorld } from '../tools/restWorld'

const { ask, channelId, discord, guild, newWebhook, say, userId, users } = await startRestWorld({
  fileLimits: { tiers: [100, 100, 500, 1000], request: 250 },
})

describe('deletion', () => {
  test('own messages need no permission, others need Manage Messages', async () => {
    const { id: channel } = await users.createChannel({
      guildId: guild.id,
      overwrites: [{ userId: discord.botId, deny: ['MANAGE_MESSAGES'] }],
    })
    const { body } = await ask(`POST /channels/${channel}/messages`, { body: { content: 'own' } })
    const foreign = await say('foreign', channel)
    const remove = (id: string) => ask(`DELETE /channels/${channel}/messages/${id}`)
    expect((await remove(String(body.id))).status).toBe(204)
    expect(await remove(foreign)).toMatchObject({ status: 403, code: 50013 })
    expect(await remove(String(body.id))).toMatchObject({ status: 404, code: 10008 })
    await users.updateChannel({ channelId: channel, overwrites: [] })
    expect((await remove(foreign)).status).toBe(204)
    expect(await users.messages({ channelId: channel })).toEqual([])
  })

  const counts: [title: string, count: number, age: number, status: number][] = [
    ['1 message', 1, 0, 400],
    ['2 messages', 2, 0, 204],
    ['101 messages', 101, 0, 400],
    ['messages of 15 days', 2, 15, 400],
  ]
  test.each(counts)('bulk deletion of %s', async (_, count, days, status) => {
    const other = await startDiscord({ rateLimits: 'off' })
    const { id } = await other.users.createUser({ username: 'alice' })
    const { channelId: channel } = await other.users.createGuild({ memberIds: [id] })
    const messages = await Promise.all(
      Array.from({ length: count }, () =>
        other.users.sendMessage({ userId: id, channelId: channel, content: 'a' }),
      ),
    )
    await other.users.advanceClock({ ms: days * 24 * 3600_000 })
    const ids = messages.map((message) => message.id)
    const answer = await rest(other, `POST /channels/${channel}/messages/bulk-delete`, {
      body: { messages: ids },
    })
    expect(answer.status).toBe(status)
    await other.stop()
  })

  test('bulk deletion refuses duplicates', async () => {
    const id = await say('a')
    const answer = await ask('POST /channels/{channel}/messages/bulk-delete', {
      body: { messages: [id, id] },
    })
    expect(answer.code).toBe(50035)
  })
})

describe('reactions', () => {
  const react = (channel: string, id: string, emoji: string, who = '@me') =>
    ask(
      `${who === '@me' ? 'PUT' : 'DELETE'} /channels/${channel}/messages/${id}/reactions/${encodeURIComponent(emoji)}/${who}`,
    )

  test('a new emoji needs Add Reactions, a known one does not', async () => {
    const { id: channel } = await users.createChannel({
      guildId: guild.id,
      overwrites: [{ userId: discord.botId, deny: ['ADD_REACTIONS'] }],
    })
    const id = await say('a', channel)
    expect(await react(channel, id, '👍')).toMatchObject({ status: 403, code: 50013 })
    await users.react({ userId, channelId: channel, messageId: id, emoji: '👍' })
    expect((await react(channel, id, '👍')).status).toBe(204)
    const seen = await users.message({ channelId: channel, messageId: id })
    expect(seen?.reactions).toEqual({ '👍': [userId, discord.botId] })
  })

  test('a message has 20 emojis at most, and an unknown emoji is refused', async () => {
    const id = await say('a')
    const emojis = [...'😀😁😂😃😄😅😆😇😈😉😊😋😌😍😎😏😐😑😒😓']
    for (const emoji of emojis) expect((await react(channelId, id, emoji)).status).toBe(204)
    expect(await react(channelId, id, '😔')).toMatchObject({ status: 400, code: 30010 })
    expect(await react(channelId, id, 'smile')).toMatchObject({ status: 400, code: 10014 })
  })

  test('removing reactions of others needs Manage Messages', async () => {
    const { id: channel } = await users.createChannel({
      guildId: guild.id,
      overwrites: [{ userId: discord.botId, deny: ['MANAGE_MESSAGES'] }],
    })
    const id = await say('a', channel)
    await users.react({ userId, channelId: channel, messageId: id, emoji: '❓' })
    expect(await react(channel, id, '❓', userId)).toMatchObject({ status: 403, code: 50013 })
    await users.updateChannel({ channelId: channel, overwrites: [] })
    expect((await react(channel, id, '❓', userId)).status).toBe(204)
  })
})

describe('direct messages', () => {
  const rows: [title: string, isShared: boolean, hasClosedDms: boolean, code: number | null][] = [
    ['a user of the guild', true, false, null],
    ['a user without a shared guild', false, false, 50278],
    ['a user with closed direct messages', true, true, 50007],
  ]
  test.each(rows)('to %s', async (_, isShared, hasClosedDms, code) => {
    const { id } = await users.createUser({ username: 'carol', hasClosedDms })
    if (isShared) await users.addMember({ guildId: guild.id, userId: id })
    const { body, status } = await ask('POST /users/@me/channels', { body: { recipient_id: id } })
    expect(status).toBe(200)
    const answer = await ask(`POST /channels/${body.id}/messages`, { body: { content: 'secret' } })
    expect([answer.status, answer.code]).toEqual(code ? [403, code] : [200, null])
    expect((await users.directMessages({ userId: id })).length).toBe(code ? 0 : 1)
  })

  test('to an unknown user', async () => {
    expect((await ask('POST /users/@me/channels', { body: { recipient_id: '1' } })).code).toBe(
      10013,
    )
  })
})

describe('files', () => {
  const file = (size: number, index = 0) => ({
    index,
    filename: 'a.bin',
    type: 'application/octet-stream',
    content: new Uint8Array(size),
  })
  const rows: [title: string, tier: 0 | 2 | 3, sizes: number[], status: number][] = [
    ['at the limit', 0, [100], 200],
    ['over the limit', 0, [101], 413],
    ['under the limit that together exceed the request', 0, [100, 100, 100], 413],
    ['over the limit in a boosted guild', 2, [101], 200],
    ['at the limit of tier 3', 3, [1000], 200],
  ]
  test.each(rows)('%s', async (_, tier, sizes, status) => {
    const boosted = await users.createGuild({ premiumTier: tier })
    const answer = await ask(`POST /channels/${boosted.channelId}/messages`, {
      body: {},
      files: sizes.map(file),
    })
    expect([answer.status, answer.code]).toEqual([status, status === 200 ? null : 40005])
  })

  test('attachment addresses expire, and are renewed when the message is read', async () => {
    const other = await startDiscord({ rateLimits: 'off', attachmentTtlMs: 60_000 })
    const { id } = await other.users.createUser({ username: 'alice' })
    const { channelId: channel } = await other.users.createGuild({ memberIds: [id] })
    const { id: message } = await other.users.sendMessage({
      userId: id,
      channelId: channel,
      files: [{ filename: 'a.txt', text: 'hello' }],
    })
    const read = async () => {
      const { body } = await rest(other, `GET /channels/${channel}/messages/${message}`)
      return String(Object.values(body.attachments ?? {})[0]?.url)
    }
    const url = await read()
    expect(url).toStartWith(`${other.cdn}/attachments/`)
    expect(await (await fetch(url)).text()).toBe('hello')
    expect((await fetch(url.replace(/hm=\w/, 'hm=x'))).status).toBe(404)
    await other.users.advanceClock({ ms: 61_000 })
    expect((await fetch(url)).status).toBe(404)
    expect((await fetch(await read())).status).toBe(200)
    expect((await other.users.downloads()).map(({ status }) => status)).toEqual([
      200, 404, 404, 200,
    ])
    await other.stop()
  })
})

describe('AutoMod', () => {
  test('blocked words are refused', async () => {
    const moderated = await users.createGuild()
    await users.updateGuild({ guildId: moderated.id, blockedWords: ['badword'] })
    const { path } = await newWebhook(moderated.channelId)
    const answer = await ask(`POST ${path}?wait=true`, { body: { content: 'a BADWORD here' } })
    expect([answer.status, answer.code]).toEqual([400, 200000])
  })
})
