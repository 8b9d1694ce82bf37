import type { APIMessage, APIWebhook } from 'discord-api-types/v10'
import { DiscordError, isUncertain } from '../../src/discord/rest/errors'
import { defaultRestTiming, type RestClient } from '../../src/discord/rest/restClient'
import { describe, expect, test } from '../tools/test'
import { useDiscord } from './tools/testDiscord'

const start = useDiscord()
/** Exceeds every pause of the client. */
const WAIT_MS = 5000

const MESSAGES = '/channels/{channel_id}/messages'
const MESSAGE = '/channels/{channel_id}/messages/{message_id}'
const EXECUTE = '/webhooks/{webhook_id}/{webhook_token}'

const post = (rest: RestClient, channel_id: string, content = 'hello') =>
  rest.request<APIMessage>('POST', MESSAGES, { params: { channel_id }, body: { content } })

const get = (rest: RestClient, channel_id: string) =>
  rest.request<APIMessage[]>('GET', MESSAGES, { params: { channel_id }, query: { limit: 5 } })

const createWebhook = (rest: RestClient, channel_id: string) =>
  rest.request<APIWebhook>('POST', '/channels/{channel_id}/webhooks', {
    params: { channel_id },
    body: { name: 'Multitude' },
    reason: 'for proxying',
  })

const execute = (rest: RestClient, { id, token = '' }: APIWebhook, content: string) =>
  rest.request<APIMessage>('POST', EXECUTE, {
    params: { webhook_id: id, webhook_token: token },
    query: { wait: true },
    body: { content },
    auth: false,
    isProxying: true,
  })

describe('requests', () => {
  test('carry the bot token, the user agent and the reason', async () => {
    const { discord, guild, createRest } = await start()
    await createWebhook(createRest(), guild.channelId)
    const [request] = await discord.users.requests()
    expect(request?.headers).toMatchObject({
      authorization: `Bot ${discord.token}`,
      'user-agent': expect.stringMatching(/^DiscordBot \(https:\/\/plural\.example, \d/),
      'content-type': 'application/json',
      'x-audit-log-reason': 'for%20proxying',
    })
  })

  test('with the token of a webhook carry no bot token', async () => {
    const { discord, guild, createRest } = await start()
    const rest = createRest()
    const message = await execute(rest, await createWebhook(rest, guild.channelId), 'hello')
    expect(message.content).toBe('hello')
    const [request] = await discord.users.requests({ route: `POST ${EXECUTE}` })
    expect(request?.headers).not.toHaveProperty('authorization')
    expect(request?.path).toEndWith('?wait=true')
  })

  test('upload files with their descriptions', async () => {
    const { discord, guild, createRest } = await start()
    await createRest().request('POST', MESSAGES, {
      params: { channel_id: guild.channelId },
      body: { content: 'files' },
      files: [
        {
          data: new Blob(['one'], { type: 'text/plain' }),
          attachment: { filename: 'SPOILER_one.txt', description: 'first' },
        },
        { data: new Blob(['two'], { type: 'text/plain' }), attachment: { filename: 'two.txt' } },
      ],
    })
    const [message] = await discord.users.messages({ channelId: guild.channelId })
    expect(message?.attachments).toMatchObject([
      { filename: 'SPOILER_one.txt', description: 'first', text: 'one', isSpoiler: true },
      { filename: 'two.txt', text: 'two' },
    ])
  })

  test('without a body in the response return nothing', async () => {
    const { guild, createRest } = await start()
    const rest = createRest()
    const { id } = await post(rest, guild.channelId)
    const params = { channel_id: guild.channelId, message_id: id }
    expect(await rest.request('DELETE', MESSAGE, { params })).toBeUndefined()
  })

  test('with a missing path parameter are refused', async () => {
    const { createRest } = await start()
    expect(() => createRest().request('GET', MESSAGES)).toThrow('channel_id is missing')
  })
})

describe('error responses', () => {
  test('have status, code and text of Discord', async () => {
    const { guild, createRest } = await start()
    const params = { channel_id: guild.channelId, message_id: guild.id }
    const error = await createRest()
      .request('DELETE', MESSAGE, { params })
      .catch((cause) => cause)
    expect(error).toBeInstanceOf(DiscordError)
    expect(error).toMatchObject({
      status: 404,
      code: 10008,
      text: 'Unknown Message',
      request: `DELETE /channels/${guild.channelId}/messages/${guild.id}`,
    })
    expect(isUncertain(error)).toBe(false)
  })

  test('list the fields that Discord refused', async () => {
    const { guild, createRest } = await start()
    const rest = createRest()
    const { id, token = '' } = await createWebhook(rest, guild.channelId)
    const error = await rest
      .request('POST', EXECUTE, {
        params: { webhook_id: id, webhook_token: token },
        body: { content: 'hello', username: 'my discord' },
        auth: false,
      })
      .catch((cause) => cause)
    expect(error).toMatchObject({ status: 400, code: 50035 })
    expect(error.problems).toMatchObject([{ path: 'username' }])
    expect(error.request).toBe(`POST /webhooks/${id}/***`)
  })
})

describe('rate limits', () => {
  test.each([1, 2, 3])('are never exceeded whatever they are (draw %i)', async (draw) => {
    const random = (max: number) => 1 + Math.floor(Math.random() * max)
    const names = [`POST ${MESSAGES}`, `GET ${MESSAGES}`, `DELETE ${MESSAGE}`, `POST ${EXECUTE}`]
    const routeLimits = Object.fromEntries(
      names.map((name) => [name, { limit: random(3), windowMs: 400 + random(1100) }]),
    )
    const { discord, clock, guild, createRest } = await start({ routeLimits })
    const rest = createRest()
    const channelIds = Object.values(guild.channels)
    const webhook = await createWebhook(rest, guild.channelId)
    const contents = Array.from({ length: 7 }, (_, at) => `${draw}.${at}`)
    const remove = async (channel_id: string, content: string) => {
      const { id: message_id } = await post(rest, channel_id, content)
      await rest.request('DELETE', MESSAGE, { params: { channel_id, message_id } })
    }
    const all = Promise.all([
      ...channelIds.flatMap((id) => contents.map((content) => remove(id, content))),
      ...channelIds.flatMap((id) => contents.map(() => get(rest, id))),
      ...contents.map((content) => execute(rest, webhook, content)),
    ])
    await clock.runUntil(all, WAIT_MS)
    const seen = await discord.users.messages({ channelId: guild.channelId })
    expect(seen.map(({ content }) => content)).toEqual(contents)
    expect(rest.waiting).toBe(0)
  })

  test('of a bucket that two routes share are not exceeded', async () => {
    const { clock, guild, createRest } = await start({
      sharedBuckets: [[`GET ${MESSAGES}`, `POST ${MESSAGES}`]],
      routeLimits: { [`GET ${MESSAGES}`]: { limit: 3, windowMs: 1500 } },
    })
    const rest = createRest()
    // Until both routes have answered once, no client can know that they share a bucket.
    await get(rest, guild.channelId)
    await post(rest, guild.channelId)
    const requests = Array.from({ length: 8 }, () => [
      get(rest, guild.channelId),
      post(rest, guild.channelId),
    ])
    await clock.runUntil(Promise.all(requests.flat()), WAIT_MS)
  })

  test('that Discord does not announce are obeyed', async () => {
    const { discord, clock, guild, createRest, allow } = await start({
      hiddenLimitShare: 0.3,
      hiddenLimitSeed: 7,
      routeLimits: { [`POST ${MESSAGES}`]: { limit: 20, windowMs: 1000 } },
    })
    const rest = createRest()
    allow({ statuses: { 429: 100 } })
    const contents = Array.from({ length: 12 }, (_, at) => String(at))
    const sent = Promise.all(contents.map((content) => post(rest, guild.channelId, content)))
    await clock.runUntil(sent, WAIT_MS)
    const seen = await discord.users.messages({ channelId: guild.channelId })
    expect(seen.map(({ content }) => content)).toEqual(contents)
    expect((await discord.users.counts()).rateLimited).toBeGreaterThan(0)
  })

  test('of all routes are counted separately with and without the bot token', async () => {
    const { discord, clock, guild, createRest } = await start({ globalPerSecond: 12 })
    const rest = createRest({ timing: { global: { perWindow: 10, windowMs: 1100 } } })
    const webhook = await createWebhook(rest, guild.channelId)
    const ids = await Promise.all(
      Array.from({ length: 14 }, () => discord.users.createChannel({ guildId: guild.id })),
    )
    const reads = ids.map(({ id }) => get(rest, id))
    await execute(rest, webhook, 'hello')
    const sent = await discord.users.requests({ route: `GET ${MESSAGES}` })
    expect(sent.length).toBeLessThan(ids.length)
    await clock.runUntil(Promise.all(reads), WAIT_MS)
  })

  test('of all routes stop every request until Discord allows them again', async () => {
    const { discord, clock, guild, createRest, allow } = await start()
    const rest = createRest()
    allow({ statuses: { 429: 1 } })
    const webhook = await createWebhook(rest, guild.channelId)
    await discord.users.failRequests({
      route: `GET ${MESSAGES}`,
      kind: 'rateLimit',
      scope: 'global',
      retryAfterMs: 300,
    })
    const limited = get(rest, guild.channelId)
    // The client has read the response when the request waits again.
    await clock.untilTimer(300 + defaultRestTiming.marginMs)
    const others = [execute(rest, webhook, 'x'), post(rest, guild.channelId)]
    await clock.runUntil(Promise.all([...others, limited]), WAIT_MS)
    const all = await discord.users.requests()
    const refused = all.find(({ status }) => status === 429)
    const later = all.filter(({ number }) => number > (refused?.number ?? 0))
    expect(later).toHaveLength(3)
    for (const { at } of later) expect(at - (refused?.at ?? 0)).toBeGreaterThanOrEqual(300)
  })
})

test('files are sent again when a rate limit refused them', async () => {
  const { discord, clock, guild, createRest, allow } = await start()
  allow({ statuses: { 429: 1 } })
  await discord.users.failRequests({
    route: `POST ${MESSAGES}`,
    kind: 'rateLimit',
    retryAfterMs: 20,
  })
  const sent = createRest().request('POST', MESSAGES, {
    params: { channel_id: guild.channelId },
    body: {},
    files: [{ data: new Blob(['tea']), attachment: { filename: 'tea.txt' } }],
  })
  await clock.runUntil(sent, WAIT_MS)
  const [message] = await discord.users.messages({ channelId: guild.channelId })
  expect(message?.attachments).toMatchObject([{ filename: 'tea.txt', size: 3 }])
})

describe('failed requests', () => {
  const faults = [{ kind: 'status', status: 502 }, { kind: 'reset' }, { kind: 'timeout' }] as const

  test.each(faults.map((fault) => [fault.kind, fault] as const))(
    'are repeated after a %s, unless they are POST',
    async (_, fault) => {
      const { discord, clock, guild, createRest } = await start()
      const rest = createRest({ timing: { timeoutMs: WAIT_MS } })
      /** Waits until this many requests of a route arrived, and lets the time limit pass. */
      const giveUp = async (route: string, count: number) => {
        if (fault.kind !== 'timeout') return
        await discord.users.until(
          () => discord.users.requests({ route }),
          (requests) => requests.length === count,
        )
        await clock.advance(WAIT_MS)
      }
      await discord.users.failRequests({ route: `GET ${MESSAGES}`, times: 2, ...fault })
      const answer = get(rest, guild.channelId)
      for (const count of [1, 2]) await giveUp(`GET ${MESSAGES}`, count)
      expect(await answer).toEqual([])
      expect(await discord.users.requests({ route: `GET ${MESSAGES}` })).toHaveLength(3)

      await discord.users.failRequests({ route: `POST ${MESSAGES}`, when: 'after', ...fault })
      const failed = post(rest, guild.channelId).catch((cause) => cause)
      await giveUp(`POST ${MESSAGES}`, 1)
      expect(isUncertain(await failed)).toBe(true)
      expect(await discord.users.requests({ route: `POST ${MESSAGES}` })).toHaveLength(1)
      expect(await discord.users.messages({ channelId: guild.channelId })).toHaveLength(1)
    },
  )

  test('are repeated five times', async () => {
    const { discord, guild, createRest } = await start()
    await discord.users.failRequests({
      route: `GET ${MESSAGES}`,
      kind: 'status',
      status: 500,
      times: 0,
    })
    const error = await get(createRest(), guild.channelId).catch((cause) => cause)
    expect(error).toMatchObject({ status: 500 })
    expect(await discord.users.requests()).toHaveLength(6)
  })
})

describe('a refused bot token', () => {
  test('stops all requests, waiting ones included', async () => {
    const { discord, guild, createRest, allow } = await start()
    let refusals = 0
    const rest = createRest({ onUnauthorized: () => refusals++ })
    const webhook = await createWebhook(rest, guild.channelId)
    allow({ statuses: { 401: 1 } })
    await discord.users.changeToken()
    const results = await Promise.allSettled([
      get(rest, guild.channelId),
      get(rest, guild.channelId),
      get(rest, guild.channelId),
    ])
    const later = await execute(rest, webhook, 'hello').catch((cause) => cause)
    const errors = results.map((result) => (result.status === 'rejected' ? result.reason.name : ''))
    expect(errors).toEqual(['DiscordError', 'NotSentError', 'NotSentError'])
    expect(later.name).toBe('NotSentError')
    expect(refusals).toBe(1)
    expect(await discord.users.requests()).toHaveLength(2)
  })

  test('is not confused with a refused token of a webhook', async () => {
    const { discord, guild, createRest, allow } = await start()
    const rest = createRest()
    allow({ statuses: { 401: 1 } })
    const { id } = await createWebhook(rest, guild.channelId)
    const error = await execute(rest, { id, token: 'wrong' } as APIWebhook, 'x').catch((e) => e)
    expect(error).toMatchObject({ status: 401, code: 50027 })
    await post(rest, guild.channelId)
    expect(await discord.users.messages({ channelId: guild.channelId })).toHaveLength(1)
  })
})

test('too many refusals pause all requests but proxying', async () => {
  const { discord, clock, guild, createRest, allow } = await start()
  allow({ statuses: { 403: 3 } })
  const rest = createRest({ timing: { invalid: { max: 3, windowMs: 500 } } })
  const webhook = await createWebhook(rest, guild.channelId)
  const hidden = await discord.users.createChannel({
    guildId: guild.id,
    overwrites: [{ roleId: guild.id, deny: ['VIEW_CHANNEL'] }],
  })
  await discord.users.updateRole({
    guildId: guild.id,
    roleId: guild.botRoleId ?? '',
    permissions: [],
  })
  await Promise.allSettled([get(rest, hidden.id), get(rest, hidden.id), get(rest, hidden.id)])
  await discord.users.updateRole({
    guildId: guild.id,
    roleId: guild.botRoleId ?? '',
    permissions: 'all',
  })
  const paused = get(rest, guild.channelId)
  await execute(rest, webhook, 'hello')
  const isSent = async () => (await discord.users.requests()).at(-1)?.route === `GET ${MESSAGES}`
  expect(await isSent()).toBe(false)
  await clock.runUntil(paused, WAIT_MS)
  expect(await isSent()).toBe(true)
})

test('a stopped client sends nothing', async () => {
  const { discord, guild, createRest } = await start({
    routeLimits: { [`GET ${MESSAGES}`]: { limit: 1, windowMs: 60_000 } },
  })
  const rest = createRest()
  await get(rest, guild.channelId)
  const waiting = get(rest, guild.channelId)
  rest.stop()
  expect((await waiting.catch((cause) => cause)).name).toBe('NotSentError')
  expect(await discord.users.requests()).toHaveLength(1)
})
