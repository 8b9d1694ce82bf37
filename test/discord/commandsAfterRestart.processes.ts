import { Database } from 'bun:sqlite'
import { pathOf } from '../../src/db/sqlite/storage'
import { describe, expect } from '../tools/test'
import { isSqlite } from '../tools/testApp'
import { until } from '../tools/until'
import type { SeenMessage } from './standIn/controlRead'
import { buttonOf, kill, type TestBot, textOf, useBot } from './tools/testBot'

const test = await useBot()
const EXECUTE = 'POST /webhooks/{webhook_id}/{webhook_token}'

/** Sends a command, and waits for the answer. */
async function say({ users, guild, wren, untilMessages }: TestBot, content: string) {
  const { channelId } = guild
  const { id } = await users.sendMessage({ userId: wren, channelId, content })
  const isAnswer = ({ replyTo }: SeenMessage) => replyTo === id
  const answer = (await untilMessages((all) => all.some(isAnswer))).find(isAnswer)
  if (!answer) throw new Error('no answer')
  return answer
}

describe('commands of a server process', () => {
  test('buttons of an earlier process answer that the question has expired', async (bot) => {
    const { users, guild, wren } = bot
    await say(bot, 'pk;system description fruit')
    const question = await say(bot, 'pk;system description -clear')
    await kill(bot)
    await bot.startServer()
    await until(
      () => users.sessions(),
      (sessions) => sessions.some(({ isConnected }) => isConnected),
    )
    const { id } = await users.pressComponent({
      userId: wren,
      channelId: guild.channelId,
      messageId: question.id,
      customId: buttonOf(question, 'Yes'),
    })
    const { messages } = await until(
      () => users.interaction({ id }),
      ({ answer }) => answer !== null,
    )
    expect(messages).toMatchObject([
      { content: expect.stringContaining('expired'), ephemeralFor: wren },
    ])
  })

  test('that wait when the process stops run in the next one, in their order', async (bot) => {
    const { users, guild, wren, untilMessages } = bot
    const { channelId } = guild
    await say(bot, 'pk;member new Finch')
    await say(bot, 'pk;switch Robin')
    await say(bot, 'pk;autoproxy front')
    await users.failRequests({ route: EXECUTE, kind: 'delay', isHeld: true })
    for (const content of ['one', 'two', 'pk;switch Finch', 'three'])
      await users.sendMessage({ userId: wren, channelId, content })
    await until(async () => (await users.requests({ route: EXECUTE })).length > 0)
    const stopped = bot.stopServers()
    await until(() => bot.servers[0]?.output().includes('"stopping"'))
    await users.clearFaults()
    await stopped
    await bot.startServer()
    const isProxied = ({ author }: SeenMessage) => author.isWebhook
    const all = await untilMessages((messages) => messages.filter(isProxied).length === 3)
    expect(all.filter(isProxied).map(textOf)).toEqual(['Robin: one', 'Robin: two', 'Finch: three'])
  })

  test('are counted by command and result', async (bot) => {
    await say(bot, 'pk;system')
    await say(bot, 'pk;member nobody')
    await say(bot, 'pk;sistem')
    expect(await bot.metric('commands_total', { result: 'done' })).toBe(1)
    expect(await bot.metric('commands_total', { result: 'refused' })).toBe(2)
    expect(await bot.metric('commands_total', { command: 'unknown' })).toBe(1)
  })
})

if (isSqlite)
  describe('while the database is locked', () => {
    test('commands ask to try again in a moment', async (bot) => {
      const { users, guild, wren } = bot
      const { channelId } = guild
      await until(
        () => users.commands(),
        (all) => all.length > 0,
      )
      const other = new Database(pathOf(bot.env.DATABASE_URL ?? ''))
      other.run('pragma busy_timeout = 10000')
      other.run('begin immediate')
      expect((await say(bot, 'pk;system name Garden')).content).toContain('try again in a moment')
      const { id } = await users.invokeCommand({ userId: wren, channelId, command: 'switch out' })
      const { messages } = await until(
        () => users.interaction({ id }),
        ({ answer }) => answer !== null,
      )
      expect(messages[0]?.content).toContain('try again in a moment')
      other.run('rollback')
      other.close()
      expect((await say(bot, 'pk;system name Garden')).content).toContain('✅')
    })
  })
