import { describe, expect, test } from '../tools/test'
import type { SeenMessage } from './standIn/controlRead'
import { createActions } from './tools/actingOnMessages'
import { startBotInProcess } from './tools/inProcessBot'
import { buttonOf } from './tools/testBot'

const bot = await startBotInProcess()
const { clock, users, guild, discord } = bot
const { untilAnswered, untilConfirmationDeleted } = createActions(bot)
/** Pause after which an answer is announced. */
const DEFER_MS = 1000

/** Creates an account in the guild and a channel of its own. */
async function newcomer(input: { hasClosedDms?: boolean } = {}) {
  const { id } = await users.createUser({ username: 'newcomer', ...input })
  await users.addMember({ guildId: guild.id, userId: id })
  const channelId = await bot.newChannel()
  const untilAnswer = async (messageId: string, isDirect = false): Promise<SeenMessage> => {
    const messages = await users.until(
      () => (isDirect ? users.directMessages({ userId: id }) : users.messages({ channelId })),
      (all) => all.some(({ replyTo }) => replyTo === messageId),
    )
    const found = messages.find(({ replyTo }) => replyTo === messageId)
    if (!found) throw new Error('no answer')
    return found
  }
  return {
    id,
    channelId,
    /** Writes in the channel, and waits for the answer. */
    async say(content: string): Promise<SeenMessage> {
      const sent = await users.sendMessage({ userId: id, channelId, content })
      return untilAnswer(sent.id)
    },
    /** Writes a direct message to the bot, and waits for the answer. */
    async sayDirectly(content: string): Promise<SeenMessage> {
      const sent = await users.sendMessage({ userId: id, content })
      return untilAnswer(sent.id, true)
    },
    untilDirect: (text: string) =>
      users.until(
        () => users.directMessages({ userId: id }),
        (all) => all.some(({ content }) => content.includes(text)),
      ),
  }
}

/** Sends a message of Robin, and waits until its record is stored and the original deleted. */
async function proxied() {
  const channelId = await bot.newChannel()
  await bot.send(channelId, 'r:hello')
  await bot.expectTexts(channelId, 'Robin: hello')
  const { id: targetId } = await bot.untilProxied(channelId)
  return { channelId, targetId }
}

describe('text commands', () => {
  test('create a system and a member with tags, whose messages are proxied', async () => {
    const { id, channelId, say } = await newcomer()
    expect((await say('pk;system new Orchard')).content).toContain('✅')
    expect((await say(`<@${discord.botId}> member new Plum`)).content).toContain('✅')
    expect((await say('PK!member Plum proxy p:text')).content).toContain('✅')
    await users.sendMessage({ userId: id, channelId, content: 'p:hello' })
    expect(await bot.untilProxied(channelId)).toMatchObject({ content: 'hello' })
  })

  test('work in direct messages', async () => {
    const { sayDirectly } = await newcomer()
    expect((await sayDirectly('pk;system new Orchard')).content).toContain('✅')
    const { embeds } = await sayDirectly('pk;system')
    expect(JSON.stringify(embeds)).toContain('Orchard')
  })

  test('ping no account and suggest the closest command', async () => {
    const { say } = await newcomer()
    expect(await say('pk;sistem')).toMatchObject({
      content: expect.stringContaining('pk;system'),
      notified: [],
    })
  })
})

describe('private matters', () => {
  test('are answered by direct message, and the channel gets a note', async () => {
    const { id, say, sayDirectly, untilDirect, channelId } = await newcomer()
    await sayDirectly('pk;system new Orchard')
    expect((await say('pk;token refresh')).content).toContain('Check your direct messages')
    await untilDirect('token')
    const isToken = ({ content }: SeenMessage) => /^[\w+/=-]{40,}$/.test(content)
    const direct = await users.until(
      () => users.directMessages({ userId: id }),
      (messages) => messages.some(isToken),
    )
    const token = direct.find(isToken)?.content ?? ''
    await users.addSecret({ secret: token })
    expect(JSON.stringify(await users.messages({ channelId }))).not.toContain(token)
  })

  test('stay private if the account accepts no direct messages', async () => {
    const { id, say } = await newcomer()
    expect((await say('pk;system new Orchard')).content).toContain('✅')
    await users.updateUser({ userId: id, hasClosedDms: true })
    expect((await say('pk;linkcode')).content).toContain('could not send you a direct message')
    bot.allow({ statuses: { 403: 1 } })
  })

  test('a code in a channel is refused, and its message is deleted', async () => {
    const { id, channelId } = await newcomer()
    const sent = await users.sendMessage({ userId: id, channelId, content: 'pk;link K7MQ3XPA' })
    const [answer, ...others] = await bot.untilMessages(
      channelId,
      (all) => all.length === 1 && all[0]?.id !== sent.id,
    )
    expect(answer?.content).toContain('❌')
    expect(others).toEqual([])
  })
})

describe('questions', () => {
  test('are answered by typing', async () => {
    const { say } = await newcomer()
    await say('pk;system new Orchard')
    await say('pk;member new Plum')
    const { content } = await say('pk;member Plum delete')
    const id = /`([a-z]{5,6})`/.exec(content)?.[1] ?? ''
    expect((await say(id)).content).toContain('✅')
    expect((await say('pk;member Plum')).content).toContain('❌')
  })

  test('are answered by a button, once and only by the account that was asked', async () => {
    const { id, channelId, say } = await newcomer()
    await say('pk;system new Orchard')
    await say('pk;system description fruit')
    const question = await say('pk;system description -clear')
    const press = (userId: string) =>
      users.pressComponent({
        userId,
        channelId,
        messageId: question.id,
        customId: buttonOf(question, 'Yes'),
      })
    const refused = await untilAnswered(await press(bot.stranger))
    expect(refused.messages).toMatchObject([
      { content: expect.stringContaining('Only the account'), ephemeralFor: bot.stranger },
    ])
    const { answer } = await untilAnswered(await press(id))
    expect(answer).toBe(7)
    const [changed] = await bot
      .untilMessages(channelId, (all) =>
        all.some((one) => one.id === question.id && one.components.length === 0),
      )
      .then((all) => all.filter((one) => one.id === question.id))
    expect(changed?.content).toContain('✅')
  })
})

describe('application commands', () => {
  test('are registered', async () => {
    const commands = await users.until(
      () => users.commands(),
      (all) => all.length > 0,
    )
    expect(commands.map(({ name }) => name)).toContain('member')
  })

  test('run, and answer the account alone', async () => {
    const { id, channelId } = await newcomer()
    const invoke = async (command: string, options: Record<string, string | boolean> = {}) =>
      untilAnswered(await users.invokeCommand({ userId: id, channelId, command, options }))
    expect((await invoke('system new', { name: 'Orchard' })).messages).toMatchObject([
      { content: expect.stringContaining('✅'), ephemeralFor: id },
    ])
    await invoke('member new', { name: 'Plum', tags: 'p:text' })
    const { messages } = await invoke('member info', { member: 'Plum', public: true })
    expect(messages).toMatchObject([{ ephemeralFor: null, embeds: [expect.anything()] }])
    await users.sendMessage({ userId: id, channelId, content: 'p:hello' })
    expect(await bot.untilProxied(channelId)).toMatchObject({ content: 'hello' })
  })

  test('complete the names of own members', async () => {
    const { id, channelId, sayDirectly } = await newcomer()
    await sayDirectly('pk;system new Orchard')
    await sayDirectly('pk;member new Plum')
    const complete = async (userId: string) => {
      const options = { member: 'pl' }
      const command = { userId, channelId, command: 'member info', options, focused: 'member' }
      return (await untilAnswered(await users.invokeCommand(command))).choices
    }
    expect(await complete(id)).toMatchObject([{ name: expect.stringContaining('Plum') }])
    expect(await complete(bot.stranger)).toEqual([])
  })

  test('open a form, and store what was submitted', async () => {
    const { id, channelId, sayDirectly } = await newcomer()
    await sayDirectly('pk;system new Orchard')
    const command = { userId: id, channelId, command: 'system edit' }
    const opened = await untilAnswered(await users.invokeCommand(command))
    expect(opened.modal).not.toBeNull()
    const values = { name: 'Garden' }
    const submitted = await users.submitModal({ interactionId: opened.id, values })
    expect((await untilAnswered(submitted)).messages).toMatchObject([{ ephemeralFor: id }])
    expect(JSON.stringify((await sayDirectly('pk;system')).embeds)).toContain('Garden')
  })

  test('of the menu of a message act on that message', async () => {
    const { channelId, targetId } = await proxied()
    const menu = async (userId: string, command: string) =>
      untilAnswered(await users.invokeCommand({ userId, channelId, command, targetId }))
    const { messages } = await menu(bot.stranger, 'Message info')
    expect(JSON.stringify(messages)).toContain('Robin')
    expect((await menu(bot.stranger, 'Delete message')).messages).toMatchObject([
      { content: expect.stringContaining('❌'), ephemeralFor: bot.stranger },
    ])
    await menu(bot.wren, 'Delete message')
    await bot.untilMessages(channelId, (all) => all.every(({ id }) => id !== targetId))
  })
})

describe('answers that take more than a second', () => {
  /** Lets a second pass while a request of the bot has no answer, and then answers it. */
  async function useDelayed(route: string, command: Parameters<typeof users.invokeCommand>[0]) {
    const count = (await users.requests({ route })).length
    await users.failRequests({ route, kind: 'delay', isHeld: true })
    const { id } = await users.invokeCommand(command)
    await users.until(
      () => users.requests({ route }),
      (requests) => requests.length > count,
    )
    await clock.advance(DEFER_MS)
    await users.until(
      () => users.interaction({ id }),
      ({ answer }) => answer !== null,
    )
    await users.clearFaults()
    return untilAnswered({ id })
  }

  test('are announced, and then shown to the account alone', async () => {
    const { channelId, targetId } = await proxied()
    const route = 'GET /channels/{channel_id}/messages/{message_id}'
    const command = { userId: bot.stranger, channelId, command: 'Message info', targetId }
    const { answer, messages } = await useDelayed(route, command)
    expect(answer).toBe(5)
    expect(messages).toMatchObject([{ ephemeralFor: bot.stranger }])
    expect(JSON.stringify(messages)).toContain('Robin')
  })

  test('are shown to the whole channel if another account must answer', async () => {
    const { id, channelId, sayDirectly } = await newcomer()
    const { id: other } = await newcomer()
    await sayDirectly('pk;system new Orchard')
    const options = { account: other }
    const command = { userId: id, channelId, command: 'system link', options }
    await useDelayed('GET /users/{user_id}', command)
    const [question] = await bot.untilMessages(channelId, (all) => all.length === 1)
    if (!question) throw new Error('no question')
    expect(question).toMatchObject({ ephemeralFor: null, notified: [other] })
    const customId = buttonOf(question, 'Accept')
    await users.pressComponent({ userId: other, channelId, messageId: question.id, customId })
    await bot.untilMessages(channelId, ([first]) => first?.content.includes('✅') ?? false)
  })
})

describe('acting on proxied messages', () => {
  test('edits the latest one by a substitution, and deletes the command', async () => {
    const { channelId } = await proxied()
    await users.sendMessage({ userId: bot.wren, channelId, content: 'pk;x s|h.llo|goodbye|' })
    await bot.expectTexts(channelId, 'Robin: goodbye')
  })

  test('a form edits the message that its menu was opened on', async () => {
    const { channelId, targetId } = await proxied()
    const command = { userId: bot.wren, channelId, command: 'Edit message', targetId }
    const { id: interactionId } = await untilAnswered(await users.invokeCommand(command))
    await users.submitModal({ interactionId, values: { value: 'goodbye' } })
    await bot.expectTexts(channelId, 'Robin: goodbye')
  })

  test('/say sends as a member where the guild allows it, and removes its confirmation', async () => {
    const channelId = await bot.newChannel()
    const options = { member: 'Robin', text: 'hello' }
    const say = async () =>
      untilAnswered(
        await users.invokeCommand({ userId: bot.wren, channelId, command: 'say', options }),
      )
    expect((await say()).messages).toMatchObject([{ content: expect.stringContaining('❌') }])
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { say_enabled: true })
    const { id, answer } = await say()
    expect(answer).toBe(5)
    await bot.expectTexts(channelId, 'Robin: hello')
    await untilConfirmationDeleted(id)
  })
})

describe('import and export', () => {
  test('an exported file arrives by direct message, and can be imported by another account', async () => {
    const owner = await newcomer()
    await owner.sayDirectly('pk;system new Orchard')
    await owner.sayDirectly('pk;member new Plum')
    const exporting = { userId: owner.id, channelId: owner.channelId, command: 'export' }
    const exported = await untilAnswered(await users.invokeCommand(exporting))
    expect(exported).toMatchObject({ answer: 5, messages: [{ ephemeralFor: owner.id }] })
    const [file] = (await owner.untilDirect('Keep the file private')).flatMap(
      ({ attachments }) => attachments,
    )
    const text = file?.text ?? ''
    expect(JSON.parse(text)).toMatchObject({ members: [{ name: 'Plum' }] })

    const { id, channelId, sayDirectly } = await newcomer()
    const options = { file: { filename: 'system.json', text, contentType: 'application/json' } }
    const importing = { userId: id, channelId, command: 'import', options }
    const { messages } = await untilAnswered(await users.invokeCommand(importing))
    const [question] = messages
    if (!question) throw new Error('no question')
    const customId = buttonOf(question, 'Import')
    await untilAnswered(
      await users.pressComponent({ userId: id, channelId, messageId: question.id, customId }),
    )
    await users.until(
      () => users.message({ channelId, messageId: question.id }),
      (message) => message?.content.includes('✅') ?? false,
    )
    expect(JSON.stringify((await sayDirectly('pk;member Plum')).embeds)).toContain('Plum')
  })
})

describe('an event that arrives twice', () => {
  /** Repeats an event, and waits until the bot has handled it. */
  const repeat = async (id: string) => {
    await users.repeatEvent({ id })
    await users.repeatEvent({ id })
    await bot.settle(guild.channelId)
  }

  test('a text command runs and is answered once', async () => {
    const { id: userId, channelId, say } = await newcomer()
    await say('pk;system new Orchard')
    const content = 'pk;member new Plum -y'
    const { id } = await users.sendMessage({ userId, channelId, content })
    await repeat(id)
    await bot.untilMessages(channelId, (all) => all.some(({ replyTo }) => replyTo === id))
    await repeat(id)
    const answers = (await users.messages({ channelId })).filter(({ replyTo }) => replyTo === id)
    expect(answers).toHaveLength(1)
    expect(JSON.stringify((await say('pk;list')).embeds)).toContain('1 result')
  })

  test('a typed answer is used once, and is not proxied', async () => {
    const { id: userId, channelId, say } = await newcomer()
    await say('pk;system new Orchard')
    await say('pk;member new Plum')
    await say('pk;autoproxy Plum')
    await say('pk;system description fruit')
    await say('pk;system description -clear')
    const { id } = await users.sendMessage({ userId, channelId, content: 'yes' })
    await bot.untilMessages(channelId, (all) => all.some(({ replyTo }) => replyTo === id))
    await repeat(id)
    const messages = await users.messages({ channelId })
    expect(messages.filter(({ replyTo }) => replyTo === id)).toHaveLength(1)
    expect(messages.filter(({ author }) => author.isWebhook)).toEqual([])
  })

  test('a slash command, a button and a form are answered once', async () => {
    const { id: userId, channelId } = await newcomer()
    const use = async (command: string, options: Record<string, string> = {}) => {
      const { id } = await users.invokeCommand({ userId, channelId, command, options })
      const answered = await untilAnswered({ id })
      await repeat(id)
      return answered
    }
    await use('system new', { name: 'Orchard' })
    await use('switch out')
    const { messages } = await use('switch delete')
    const [question] = messages
    if (!question) throw new Error('no question')
    const press = await users.pressComponent({
      userId,
      channelId,
      messageId: question.id,
      customId: buttonOf(question, 'Yes'),
    })
    await untilAnswered(press)
    await repeat(press.id)
    const { id: interactionId } = await use('system edit')
    const form = await users.submitModal({ interactionId, values: { name: 'Garden' } })
    await untilAnswered(form)
    await repeat(form.id)
    // Discord refuses a second response, and the stand-in records it.
    const second = (await users.requests()).filter(
      ({ path, status }) => path.includes('/callback') && (status ?? 0) >= 400,
    )
    expect(second).toEqual([])
  })
})
