import { describe, expect, test } from '../../tools/test'
import type { RestFile } from '../tools/rawClient'
import { firstError, startRestWorld } from '../tools/restWorld'

const { ask, channelId, discord, guild, newChannel, newWebhook, userId, users, webhookPath } =
  await startRestWorld({ forbiddenNames: ['wumpus'] })

describe('webhook names', () => {
  const rows: [name: string, error: string | null][] = [
    ['Alice', null],
    ['x'.repeat(80), null],
    ['', 'username: BASE_TYPE_MIN_LENGTH'],
    ['   ', 'username: BASE_TYPE_BAD_LENGTH'],
    ['x'.repeat(81), 'username: BASE_TYPE_BAD_LENGTH'],
    ['My Clyde', 'username: USERNAME_INVALID_CONTAINS'],
    ['discordian', 'username: USERNAME_INVALID_CONTAINS'],
    ['a ``` b', 'username: USERNAME_INVALID_CONTAINS'],
    ['wumpus', 'username: USERNAME_INVALID_CONTAINS'],
    ['everyone', 'username: USERNAME_INVALID'],
    ['Here', 'username: USERNAME_INVALID'],
    ['everyone else', null],
  ]
  test.each(rows)('%p', async (username, error) => {
    const path = await webhookPath()
    const answer = await ask(`POST ${path}?wait=true`, { body: { content: 'a', username } })
    expect(firstError(answer.body.errors)).toBe(error)
    expect(answer.status).toBe(error ? 400 : 200)
  })
})

describe('webhooks', () => {
  test('15 webhooks per channel', async () => {
    const channel = await newChannel()
    for (let count = 0; count < 15; count++) await newWebhook(channel)
    const answer = await ask(`POST /channels/${channel}/webhooks`, { body: { name: 'a' } })
    expect([answer.status, answer.code]).toEqual([400, 30007])
    expect((await ask(`GET /channels/${channel}/webhooks`)).body).toHaveLength(15)
  })

  test('1,000 webhooks per guild', async () => {
    const full = await users.createGuild({ channels: ['a', 'b'] })
    const [first = '', second = ''] = Object.values(full.channels)
    await Promise.all(
      Array.from({ length: 1000 }, () =>
        users.createWebhook({ channelId: first, creatorId: userId }),
      ),
    )
    const answer = await ask(`POST /channels/${second}/webhooks`, { body: { name: 'a' } })
    expect([answer.status, answer.code]).toEqual([400, 30058])
  })

  test('creating needs Manage Webhooks', async () => {
    const { id } = await users.createChannel({
      guildId: guild.id,
      overwrites: [{ userId: discord.botId, deny: ['MANAGE_WEBHOOKS'] }],
    })
    for (const method of ['POST', 'GET']) {
      const answer = await ask(`${method} /channels/${id}/webhooks`, {
        ...(method === 'POST' ? { body: { name: 'a' } } : {}),
      })
      expect([answer.status, answer.code]).toEqual([403, 50013])
    }
  })

  test('a wrong token, an unknown and a deleted webhook are refused', async () => {
    const { id, path } = await newWebhook(await newChannel())
    const execute = (at: string) => ask(`POST ${at}`, { body: { content: 'a' } })
    const wrong = await execute(`/webhooks/${id}/wrong`)
    expect([wrong.status, wrong.code]).toEqual([401, 50027])
    await users.deleteWebhook({ webhookId: id })
    const deleted = await execute(path)
    expect([deleted.status, deleted.code]).toEqual([404, 10015])
  })

  test('a moved webhook posts to its new channel', async () => {
    const [from, to] = [await newChannel(), await newChannel()]
    const { id, path } = await newWebhook(from)
    await users.moveWebhook({ webhookId: id, channelId: to })
    const { body } = await ask(`POST ${path}?wait=true`, { body: { content: 'a' } })
    expect<unknown>(body.channel_id).toBe(to)
  })

  test('executing without wait answers 204 and has the same effect', async () => {
    const channel = await newChannel()
    const { path } = await newWebhook(channel)
    expect(
      (await ask(`POST ${path}`, { body: { content: 'quiet', username: 'Bob' } })).status,
    ).toBe(204)
    expect(await users.messages({ channelId: channel })).toMatchObject([
      { content: 'quiet', author: { name: 'Bob', isWebhook: true } },
    ])
  })

  test('thread_id must be a thread of the channel', async () => {
    const channel = await newChannel()
    const { path } = await newWebhook(channel)
    const { id: thread } = await users.createThread({ parentId: channel, ownerId: userId })
    const { id: foreign } = await users.createThread({
      parentId: channelId,
      ownerId: userId,
    })
    const execute = (id: string) =>
      ask(`POST ${path}?wait=true&thread_id=${id}`, { body: { content: 'a' } })
    expect<unknown>((await execute(thread)).body.channel_id).toBe(thread)
    for (const id of [foreign, channel, '1'])
      expect(await execute(id)).toMatchObject({ status: 400, code: 10003 })
  })

  const forum: [title: string, query: string, body: object, code: number | null][] = [
    ['nothing', '', {}, 220001],
    ['a name', '', { thread_name: 'post' }, null],
    ['a thread', 'thread', {}, null],
    ['a name and a thread', 'thread', { thread_name: 'post' }, 220002],
  ]
  test.each(forum)('a forum with %s', async (_, query, body, code) => {
    const channel = await newChannel({ type: 15 })
    const { path } = await newWebhook(channel)
    const { id } = await users.createPost({ userId, channelId: channel, content: 'post' })
    const answer = await ask(`POST ${path}?wait=true${query && `&thread_id=${id}`}`, {
      body: { content: 'a', ...body },
    })
    expect(answer.code).toBe(code)
  })

  test('a text channel refuses the name of a thread', async () => {
    const answer = await ask(`POST ${await webhookPath()}`, {
      body: { content: 'a', thread_name: 'b' },
    })
    expect(answer.code).toBe(220003)
  })

  const flags: [title: string, flags: number, status: number][] = [
    ['SUPPRESS_EMBEDS', 1 << 2, 200],
    ['SUPPRESS_NOTIFICATIONS', 1 << 12, 200],
    ['EPHEMERAL', 1 << 6, 400],
    ['URGENT', 1 << 4, 400],
  ]
  test.each(flags)('the flag %s', async (_, value, status) => {
    const answer = await ask(`POST ${await webhookPath()}?wait=true`, {
      body: { content: 'a', flags: value },
    })
    expect(answer.status).toBe(status)
  })

  const audio = { index: 0, filename: 'voice.ogg', type: 'audio/ogg', content: 'sound' }
  const metadata = { id: '0', waveform: 'AAAA', duration_secs: 1.5 }
  const voice: [title: string, body: object, files: RestFile[], code: number | null][] = [
    ['one audio file with metadata', { attachments: [metadata] }, [audio], null],
    ['content', { attachments: [metadata], content: 'a' }, [audio], 50160],
    ['no metadata', { attachments: [{ id: '0' }] }, [audio], 50162],
    [
      'another type',
      { attachments: [metadata] },
      [{ ...audio, filename: 'a.txt', type: 'text/plain' }],
      50161,
    ],
    [
      'two files',
      { attachments: [metadata, { ...metadata, id: '1' }] },
      [audio, { ...audio, index: 1 }],
      50161,
    ],
  ]
  test.each(voice)('a voice message with %s', async (_, body, files, code) => {
    const answer = await ask(`POST ${await webhookPath()}?wait=true`, {
      body: { flags: 1 << 13, ...body },
      files,
    })
    expect(answer.code).toBe(code)
  })

  test('voice messages can be refused by configuration, and cannot be edited', async () => {
    const path = await webhookPath()
    const send = () =>
      ask(`POST ${path}?wait=true`, {
        body: { flags: 1 << 13, attachments: [metadata] },
        files: [audio],
      })
    const { body } = await send()
    const edit = await ask(`PATCH ${path}/messages/${body.id}`, { body: { content: 'a' } })
    expect([edit.status, edit.code]).toEqual([400, 50163])
    await users.setOptions({ voiceMessages: 'refuse' })
    expect(await send()).toMatchObject({ status: 400, code: 50173 })
    await users.setOptions({ voiceMessages: 'accept' })
  })
})

describe('edits of webhook messages', () => {
  const files = ['a', 'b'].map((name, index) => ({
    index,
    filename: `${name}.txt`,
    type: 'text/plain',
    content: name,
  }))

  test('attachments lists which files are kept', async () => {
    const path = await webhookPath()
    const { body } = await ask(`POST ${path}?wait=true`, { body: {}, files })
    const kept = Object.values(body.attachments ?? {})[1]
    const edit = (changes: object) => ask(`PATCH ${path}/messages/${body.id}`, { body: changes })
    expect((await edit({ content: 'text' })).body.attachments).toHaveLength(2)
    const { body: edited } = await edit({ attachments: [{ id: kept?.id }] })
    expect<unknown>(
      Object.values(edited.attachments ?? {}).map(({ filename }) => filename),
    ).toEqual(['b.txt'])
    expect((await edit({ attachments: [{ id: '123456789' }] })).code).toBe(50035)
    expect((await edit({ attachments: [], content: '' })).code).toBe(50006)
  })

  test('mentions are rebuilt from the edit, and the edit notifies no user', async () => {
    const path = await webhookPath()
    const { body } = await ask(`POST ${path}?wait=true`, {
      body: { content: `<@${userId}>`, allowed_mentions: { parse: [] } },
    })
    const edit = async (allowed: object) => {
      await ask(`PATCH ${path}/messages/${body.id}`, {
        body: { content: `again <@${userId}>`, allowed_mentions: allowed },
      })
      return users.message({ channelId, messageId: String(body.id) })
    }
    const pinging = await edit({ parse: ['users'] })
    expect([pinging?.mentions, pinging?.notified, pinging?.isEdited]).toEqual([[userId], [], true])
    expect((await edit({ parse: [] }))?.mentions).toEqual([])
  })

  test('messages of another webhook, and in a thread without thread_id, are unknown', async () => {
    const channel = await newChannel()
    const [one, other] = [await newWebhook(channel), await newWebhook(channel)]
    const { id: thread } = await users.createThread({ parentId: channel, ownerId: userId })
    const { body } = await ask(`POST ${one.path}?wait=true&thread_id=${thread}`, {
      body: { content: 'a' },
    })
    const edit = (path: string, query = '') =>
      ask(`PATCH ${path}/messages/${body.id}${query}`, { body: { content: 'b' } })
    expect((await edit(one.path)).code).toBe(10008)
    expect((await edit(other.path, `?thread_id=${thread}`)).code).toBe(10008)
    expect((await edit(one.path, `?thread_id=${thread}`)).status).toBe(200)
  })
})
