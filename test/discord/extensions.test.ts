import { createBaseSystem, type Send, useAllExtensions } from '../tools/allExtensions'
import { describe, expect, test } from '../tools/test'
import { startBotInProcess } from './tools/inProcessBot'

const bot = await startBotInProcess()

describe('autoproxy in front mode', () => {
  /** Fronters, and the texts of the channel after a message without tags. */
  test.each<[string, string[], string]>([
    ['a custom front before a member', ['asleep', 'robin'], 'Robin: hello'],
    ['a member before a custom front', ['robin', 'asleep'], 'Robin: hello'],
    ['only a custom front', ['asleep'], 'author: hello'],
  ])('sends the right message with %s', async (_, fronters, text) => {
    const author = await bot.newAuthor()
    const { json } = await author.ask('POST /ext/v1/members', {
      member: { name: 'Asleep' },
      kind: 'custom_front',
    })
    const asleep = String((json.member as { id: string }).id)
    const ids: Record<string, string> = { asleep, robin: author.robin }
    await author.ask('POST /v2/systems/@me/switches', {
      members: fronters.map((name) => ids[name]),
    })
    const { id: guild } = bot.guild
    await author.ask(`PATCH /v2/systems/@me/autoproxy?guild_id=${guild}`, {
      autoproxy_mode: 'front',
    })
    const channelId = await bot.newChannel()
    await bot.users.sendMessage({ userId: author.id, channelId, content: 'hello' })
    // A message with tags after it shows that the first one was handled.
    await bot.users.sendMessage({ userId: author.id, channelId, content: 'f:end' })
    await bot.expectTexts(channelId, text, 'Finch: end')
  })
})

describe('a system that uses all extensions', () => {
  const createAuthor = async () => {
    const { id, ask } = await bot.newAuthor()
    const send: Send = async <T>(line: string, body?: unknown) => {
      const { status, json } = await ask(line, body)
      if (status >= 400) throw new Error(`${line}: ${JSON.stringify(json)}`)
      return json as T
    }
    await useAllExtensions(send, await createBaseSystem(send))
    return id
  }

  test('is proxied as its members, archived members and custom fronts', async () => {
    const userId = await createAuthor()
    const channelId = await bot.newChannel()
    for (const name of ['Wren', 'Elm', 'Asleep'])
      await bot.users.sendMessage({ userId, channelId, content: `${name.toLowerCase()}:hello` })
    await bot.expectTexts(channelId, 'Wren: hello', 'Elm: hello', 'Asleep: hello')
  })

  test.each([
    ['pk;list', ['Wren', 'Elm', 'Asleep']],
    ['pk;fronter', ['Wren', 'Ash']],
    ['pk;member Elm', ['Elm', 'About Elm']],
    ['pk;group Lamps list', ['Ash', 'Elm', 'Asleep']],
    ['pk;switch Asleep Elm', ['Asleep', 'Elm']],
  ])('is shown and changed by %s', async (content, parts) => {
    const userId = await createAuthor()
    const channelId = await bot.newChannel()
    await bot.users.sendMessage({ userId, channelId, content })
    const messages = await bot.untilMessages(channelId, (all) =>
      all.some(({ author }) => author.id === bot.discord.botId),
    )
    const answer = JSON.stringify(messages.filter(({ author }) => author.id === bot.discord.botId))
    for (const part of parts) expect(answer).toContain(part)
  })
})
