import { describe, expect } from '../tools/test'
import { until } from '../tools/until'
import { kill, type TestBot, useBot } from './tools/testBot'

const test = await useBot()
const DELETE = 'DELETE /channels/{channel_id}/messages/{message_id}'

async function untilRequested({ users }: TestBot, route: string): Promise<void> {
  await until(
    () => users.requests({ route }),
    (requests) => requests.length > 0,
  )
}

describe('a process that is killed', () => {
  test('after the record, before the deletion: the original is deleted by the next process', async (bot) => {
    const { users } = bot
    await users.failRequests({ route: DELETE, kind: 'timeout', when: 'before' })
    await bot.send('r:hello')
    await untilRequested(bot, DELETE)
    await kill(bot)
    await bot.startServer()
    await bot.expectTexts(['Robin: hello'])
  })

  test('after the deletion, before the claim was ended: the copy stays', async (bot) => {
    const { users } = bot
    await users.failRequests({ route: DELETE, kind: 'timeout', when: 'after' })
    await bot.send('r:hello')
    await bot.expectTexts(['Robin: hello'])
    await kill(bot)
    await bot.startServer()
    await until(
      () => users.requests({ route: DELETE }),
      (requests) => requests.length === 2,
    )
    await bot.send('r:again')
    await bot.expectTexts(['Robin: hello', 'Robin: again'])
  })

  test('while messages arrive: each is there once, after the session was resumed', async (bot) => {
    const { users } = bot
    await bot.send('r:first')
    await bot.expectTexts(['Robin: first'])
    await kill(bot)
    await bot.send('r:second')
    await bot.startServer()
    await bot.expectTexts(['Robin: first', 'Robin: second'])
    const counts = await users.counts()
    expect(counts).toMatchObject({ identifies: 1, resumes: 1 })
  })
})

describe('a process that stops', () => {
  test('finishes its messages, closes resumably, and the next one resumes', async (bot) => {
    const { users, servers } = bot
    await bot.send('r:first')
    await bot.untilMessages((all) => all.some(({ author }) => author.isWebhook))
    servers[0]?.kill('SIGTERM')
    await servers.shift()?.end()
    expect(await bot.texts()).toEqual(['Robin: first'])
    await bot.send('r:second')
    await bot.startServer()
    await bot.expectTexts(['Robin: first', 'Robin: second'])
    expect(await users.counts()).toMatchObject({ identifies: 1, resumes: 1 })
    const [first] = await users.connections()
    expect(first?.closed).toEqual({ code: 4900, by: 'client' })
  })
})

describe('a process that starts', () => {
  test('recognizes a member whose message it receives again, and does not mark the name', async (bot) => {
    await bot.send('r:first')
    await bot.expectTexts(['Robin: first'])
    await kill(bot)
    await bot.runSql('update discord_sessions set sequence = 1')
    await bot.send('r:second')
    await bot.startServer()
    await bot.expectTexts(['Robin: first', 'Robin: second'])
  })
})

describe('two processes', () => {
  test(
    'the second one takes over from a killed one, and no message is proxied twice',
    async (bot) => {
      const { users } = bot
      await bot.startServer()
      await bot.send('r:first')
      await bot.expectTexts(['Robin: first'])
      const active = bot.servers.shift()
      active?.kill('SIGKILL')
      await active?.end()
      await bot.send('r:second')
      await bot.expectTexts(['Robin: first', 'Robin: second'])
      expect(await users.counts()).toMatchObject({ identifies: 1, resumes: 1 })
    },
    { env: { LEASE_SECONDS: '8' } },
  )
})

describe('Discord', () => {
  test('has an outage: a message meanwhile is proxied after the session was resumed', async (bot) => {
    const { users } = bot
    await users.setGatewayFaults({ upgradeStatus: 502 })
    await users.resetConnections()
    await bot.send('r:hello')
    const before = (await users.connections()).length
    await until(async () => (await users.connections()).length >= before + 2)
    await users.clearFaults()
    await bot.expectTexts(['Robin: hello'])
    expect(await users.counts()).toMatchObject({ identifies: 1 })
  })
})
