import { describe, expect } from '../tools/test'
import { until } from '../tools/until'
import { kill, type TestBot, useBot } from './tools/testBot'

const test = await useBot()

const REMOVE =
  'DELETE /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/{user_id}'

/** Reacts to a proxied message, and kills the bot before it has handled the reaction to the end. */
async function reactAndKill(bot: TestBot, emoji: string, route: string) {
  const { users, guild, stranger } = bot
  await bot.send('r:hello')
  const [message] = await bot.expectTexts(['Robin: hello'])
  const channelId = guild.channelId
  const ref = { channelId, messageId: message?.id ?? '', userId: stranger, emoji }
  await users.failRequests({ route, kind: 'timeout', when: 'after' })
  await users.react(ref)
  await until(
    () => users.requests({ route }),
    (requests) => requests.length > 0,
  )
  await kill(bot)
  await bot.startServer()
  // Discord repeats the reaction before this message.
  const elsewhere = guild.channels.other ?? ''
  await bot.send('r:next', { channelId: elsewhere })
  await bot.expectTexts(['Robin: next'], elsewhere)
  return ref
}

describe('after a kill, Discord repeats a reaction', () => {
  test('whose look-up was answered: it is not answered again, but a new reaction is', async (bot) => {
    const { users, stranger } = bot
    const ref = await reactAndKill(bot, '❓', REMOVE)
    const untilDirect = (count: number) =>
      until(
        () => users.directMessages({ userId: stranger }),
        (all) => all.length === count,
      )
    await untilDirect(1)
    await users.react(ref)
    await untilDirect(2)
  })

  test('that pinged: it does not ping again', async (bot) => {
    const { users, guild } = bot
    await reactAndKill(bot, '🔔', 'POST /channels/{channel_id}/messages')
    const messages = await users.messages({ channelId: guild.channelId })
    expect(messages.filter(({ author }) => author.id === bot.discord.botId)).toHaveLength(1)
  })
})
