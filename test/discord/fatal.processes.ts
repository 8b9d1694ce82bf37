import { commandLine } from '../tools/serverProcess'
import { describe, expect } from '../tools/test'
import { until } from '../tools/until'
import { kill, type TestBot, useBot } from './tools/testBot'

const test = await useBot()
const { runJson } = commandLine()
const DELETE = 'DELETE /channels/{channel_id}/messages/{message_id}'

interface Status {
  discord: { problem: string | null; invite_url: string | null } | null
}

/** Waits until the bot has stopped, and checks what the operator sees and that the API goes on. */
async function expectStopped(bot: TestBot, problem: string, remedy: string): Promise<void> {
  const { users, cwd, env, servers } = bot
  const { discord } = await until(
    () => runJson<Status>(['status'], { cwd, env }),
    (status) => (status.discord?.problem ?? null) !== null,
  )
  expect(discord?.problem).toContain(problem)
  const [connections, requests] = [await users.connections(), await users.requests()]
  expect(await bot.metric('up')).toBe(0)
  expect((await bot.ask('GET /v2/systems/@me')).status).toBe(200)
  await bot.send('r:hello again')
  // A process that has ended has sent everything.
  await bot.stopServers()
  expect(await users.connections()).toHaveLength(connections.length)
  const routesOf = (all: typeof requests) => all.map(({ method, path }) => `${method} ${path}`)
  expect(routesOf(await users.requests())).toEqual(routesOf(requests))
  const errors = (servers.at(-1)?.output() ?? '').match(/^.*"level":"error".*$/gm) ?? []
  expect(errors).toHaveLength(1)
  expect(errors[0]).toContain(remedy)
}

describe('a close code that only the operator can do something about', () => {
  const rows: [code: number, problem: string, remedy: string][] = [
    [4004, 'refused the bot token', 'Set DISCORD_TOKEN'],
    [4010, 'invalid shard', 'Set DISCORD_SHARDS to auto'],
    [4011, 'too many servers', 'Set DISCORD_SHARDS to auto'],
    [4012, 'invalid API version', 'Update Multitude'],
    [4013, 'invalid intents', 'Update Multitude'],
    [4014, 'an intent is not allowed', 'Enable Message Content Intent'],
  ]
  for (const [code, problem, remedy] of rows)
    test(`${code}: the bot stops, the API goes on, and log, status and metric show it`, async (bot) => {
      const { users } = bot
      await until(
        () => users.commands(),
        (all) => all.length > 0,
      )
      await users.closeConnections({ code })
      await expectStopped(bot, problem, remedy)
    })
})

describe('a bot token that Discord refuses', () => {
  test('while it runs: the bot stops, and the next process finishes what it began', async (bot) => {
    const { users } = bot
    bot.allow({ statuses: { 401: 1 } })
    await users.failRequests({ route: DELETE, kind: 'status', status: 401 })
    const { id } = await bot.send('r:hello')
    await expectStopped(bot, 'refused the bot token', 'DISCORD_TOKEN')
    await kill(bot)
    await bot.startServer()
    // The later message is proxied only if the session could be resumed.
    await bot.untilMessages((all) => all.every((message) => message.id !== id))
    expect(await bot.texts()).toContain('Robin: hello')
  })

  test('while a message is being proxied: nothing is requested any more', async (bot) => {
    const { users } = bot
    await bot.send('r:hello')
    await bot.untilMessages((all) => all.some(({ author }) => author.isWebhook))
    await users.changeToken()
    await expectStopped(bot, 'refused the bot token', 'Set DISCORD_TOKEN')
  })

  test('at the start: the bot does not start', async (bot) => {
    bot.allow({ statuses: { 401: 2 } })
    await kill(bot)
    await bot.users.changeToken()
    await bot.startServer()
    await expectStopped(bot, 'refused the bot token', 'DISCORD_TOKEN')
  })
})
