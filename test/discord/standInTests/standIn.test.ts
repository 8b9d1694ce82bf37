import { createBot as createDiscordeno } from '@discordeno/bot'
import { Client as DiscordJs, Events, type Message, type TextChannel } from 'discord.js'
import { Client as Oceanic } from 'oceanic.js'
import { outcomeOf } from '../../tools/outcomeOf'
import { afterEach, describe, expect, test } from '../../tools/test'
import { until } from '../../tools/until'
import { type Control, createControl } from '../standIn/controlClient'
import type { StandInOptions } from '../standIn/options'
import { findSecrets } from '../standIn/secretSearch'
import { type DiscordStandIn, startDiscord } from '../standIn/startDiscord'
import { allIntents, rest } from '../tools/rawClient'
import { stopAll } from '../tools/restWorld'

const running: DiscordStandIn[] = []
afterEach(() => stopAll(running))

async function start(options: Partial<StandInOptions> = {}) {
  const discord = await startDiscord({ heartbeatMs: 30_000, ...options })
  running.push(discord)
  const { users } = discord
  const { id: userId } = await users.createUser({ username: 'alice' })
  const guild = await users.createGuild({ memberIds: [userId] })
  const { channelId } = guild
  const say = (content: string) => users.sendMessage({ userId, channelId, content })
  return { discord, users, userId, guild, channelId, say }
}

/** Checks the channel after the core flow of a client. */
async function expectProxied({ users, channelId }: Awaited<ReturnType<typeof start>>) {
  expect(await users.messages({ channelId })).toMatchObject([
    { content: 'proxied', author: { name: 'Bob', isWebhook: true } },
  ])
  expect(await users.webhooks({ channelId })).toEqual([])
  expect(await users.counts()).toMatchObject({ identifies: 1, resumes: 1 })
  expect(await users.problems()).toEqual([])
}

describe('reference clients', () => {
  test('discord.js connects, receives messages, resumes and uses a webhook', async () => {
    const world = await start()
    const { discord, users, channelId, say } = world
    const client = new DiscordJs({ intents: allIntents, rest: { api: discord.api } })
    const isReady = new Promise((resolve) => client.once(Events.ClientReady, resolve))
    await client.login(discord.token)
    await isReady
    const received = new Promise<Message>((resolve) => client.once(Events.MessageCreate, resolve))
    await say('hello')
    const message = await received
    expect(message.content).toBe('hello')
    const missed = new Promise<Message>((resolve) => client.once(Events.MessageCreate, resolve))
    await users.closeConnections({ code: 4000 })
    const { id } = await say('missed')
    expect((await missed).id).toBe(id)
    await users.deleteMessage({ channelId, messageId: id })
    const channel = message.channel as TextChannel
    const webhook = await channel.createWebhook({ name: 'Multitude' })
    const sent = await webhook.send({ content: 'proxied', username: 'Bob' })
    expect(sent.author.username).toBe('Bob')
    await message.delete()
    await webhook.delete()
    await client.destroy()
    await expectProxied(world)
  })

  test('oceanic.js connects, receives messages, resumes and uses a webhook', async () => {
    const world = await start({ requiresUserAgent: false })
    const { discord, users, say, channelId } = world
    const client = new Oceanic({
      auth: `Bot ${discord.token}`,
      gateway: { intents: allIntents },
      rest: { baseURL: `${discord.api}/v10` },
    })
    // It reports every lost connection as an error, and throws without a listener.
    client.on('error', () => undefined)
    const isReady = new Promise<void>((resolve) => client.once('ready', () => resolve()))
    await client.connect()
    await isReady
    const received = new Promise<string>((resolve) =>
      client.once('messageCreate', ({ content }) => resolve(content)),
    )
    const { id } = await say('hello')
    expect(await received).toBe('hello')
    const missed = new Promise<string>((resolve) =>
      client.once('messageCreate', ({ content }) => resolve(content)),
    )
    await users.closeConnections({ code: 4000 })
    const { id: lost } = await say('missed')
    expect(await missed).toBe('missed')
    await users.deleteMessage({ channelId, messageId: lost })
    const webhook = await client.rest.webhooks.create(channelId, { name: 'Multitude' })
    const sent = await webhook.execute({ content: 'proxied', username: 'Bob', wait: true })
    expect(sent.author.username).toBe('Bob')
    await client.rest.channels.deleteMessage(channelId, id)
    await webhook.delete()
    client.disconnect(false)
    await expectProxied(world)
  })

  test('discordeno connects, receives messages, resumes and uses a webhook', async () => {
    const world = await start({ requiresUserAgent: false })
    const { discord, users, say, channelId } = world
    const received: { content: string; id: bigint }[] = []
    const intents: number = allIntents
    const client = createDiscordeno({
      token: discord.token,
      intents,
      gateway: { spawnShardDelay: 0 },
      desiredProperties: {
        message: { id: true, content: true, author: true },
        user: { id: true, username: true },
        webhook: { id: true, token: true },
      },
      rest: { proxy: { baseUrl: discord.api, authorization: `Bot ${discord.token}` } },
      events: { messageCreate: ({ content, id }) => void received.push({ content, id }) },
    })
    await client.start()
    const { id } = await say('hello')
    await until(() => received.length === 1)
    await users.closeConnections({ code: 4000 })
    const { id: lost } = await say('missed')
    await until(() => received.length === 2)
    expect(received.map(({ content }) => content)).toEqual(['hello', 'missed'])
    await users.deleteMessage({ channelId, messageId: lost })
    const webhook = await client.helpers.createWebhook(channelId, { name: 'Multitude' })
    const sent = await client.helpers.executeWebhook(webhook.id, webhook.token ?? '', {
      content: 'proxied',
      username: 'Bob',
      wait: true,
    })
    expect(sent?.author.username).toBe('Bob')
    await client.helpers.deleteMessage(channelId, id)
    await client.helpers.deleteWebhook(webhook.id)
    await client.shutdown()
    await expectProxied(world)
  })
})

describe('as a program', () => {
  test('prints its addresses and stops on SIGTERM', async () => {
    const program = Bun.spawn(
      [process.execPath, 'test/discord/standIn/main.ts', '{"heartbeatMs":321}'],
      {
        stdout: 'pipe',
      },
    )
    const { value } = await program.stdout.getReader().read()
    const addresses = JSON.parse(new TextDecoder().decode(value))
    const response = await fetch(`${addresses.api}/v10/gateway/bot`, {
      headers: { Authorization: `Bot ${addresses.token}`, 'User-Agent': 'DiscordBot (a, 1)' },
    })
    expect(await response.json()).toMatchObject({ url: addresses.gateway })
    program.kill('SIGTERM')
    expect(await program.exited).toBe(0)
  })
})

describe('messages of users', () => {
  test('a user sends every kind of message', async () => {
    const { users, userId, channelId, discord } = await start({ rateLimits: 'off' })
    const send = (fields: object) => users.sendMessage({ userId, channelId, ...fields })
    const { id: first } = await send({ content: 'text', isSilent: true })
    await send({ files: [{ filename: 'SPOILER_a.png', size: 10, description: 'a picture' }] })
    await send({ content: 'reply', replyTo: first })
    await send({ poll: { question: 'Tea?', answers: ['yes', 'no'], hours: 48 } })
    await send({ stickers: ['wave'] })
    await send({ forward: { channelId, messageId: first } })
    await send({
      isVoice: true,
      files: [{ filename: 'voice.ogg', waveform: 'AA', durationSeconds: 2 }],
    })
    await send({ hasActivity: true, content: 'join' })
    await send({ type: 7, content: 'joined' })
    const { body } = await rest(discord, `GET /channels/${channelId}/messages`)
    const messages = Object.values(body).toReversed()
    expect<unknown>(messages).toMatchObject([
      { type: 0, flags: 1 << 12 },
      { attachments: [{ filename: 'SPOILER_a.png', description: 'a picture', flags: 8 }] },
      { type: 19, referenced_message: { id: first } },
      { poll: { question: { text: 'Tea?' } } },
      { sticker_items: [{ name: 'wave' }] },
      {
        flags: 1 << 14,
        message_reference: { type: 1 },
        message_snapshots: [{ message: { content: 'text' } }],
      },
      { flags: 1 << 13, attachments: [{ waveform: 'AA', duration_secs: 2 }] },
      { activity: { type: 1 } },
      { type: 7 },
    ])
    expect(await users.problems()).toEqual([])
  })

  test('a user who may not send is refused', async () => {
    const { users, userId, guild } = await start()
    const { id: channelId } = await users.createChannel({
      guildId: guild.id,
      overwrites: [{ userId, deny: ['SEND_MESSAGES'] }],
    })
    expect(await outcomeOf(users.sendMessage({ userId, channelId, content: 'a' }))).toThrow('50013')
  })

  test('an attachment on another origin is recorded if it is downloaded', async () => {
    const { users, userId, channelId, discord } = await start()
    const foreignUrl = `${discord.foreign}/a.png`
    await users.sendMessage({ userId, channelId, files: [{ filename: 'a.png', foreignUrl }] })
    const { body } = await rest(discord, `GET /channels/${channelId}/messages`)
    await fetch(String(body[0]?.attachments?.[0]?.url))
    expect(await users.downloads()).toMatchObject([{ origin: 'foreign', url: '/a.png' }])
  })
})

describe('record', () => {
  test('keeps requests with body and headers, and the changes of the world in order', async () => {
    const { discord, users, userId, channelId, say } = await start()
    const { id } = await say('hello')
    await rest(discord, `POST /channels/${channelId}/messages`, { body: { content: 'answer' } })
    await rest(discord, `DELETE /channels/${channelId}/messages/${id}`)
    expect(await users.requests()).toMatchObject([
      { route: 'POST /channels/{channel_id}/messages', body: { content: 'answer' }, status: 200 },
      { route: 'DELETE /channels/{channel_id}/messages/{message_id}', status: 204 },
    ])
    const [request] = await users.requests()
    expect(request?.headers['user-agent']).toStartWith('DiscordBot (')
    const journal = await users.journal({ channelId })
    expect(journal.map(({ kind, by }) => [kind, by])).toEqual([
      ['create', userId],
      ['create', discord.botId],
      ['delete', discord.botId],
    ])
  })

  test('a condition is awaited without polling', async () => {
    const { users, channelId, say } = await start()
    const seen = users.until(
      () => users.messages({ channelId }),
      (messages) => messages.length === 1,
    )
    await say('hello')
    expect(await seen).toHaveLength(1)
  })
})

describe('control over HTTP', () => {
  test('does and reads the same as the actions called directly', async () => {
    const { discord, users, userId, guild, channelId } = await start()
    const remote = createControl(discord.control)
    const seen = remote.until(
      () => remote.messages({ channelId }),
      (messages) => messages.length === 2,
    )
    await remote.sendMessage({ userId, channelId, content: 'first' })
    const { id } = await users.sendMessage({ userId, channelId, content: 'second' })
    expect((await seen).map(({ content }) => content)).toEqual(['first', 'second'])
    await remote.createWebhook({ channelId, creatorId: userId })
    await remote.deleteMessage({ channelId, messageId: id })
    const readAll = async (control: Control) => ({
      messages: await control.messages({ channelId }),
      webhooks: await control.webhooks({ channelId }),
      commands: await control.commands({ guildId: guild.id }),
      journal: await control.journal({ channelId }),
      presence: await control.presence(),
      requests: await control.requests(),
      connections: await control.connections(),
      downloads: await control.downloads(),
      sessions: await control.sessions(),
      counts: await control.counts(),
      secrets: await control.secrets(),
      problems: await control.problems(),
    })
    expect(await readAll(remote)).toEqual(await readAll(users))
  })

  const refusals: [title: string, path: string, body: string, status: number, error: string][] = [
    ['an unknown action', 'sendMessages', '{}', 404, 'unknown action: sendMessages'],
    ['a body that is not an object', 'messages', '[]', 400, 'not an object'],
    ['a body that is not JSON', 'messages', '{', 409, 'JSON'],
    ['what Discord does not allow', 'messages', '{"channelId":"1"}', 409, 'Unknown Channel'],
  ]
  test.each(refusals)('refuses %s', async (_, path, body, status, error) => {
    const { discord } = await start()
    const response = await fetch(`${discord.control}/${path}`, { method: 'POST', body })
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ error: expect.stringContaining(error) })
  })

  test('names the action and the reason of a refusal, as does a direct call', async () => {
    const { discord, users } = await start()
    for (const control of [createControl(discord.control), users]) {
      const error = await control.messages({ channelId: '1' }).catch(String)
      expect(error).toMatch(/messages: .*Unknown Channel/)
    }
  })
})

describe('search for secrets', () => {
  const secret = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOP'
  const marker = 'marker+1'
  const rows: [title: string, written: Record<string, string | Uint8Array>, found: number][] = [
    ['nothing', { log: 'webhook executed', database: new Uint8Array([0, 1, 2]) }, 0],
    ['the secret in a log', { log: `POST /webhooks/1/${secret}` }, 1],
    ['the start of the secret', { log: `POST /webhooks/1/${secret.slice(0, 25)}…` }, 1],
    ['the end of the secret', { log: `…${secret.slice(-25)}` }, 1],
    ['a marker in a database file', { database: new TextEncoder().encode(`\0\0${marker}\0`) }, 1],
    ['an encoded marker', { metrics: `label="${encodeURIComponent(marker)}"` }, 1],
    ['two texts', { log: secret, metrics: `${marker} ${secret}` }, 3],
  ]
  test.each(rows)('finds %s', (_, written, found) => {
    const problems = findSecrets(written, [secret, marker])
    expect(problems).toHaveLength(found)
    expect(problems.join()).not.toContain(secret)
  })

  test('every issued token is a secret', async () => {
    const { discord, users, userId, channelId } = await start()
    const { token } = await users.createWebhook({ channelId, creatorId: userId })
    const { body } = await rest(discord, `POST /channels/${channelId}/webhooks`, {
      body: { name: 'a' },
    })
    await rest(discord, `PUT /applications/${discord.applicationId}/commands`, {
      body: [{ name: 'a', description: 'a' }],
    })
    await users.invokeCommand({ userId, channelId, command: 'a' })
    await users.addSecret({ secret: 'login-link' })
    const secrets = await users.secrets()
    expect(secrets).toContain(discord.token)
    expect(secrets).toContain(token)
    expect(secrets).toContain(String(body.token))
    expect(secrets).toContain('login-link')
    expect(findSecrets({ log: `token ${discord.token}` }, secrets)).not.toEqual([])
  })
})
