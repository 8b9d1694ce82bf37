import { MAX_WAITING } from '../../src/discord/proxying/channelQueues'
import { describe, expect, test } from '../tools/test'
import type { SeenMessage } from './standIn/controlRead'
import { createActions } from './tools/actingOnMessages'
import { startBotInProcess } from './tools/inProcessBot'

const bot = await startBotInProcess()
const { users, discord } = bot
const { ask, invoke } = createActions(bot)

const EXECUTE = 'POST /webhooks/{webhook_id}/{webhook_token}'
const ANSWER = 'POST /channels/{channel_id}/messages'
const HOLD_MS = 1000
const texts = Array.from({ length: 8 }, (_, index) => `message ${index + 1}`)

/** Creates an author with a channel of its own, and writes lines there without waiting for the bot. */
async function newRoom() {
  const [author, channelId] = [await bot.newAuthor(), await bot.newChannel()]
  return {
    author,
    channelId,
    ask: (content: string) => ask(author.id, channelId, content),
    async write(...lines: readonly string[]): Promise<void> {
      for (const content of lines)
        await users.sendMessage({ userId: author.id, channelId, content })
    },
  }
}

const hold = (route: string) => users.failRequests({ route, kind: 'delay', isHeld: true })
const isAnswer = ({ author }: SeenMessage) => author.id === discord.botId
const proxiedOf = (messages: readonly SeenMessage[]) =>
  messages
    .filter(({ author }) => author.isWebhook)
    .map(({ author, content }) => `${author.name}: ${content}`)

describe('a command follows the messages before it', () => {
  const cases: [title: string, command: string, shown: readonly string[]][] = [
    ['a switch changes later ones only', 'pk;sw Finch', ['Finch: later']],
    ['autoproxy off leaves alone later ones only', 'pk;ap off', []],
    ['a new name is that of later ones only', 'pk;m Robin rename Jay', ['Jay: later']],
  ]
  test.each(cases)('%s', async (_, command, shown) => {
    const room = await newRoom()
    await room.ask('pk;switch Robin')
    await room.ask('pk;autoproxy front')
    await hold(EXECUTE)
    await room.write(...texts, command, 'later', 'f:end')
    await users.clearFaults()
    const all = await bot.untilMessages(room.channelId, (messages) =>
      proxiedOf(messages).includes('Finch: end'),
    )
    expect(proxiedOf(all)).toEqual([
      ...texts.map((text) => `Robin: ${text}`),
      ...shown,
      'Finch: end',
    ])
  })

  test('the answer to its question may be typed at once', async () => {
    const room = await newRoom()
    await hold(EXECUTE)
    await room.write('r:hello', 'pk;member Finch delete', room.author.finch, 'f:hello')
    await users.clearFaults()
    const all = await bot.untilMessages(
      room.channelId,
      (messages) => messages.filter(isAnswer).length === 2,
    )
    expect(all.filter(isAnswer).map(({ content }) => content)).toEqual([
      expect.stringContaining('To delete Finch'),
      '✅ Finch was deleted.',
    ])
  })

  test('in its channel only', async () => {
    const [busy, other] = [await newRoom(), await bot.newChannel()]
    await hold(EXECUTE)
    await busy.write('r:hello')
    expect((await ask(busy.author.id, other, 'pk;switch Finch')).content).toContain('Finch')
    await users.clearFaults()
    await bot.expectTexts(busy.channelId, 'Robin: hello')
  })

  test('unlike a slash command, which does not wait', async () => {
    const { author, channelId, write } = await newRoom()
    await hold(EXECUTE)
    await write('r:hello')
    const { messages } = await invoke(author.id, channelId, 'switch out')
    expect(messages[0]?.content).toContain('Nobody fronts')
    await users.clearFaults()
    await bot.expectTexts(channelId, 'Robin: hello')
  })
})

test('later messages wait for a command for a second', async () => {
  const room = await newRoom()
  await hold(ANSWER)
  await room.write('pk;system name Orchard', 'r:hello')
  await bot.clock.untilTimer(HOLD_MS)
  await bot.settle(await bot.newChannel())
  expect(proxiedOf(await users.messages({ channelId: room.channelId }))).toEqual([])
  await bot.clock.advance(HOLD_MS)
  await bot.untilProxied(room.channelId)
  await users.clearFaults()
  await bot.untilMessages(room.channelId, (messages) => messages.some(isAnswer))
})

test('a command is marked if too many messages wait', async () => {
  const room = await newRoom()
  await hold(EXECUTE)
  const waiting = Array.from({ length: MAX_WAITING + 1 }, (_, index) => `r:${index}`)
  await room.write(...waiting, 'r:left alone', 'pk;switch Finch')
  await bot.untilMessages(room.channelId, (messages) =>
    messages.some(({ content, reactions }) => content === 'pk;switch Finch' && reactions['⏳']),
  )
  await users.clearFaults()
  const leftOf = (messages: readonly SeenMessage[]) =>
    messages.filter(({ author }) => !author.isWebhook).map(({ content }) => content)
  const all = await bot.untilMessages(
    room.channelId,
    (messages) => proxiedOf(messages).length === waiting.length && leftOf(messages).length <= 2,
  )
  expect(leftOf(all)).toEqual(['r:left alone', 'pk;switch Finch'])
})
