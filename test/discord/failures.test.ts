import { defaultBotTiming } from '../../src/discord/bot/core'
import { defaultRestTiming } from '../../src/discord/rest/restClient'
import { describe, expect, test } from '../tools/test'
import type { RestFault } from './standIn/faults'
import type { RecordedConnection, RecordedRequest } from './standIn/record'
import { startBotInProcess } from './tools/inProcessBot'
import { MARKER, textOf } from './tools/testBot'

/** Time limit of requests. */
const TIMEOUT_MS = 600_000
/** Exceeds the pauses of rate limits and of new connections. */
const PAUSE_MS = 6000
/** Interval of heartbeats that no test reaches. */
const defaultHeartbeatMs = 3_600_000
const EXECUTE = 'POST /webhooks/{webhook_id}/{webhook_token}'
const DELETE = 'DELETE /channels/{channel_id}/messages/{message_id}'
const ANSWER = 'POST /channels/{channel_id}/messages'
const CALLBACK = 'POST /interactions/{interaction_id}/{interaction_token}/callback'
const WEBHOOKS = 'GET /channels/{channel_id}/webhooks'
const GUILD = 'GET /guilds/{guild_id}'

const bot = await startBotInProcess(
  // Many requests are sent at one time of the clock.
  { rateLimits: 'default', globalPerSecond: 10_000 },
  // Notices stay, because deletions are counted.
  { bot: { noticeMs: defaultHeartbeatMs }, rest: { timeoutMs: TIMEOUT_MS } },
)
const { clock, users, guild } = bot
bot.allow({ statuses: { 403: 12, 429: 13 } })

/** Waits, and lets all pauses pass meanwhile. */
const pass = <T>(work: Promise<T>) => clock.runUntil(work, PAUSE_MS)

const untilConnected = () =>
  users.until(
    () => users.sessions(),
    (all) => all.some(({ isConnected }) => isConnected),
  )

const countRequests = async (route: string) => (await users.requests({ route })).length

/** Runs the work, and returns how many requests of a route it caused. */
async function requestsDuring(route: string, work: () => Promise<unknown>): Promise<number> {
  const before = await countRequests(route)
  await work()
  return (await countRequests(route)) - before
}

/** Waits for a message of the bot's account that contains a text. */
const untilAnswer = (channelId: string, part: string) =>
  pass(
    bot.untilMessages(channelId, (all) =>
      all.some(({ author, content }) => author.id === bot.discord.botId && content.includes(part)),
    ),
  )

const isAnswered = (requests: readonly RecordedRequest[]) =>
  requests.every(({ status }) => status !== null)

async function shownTexts(channelId: string): Promise<string[]> {
  return (await users.messages({ channelId })).map(textOf)
}

describe('an interrupted connection', () => {
  type Row = [title: string, interrupt: () => Promise<unknown>, isResumed: boolean]
  const rows: Row[] = [
    ['a dropped connection', () => users.resetConnections(), true],
    ['a close with a code that allows it', () => users.closeConnections({ code: 4000 }), true],
    ['op 7', () => users.sendOpcode({ op: 7 }), true],
    ['op 9 that allows it', () => users.sendOpcode({ op: 9, isResumable: true }), true],
    ['op 9 that ends the session', () => users.sendOpcode({ op: 9 }), false],
    ['close code 4007', () => users.closeConnections({ code: 4007 }), false],
    ['close code 4009', () => users.closeConnections({ code: 4009 }), false],
  ]
  test.each(rows)('%s: messages of the gap', async (_, interrupt, isResumed) => {
    const channelId = await bot.newChannel()
    const before = await users.counts()
    await users.setGatewayFaults({ upgradeStatus: 502 })
    await interrupt()
    await users.until(
      () => users.sessions(),
      (all) => all.every(({ isConnected }) => !isConnected),
    )
    await bot.send(channelId, 'r:gap')
    await users.clearFaults()
    await pass(untilConnected())
    await bot.send(channelId, 'r:after')
    const shown = isResumed ? 'Robin: gap' : 'wren: r:gap'
    await pass(
      bot.untilMessages(channelId, (all) => all.every((one) => textOf(one) !== 'wren: r:after')),
    )
    await pass(bot.untilMessages(channelId, (all) => all.length === 2))
    expect((await shownTexts(channelId)).toSorted()).toEqual(['Robin: after', shown].toSorted())
    const { identifies } = await users.counts()
    expect(identifies - before.identifies).toBe(isResumed ? 0 : 1)
  })

  test('heartbeats without acknowledgement: closes resumably and resumes', async () => {
    const channelId = await bot.newChannel()
    const before = await users.counts()
    const heartbeatMs = 500
    await users.setOptions({ heartbeatMs })
    await users.resetConnections()
    await users.until(
      () => users.sessions(),
      (all) => all.every(({ isConnected }) => !isConnected),
    )
    await untilConnected()
    await users.setOptions({ heartbeatMs: defaultHeartbeatMs })
    await users.setGatewayFaults({ withholdsAcks: true })
    const count = (await users.connections()).length
    const untilLast = (isDone: (last: RecordedConnection | undefined) => boolean) =>
      users.until(users.connections, (all) => isDone(all[count - 1]))
    await clock.advance(heartbeatMs)
    await untilLast((last) => last?.received.some(({ op }) => op === 1) === true)
    await clock.advance(heartbeatMs)
    const connections = await untilLast((last) => last?.closed !== null)
    await users.clearFaults()
    expect(connections[count - 1]?.closed).toEqual({ code: 4900, by: 'client' })
    await bot.send(channelId, 'r:hello')
    await pass(bot.expectTexts(channelId, 'Robin: hello'))
    expect((await users.counts()).identifies).toBe(before.identifies)
  })
})

describe('a webhook request', () => {
  const rows: [title: string, fault: Omit<RestFault, 'route'>, shown: string][] = [
    ['that times out before it takes effect', { kind: 'timeout' }, 'Robin: hello'],
    ['that times out after it took effect', { kind: 'timeout', when: 'after' }, 'Robin: hello'],
    ['reset before it takes effect', { kind: 'reset' }, 'Robin: hello'],
    ['reset after it took effect', { kind: 'reset', when: 'after' }, 'Robin: hello'],
    ['refused with 5xx before it takes effect', { kind: 'status', status: 502 }, 'Robin: hello'],
    [
      'refused with 5xx after it took effect',
      { kind: 'status', status: 503, when: 'after' },
      'Robin: hello',
    ],
    ['that times out twice', { kind: 'timeout', times: 2 }, 'wren: r:hello'],
    ['refused with 5xx twice', { kind: 'status', status: 500, times: 2 }, 'wren: r:hello'],
  ]
  test.each(rows)('%s: the message is there once', async (_, fault, shown) => {
    const channelId = await bot.newChannel()
    await users.failRequests({ route: EXECUTE, ...fault })
    const before = await countRequests(EXECUTE)
    const requests = await requestsDuring(EXECUTE, async () => {
      await bot.send(channelId, 'r:hello')
      await bot.send(channelId, 'r:next')
      if (fault.kind === 'timeout')
        for (let time = 1; time <= (fault.times ?? 1); time++) {
          await pass(
            users.until(
              () => countRequests(EXECUTE),
              (count) => count === before + time,
            ),
          )
          await clock.advance(TIMEOUT_MS)
        }
      await pass(bot.expectTexts(channelId, shown, 'Robin: next'))
    })
    expect(requests).toBe(fault.when === 'after' ? 2 : 3)
  })
})

describe('a rate limit', () => {
  test.each(['user', 'shared', 'global'] as const)(
    'of scope %s: messages wait and keep their order',
    async (scope) => {
      const channelId = await bot.newChannel()
      await bot.send(channelId, 'r:zero')
      await pass(bot.expectTexts(channelId, 'Robin: zero'))
      await users.failRequests({ route: EXECUTE, kind: 'rateLimit', scope, retryAfterMs: 500 })
      const requests = await requestsDuring(EXECUTE, async () => {
        for (const text of ['one', 'two', 'three']) await bot.send(channelId, `r:${text}`)
        const texts = ['zero', 'one', 'two', 'three'].map((text) => `Robin: ${text}`)
        await pass(bot.expectTexts(channelId, ...texts))
      })
      expect(requests).toBe(4)
    },
  )

  test.each(['user', 'global'] as const)(
    'of scope %s: a text command is answered late, and once',
    async (scope) => {
      const channelId = await bot.newChannel()
      await users.failRequests({ route: ANSWER, kind: 'rateLimit', scope, retryAfterMs: 500 })
      await users.sendMessage({ userId: bot.wren, channelId, content: 'pk;system id' })
      await pass(bot.untilMessages(channelId, (all) => all.length === 2))
      await pass(bot.settle(channelId))
      const answers = (await users.messages({ channelId })).filter(
        ({ author }) => author.id === bot.discord.botId,
      )
      expect(answers).toHaveLength(1)
    },
  )

  test('an interaction is answered late, and once', async () => {
    const channelId = await bot.newChannel()
    const userId = bot.wren
    await users.failRequests({ route: CALLBACK, kind: 'rateLimit', retryAfterMs: 500 })
    const { id } = await users.invokeCommand({ userId, channelId, command: 'system info' })
    const retryMs = 500 + defaultRestTiming.marginMs
    await clock.untilTimer(retryMs)
    await clock.advance(retryMs)
    const { messages } = await users.until(
      () => users.interaction({ id }),
      ({ answer }) => answer !== null,
    )
    expect(messages).toHaveLength(1)
  })
})

describe('a refusal because of permissions that the cache did not know', () => {
  const rows: [title: string, route: string, code: number][] = [
    ['of the webhook request, 50013', EXECUTE, 50013],
    ['of the webhook request, 50001', EXECUTE, 50001],
    ['of the list of webhooks, 50013', WEBHOOKS, 50013],
    ['of the deletion, 50013', DELETE, 50013],
  ]
  test.each(rows)(
    '%s: the original stays, the author is notified once and the guild is loaded again',
    async (_, route, code) => {
      const channelId = await bot.newChannel()
      await users.failRequests({ route, kind: 'status', status: 403, code, times: 2 })
      const countBoth = () => Promise.all([countRequests(route), countRequests(GUILD)])
      const [attempts, loads] = await countBoth()
      await bot.send(channelId, 'r:one')
      await untilAnswer(channelId, '')
      await bot.send(channelId, 'r:two')
      await bot.send(channelId, 'r:three')
      await pass(
        bot.untilMessages(channelId, (all) => all.every((one) => textOf(one) !== 'wren: r:three')),
      )
      await pass(bot.untilMessages(channelId, (all) => all.length === 4))
      // The second refusal of a deletion may come after that.
      await pass(users.until(countBoth, ([, now]) => now >= loads + 2))
      expect(await countBoth()).toEqual([attempts + 3, loads + 2])
      const [first, ...others] = await shownTexts(channelId)
      expect(first).toBe('wren: r:one')
      expect(others).toContain('wren: r:two')
      expect(others).toContain('Robin: three')
    },
  )
})

describe('what is gone meanwhile', () => {
  test.each([
    ['the channel, before the webhook request', EXECUTE, 10003],
    ['the message, before the webhook request', EXECUTE, 10008],
  ])('%s: the original stays, and no notice is sent', async (_, route, code) => {
    const channelId = await bot.newChannel()
    await users.failRequests({ route, kind: 'status', status: 404, code })
    await bot.send(channelId, 'r:hello')
    await pass(bot.settle(channelId))
    const texts = await shownTexts(channelId)
    expect(texts.filter((text) => !text.includes('settled'))).toEqual(['wren: r:hello'])
  })

  test('the channel, before the deletion of the original: nothing is repeated', async () => {
    const channelId = await bot.newChannel()
    // Deletions of earlier tests are over.
    await pass(users.until(() => users.requests({ route: DELETE }), isAnswered))
    await users.failRequests({ route: DELETE, kind: 'status', status: 404, code: 10003 })
    await bot.send(channelId, 'r:hello')
    await pass(
      users.until(
        () => users.requests({ route: DELETE }),
        (all) => all.some(({ path }) => path.includes(channelId)) && isAnswered(all),
      ),
    )
    await clock.advance(2 * defaultBotTiming.recoveryMs)
    await pass(bot.settle(guild.channelId))
    const requests = await users.requests({ route: DELETE })
    expect(requests.filter(({ path }) => path.includes(channelId))).toHaveLength(1)
  })

  test('the interaction (10062): the bot goes on without an error', async () => {
    const channelId = await bot.newChannel()
    const userId = bot.wren
    const errors = () => bot.logged().match(/Discord (event|command) failed/g)?.length ?? 0
    const before = errors()
    await users.failRequests({ route: CALLBACK, kind: 'status', status: 404, code: 10062 })
    await users.invokeCommand({ userId, channelId, command: 'system info' })
    await pass(bot.settle(channelId))
    expect(errors()).toBe(before)
  })

  test('the member, before the record: the copy is deleted and the original stays', async () => {
    const channelId = await bot.newChannel()
    const body = { name: 'Grouse', proxy_tags: [{ prefix: 'g:', suffix: null }] }
    const { json: member } = await bot.ask('POST /v2/members', body)
    await users.failRequests({ route: EXECUTE, kind: 'delay', when: 'after', isHeld: true })
    await bot.send(channelId, 'g:hello')
    await pass(bot.untilProxied(channelId))
    await bot.ask(`DELETE /v2/members/${member.id}`)
    await users.clearFaults()
    await pass(bot.expectTexts(channelId, 'wren: g:hello'))
  })

  test('the system, before the record: the copy is deleted and the original stays', async () => {
    const [channelId, other] = [await bot.newChannel(), await bot.newChannel()]
    const { id: userId } = await users.createUser({ username: 'heron' })
    await users.addMember({ guildId: guild.id, userId })
    const { json } = await bot.askAsBot('POST /bot/systems', { account_id: userId })
    const { id: system } = json.system as { id: string }
    for (const command of ['member new Grouse', 'member Grouse proxy add g:text']) {
      await users.sendMessage({ userId, channelId: other, content: `pk;${command}` })
      await pass(bot.untilMessages(other, (all) => all.length % 2 === 0))
    }
    await users.failRequests({ route: EXECUTE, kind: 'delay', when: 'after', isHeld: true })
    await bot.send(channelId, 'g:hello', { userId })
    await pass(bot.untilProxied(channelId))
    await bot.askAsBot(`DELETE /bot/systems/${system}`)
    await users.clearFaults()
    await pass(bot.expectTexts(channelId, 'heron: g:hello'))
  })
})

test('messages beyond the 50 that wait in a channel are left alone and counted', async () => {
  const channelId = await bot.newChannel()
  const other = await bot.newChannel()
  await users.setOptions({ rateLimits: 'off' })
  const before = await bot.metric('messages_total', { reason: 'queue_full' })
  await bot.send(channelId, 'r:first')
  await pass(bot.untilProxied(channelId))
  const limit = { route: EXECUTE, kind: 'rateLimit', retryAfterMs: 2 * PAUSE_MS } as const
  await users.failRequests(limit)
  const sent = await countRequests(EXECUTE)
  await bot.send(channelId, 'r:0')
  await users.until(
    () => countRequests(EXECUTE),
    (count) => count > sent,
  )
  for (let at = 1; at <= 53; at++) await bot.send(channelId, `r:${at}`)
  await clock.untilTimer(2 * PAUSE_MS + defaultRestTiming.marginMs)
  // Another channel does not wait.
  await bot.send(other, 'r:hello')
  await pass(bot.untilProxied(other))
  await clock.advance(2 * PAUSE_MS + defaultRestTiming.marginMs)
  const isProxied = (texts: string[]) => texts.filter((text) => text.startsWith('Robin'))
  await pass(
    bot.untilMessages(
      channelId,
      (all) => all.length === 55 && isProxied(all.map(textOf)).length === 52,
    ),
  )
  expect((await shownTexts(channelId)).filter((text) => text.startsWith('wren'))).toEqual(
    [51, 52, 53].map((at) => `wren: r:${at}`),
  )
  expect(await bot.metric('messages_total', { reason: 'queue_full' })).toBe(before + 3)
  await users.setOptions({ rateLimits: 'default' })
})

test('recovery leaves messages alone whose originals this process is about to delete', async () => {
  const channelId = await bot.newChannel()
  const texts = Array.from({ length: 10 }, (_, at) => `message ${at}`)
  await users.failRequests({ route: DELETE, kind: 'delay', isHeld: true, times: 0 })
  for (const text of texts) await bot.send(channelId, `r:${text}`)
  await pass(
    bot.untilMessages(
      channelId,
      (all) => all.filter(({ author }) => author.isWebhook).length === texts.length,
    ),
  )
  await clock.advance(defaultBotTiming.recoveryMs)
  await pass(bot.settle(guild.channelId))
  await users.clearFaults()
  await pass(bot.expectTexts(channelId, ...texts.map((text) => `Robin: ${text}`)))
  expect(await bot.metric('recovered_total', { result: 'finished' })).toBe(0)
})

test('requests and connections name the page of the application, without a public address', async () => {
  const page = `https://discord.com/developers/applications/${bot.discord.applicationId}`
  const named = expect.stringMatching(new RegExp(`^DiscordBot \\(${page}, [^ ]+\\)$`))
  expect((await users.requests()).at(-1)?.headers['user-agent']).toEqual(named)
  expect((await users.connections()).at(-1)?.userAgent).toEqual(named)
})

test('the bot writes no text of a message and no secret', () => {
  expect(bot.logged()).not.toContain(MARKER)
})
