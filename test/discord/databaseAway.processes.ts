import { describe, expect } from '../tools/test'
import { until } from '../tools/until'
import type { SeenMessage } from './standIn/controlRead'
import { type TestBot, useBot } from './tools/testBot'

const test = await useBot()
const EXECUTE = 'POST /webhooks/{webhook_id}/{webhook_token}'
/** Soon over, but not lost on a busy machine. */
const shortLease = { env: { LEASE_SECONDS: '5' } }

const untilRegistered = ({ users }: TestBot) =>
  until(
    () => users.commands(),
    (all) => all.length > 0,
  )

describe('while the database is away', () => {
  test('messages wait for 30 s and are then left alone, commands ask to try again', async (bot) => {
    const { users, guild, wren, database, discord } = bot
    const { other = '', log = '' } = guild.channels
    await untilRegistered(bot)
    await bot.send('r:before')
    await bot.expectTexts(['Robin: before'])
    await bot.untilStored()
    database.close()
    await bot.send('r:early')
    const isAnswer = ({ author }: SeenMessage) => author.id === discord.botId
    await users.sendMessage({ userId: wren, channelId: log, content: 'pk;system name Garden' })
    const answers = await bot.untilMessages((all) => all.some(isAnswer), log)
    expect(answers.find(isAnswer)?.content).toContain('try again in a moment')
    const use = { userId: wren, channelId: log, command: 'switch out' }
    const { id } = await users.invokeCommand(use)
    const { messages } = await until(
      () => users.interaction({ id }),
      ({ answer }) => answer !== null,
    )
    expect(messages[0]?.content).toContain('try again in a moment')
    const countDropped = () => bot.metric('messages_total', { outcome: 'dropped' })
    await until(countDropped, (count) => count === 1)
    const countReceived = () => bot.metric('events_total', { type: 'MESSAGE_CREATE' })
    const before = await countReceived()
    for (const text of ['one', 'two']) await bot.send(`r:${text}`, { channelId: other })
    await until(countReceived, (count) => count === before + 2)
    database.open()
    await bot.expectTexts(['Robin: one', 'Robin: two'], other)
    await bot.send('r:after')
    await bot.expectTexts(['Robin: before', 'wren: r:early', 'Robin: after'])
    expect(await countDropped()).toBe(1)
    // The gateway stayed connected.
    expect(await users.connections()).toHaveLength(1)
  })

  test('the record of a message that was sent is repeated, and the original deleted after it only', async (bot) => {
    const { users, guild, database } = bot
    await bot.send('r:before')
    await bot.expectTexts(['Robin: before'])
    await bot.untilStored()
    await users.failRequests({ route: EXECUTE, kind: 'delay', when: 'after', delayMs: 10_000 })
    await bot.send('r:hello')
    await bot.untilMessages((all) => all.length === 3)
    database.close()
    await users.clearFaults()
    await until(() => bot.servers[0]?.output().includes('Discord message not recorded yet'))
    expect(await bot.texts()).toEqual(['Robin: before', 'wren: r:hello', 'Robin: hello'])
    database.open()
    const [, proxied] = await bot.expectTexts(['Robin: before', 'Robin: hello'])
    expect((await bot.ask(`GET /v2/messages/${proxied?.id}`)).status).toBe(200)
    const executed = await users.requests({ route: EXECUTE })
    expect(executed).toHaveLength(2)
    expect(guild.channelId).toBe(proxied?.channelId ?? '')
  })

  test(
    'longer than the lease lasts: the bot pauses, and resumes without a loss',
    async (bot) => {
      const { users, database } = bot
      await bot.send('r:before')
      await bot.expectTexts(['Robin: before'])
      await bot.untilStored()
      database.close()
      await until(
        () => users.sessions(),
        (all) => all.every(({ isConnected }) => !isConnected),
      )
      await bot.send('r:meanwhile')
      database.open()
      await bot.expectTexts(['Robin: before', 'Robin: meanwhile'])
      const { identifies, resumes } = await users.counts()
      expect(identifies).toBe(1)
      // Once, or more often if the lease expired on a busy machine before.
      expect(resumes).toBeGreaterThan(0)
    },
    shortLease,
  )
})
