import { afterEach, describe, expect, test } from '../tools/test'
import type { SeenMessage } from './standIn/controlRead'
import { startBotInProcess } from './tools/inProcessBot'
import { MARKER, textOf } from './tools/testBot'

const bot = await startBotInProcess({ forbiddenNames: ['grackle'] })
const { users, guild, wren } = bot
const EXECUTE = 'POST /webhooks/{webhook_id}/{webhook_token}'
const mebibyte = 1024 * 1024
/** Longest pause before the bot repeats a deletion. */
const DELETE_PAUSE_MS = 250

afterEach(() => users.clearFaults())

/** Waits for the notice that the bot sent to a channel. */
async function untilNotice(channelId: string): Promise<string> {
  const messages = await bot.untilMessages(channelId, (all) =>
    all.some(({ author }) => author.id === bot.discord.botId),
  )
  return messages.find(({ author }) => author.id === bot.discord.botId)?.content ?? ''
}

async function setAutoproxy(changes: object) {
  await bot.ask(`PATCH /v2/systems/@me/autoproxy?guild_id=${guild.id}`, changes)
}

describe('checks before a message is proxied', () => {
  test('three backslashes switch autoproxy off, which a reaction confirms', async () => {
    const channelId = await bot.newChannel()
    await setAutoproxy({ autoproxy_mode: 'latch' })
    const { id } = await bot.send(channelId, '\\\\\\ off')
    const [message] = await bot.untilMessages(channelId, ([first]) =>
      Boolean(first?.reactions['👍']),
    )
    expect(message).toMatchObject({ id, reactions: { '👍': [bot.discord.botId] } })
    const { json } = await bot.ask(`GET /v2/systems/@me/autoproxy?guild_id=${guild.id}`)
    expect(json).toMatchObject({ autoproxy_mode: 'off' })
  })

  test('two backslashes clear the latch, which a reaction confirms', async () => {
    const channelId = await bot.newChannel()
    await setAutoproxy({ autoproxy_mode: 'latch' })
    await bot.send(channelId, '\\\\ unlatch')
    await bot.untilMessages(channelId, ([first]) => Boolean(first?.reactions['👍']))
    await setAutoproxy({ autoproxy_mode: 'off' })
  })

  test('autoproxy is switched off without a reaction where the bot may not react', async () => {
    const channelId = await bot.newChannel({
      overwrites: [{ userId: bot.discord.botId, deny: ['ADD_REACTIONS'] }],
    })
    await setAutoproxy({ autoproxy_mode: 'latch' })
    const { id } = await bot.send(channelId, '\\\\\\ off')
    await bot.settle(channelId)
    expect(await users.message({ channelId, messageId: id })).toMatchObject({ reactions: {} })
    const { json } = await bot.ask(`GET /v2/systems/@me/autoproxy?guild_id=${guild.id}`)
    expect(json).toMatchObject({ autoproxy_mode: 'off' })
  })

  test('a refused message stays, and the author is notified once without a ping', async () => {
    const channelId = await bot.newChannel()
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { require_system_tag: true })
    await bot.send(channelId, 'r:one')
    const text = await untilNotice(channelId)
    await bot.send(channelId, 'r:two')
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { require_system_tag: false })
    await bot.settle(channelId)
    expect(text).toBe(
      'This server requires a system tag in the names of proxied messages. Set one with `pk;system tag`.',
    )
    const messages = await users.messages({ channelId })
    const notices = messages.filter(({ author }) => author.id === bot.discord.botId)
    expect(notices).toHaveLength(1)
    expect(notices[0]).toMatchObject({ notified: [] })
    expect(messages.map(textOf).slice(0, 1)).toEqual(['wren: r:one'])
  })

  test('an author is notified of each problem once, in each channel', async () => {
    const [one, other] = [await bot.newAuthor(), await bot.newAuthor()]
    const [here, there] = [await bot.newChannel(), await bot.newChannel()]
    const large = { files: [{ filename: 'a', size: 11 * mebibyte }] }
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { require_system_tag: true })
    const say = (author: { id: string }, channelId: string, input = {}) =>
      bot.send(channelId, 'r:hello', { userId: author.id, ...input })
    const noticesIn = async (channelId: string, count: number) => {
      const isNotice = ({ author }: SeenMessage) => author.id === bot.discord.botId
      const all = await bot.untilMessages(
        channelId,
        (seen) => seen.filter(isNotice).length === count,
      )
      return all.filter(isNotice).map(({ content }) => content.slice(0, 20))
    }
    for (const channelId of [here, there, here, there])
      for (const author of [one, other, one]) await say(author, channelId)
    await noticesIn(there, 2)
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { require_system_tag: false })
    for (const author of [one, one]) await say(author, here, large)
    const notices = [await noticesIn(here, 3), await noticesIn(there, 2)]
    await bot.settle(there)
    expect([await noticesIn(here, 3), await noticesIn(there, 2)]).toEqual(notices)
  })

  test('the author is not notified if the system does not want it', async () => {
    const channelId = await bot.newChannel()
    await bot.ask('PATCH /v2/systems/@me/settings', { proxy_error_message_enabled: false })
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { require_system_tag: true })
    await bot.send(channelId, 'r:one')
    await bot.send(channelId, 'r:two', { files: [{ filename: 'a', size: 11 * mebibyte }] })
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { require_system_tag: false })
    await bot.send(channelId, 'r:three', { files: [{ filename: 'a', size: 11 * mebibyte }] })
    await bot.settle(channelId)
    await users.failRequests({ route: EXECUTE, kind: 'status', status: 502, times: 2 })
    await bot.send(channelId, 'r:four')
    await bot.settle(channelId)
    await bot.ask('PATCH /v2/systems/@me/settings', { proxy_error_message_enabled: true })
    const messages = await users.messages({ channelId })
    expect(messages.filter(({ author }) => author.id === bot.discord.botId)).toEqual([])
    const [left] = messages.filter(({ content }) => content.startsWith('r:four'))
    expect(left).toMatchObject({ reactions: {} })
  })

  test.each([['VIEW_CHANNEL' as const], ['SEND_MESSAGES' as const]])(
    'without %s the message stays and nothing is said',
    async (denied) => {
      const channelId = await bot.newChannel({
        overwrites: [{ userId: bot.discord.botId, deny: [denied] }],
      })
      await bot.send(channelId, 'r:hello')
      await bot.settle(guild.channelId)
      expect((await users.messages({ channelId })).map(textOf)).toEqual(['wren: r:hello'])
    },
  )

  test.each([
    ['MANAGE_WEBHOOKS' as const, 'Manage Webhooks'],
    ['MANAGE_MESSAGES' as const, 'Manage Messages'],
  ])('without %s the author is notified', async (denied, name) => {
    const channelId = await bot.newChannel({
      overwrites: [{ userId: bot.discord.botId, deny: [denied] }],
    })
    await bot.send(channelId, 'r:hello')
    expect(await untilNotice(channelId)).toContain(name)
    expect((await users.messages({ channelId })).map(textOf)[0]).toBe('wren: r:hello')
  })

  test('notifies of a file over the limit of the guild', async () => {
    const channelId = await bot.newChannel()
    await bot.send(channelId, 'r:hello', { files: [{ filename: 'a', size: 11 * mebibyte }] })
    expect(await untilNotice(channelId)).toContain('10 MiB')
  })

  const tiers = [
    { tier: 0, mebibytes: [9, 9, 9], sent: [2, 1] },
    { tier: 2, mebibytes: [11, 30, 9, 1], sent: [3, 1] },
    { tier: 0, mebibytes: [1, 11], sent: '10 MiB' },
    { tier: 1, mebibytes: [11], sent: '10 MiB' },
    { tier: 2, mebibytes: [51], sent: '50 MiB' },
    { tier: 3, mebibytes: [101], sent: '100 MiB' },
  ] as const
  test.each(tiers.map((row) => [row.tier, row.mebibytes, row.sent] as const))(
    'at boost tier %d, files of %p MiB are sent in messages of, or refused over: %p',
    async (premiumTier, mebibytes, sent) => {
      await users.updateGuild({ guildId: guild.id, premiumTier })
      const channelId = await bot.newChannel()
      const files = mebibytes.map((size, at) => ({ filename: `${at}`, size: size * mebibyte }))
      await bot.send(channelId, 'r:hello', { files })
      if (typeof sent === 'string') {
        expect(await untilNotice(channelId)).toContain(sent)
        expect((await users.messages({ channelId })).map(textOf)[0]).toBe('wren: r:hello')
      } else {
        const messages = await bot.untilMessages(
          channelId,
          (all) => all.length === sent.length && all.every(({ author }) => author.isWebhook),
        )
        expect(messages.map(({ attachments }) => attachments.length)).toEqual([...sent])
        const names = messages.flatMap(({ attachments }) => attachments.map((one) => one.filename))
        expect(names).toEqual(files.map(({ filename }) => filename))
        expect(messages.map(textOf)).toEqual(['Robin: hello', 'Robin: '])
      }
      await users.updateGuild({ guildId: guild.id, premiumTier: 0 })
    },
  )

  test('if a part cannot be sent, the others are deleted and the author is notified', async () => {
    const channelId = await bot.newChannel()
    await bot.send(channelId, 'r:first')
    await bot.expectTexts(channelId, 'Robin: first')
    const files = ['a', 'b', 'c'].map((filename) => ({ filename, size: 9 * mebibyte }))
    await users.failRequests({ route: EXECUTE, kind: 'delay' })
    await users.failRequests({ route: EXECUTE, kind: 'status', status: 400, code: 50035 })
    await bot.send(channelId, 'r:hello', { files })
    await untilNotice(channelId)
    const texts = (await users.messages({ channelId })).map(textOf)
    expect(texts).toEqual(['Robin: first', 'wren: r:hello', expect.stringContaining('took back')])
  })

  test('files of other origins are not downloaded', async () => {
    const channelId = await bot.newChannel()
    const foreignUrl = `${bot.discord.foreign}/file.txt`
    await bot.send(channelId, 'r:hello', { files: [{ filename: 'a.txt', text: 'x', foreignUrl }] })
    await untilNotice(channelId)
    const downloads = await users.downloads()
    expect(downloads.filter(({ origin }) => origin === 'foreign')).toEqual([])
  })
})

describe('answers of Discord', () => {
  test.each([
    ['too many webhooks in the channel', 'POST /channels/{channel_id}/webhooks', 400, 30007, '15'],
    ['too many webhooks in the guild', 'POST /channels/{channel_id}/webhooks', 400, 30058, '1,000'],
    ['AutoMod', EXECUTE, 400, 200000, 'AutoMod'],
    ['an upload that is too large', EXECUTE, 413, 40005, 'too large'],
    ['any other refusal', EXECUTE, 400, 50035, 'refused'],
  ])('%s: the author is notified', async (_, route, status, code, part) => {
    const channelId = await bot.newChannel()
    await users.failRequests({ route, kind: 'status', status, code })
    await bot.send(channelId, 'r:hello')
    expect(await untilNotice(channelId)).toContain(part)
    expect((await users.messages({ channelId })).map(textOf)[0]).toBe('wren: r:hello')
  })

  test('the notice of a refused name quotes Discord', async () => {
    const channelId = await bot.newChannel()
    const tags = [{ prefix: 'g:', suffix: null }]
    await bot.ask('POST /v2/members', { name: 'Grackle', proxy_tags: tags })
    await bot.send(channelId, 'g:hello')
    expect(await untilNotice(channelId)).toContain('does not accept the name')
  })

  test('a deleted webhook is replaced', async () => {
    const channelId = await bot.newChannel()
    await bot.send(channelId, 'r:one')
    await bot.untilProxied(channelId)
    const [webhook] = await users.webhooks({ channelId })
    await users.deleteWebhook({ webhookId: webhook?.id ?? '', isSilent: true })
    await bot.send(channelId, 'r:two')
    await bot.expectTexts(channelId, 'Robin: one', 'Robin: two')
  })

  test('a webhook that was moved is not used, and its message deleted', async () => {
    const [channelId, other] = [await bot.newChannel(), await bot.newChannel()]
    await bot.send(channelId, 'r:one')
    await bot.expectTexts(channelId, 'Robin: one')
    const [webhook] = await users.webhooks({ channelId })
    await users.moveWebhook({ webhookId: webhook?.id ?? '', channelId: other })
    await bot.send(channelId, 'r:two')
    await bot.expectTexts(channelId, 'Robin: one', 'Robin: two')
    expect(await users.messages({ channelId: other })).toEqual([])
  })

  test.each([
    ['a reset of the connection before it takes effect', 'reset', 'before'],
    ['a reset of the connection after it takes effect', 'reset', 'after'],
  ] as const)('%s: the message is sent once', async (_, kind, when) => {
    const channelId = await bot.newChannel()
    await users.failRequests({ route: EXECUTE, kind, when })
    await bot.send(channelId, 'r:hello')
    await bot.expectTexts(channelId, 'Robin: hello')
  })

  test('5xx twice: the original stays and gets a reaction; an edit proxies it', async () => {
    const channelId = await bot.newChannel()
    await users.failRequests({ route: EXECUTE, kind: 'status', status: 502, times: 2 })
    const { id } = await bot.send(channelId, 'r:hello')
    const messages = await bot.untilMessages(channelId, ([first]) => Boolean(first?.reactions['⚠️']))
    expect(messages.map((message) => message.id)).toEqual([id])
    await users.editMessage({ channelId, messageId: id, content: 'r:hello again' })
    await bot.send(channelId, 'r:next')
    await bot.expectTexts(channelId, 'Robin: hello again', 'Robin: next')
  })

  test('two equal messages of which one had no answer are both proxied', async () => {
    const channelId = await bot.newChannel()
    await users.failRequests({ route: EXECUTE, kind: 'delay', isHeld: true })
    await users.failRequests({ route: EXECUTE, kind: 'reset', when: 'before' })
    const { length } = await users.requests({ route: EXECUTE })
    await bot.send(channelId, 'r:same')
    await users.until(
      () => users.requests({ route: EXECUTE }),
      (requests) => requests.length > length,
    )
    await bot.send(channelId, 'r:same')
    await users.releaseRequests()
    await bot.expectTexts(channelId, 'Robin: same', 'Robin: same')
  })

  test('an original that was deleted by others withdraws the copy and its record', async () => {
    const channelId = await bot.newChannel()
    const original = await bot.send(channelId, 'r:hello')
    const { id } = await bot.untilProxied(channelId)
    await users.deleteMessage({ channelId, messageId: original.id, userId: guild.ownerId })
    await bot.expectTexts(channelId)
    await bot.untilNoRecord(id)
  })

  test('a deletion whose answer was lost does not withdraw the copy', async () => {
    const channelId = await bot.newChannel()
    const route = 'DELETE /channels/{channel_id}/messages/{message_id}'
    await users.failRequests({ route, kind: 'reset', when: 'after' })
    await bot.send(channelId, 'r:hello')
    await bot.expectTexts(channelId, 'Robin: hello')
    const secondAnswer = users.until(
      () => users.requests({ route }),
      (requests) => requests.some(({ path, status }) => path.includes(channelId) && status),
    )
    await bot.clock.runUntil(secondAnswer, DELETE_PAUSE_MS)
    await bot.settle(guild.channelId)
    await bot.expectTexts(channelId, 'Robin: hello')
  })

  test('messages of a channel keep their order', async () => {
    const channelId = await bot.newChannel()
    for (const text of ['one', 'two', 'three', 'four']) await bot.send(channelId, `r:${text}`)
    await bot.expectTexts(channelId, 'Robin: one', 'Robin: two', 'Robin: three', 'Robin: four')
  })
})

describe('edits', () => {
  test('the latest message is proxied after tags were added', async () => {
    const channelId = await bot.newChannel()
    const { id } = await bot.send(channelId, 'hello')
    await users.editMessage({ channelId, messageId: id, content: `r:hello ${MARKER}` })
    await bot.expectTexts(channelId, 'Robin: hello')
  })

  test('a message that Discord did not accept is proxied after an edit, once', async () => {
    const channelId = await bot.newChannel()
    await users.failRequests({ route: EXECUTE, kind: 'status', status: 502, times: 2 })
    const { id: messageId } = await bot.send(channelId, 'r:hello')
    await users.until(
      () => users.requests({ route: 'GET /channels/{channel_id}/messages' }),
      (requests) => requests.filter(({ path }) => path.includes(channelId)).length === 2,
    )
    await users.editMessage({ channelId, messageId, content: `r:again ${MARKER}` })
    await bot.expectTexts(channelId, 'Robin: again')
    await bot.send(channelId, 'r:next')
    await bot.expectTexts(channelId, 'Robin: again', 'Robin: next')
  })

  test('autoproxy does not apply to an edited message', async () => {
    const [author, channelId] = [await bot.newAuthor(), await bot.newChannel()]
    await author.ask(`PATCH /v2/systems/@me/autoproxy?guild_id=${guild.id}`, {
      autoproxy_mode: 'member',
      autoproxy_member: author.robin,
    })
    const input = { userId: author.id, channelId }
    const { id: messageId } = await users.sendMessage({ ...input, content: '\\hello' })
    await users.editMessage({ channelId, messageId, content: 'hello' })
    await bot.settle(guild.channelId)
    expect((await users.messages({ channelId })).map(textOf)).toEqual(['author: hello'])
  })

  test.each([
    ['an older message', 'older'],
    ['a pin', 'pin'],
    ['a link preview', 'preview'],
    ['a command', 'command'],
    ['an edit without a change', 'same'],
  ])('%s is not proxied', async (_, kind) => {
    const channelId = await bot.newChannel()
    const text = kind === 'command' ? 'pk;help' : 'hello'
    const { id: messageId } = await bot.send(channelId, text)
    const ref = { channelId, messageId }
    await setAutoproxy({ autoproxy_mode: 'off' })
    if (kind === 'older') await bot.send(channelId, 'later', { userId: bot.stranger })
    if (kind === 'pin') await users.pinMessage({ ...ref, userId: guild.ownerId })
    if (kind === 'preview') await users.addLinkPreview(ref)
    if (kind === 'older' || kind === 'command')
      await users.editMessage({ ...ref, content: `r:hello ${MARKER}` })
    if (kind === 'same') await users.editMessage({ ...ref, content: `hello ${MARKER}` })
    await bot.settle(channelId)
    const first = (await users.messages({ channelId })).find(({ id }) => id === messageId)
    expect(first?.author.id).toBe(wren)
  })
})
