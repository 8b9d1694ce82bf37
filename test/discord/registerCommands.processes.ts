import { describe, expect } from '../tools/test'
import { until } from '../tools/until'
import { kill, type TestBot, useBot } from './tools/testBot'

const test = await useBot()

/** Restarts the bot. The session may not have been stored yet, so nothing is sent before the next one. */
async function restart(bot: TestBot, env: Record<string, string>): Promise<void> {
  await kill(bot)
  await bot.startServer(env)
  await until(
    () => bot.users.sessions(),
    (sessions) => sessions.some(({ isConnected }) => isConnected),
  )
}

const untilCommands = (
  { users }: TestBot,
  isDone: (count: number) => boolean,
  guildId: string | null = null,
) =>
  until(
    () => users.commands({ guildId }),
    (all) => isDone(all.length),
  )

/** Waits until the latest server has stored the hash of what it registered. */
const untilRegistered = ({ servers }: TestBot) =>
  until(
    () => servers.at(-1)?.output() ?? '',
    (log) => log.includes('Discord commands registered'),
  )

const overwrites = async ({ users }: TestBot) =>
  (await users.requests()).filter(({ method, path }) => method === 'PUT' && /commands$/.test(path))

describe('application commands', () => {
  test('are registered once, and not again after a restart', async (bot) => {
    await untilRegistered(bot)
    await restart(bot, {})
    await bot.send('r: hello')
    await bot.expectTexts(['Robin: hello'])
    expect(await overwrites(bot)).toHaveLength(1)
  })

  test(
    'are registered later if Discord refuses them at first',
    async (bot) => {
      const route = 'PUT /applications/{application_id}/commands'
      await bot.users.failRequests({ route, kind: 'status', status: 400, code: 50035 })
      await bot.startServer()
      await untilRegistered(bot)
      expect(await overwrites(bot)).toHaveLength(2)
    },
    { isOff: true },
  )

  test('move to the guilds that the setting names, and away with "off"', async (bot) => {
    const { guild } = bot
    await untilRegistered(bot)
    await restart(bot, { DISCORD_COMMANDS: guild.id })
    await untilCommands(bot, (count) => count > 0, guild.id)
    await untilCommands(bot, (count) => count === 0)
    await untilRegistered(bot)
    await restart(bot, { DISCORD_COMMANDS: 'off' })
    await untilCommands(bot, (count) => count === 0, guild.id)
  })
})
