import { describe, expect, test } from '../tools/test'
import { startBotInProcess } from './tools/inProcessBot'
import { MARKER } from './tools/testBot'

const bot = await startBotInProcess()
const { users, guild, wren, stranger } = bot

async function proxied() {
  const channelId = await bot.newChannel()
  await bot.send(channelId, 'r:hello')
  await bot.expectTexts(channelId, 'Robin: hello')
  const { id: messageId } = await bot.untilProxied(channelId)
  return { channelId, messageId }
}

describe('reactions to a proxied message', () => {
  test('❌ by its sender deletes it and its record', async () => {
    const ref = await proxied()
    await users.react({ ...ref, userId: wren, emoji: '❌' })
    await bot.expectTexts(ref.channelId)
    await bot.untilNoRecord(ref.messageId)
  })

  test('❌ by another account does nothing', async () => {
    const ref = await proxied()
    await users.react({ ...ref, userId: stranger, emoji: '❌' })
    await bot.untilMessages(ref.channelId, ([first]) => first?.reactions['❌'] === undefined)
    expect(await users.message(ref)).not.toBeNull()
  })

  test.each(['❓', '❔'])('%s sends its record by direct message and is removed', async (emoji) => {
    const ref = await proxied()
    await users.react({ ...ref, userId: stranger, emoji })
    const messages = await users.until(
      () => users.directMessages({ userId: stranger }),
      (all) => all.some(({ embeds }) => JSON.stringify(embeds).includes(ref.messageId)),
    )
    expect(JSON.stringify(messages.at(-1)?.embeds)).toContain('Robin')
    await bot.untilMessages(ref.channelId, ([first]) => first?.reactions[emoji] === undefined)
  })

  test.each(['🔔', '🛎️', '🏓', '🫑', '⏰', '❗'])(
    '%s pings its sender, once a minute',
    async (emoji) => {
      const ref = await proxied()
      await users.react({ ...ref, userId: stranger, emoji })
      const [, ping] = await bot.untilMessages(ref.channelId, (all) => all.length === 2)
      expect(ping).toMatchObject({ notified: [wren], mentions: expect.arrayContaining([wren]) })
      await users.react({ ...ref, userId: stranger, emoji: '🔔' })
      await bot.settle(guild.channelId)
      expect(await users.messages({ channelId: ref.channelId })).toHaveLength(2)
    },
  )

  test('🔔 pings no one if the system does not want it, and says so by direct message', async () => {
    const ref = await proxied()
    await bot.ask('PATCH /v2/systems/@me/settings', { pings_enabled: false })
    await users.react({ ...ref, userId: stranger, emoji: '🔔' })
    await users.until(
      () => users.directMessages({ userId: stranger }),
      (all) => all.some(({ content }) => content.includes('does not want')),
    )
    await bot.ask('PATCH /v2/systems/@me/settings', { pings_enabled: true })
    expect(await users.messages({ channelId: ref.channelId })).toHaveLength(1)
  })

  test('🔔 by an account that may not write there does nothing', async () => {
    const ref = await proxied()
    await users.updateChannel({
      channelId: ref.channelId,
      overwrites: [{ userId: stranger, deny: ['SEND_MESSAGES'] }],
    })
    await users.react({ ...ref, userId: stranger, emoji: '🔔' })
    await bot.settle(guild.channelId)
    expect(await users.messages({ channelId: ref.channelId })).toHaveLength(1)
  })

  test('❌ on a notice deletes it for the author who was told, and for no one else', async () => {
    const channelId = await bot.newChannel({
      overwrites: [{ userId: bot.discord.botId, deny: ['MANAGE_WEBHOOKS'] }],
    })
    await users.sendMessage({ userId: wren, channelId, content: `r:hello ${MARKER}` })
    const [, notice] = await bot.untilMessages(channelId, (all) => all.length === 2)
    const ref = { channelId, messageId: notice?.id ?? '' }
    await users.react({ ...ref, userId: stranger, emoji: '❌' })
    await bot.settle(guild.channelId)
    expect(await users.message(ref)).not.toBeNull()
    await users.react({ ...ref, userId: wren, emoji: '❌' })
    await bot.untilMessages(channelId, (all) => all.length === 1)
  })
})
