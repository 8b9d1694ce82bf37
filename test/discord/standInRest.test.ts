import { afterAll, beforeAll, describe, expect, test } from '../test'
import { type Json, type RestFile, type RestOptions, rest } from './rawClient'
import { invitePermissions } from './standIn/controlWorld'
import type { PermissionName } from './standIn/permissions'
import { type DiscordStandIn, startDiscord } from './standIn/startDiscord'

let discord: DiscordStandIn
let userId: string
let guild: Awaited<ReturnType<DiscordStandIn['users']['createGuild']>>
let channelId: string

beforeAll(async () => {
  discord = await startDiscord({
    rateLimits: 'off',
    fileLimits: { tiers: [100, 100, 500, 1000], request: 250 },
    forbiddenNames: ['wumpus'],
  })
  userId = (await discord.users.createUser({ username: 'alice' })).id
  guild = await discord.users.createGuild({ memberIds: [userId] })
  channelId = guild.channelId
})

afterAll(async () => {
  const problems = await discord.users.problems({ statuses: { 401: 99, 403: 99 } })
  await discord.stop()
  expect(problems).toEqual([])
})

/** Sends a request; `{channel}` and the like are replaced by IDs. */
function ask(line: string, options: RestOptions = {}) {
  return rest(
    discord,
    line.replaceAll('{channel}', channelId).replaceAll('{guild}', guild.id),
    options,
  )
}

async function say(content: string, channel = channelId): Promise<string> {
  return (await discord.users.sendMessage({ userId, channelId: channel, content })).id
}

/** A channel of its own, so that counts start at zero. */
async function newChannel(fields: { type?: number } = {}): Promise<string> {
  return (await discord.users.createChannel({ guildId: guild.id, ...fields })).id
}

async function newWebhook(channel = channelId): Promise<{ id: string; path: string }> {
  const { body } = await ask(`POST /channels/${channel}/webhooks`, { body: { name: 'Multitude' } })
  return { id: String(body.id), path: `/webhooks/${body.id}/${body.token}` }
}

/** First error in the tree, as `path: CODE`. */
function firstError(tree: Json | undefined, path: string[] = []): string | null {
  if (!tree || typeof tree !== 'object') return null
  if (Array.isArray(tree._errors)) return `${path.join('.')}: ${tree._errors[0]?.code}`
  for (const [step, child] of Object.entries(tree)) {
    const found = firstError(child, [...path, step])
    if (found) return found
  }
  return null
}

describe('authorization', () => {
  const rows: [title: string, line: string, options: RestOptions, status: number][] = [
    ['no token', 'GET /users/@me', { authorization: null }, 401],
    ['a wrong token', 'GET /users/@me', { authorization: 'Bot wrong' }, 401],
    ['a token without the prefix Bot', 'GET /users/@me', { authorization: 'token' }, 401],
    ['a wrong User-Agent', 'GET /users/@me', { headers: { 'User-Agent': 'curl/8' } }, 403],
    ['the bot token', 'GET /users/@me', {}, 200],
    ['no token on a public route', 'GET /gateway', { authorization: null }, 200],
  ]
  test.each(rows)('%s', async (_, line, options, status) => {
    const answer = await ask(line, options)
    expect(answer.status).toBe(status)
    if (status === 401) expect(answer.code).toBe(0)
  })

  test('a revoked token is refused', async () => {
    const other = await startDiscord()
    const { token } = await other.users.changeToken()
    expect((await rest(other, 'GET /users/@me')).status).toBe(401)
    expect((await rest(other, 'GET /users/@me', { authorization: `Bot ${token}` })).status).toBe(
      200,
    )
    await other.stop()
  })

  test('an unknown path or method is recorded as a problem', async () => {
    const other = await startDiscord()
    expect((await rest(other, 'GET /nothing')).status).toBe(404)
    expect((await rest(other, 'PUT /users/@me')).status).toBe(404)
    expect(await other.users.problems()).toEqual([
      'unknown route: GET /nothing',
      'unknown route: PUT /users/@me',
    ])
    await other.stop()
  })
})

describe('bodies', () => {
  test('JSON has the content type application/json, in both directions', async () => {
    const { headers } = await ask('GET /users/@me')
    expect(headers.get('content-type')).toBe('application/json')
    const wrong = { body: { content: 'a' }, headers: { 'Content-Type': 'text/plain' } }
    expect((await ask('POST /channels/{channel}/messages', wrong)).code).toBe(50035)
  })

  test('a form-encoded body is accepted', async () => {
    const response = await fetch(`${discord.api}/v10/channels/${channelId}/messages`, {
      method: 'POST',
      headers: { Authorization: `Bot ${discord.token}`, 'User-Agent': 'DiscordBot (a, 1)' },
      body: new URLSearchParams({ content: 'form' }),
    })
    expect(response.status).toBe(200)
  })

  const files = [{ index: 0, filename: 'a.txt', type: 'text/plain', content: 'hello' }]
  test('files are described by attachments with the same number', async () => {
    const { body } = await ask('POST /channels/{channel}/messages', {
      body: { attachments: [{ id: 0, filename: 'b.txt', description: 'a file' }] },
      files,
    })
    const message = await discord.users.message({ channelId, messageId: String(body.id) })
    expect(message?.attachments).toMatchObject([
      { filename: 'b.txt', description: 'a file', size: 5, text: 'hello' },
    ])
  })

  test.each([[[{ id: '1' }]], [[{ id: '0' }, { id: '1' }]]])(
    'attachments %j without their file are refused',
    async (attachments) => {
      const answer = await ask('POST /channels/{channel}/messages', {
        body: { attachments },
        files,
      })
      expect([answer.status, answer.code]).toEqual([400, 50035])
    },
  )

  test('a body that is not JSON is refused', async () => {
    const response = await fetch(`${discord.api}/v10/channels/${channelId}/messages`, {
      method: 'POST',
      headers: {
        Authorization: `Bot ${discord.token}`,
        'User-Agent': 'DiscordBot (a, 1)',
        'Content-Type': 'application/json',
      },
      body: '{',
    })
    expect(await response.json()).toMatchObject({ code: 50109 })
  })
})

describe('message limits', () => {
  const text = (length: number) => 'x'.repeat(length)
  const field = { name: 'a', value: 'b' }
  const rows: [title: string, body: object, code: number | null, error: string | null][] = [
    ['nothing', {}, 50006, null],
    ['only spaces', { content: '  ' }, 50006, null],
    ['2,000 characters', { content: text(2000) }, null, null],
    ['2,001 characters', { content: text(2001) }, 50035, 'content: BASE_TYPE_MAX_LENGTH'],
    ['10 embeds', { embeds: Array(10).fill({ title: 'a' }) }, null, null],
    [
      '11 embeds',
      { embeds: Array(11).fill({ title: 'a' }) },
      50035,
      'embeds: BASE_TYPE_MAX_LENGTH',
    ],
    ['an empty embed', { embeds: [{}] }, 50035, 'embeds.0: BASE_TYPE_REQUIRED'],
    [
      'a title of 257',
      { embeds: [{ title: text(257) }] },
      50035,
      'embeds.0.title: BASE_TYPE_MAX_LENGTH',
    ],
    ['a description of 4,096', { embeds: [{ description: text(4096) }] }, null, null],
    [
      'a description of 4,097',
      { embeds: [{ description: text(4097) }] },
      50035,
      'embeds.0.description: BASE_TYPE_MAX_LENGTH',
    ],
    [
      '26 fields',
      { embeds: [{ fields: Array(26).fill(field) }] },
      50035,
      'embeds.0.fields: BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a field name of 257',
      { embeds: [{ fields: [{ ...field, name: text(257) }] }] },
      50035,
      'embeds.0.fields.0.name: BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a field value of 1,025',
      { embeds: [{ fields: [{ ...field, value: text(1025) }] }] },
      50035,
      'embeds.0.fields.0.value: BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a footer of 2,049',
      { embeds: [{ footer: { text: text(2049) } }] },
      50035,
      'embeds.0.footer.text: BASE_TYPE_MAX_LENGTH',
    ],
    [
      'an author of 257',
      { embeds: [{ author: { name: text(257) } }] },
      50035,
      'embeds.0.author.name: BASE_TYPE_MAX_LENGTH',
    ],
    [
      '6,001 characters in embeds',
      { embeds: [{ description: text(4000) }, { description: text(2001) }] },
      50035,
      'embeds: MAX_EMBED_SIZE_EXCEEDED',
    ],
    [
      'buttons with the same ID',
      { components: [row(button('a'), button('a'))], content: 'a' },
      50035,
      'components: COMPONENT_CUSTOM_ID_DUPLICATED',
    ],
    [
      'a poll',
      { poll: { question: { text: 'a' }, answers: [{ poll_media: { text: 'b' } }] } },
      null,
      null,
    ],
  ]
  test.each(rows)('%s', async (_, body, code, error) => {
    const webhook = await newWebhookOnce()
    for (const line of ['POST /channels/{channel}/messages', `POST ${webhook}?wait=true`]) {
      const answer = await ask(line, { body })
      expect([answer.code, firstError(answer.body.errors)]).toEqual([code, error])
    }
  })
})

let cached: string | null = null
async function newWebhookOnce(): Promise<string> {
  cached ??= (await newWebhook()).path
  return cached
}

function button(customId: string) {
  return { type: 2, style: 1, label: customId, custom_id: customId }
}

function row(...components: object[]) {
  return { type: 1, components }
}

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
    const path = await newWebhookOnce()
    const answer = await ask(`POST ${path}?wait=true`, { body: { content: 'a', username } })
    expect(firstError(answer.body.errors)).toBe(error)
    expect(answer.status).toBe(error ? 400 : 200)
  })
})

describe('mentions', () => {
  let other: string
  let open: string
  let closed: string
  beforeAll(async () => {
    const { users } = discord
    other = (await users.createUser({ username: 'bob' })).id
    open = (await users.createRole({ guildId: guild.id, isMentionable: true })).id
    closed = (await users.createRole({ guildId: guild.id })).id
    await users.addMember({ guildId: guild.id, userId: other, roles: [open, closed] })
  })

  type Found = { users?: boolean; open?: boolean; closed?: boolean; everyone?: boolean }
  const all = { users: true, open: true, closed: true, everyone: true }
  const rows: [
    title: string,
    sender: 'bot' | 'webhook',
    allowed: object | undefined,
    mayAll: boolean,
    found: Found,
  ][] = [
    ['a bot message by default', 'bot', undefined, false, { users: true, open: true }],
    ['a bot message by default, with Mention Everyone', 'bot', undefined, true, all],
    ['a webhook by default', 'webhook', undefined, true, { users: true }],
    [
      'a webhook that parses everything',
      'webhook',
      { parse: ['users', 'roles', 'everyone'] },
      true,
      all,
    ],
    [
      'a webhook that parses everything, without Mention Everyone',
      'webhook',
      { parse: ['users', 'roles', 'everyone'] },
      false,
      { users: true, open: true },
    ],
    ['no mentions', 'webhook', { parse: [] }, true, {}],
    ['everyone only', 'webhook', { parse: ['everyone'] }, true, { everyone: true }],
    ['a listed user', 'bot', { users: ['USER'] }, true, { users: true }],
    ['a listed role', 'bot', { roles: ['CLOSED'] }, true, { closed: true }],
    ['a listed role that is not mentionable', 'bot', { roles: ['CLOSED'] }, false, {}],
    ['another listed user', 'bot', { users: ['1'] }, true, {}],
  ]
  test.each(rows)('%s', async (_, sender, allowed, mayAll, found) => {
    const permissions: PermissionName[] = mayAll
      ? [...invitePermissions, 'MENTION_EVERYONE']
      : invitePermissions
    await discord.users.updateRole({
      guildId: guild.id,
      roleId: guild.botRoleId ?? '',
      permissions,
    })
    const path =
      sender === 'bot' ? `/channels/${channelId}/messages` : `${await newWebhookOnce()}?wait=true`
    const listed = JSON.stringify(allowed)?.replace('USER', other).replace('CLOSED', closed)
    const { body } = await ask(`POST ${path}`, {
      body: {
        content: `<@${other}> <@&${open}> <@&${closed}> @everyone \`<@${userId}>\``,
        ...(listed ? { allowed_mentions: JSON.parse(listed) } : {}),
      },
    })
    const roles = [...(found.open ? [open] : []), ...(found.closed ? [closed] : [])]
    expect<unknown>(body.mention_roles).toEqual(roles)
    expect<unknown>(body.mention_everyone).toBe(found.everyone ?? false)
    const seen = await discord.users.message({ channelId, messageId: String(body.id) })
    expect(seen?.mentions).toEqual(found.users ? [other] : [])
    expect(seen?.notified.includes(other)).toBe(Object.keys(found).length > 0)
    expect(seen?.notified.includes(userId)).toBe(found.everyone ?? false)
  })

  const invalid: [title: string, allowed: object][] = [
    ['a type that is parsed and listed', { parse: ['users'], users: ['1'] }],
    ['101 users', { users: Array.from({ length: 101 }, (_, id) => String(id)) }],
    ['101 roles', { roles: Array.from({ length: 101 }, (_, id) => String(id)) }],
    ['an unknown type', { parse: ['channels'] }],
  ]
  test.each(invalid)('%s is refused', async (_, allowed_mentions) => {
    const answer = await ask('POST /channels/{channel}/messages', {
      body: { content: 'a', allowed_mentions },
    })
    expect([answer.status, answer.code]).toEqual([400, 50035])
  })

  test.each([undefined, true, false])('a reply with replied_user %p', async (repliedUser) => {
    const target = await say('question')
    const { body } = await ask('POST /channels/{channel}/messages', {
      body: {
        content: 'answer',
        message_reference: { message_id: target },
        ...(repliedUser === undefined ? {} : { allowed_mentions: { replied_user: repliedUser } }),
      },
    })
    const seen = await discord.users.message({ channelId, messageId: String(body.id) })
    expect(seen?.notified).toEqual(repliedUser === false ? [] : [userId])
    expect<unknown>(body.referenced_message?.id).toBe(target)
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
    const full = await discord.users.createGuild({ channels: ['a', 'b'] })
    const [first = '', second = ''] = Object.values(full.channels)
    await Promise.all(
      Array.from({ length: 1000 }, () =>
        discord.users.createWebhook({ channelId: first, creatorId: userId }),
      ),
    )
    const answer = await ask(`POST /channels/${second}/webhooks`, { body: { name: 'a' } })
    expect([answer.status, answer.code]).toEqual([400, 30058])
  })

  test('creating needs Manage Webhooks', async () => {
    const { id } = await discord.users.createChannel({
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
    await discord.users.deleteWebhook({ webhookId: id })
    const deleted = await execute(path)
    expect([deleted.status, deleted.code]).toEqual([404, 10015])
  })

  test('a moved webhook posts to its new channel', async () => {
    const [from, to] = [await newChannel(), await newChannel()]
    const { id, path } = await newWebhook(from)
    await discord.users.moveWebhook({ webhookId: id, channelId: to })
    const { body } = await ask(`POST ${path}?wait=true`, { body: { content: 'a' } })
    expect<unknown>(body.channel_id).toBe(to)
  })

  test('executing without wait answers 204 and has the same effect', async () => {
    const channel = await newChannel()
    const { path } = await newWebhook(channel)
    expect(
      (await ask(`POST ${path}`, { body: { content: 'quiet', username: 'Bob' } })).status,
    ).toBe(204)
    expect(await discord.users.messages({ channelId: channel })).toMatchObject([
      { content: 'quiet', author: { name: 'Bob', isWebhook: true } },
    ])
  })

  test('thread_id must be a thread of the channel', async () => {
    const channel = await newChannel()
    const { path } = await newWebhook(channel)
    const { id: thread } = await discord.users.createThread({ parentId: channel, ownerId: userId })
    const { id: foreign } = await discord.users.createThread({
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
    const { id } = await discord.users.createPost({ userId, channelId: channel, content: 'post' })
    const answer = await ask(`POST ${path}?wait=true${query && `&thread_id=${id}`}`, {
      body: { content: 'a', ...body },
    })
    expect(answer.code).toBe(code)
  })

  test('a text channel refuses the name of a thread', async () => {
    const answer = await ask(`POST ${await newWebhookOnce()}`, {
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
    const answer = await ask(`POST ${await newWebhookOnce()}?wait=true`, {
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
    const answer = await ask(`POST ${await newWebhookOnce()}?wait=true`, {
      body: { flags: 1 << 13, ...body },
      files,
    })
    expect(answer.code).toBe(code)
  })

  test('voice messages can be refused by configuration, and cannot be edited', async () => {
    const path = await newWebhookOnce()
    const send = () =>
      ask(`POST ${path}?wait=true`, {
        body: { flags: 1 << 13, attachments: [metadata] },
        files: [audio],
      })
    const { body } = await send()
    const edit = await ask(`PATCH ${path}/messages/${body.id}`, { body: { content: 'a' } })
    expect([edit.status, edit.code]).toEqual([400, 50163])
    await discord.users.setOptions({ voiceMessages: 'refuse' })
    expect(await send()).toMatchObject({ status: 400, code: 50173 })
    await discord.users.setOptions({ voiceMessages: 'accept' })
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
    const path = await newWebhookOnce()
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

  test('mentions are rebuilt from the edit, and nobody is notified', async () => {
    const path = await newWebhookOnce()
    const { body } = await ask(`POST ${path}?wait=true`, { body: { content: `<@${userId}>` } })
    const edit = async (allowed: object) => {
      await ask(`PATCH ${path}/messages/${body.id}`, {
        body: { content: `again <@${userId}>`, allowed_mentions: allowed },
      })
      return discord.users.message({ channelId, messageId: String(body.id) })
    }
    expect((await edit({ parse: [] }))?.mentions).toEqual([])
    expect((await edit({ parse: ['users'] }))?.mentions).toEqual([userId])
    expect((await edit({ parse: [] }))?.isEdited).toBe(true)
  })

  test('messages of another webhook, and in a thread without thread_id, are unknown', async () => {
    const channel = await newChannel()
    const [one, other] = [await newWebhook(channel), await newWebhook(channel)]
    const { id: thread } = await discord.users.createThread({ parentId: channel, ownerId: userId })
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

describe('deletion', () => {
  test('own messages need no permission, others need Manage Messages', async () => {
    const { id: channel } = await discord.users.createChannel({
      guildId: guild.id,
      overwrites: [{ userId: discord.botId, deny: ['MANAGE_MESSAGES'] }],
    })
    const { body } = await ask(`POST /channels/${channel}/messages`, { body: { content: 'own' } })
    const foreign = await say('foreign', channel)
    const remove = (id: string) => ask(`DELETE /channels/${channel}/messages/${id}`)
    expect((await remove(String(body.id))).status).toBe(204)
    expect(await remove(foreign)).toMatchObject({ status: 403, code: 50013 })
    expect(await remove(String(body.id))).toMatchObject({ status: 404, code: 10008 })
    await discord.users.updateChannel({ channelId: channel, overwrites: [] })
    expect((await remove(foreign)).status).toBe(204)
    expect(await discord.users.messages({ channelId: channel })).toEqual([])
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
    const { id: channel } = await discord.users.createChannel({
      guildId: guild.id,
      overwrites: [{ userId: discord.botId, deny: ['ADD_REACTIONS'] }],
    })
    const id = await say('a', channel)
    expect(await react(channel, id, '👍')).toMatchObject({ status: 403, code: 50013 })
    await discord.users.react({ userId, channelId: channel, messageId: id, emoji: '👍' })
    expect((await react(channel, id, '👍')).status).toBe(204)
    const seen = await discord.users.message({ channelId: channel, messageId: id })
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
    const { id: channel } = await discord.users.createChannel({
      guildId: guild.id,
      overwrites: [{ userId: discord.botId, deny: ['MANAGE_MESSAGES'] }],
    })
    const id = await say('a', channel)
    await discord.users.react({ userId, channelId: channel, messageId: id, emoji: '❓' })
    expect(await react(channel, id, '❓', userId)).toMatchObject({ status: 403, code: 50013 })
    await discord.users.updateChannel({ channelId: channel, overwrites: [] })
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
    const { id } = await discord.users.createUser({ username: 'carol', hasClosedDms })
    if (isShared) await discord.users.addMember({ guildId: guild.id, userId: id })
    const { body, status } = await ask('POST /users/@me/channels', { body: { recipient_id: id } })
    expect(status).toBe(200)
    const answer = await ask(`POST /channels/${body.id}/messages`, { body: { content: 'secret' } })
    expect([answer.status, answer.code]).toEqual(code ? [403, code] : [200, null])
    expect((await discord.users.directMessages({ userId: id })).length).toBe(code ? 0 : 1)
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
    const boosted = await discord.users.createGuild({ premiumTier: tier })
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
    const moderated = await discord.users.createGuild()
    await discord.users.updateGuild({ guildId: moderated.id, blockedWords: ['badword'] })
    const { path } = await newWebhook(moderated.channelId)
    const answer = await ask(`POST ${path}?wait=true`, { body: { content: 'a BADWORD here' } })
    expect([answer.status, answer.code]).toEqual([400, 200000])
  })
})
