import { describe, expect, test } from '../test'
import { startBotInProcess } from './inProcessBot'
import type { SeenMessage } from './standIn/controlRead'

const bot = await startBotInProcess()
const { users, guild, discord } = bot

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

  test('ping nobody and suggest the closest command', async () => {
    const { say } = await newcomer()
    expect(await say('pk;sistem')).toMatchObject({
      content: expect.stringContaining('pk;system'),
      notified: [],
    })
  })
})
