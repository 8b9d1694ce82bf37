import { beforeAll, describe, expect, test } from '../../tools/test'
import { invitePermissions } from '../standIn/controlWorld'
import type { PermissionName } from '../standIn/permissions'
import { startDiscord } from '../standIn/startDiscord'
import { type RestOptions, rest } from '../tools/rawClient'
import { firstError, startRestWorld } from '../tools/restWorld'

const { ask, channelId, discord, guild, say, userId, users, webhookPath } = await startRestWorld()

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
    const message = await users.message({ channelId, messageId: String(body.id) })
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
    const webhook = await webhookPath()
    for (const line of ['POST /channels/{channel}/messages', `POST ${webhook}?wait=true`]) {
      const answer = await ask(line, { body })
      expect([answer.code, firstError(answer.body.errors)]).toEqual([code, error])
    }
  })
})

function button(customId: string) {
  return { type: 2, style: 1, label: customId, custom_id: customId }
}

function row(...components: object[]) {
  return { type: 1, components }
}

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
    await users.updateRole({
      guildId: guild.id,
      roleId: guild.botRoleId ?? '',
      permissions,
    })
    const path =
      sender === 'bot' ? `/channels/${channelId}/messages` : `${await webhookPath()}?wait=true`
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
    const seen = await users.message({ channelId, messageId: String(body.id) })
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
    const seen = await users.message({ channelId, messageId: String(body.id) })
    expect(seen?.notified).toEqual(repliedUser === false ? [] : [userId])
    expect<unknown>(body.referenced_message?.id).toBe(target)
  })
})
