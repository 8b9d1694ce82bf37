import { limits } from '../../../src/discord/commands/rateLimit'
import { operator } from '../../../src/model/core/privacy'
import { createInvite } from '../../../src/service/access/invites'
import { disableSystem } from '../../../src/service/systems/disableSystem'
import { describe, expect, test } from '../../tools/test'
import type { SeenInteraction, SeenMessage } from '../standIn/controlRead'
import { startChat } from './discordChat'
import { DIRECT, importFile, jsonFile, TOKEN } from './scenarios/privateMatters'

const inDirect = { inDirect: true }
const chat = await startChat()
const invited = await startChat({ REGISTRATION: 'invite' })
const { users } = chat

describe('if an account accepts no direct messages', () => {
  const commands = ['pk;token', 'pk;token refresh', 'pk;linkcode', 'pk;system webhook', 'pk;export']
  test.each(commands)('%s shows nothing private in the channel', async (command) => {
    const { owner } = await chat.newScene()
    await users.updateUser({ userId: owner.id, hasClosedDms: true })
    chat.allow({ statuses: { 403: 2 * (commands.length + 1) } })
    const { text, message } = await owner.say(command)
    expect(text).toBe(
      '❌ I could not send you a direct message. Allow direct messages from this server and try again.',
    )
    expect(message?.attachments).toEqual([])
  })

  test('/export says so ephemerally', async () => {
    const { owner } = await chat.newScene()
    await users.updateUser({ userId: owner.id, hasClosedDms: true })
    const { text, isPrivate, message } = await owner.use('export')
    expect({ text, isPrivate, files: message?.attachments }).toEqual({
      text: expect.stringContaining('could not send you a direct message'),
      isPrivate: true,
      files: [],
    })
  })
})

describe('link', () => {
  test('a request expires after five minutes', async () => {
    const { owner, guest } = await chat.newScene()
    const asked = await owner.say(`pk;link <@${guest.id}>`)
    expect(asked.message?.notified).toEqual([guest.id])
    await chat.wait(6)
    expect((await guest.press('Accept', asked)).text).toContain('has expired')
    expect((await guest.say('pk;system')).text).toContain('has no system')
  })

  test('a code of another platform links the account in private', async () => {
    const { owner, guest } = await chat.newScene()
    const { direct } = await owner.say('pk;linkcode')
    const [, code = ''] = /``(\w{8})``/.exec(direct) ?? []
    expect((await guest.say('pk;link WRONGCODE', inDirect)).text).toContain('❌ That code is wrong')
    expect((await guest.use('link', { code })).text).toContain('now linked')
    expect((await guest.say('pk;system')).text).toContain('Lantern Hill')
  })

  test('a question is not answered for a system that the account has left', async () => {
    const { owner, guest } = await chat.newScene()
    await guest.press('Accept', await owner.say(`pk;link <@${guest.id}>`))
    const clearing = await guest.say('pk;system name -clear')
    expect(clearing.text).toContain('Clear the name')
    await owner.say(`pk;unlink ${guest.id} -y`)
    expect((await guest.press('Yes', clearing)).text).toContain('❌ This question has expired')
    expect((await owner.say('pk;system')).text).toContain('Lantern Hill')
  })
})

describe('import', () => {
  test('creates a system if the account has none, and none from a broken file', async () => {
    const { guest, manager } = await chat.newScene()
    const broken = await guest.say('pk;import', { files: [jsonFile('{ nonsense')] })
    expect(broken.text).toContain('❌')
    expect((await guest.say('pk;system')).text).toContain('has no system')
    const asked = await manager.say('pk;import', { files: [importFile] })
    expect((await manager.press('Import', asked)).text).toContain('✅ Imported')
    expect((await manager.say('pk;list')).text).toContain('MARKER-MEMBER')
  })

  test('keeps the ID of the system where it is free', async () => {
    const { guest, manager } = await chat.newScene()
    const [name, uuid] = ['Movers', crypto.randomUUID()]
    const members = [{ id: 'movea', uuid: crypto.randomUUID(), name: 'MARKER', proxy_tags: [] }]
    const file = jsonFile(
      JSON.stringify({ version: 2, id: 'mover', uuid, name, members, groups: [], switches: [] }),
    )
    const asked = await guest.say('pk;import', { files: [file] })
    expect(asked.text).toContain('Create a system from this file?')
    expect((await guest.press('Import', asked)).text).toContain('✅ Imported')
    expect((await guest.say('pk;system')).text).toContain('System ID: mover')
    expect((await guest.say('pk;m MARKER')).text).toContain('Member ID: movea')
    const askedAgain = await manager.say('pk;import', { files: [file] })
    expect(askedAgain.text).toContain('This file is a copy of a system here')
    expect((await manager.press('Import', askedAgain)).text).toContain('✅ Imported')
    const { text } = await manager.say('pk;system')
    expect(text).toMatch(/System ID: [a-z]{5,6}$/m)
    expect(text).not.toContain('mover')
  })

  test('reads only files of the origins of `DISCORD_CDN`', async () => {
    const { owner } = await chat.newScene()
    const file = { ...importFile, foreignUrl: 'https://evil.example/system.json' }
    const asked = await owner.say('pk;import', { files: [file] })
    expect(asked.text).toContain('❌')
    expect((await owner.say('pk;list -all')).text).not.toContain('MARKER')
  })
})

describe('registration by invite', () => {
  const newInvite = () =>
    createInvite(invited.app.deps, operator, {
      name: crypto.randomUUID(),
      uses: 1,
      expires: null,
    })

  test('asks for the code, and accepts it in a direct message', async () => {
    const { guest } = await invited.newScene()
    const code = await newInvite()
    expect((await guest.say('pk;system new Orchard', inDirect)).text).toContain('invite code')
    expect((await guest.say('WRONG-CODE', inDirect)).text).toContain('❌')
    expect((await guest.say('pk;system new Orchard', inDirect)).text).toContain('invite code')
    const created = await guest.say(code, inDirect)
    expect(created.text).toContain('✅ Your system was created')
    expect(created.text).not.toMatch(TOKEN)
    expect((await guest.say('pk;system', inDirect)).text).toContain('Orchard')
  })

  test('accepts the code as an option of /system new', async () => {
    const { guest } = await invited.newScene()
    const invite = await newInvite()
    expect((await guest.use('system new', { name: 'Orchard' })).text).toContain('❌')
    expect((await guest.use('system new', { invite: 'WRONG' })).text).toContain('❌')
    expect((await guest.use('system new', { name: 'Orchard', invite })).text).toContain('✅')
  })

  test('refuses in a channel, and deletes the message, which may contain the code', async () => {
    const { guest } = await invited.newScene()
    const { text, isCommandDeleted } = await guest.say('pk;system new CODE')
    expect(text).toContain('❌ This bot needs an invite code')
    expect(isCommandDeleted).toBe(true)
  })
})

test('a new system’s token is not shown', async () => {
  const { guest } = await chat.newScene()
  const created = await guest.say('pk;system new Orchard')
  expect(created.text).toContain('✅ Your system was created')
  expect(created.text).not.toMatch(TOKEN)
  expect(created.direct).toBe('')
})

test('without a public address there is no dashboard link, and the answer says so', async () => {
  const { owner } = await chat.newScene()
  expect((await owner.say('pk;dash')).text).toContain('❌ This bot has no dashboard address')
  expect((await owner.use('dashboard')).text).toContain('❌ This bot has no dashboard address')
})

test('a disabled system gets the refusal of the operator', async () => {
  const { owner, system } = await chat.newScene()
  await disableSystem(chat.app.deps, { ...operator, system: system.id })
  for (const command of ['pk;system', 'pk;member new Finch', 'pk;token refresh', 'pk;switch out']) {
    const { text, direct } = await owner.say(command)
    expect(text).toContain('❌')
    expect(text + direct).not.toContain('Lantern')
    expect(direct).not.toMatch(TOKEN)
  }
  expect((await owner.use('system info')).text).toContain('❌')
  expect(await owner.complete('member info', 'member', 'w')).toEqual([])
})

describe('rate limits', () => {
  const { burst, refillMs, maxWaitMs } = limits.command
  const waiting = maxWaitMs / refillMs
  const surplus = 3

  test('text commands: twenty at once, then one each second in order, and a sign on each other', async () => {
    const { guild, guest } = await chat.newScene()
    const { channelId } = guild
    const ids: string[] = []
    for (let count = 0; count < burst + waiting + surplus; count++) {
      const content = 'pk;explain'
      ids.push((await users.sendMessage({ userId: guest.id, channelId, content })).id)
    }
    const answeredOf = (all: readonly SeenMessage[]) =>
      all.flatMap(({ replyTo }) => (replyTo !== null && ids.includes(replyTo) ? [replyTo] : []))
    const markedOf = (all: readonly SeenMessage[]) =>
      all.flatMap(({ id, reactions }) => (reactions['⏳'] === undefined ? [] : [id]))
    const untilSeen = (answered: number) =>
      chat.untilMessages(
        channelId,
        (all) => answeredOf(all).length >= answered && markedOf(all).length >= surplus,
      )
    await untilSeen(burst)
    for (let count = 1; count <= waiting; count++) {
      await chat.clock.advance(refillMs - 1)
      await chat.settle(chat.guild.channelId)
      expect(answeredOf(await users.messages({ channelId }))).toHaveLength(burst + count - 1)
      await chat.clock.advance(1)
      await untilSeen(burst + count)
    }
    const messages = await users.messages({ channelId })
    expect(answeredOf(messages)).toEqual(ids.slice(0, burst + waiting))
    expect(markedOf(messages)).toEqual(ids.slice(burst + waiting))
  })

  test('a command that waits delays no other message of its channel', async () => {
    const { guild, guest, owner } = await chat.newScene()
    const { channelId } = guild
    const say = () => users.sendMessage({ userId: guest.id, channelId, content: 'pk;explain' })
    for (let count = 0; count <= burst; count++) await say()
    const { id } = await users.sendMessage({ userId: owner.id, channelId, content: 'pk;system' })
    await chat.untilMessages(channelId, (all) => all.some(({ replyTo }) => replyTo === id))
    await chat.clock.advance(refillMs)
    const isOwn = ({ author }: SeenMessage) => author.id === chat.discord.botId
    await chat.untilMessages(channelId, (all) => all.filter(isOwn).length >= burst + 2)
  })

  test('a sign is a message where the bot may not react', async () => {
    const { guild, guest } = await chat.newScene()
    const { id: channelId } = await users.createChannel({
      guildId: guild.id,
      overwrites: [{ userId: chat.discord.botId, deny: ['ADD_REACTIONS'] }],
    })
    for (let count = 0; count <= burst + waiting; count++)
      await users.sendMessage({ userId: guest.id, channelId, content: 'pk;explain' })
    await chat.untilMessages(channelId, (all) =>
      all.some(({ content }) => content.startsWith('⏳')),
    )
    await chat.clock.advance(maxWaitMs)
  })

  test('slash commands wait in the same way, and those over it are told privately', async () => {
    const { guild, guest } = await chat.newScene()
    const use = (command = 'invite') =>
      users.invokeCommand({ userId: guest.id, channelId: guild.channelId, command })
    const ids: string[] = []
    for (let count = 0; count < burst + waiting + surplus; count++) ids.push((await use()).id)
    const { id: form } = await use('system edit')
    const readAll = () => Promise.all([...ids, form].map((id) => users.interaction({ id })))
    const readTexts = async (isDone: (texts: string[]) => boolean) => {
      const textsOf = (all: readonly SeenInteraction[]) =>
        all.map(({ messages }) => messages[0]?.content ?? '')
      const all = await users.until(readAll, (seen) => isDone(textsOf(seen)))
      expect(all.flatMap(({ messages }) => messages).every((one) => one.ephemeralFor)).toBe(true)
      return textsOf(all)
    }
    const count = (texts: readonly string[], part: string) =>
      texts.filter((text) => text.includes(part)).length
    await readTexts(
      (texts) => count(texts, 'https://') === burst && count(texts, '⏳') === surplus + 1,
    )
    // Discord gives up interactions that are not announced in time.
    await chat.clock.advance(refillMs)
    await users.until(readAll, (all) => all.every(({ answer }) => answer !== null))
    await chat.clock.advance(maxWaitMs)
    await readTexts((texts) => count(texts, 'https://') === burst + waiting)
  })

  test('imports and exports: three at once', async () => {
    const { owner } = await chat.newScene()
    for (let count = 0; count < 3; count++)
      expect((await owner.say('pk;export')).text).toContain(DIRECT)
    expect((await owner.say('pk;export')).text).toContain('⏳')
    expect((await owner.say('pk;import', { files: [importFile] })).text).toContain('⏳')
    await chat.wait(4)
    expect((await owner.use('export')).text).toContain(DIRECT)
  })

  test('looking up by reaction: ten a minute', async () => {
    const { guild, owner, guest } = await chat.newScene()
    const { channelId } = guild
    await owner.say('pk;m Wren proxy w:text')
    const { id: messageId } = await chat.sendProxied(owner.id, channelId, 'w:hello')
    const react = () => users.react({ channelId, messageId, userId: guest.id, emoji: '❓' })
    const arrived = async () => (await users.directMessages({ userId: guest.id })).length
    const untilNoReaction = () =>
      chat.untilMessages(channelId, (all) => all.every(({ reactions }) => !reactions['❓']))
    for (let count = 1; count <= 10; count++) {
      await react()
      await users.until(arrived, (length) => length === count)
      await untilNoReaction()
    }
    await react()
    const all = await users.until(
      () => users.directMessages({ userId: guest.id }),
      ({ length }) => length === 11,
    )
    expect(all.at(-1)?.content).toContain('⏳')
  })
})
