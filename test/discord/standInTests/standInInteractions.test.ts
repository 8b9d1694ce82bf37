import { outcomeOf } from '../../tools/outcomeOf'
import { beforeAll, describe, expect, test } from '../../tools/test'
import { connect, type RawGateway } from '../tools/rawClient'
import { firstError, startRestWorld } from '../tools/restWorld'

const { ask, channelId, discord, guild, newChannel, userId, users } = await startRestWorld({
  heartbeatMs: 600_000,
  identifyWindowMs: 0,
})

const commandsPath = `/applications/${discord.applicationId}/commands`
const guildPath = `/applications/${discord.applicationId}/guilds/${guild.id}/commands`

describe('application commands', () => {
  const base = { name: 'member', description: 'a member' }
  const option = { type: 3, name: 'name', description: 'a name' }
  const choices = Array.from({ length: 26 }, (_, id) => ({ name: `choice ${id}`, value: `${id}` }))
  const text = (length: number) => 'x'.repeat(length)
  const rows: [title: string, command: object, error: string | null][] = [
    ['a chat command', base, null],
    ['a context menu with spaces and capitals', { type: 3, name: 'Message info' }, null],
    ['a name with capitals', { ...base, name: 'Member' }, 'name: APPLICATION_COMMAND_INVALID_NAME'],
    ['a name with a space', { ...base, name: 'a b' }, 'name: APPLICATION_COMMAND_INVALID_NAME'],
    ['a name of 33', { ...base, name: text(33) }, 'name: BASE_TYPE_BAD_LENGTH'],
    ['no description', { name: 'member' }, 'description: BASE_TYPE_REQUIRED'],
    [
      'a description of 101',
      { ...base, description: text(101) },
      'description: BASE_TYPE_BAD_LENGTH',
    ],
    [
      'a context menu with a description',
      { type: 3, name: 'a', description: 'b' },
      'description: APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION',
    ],
    [
      '26 options',
      { ...base, options: Array.from({ length: 26 }, (_, id) => ({ ...option, name: `o${id}` })) },
      'options: BASE_TYPE_MAX_LENGTH',
    ],
    [
      '26 choices',
      { ...base, options: [{ ...option, choices }] },
      'options.0.choices: BASE_TYPE_MAX_LENGTH',
    ],
    [
      'options with the same name',
      { ...base, options: [option, option] },
      'options.1: APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS',
    ],
    [
      'a required option after an optional one',
      { ...base, options: [option, { ...option, name: 'b', required: true }] },
      'options.1: APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
    ],
    ['permissions as text', { ...base, default_member_permissions: '32' }, null],
  ]
  test.each(rows)('%s', async (_, command, error) => {
    const answer = await ask(`POST ${guildPath}`, { body: command })
    expect(firstError(answer.body.errors)).toBe(error)
    expect(answer.status).toBeOneOf(error ? [400] : [200, 201])
  })

  test('a command of more than 8,000 characters is refused', async () => {
    const long = Array.from({ length: 25 }, (_, id) => ({
      name: text(100),
      value: `${id}${text(90)}`,
    }))
    const options = [0, 1].map((id) => ({ ...option, name: `o${id}`, choices: long }))
    const answer = await ask(`POST ${guildPath}`, { body: { ...base, options } })
    expect([answer.status, answer.code]).toEqual([400, 50035])
  })

  const counts: [title: string, type: number, count: number, status: number][] = [
    ['100 chat commands', 1, 100, 200],
    ['101 chat commands', 1, 101, 400],
    ['15 message commands', 3, 15, 200],
    ['16 message commands', 3, 16, 400],
    ['16 user commands', 2, 16, 400],
  ]
  test.each(counts)('a bulk overwrite with %s', async (_, type, count, status) => {
    const other = await users.createGuild()
    const body = Array.from({ length: count }, (_none, id) => ({
      name: `c${id}`,
      type,
      ...(type === 1 ? { description: 'a' } : {}),
    }))
    const path = `/applications/${discord.applicationId}/guilds/${other.id}/commands`
    expect((await ask(`PUT ${path}`, { body })).status).toBe(status)
  })

  test('a bulk overwrite keeps the IDs of known commands and refuses duplicates', async () => {
    const one = { ...base, name: 'one' }
    const { body: before } = await ask(`PUT ${commandsPath}`, {
      body: [one, { ...base, name: 'two' }],
    })
    const { body: after } = await ask(`PUT ${commandsPath}`, { body: [one] })
    expect<unknown>(after[0]?.id).toBe(before[0]?.id)
    expect(await users.commands()).toHaveLength(1)
    const twice = await ask(`PUT ${commandsPath}`, { body: [one, one] })
    expect([twice.status, firstError(twice.body.errors)]).toEqual([
      400,
      '1: APPLICATION_COMMANDS_DUPLICATE_NAME',
    ])
  })

  test('200 commands can be created per day and guild', async () => {
    const other = await users.createGuild()
    const path = `/applications/${discord.applicationId}/guilds/${other.id}/commands`
    const batch = (start: number) =>
      Array.from({ length: 100 }, (_, id) => ({ ...base, name: `c${start + id}` }))
    expect((await ask(`PUT ${path}`, { body: batch(0) })).status).toBe(200)
    expect((await ask(`PUT ${path}`, { body: batch(0) })).status).toBe(200)
    expect((await ask(`PUT ${path}`, { body: batch(100) })).status).toBe(200)
    const answer = await ask(`PUT ${path}`, { body: batch(200) })
    expect([answer.status, answer.code]).toEqual([400, 30034])
  })
})

describe('interactions', () => {
  let gateway: RawGateway
  beforeAll(async () => {
    gateway = (await connect(discord)).client
    await ask(`PUT ${guildPath}`, { body: [] })
    await ask(`PUT ${commandsPath}`, {
      body: [
        {
          name: 'member',
          description: 'members',
          options: [
            {
              type: 1,
              name: 'info',
              description: 'show',
              options: [
                { type: 3, name: 'member', description: 'a', required: true, autocomplete: true },
                { type: 6, name: 'account', description: 'b' },
                { type: 11, name: 'file', description: 'c' },
              ],
            },
          ],
        },
        {
          name: 'server',
          description: 'settings',
          default_member_permissions: '32',
          contexts: [0],
        },
        { name: 'edit', description: 'edit' },
        { type: 3, name: 'Message info' },
        { type: 2, name: 'System info' },
      ],
    })
  })

  /** Starts an interaction and returns the paths to answer it. */
  async function begin(start: Promise<{ id: string }>) {
    const { id } = await start
    const { d } = await gateway.find(
      ({ t, d: data }) => t === 'INTERACTION_CREATE' && String(data.id) === id,
    )
    const token = String(d.token)
    const webhook = `/webhooks/${discord.applicationId}/${token}`
    const answer = (type: number, data?: object) =>
      ask(`POST /interactions/${id}/${token}/callback`, {
        body: { type, ...(data ? { data } : {}) },
      })
    return { id, data: d, webhook, answer, seen: () => users.interaction({ id }) }
  }

  const edit = (channel = channelId) =>
    begin(users.invokeCommand({ userId, channelId: channel, command: 'edit' }))

  test('a slash command carries its options and resolved objects', async () => {
    const { data } = await begin(
      users.invokeCommand({
        userId,
        channelId,
        command: 'member info',
        options: { member: 'Alice', account: userId, file: { filename: 'a.png', size: 3 } },
      }),
    )
    expect<unknown>(data.data).toMatchObject({
      name: 'member',
      options: [{ name: 'info', type: 1, options: [{ value: 'Alice' }, { value: userId }, {}] }],
      resolved: { users: { [userId]: { username: 'alice' } } },
    })
    expect<unknown>(Object.values(data.data?.resolved?.attachments ?? {})).toMatchObject([
      { filename: 'a.png', size: 3, ephemeral: true },
    ])
    expect<unknown>(data.member?.user?.id).toBe(userId)
  })

  const impossible: [
    title: string,
    input: { command: string; options?: Record<string, string> },
  ][] = [
    ['an unknown command', { command: 'nothing' }],
    ['a missing subcommand', { command: 'member' }],
    ['a missing option', { command: 'member info' }],
    ['an unknown option', { command: 'member info', options: { member: 'a', other: 'b' } }],
    ['a command without its permission', { command: 'server' }],
  ]
  test.each(impossible)('a user cannot use %s', async (_, input) => {
    expect(await outcomeOf(users.invokeCommand({ userId, channelId, ...input }))).toThrow()
  })

  test('a moderator can use a command that needs a permission, but not in direct messages', async () => {
    await begin(users.invokeCommand({ userId: guild.ownerId, channelId, command: 'server' }))
    const { channelId: dm } = await users.sendMessage({ userId: guild.ownerId, content: 'hi' })
    expect(
      await outcomeOf(
        users.invokeCommand({ userId: guild.ownerId, channelId: dm, command: 'server' }),
      ),
    ).toThrow()
  })

  test('context menus carry their target', async () => {
    const { id: messageId } = await users.sendMessage({ userId, channelId, content: 'target' })
    const onMessage = await begin(
      users.invokeCommand({ userId, channelId, command: 'Message info', targetId: messageId }),
    )
    expect<unknown>(onMessage.data.data?.resolved?.messages?.[messageId]?.content).toBe('target')
    const onUser = await begin(
      users.invokeCommand({ userId, channelId, command: 'System info', targetId: guild.ownerId }),
    )
    expect<unknown>(onUser.data.data?.target_id).toBe(guild.ownerId)
  })

  test('the initial answer is possible once', async () => {
    const { answer, seen } = await edit()
    expect((await answer(4, { content: 'one' })).status).toBe(204)
    expect(await answer(4, { content: 'two' })).toMatchObject({ status: 400, code: 40060 })
    expect((await seen()).messages.map(({ content }) => content)).toEqual(['one'])
  })

  test('the token is void without an answer within 3 seconds', async () => {
    const { answer, seen } = await edit()
    await users.advanceClock({ ms: 3001 })
    expect(await answer(4, { content: 'late' })).toMatchObject({ status: 404, code: 10062 })
    expect((await seen()).isFailed).toBe(true)
  })

  test('a deferred answer is replaced by an edit or a follow-up, for 15 minutes', async () => {
    const { answer, webhook, seen } = await edit()
    await answer(5)
    expect((await seen()).messages).toMatchObject([{ isLoading: true }])
    await ask(`PATCH ${webhook}/messages/@original`, { body: { content: 'done' } })
    expect((await seen()).messages).toMatchObject([{ isLoading: false, content: 'done' }])
    await ask(`POST ${webhook}`, { body: { content: 'more' } })
    expect((await seen()).messages).toHaveLength(2)
    expect((await ask(`DELETE ${webhook}/messages/@original`)).status).toBe(204)
    expect((await seen()).messages).toHaveLength(1)
    await users.advanceClock({ ms: 15 * 60_000 + 1 })
    expect(await ask(`POST ${webhook}`, { body: { content: 'late' } })).toMatchObject({
      status: 401,
      code: 50027,
    })
  })

  test('an ephemeral answer is visible to one user and never in the history', async () => {
    const channel = await newChannel()
    const { answer, webhook, seen } = await edit(channel)
    await answer(4, { content: 'private', flags: 64 })
    const [message] = (await seen()).messages
    expect(message?.ephemeralFor).toBe(userId)
    const contents = async (viewer?: string) => {
      const all = await users.messages({
        channelId: channel,
        ...(viewer ? { userId: viewer } : {}),
      })
      return all.map(({ content }) => content)
    }
    expect(await contents(userId)).toEqual(['private'])
    expect(await contents(guild.ownerId)).toEqual([])
    expect((await ask(`GET /channels/${channel}/messages`)).body).toHaveLength(0)
    expect((await ask(`GET /channels/${channel}/messages/${message?.id}`)).code).toBe(10008)
    expect((await ask(`DELETE /channels/${channel}/messages/${message?.id}`)).code).toBe(10008)
    expect((await ask(`GET ${webhook}/messages/@original`)).status).toBe(200)
    expect(gateway.received.some(({ d }) => String(d?.content) === 'private')).toBe(false)
  })

  test('a button updates its message, and only a user who sees it can press it', async () => {
    const { answer, seen } = await edit()
    const components = [
      { type: 1, components: [{ type: 2, style: 1, label: 'Yes', custom_id: 'yes' }] },
    ]
    await answer(4, { content: 'sure?', flags: 64, components })
    const messageId = (await seen()).messages[0]?.id ?? ''
    const press = { channelId, messageId, customId: 'yes' }
    expect(await outcomeOf(users.pressComponent({ ...press, userId: guild.ownerId }))).toThrow()
    expect(await outcomeOf(users.pressComponent({ ...press, userId, customId: 'no' }))).toThrow()
    const pressed = await begin(users.pressComponent({ ...press, userId }))
    expect<unknown>(pressed.data.message?.id).toBe(messageId)
    expect((await pressed.answer(7, { content: 'done', components: [] })).status).toBe(204)
    expect((await seen()).messages).toMatchObject([{ content: 'done', components: [] }])
  })

  const input = (id: string) => ({
    type: 1,
    components: [{ type: 4, custom_id: id, label: id, style: 1, required: false }],
  })
  const modals: [title: string, modal: object, status: number][] = [
    ['5 inputs', { title: 'x'.repeat(45), components: ['a', 'b', 'c', 'd', 'e'].map(input) }, 204],
    ['6 inputs', { title: 'x', components: ['a', 'b', 'c', 'd', 'e', 'f'].map(input) }, 400],
    ['no input', { title: 'x', components: [] }, 400],
    ['a title of 46', { title: 'x'.repeat(46), components: [input('a')] }, 400],
  ]
  test.each(modals)('a modal with %s', async (_, modal, status) => {
    const { answer } = await edit()
    expect((await answer(9, { custom_id: 'modal', ...modal })).status).toBe(status)
  })

  test('a submitted modal is answered, but not with another modal', async () => {
    const { id, answer } = await edit()
    await answer(9, { custom_id: 'modal', title: 'Edit', components: [input('name')] })
    const submitted = await begin(
      users.submitModal({ interactionId: id, values: { name: 'Alice' } }),
    )
    expect<unknown>(submitted.data.data?.components).toMatchObject([
      { components: [{ custom_id: 'name', value: 'Alice' }] },
    ])
    const again = { custom_id: 'b', title: 'b', components: [input('name')] }
    expect((await submitted.answer(9, again)).code).toBe(50035)
    expect((await submitted.answer(4, { content: 'saved', flags: 64 })).status).toBe(204)
  })

  test('autocomplete is answered with at most 25 choices and with nothing else', async () => {
    const typed = {
      userId,
      channelId,
      command: 'member info',
      options: { member: 'Al' },
      focused: 'member',
    }
    const choices = (count: number) =>
      Array.from({ length: count }, (_, id) => ({ name: `${id}`, value: `${id}` }))
    const { answer, seen } = await begin(users.invokeCommand(typed))
    expect((await answer(4, { content: 'a' })).code).toBe(50035)
    expect((await answer(8, { choices: choices(26) })).code).toBe(50035)
    expect((await answer(8, { choices: choices(25) })).status).toBe(204)
    expect((await seen()).choices).toHaveLength(25)
  })

  test('an unknown interaction is refused', async () => {
    expect((await ask('POST /interactions/1/token/callback', { body: { type: 5 } })).code).toBe(
      10062,
    )
  })
})
