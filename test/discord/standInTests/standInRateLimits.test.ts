import { afterEach, describe, expect, test } from '../../tools/test'
import type { StandInOptions } from '../standIn/options'
import { type DiscordStandIn, startDiscord } from '../standIn/startDiscord'
import { rest } from '../tools/rawClient'
import { stopAll } from '../tools/restWorld'

const running: DiscordStandIn[] = []
afterEach(() => stopAll(running))

const route = {
  execute: 'POST /webhooks/{webhook_id}/{webhook_token}',
  send: 'POST /channels/{channel_id}/messages',
  delete: 'DELETE /channels/{channel_id}/messages/{message_id}',
  list: 'GET /channels/{channel_id}/webhooks',
} as const

async function start(options: Partial<StandInOptions> = {}) {
  const discord = await startDiscord(options)
  running.push(discord)
  await discord.users.stopClock()
  const guild = await discord.users.createGuild({ channels: ['a', 'b'] })
  const { a: first = '', b: second = '' } = guild.channels
  const webhooks = await Promise.all(
    [first, second].map((channelId) =>
      discord.users.createWebhook({ channelId, creatorId: guild.ownerId }),
    ),
  )
  const [one = '', other = ''] = webhooks.map(({ id, token }) => `/webhooks/${id}/${token}`)
  const execute = (path = one) => rest(discord, `POST ${path}`, { body: { content: 'a' } })
  const send = (channelId = first) =>
    rest(discord, `POST /channels/${channelId}/messages`, { body: { content: 'a' } })
  const list = (channelId = first) => rest(discord, `GET /channels/${channelId}/webhooks`)
  const remove = (channelId = first) => rest(discord, `DELETE /channels/${channelId}/messages/1`)
  return { discord, users: discord.users, first, second, other, execute, send, list, remove }
}

describe('route limits', () => {
  test('every answer of a limited route has the headers', async () => {
    const { list } = await start()
    const { headers } = await list()
    const values = ['Limit', 'Remaining', 'Reset', 'Reset-After', 'Bucket'].map((name) =>
      headers.get(`X-RateLimit-${name}`),
    )
    expect(values.slice(0, 2)).toEqual(['5', '4'])
    expect(values.every((value) => value !== null)).toBe(true)
  })

  test.each(['execute', 'send', 'list', 'remove'] as const)(
    '%s is limited to 5 requests by default',
    async (kind) => {
      const world = await start()
      const answers = []
      for (let count = 0; count < 6; count++) answers.push(await world[kind]())
      expect(answers.map(({ status }) => status === 429)).toEqual([
        false,
        false,
        false,
        false,
        false,
        true,
      ])
      expect(answers.map(({ headers }) => headers.get('X-RateLimit-Remaining'))).toEqual([
        '4',
        '3',
        '2',
        '1',
        '0',
        '0',
      ])
    },
  )

  test('429 says how long to wait, and the bucket is free after that time', async () => {
    const { users, execute } = await start({
      routeLimits: { [route.execute]: { limit: 1, windowMs: 2000 } },
    })
    await execute()
    const { status, body, headers } = await execute()
    expect(status).toBe(429)
    expect<unknown>(body.global).toBe(false)
    expect(Number(body.retry_after)).toBeWithin(0.001, 2.001)
    expect(headers.get('Retry-After')).toBeOneOf(['1', '2'])
    expect(headers.get('X-RateLimit-Scope')).toBe('user')
    await users.advanceClock({ ms: 2000 })
    expect((await execute()).status).toBe(204)
    expect(await users.problems({ statuses: { 429: 1 } })).toEqual([])
    expect(await users.problems()).toEqual(['1 answers with status 429, 0 allowed'])
  })

  test('buckets are separate for each channel and webhook', async () => {
    const routeLimits = Object.fromEntries(
      Object.values(route).map((name) => [name, { limit: 1, windowMs: 60_000 }]),
    )
    const { second, other, execute, send, list } = await start({ routeLimits })
    expect([await execute(), await execute(other)].map(({ status }) => status)).toEqual([204, 204])
    expect([await send(), await send(second)].map(({ status }) => status)).toEqual([200, 200])
    expect([await list(), await list(second)].map(({ status }) => status)).toEqual([200, 200])
    expect([await execute(), await send(), await list()].map(({ status }) => status)).toEqual([
      429, 429, 429,
    ])
  })

  test('routes can share a bucket', async () => {
    const { send, list } = await start({
      sharedBuckets: [[route.send, route.list]],
      routeLimits: { [route.send]: { limit: 2, windowMs: 60_000 } },
    })
    const [one, two, three] = [await send(), await list(), await send()]
    expect(one.headers.get('X-RateLimit-Bucket')).toBe(two.headers.get('X-RateLimit-Bucket'))
    expect([one.status, two.status, three.status]).toEqual([200, 200, 429])
  })

  test('a seed draws the numbers, and the same seed draws the same', async () => {
    const drawn = async (seed: number) => {
      const { execute, send, list } = await start({ rateLimits: { seed } })
      const answers = [await execute(), await send(), await list()]
      return answers.map(({ headers }) => headers.get('X-RateLimit-Limit')).join()
    }
    expect(await drawn(7)).toBe(await drawn(7))
    const different = new Set([await drawn(1), await drawn(2), await drawn(3)])
    expect(different.size).toBeGreaterThan(1)
  })
})

describe('global limit', () => {
  test('50 requests per second and token; requests without a token are counted separately', async () => {
    const { discord, first } = await start({
      routeLimits: {
        [route.list]: { limit: 1000, windowMs: 60_000 },
        [route.execute]: { limit: 1000, windowMs: 60_000 },
      },
      globalPerSecond: 3,
    })
    const statuses = async (line: string, options = {}) => {
      const all = await Promise.all(Array.from({ length: 5 }, () => rest(discord, line, options)))
      return all.map(({ status }) => status).toSorted()
    }
    expect(await statuses(`GET /channels/${first}/webhooks`)).toEqual([200, 200, 200, 429, 429])
    expect(await statuses('GET /webhooks/1/token')).toEqual([404, 404, 404, 429, 429])
    const limited = (await discord.users.requests()).filter(({ status }) => status === 429)
    expect(limited.map(({ answer }) => answer)).toMatchObject(Array(4).fill({ global: true }))
  })
})

describe('hidden limits and discipline', () => {
  test('a request can get a 429 of scope shared although requests remain', async () => {
    const { list } = await start({ hiddenLimitShare: 1 })
    const { status, headers } = await list()
    expect([status, headers.get('X-RateLimit-Scope')]).toEqual([429, 'shared'])
    expect(Number(headers.get('X-RateLimit-Remaining'))).toBeGreaterThan(0)
  })

  test.each(['shared', 'user', 'global'] as const)(
    'a fault causes a 429 of scope %s',
    async (scope) => {
      const { users, list } = await start()
      await users.failRequests({ route: route.list, kind: 'rateLimit', scope, retryAfterMs: 700 })
      const { headers, body } = await list()
      expect(headers.get('X-RateLimit-Scope')).toBe(scope)
      expect(headers.get('X-RateLimit-Global')).toBe(scope === 'global' ? 'true' : null)
      expect(Number(body.retry_after)).toBe(0.7)
      expect((await list()).status).toBe(200)
    },
  )

  test('a request during a pending Retry-After is a problem', async () => {
    const { users, list } = await start({
      routeLimits: { [route.list]: { limit: 1, windowMs: 60_000 } },
    })
    await list()
    await list()
    expect(await users.problems({ statuses: { 429: 1 } })).toEqual([])
    await users.advanceClock({ ms: 1000 })
    await list()
    expect(await users.problems({ statuses: { 429: 2 } })).toEqual([
      `${route.list} was requested during a pending Retry-After`,
    ])
  })

  test('401, 403 and 429 are counted', async () => {
    const { discord, users } = await start()
    await rest(discord, 'GET /users/@me', { authorization: 'Bot wrong' })
    await rest(discord, 'GET /users/@me', { headers: { 'User-Agent': 'curl' } })
    expect(await users.counts()).toMatchObject({ unauthorized: 1, forbidden: 1, rateLimited: 0 })
  })
})

describe('faults of requests', () => {
  type Row = [kind: 'status' | 'reset' | 'timeout', when: 'before' | 'after', isSent: boolean]
  const rows: Row[] = [
    ['status', 'before', false],
    ['status', 'after', true],
    ['reset', 'before', false],
    ['reset', 'after', true],
    ['timeout', 'before', false],
    ['timeout', 'after', true],
  ]
  test.each(rows)('%s %s the effect', async (kind, when, isSent) => {
    const { discord, users, first } = await start()
    await users.failRequests({ route: route.send, kind, when, status: 502 })
    const controller = new AbortController()
    const outcome = fetch(`${discord.api}/v10/channels/${first}/messages`, {
      method: 'POST',
      headers: {
        Authorization: `Bot ${discord.token}`,
        'User-Agent': 'DiscordBot (a, 1)',
        'Content-Type': 'application/json',
      },
      body: '{"content":"a"}',
      signal: controller.signal,
    }).then(
      ({ status }) => status,
      () => 'failed',
    )
    await users.until(
      () => users.requests({ route: route.send }),
      ({ length }) => length === 1,
    )
    await users.until(
      () => users.messages({ channelId: first }),
      ({ length }) => length === (isSent ? 1 : 0),
    )
    if (kind === 'timeout') controller.abort()
    expect(await outcome).toBe(kind === 'status' ? 502 : 'failed')
    expect(await users.messages({ channelId: first })).toHaveLength(isSent ? 1 : 0)
  })

  test('a fault holds for the given number of requests', async () => {
    const { users, list } = await start()
    await users.failRequests({ route: route.list, kind: 'status', status: 500, times: 2 })
    const statuses = [await list(), await list(), await list()].map(({ status }) => status)
    expect(statuses).toEqual([500, 500, 200])
  })
})
