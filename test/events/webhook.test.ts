import { createHmac } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { webhooks } from '../../src/db/tables'
import { drizzleOn } from '../tools/drizzle'
import { createBot } from '../tools/operatorActions'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestResponse, type TestSystem } from '../tools/testApp'
import { createTestClock } from '../tools/testClock'
import { until } from '../tools/until'
import { hook, receivers, TOKEN } from './receiver'

/** Results of DNS lookups, so that no test uses the network. */
const names: Record<string, string[]> = {
  'hooks.example.org': ['93.184.215.14'],
  'inside.example.org': ['192.168.1.7'],
  'half.example.org': ['93.184.215.14', '10.0.0.1'],
}

const TIMEOUT_MS = 10_000
const clock = createTestClock()
const at = createTestApp({
  DISPATCH_ALLOW: '127.0.0.1',
  clock,
  events: { resolve: async (host) => names[host] ?? [] },
})
const { ask, makeSystem } = at
const receive = receivers()

/** Never answers. */
const hang = () => new Promise<number>(() => {})

const WEBHOOK = '/v2/systems/@me/webhook'
const none = {
  url: null,
  state: 'none',
  reason: null,
  failing_since: null,
  dropped: 0,
  deliveries: [],
}
const pending = (url: string) => ({ ...none, url, state: 'pending' })

describe('webhook registration', () => {
  test('shows no webhook for a new system', async () => {
    const as = await makeSystem()
    expect((await ask(`GET ${WEBHOOK}`, { as })).json).toEqual(none)
  })

  test('registers a webhook as pending, and shows its token only once', async () => {
    const as = await makeSystem()
    const { url, received } = receive()
    const put = await ask(`PUT ${WEBHOOK}`, { as, body: { url, token: TOKEN } })
    expect(put).toMatchObject({ status: 200, json: { url, state: 'pending', token: TOKEN } })
    expect((await ask(`GET ${WEBHOOK}`, { as })).json).toEqual(pending(url))
    expect(await shownUrl(as)).toBeNull()
    await rename(as, 'Lantern Vale')
    expect(received).toEqual([])
  })

  test.each([{}, { token: null }])('generates a token of 48 random bytes for %j', async (more) => {
    const as = await makeSystem()
    const body = { url: 'https://hooks.example.org/pk', ...more }
    const tokens = [1, 2].map(async () => (await ask(`PUT ${WEBHOOK}`, { as, body })).json.token)
    const [one, other] = await Promise.all(tokens)
    expect(Buffer.from(String(one), 'base64')).toHaveLength(48)
    expect(String(one)).toHaveLength(64)
    expect(one).not.toBe(other)
  })

  const notHttps = 'Bad address: must start with https://.'
  const notPublic = 'Address not public: the host name resolves to a private or reserved network.'
  const rejected: [url: unknown, reason: string][] = [
    [undefined, 'Required.'],
    [null, 'Required.'],
    ['', 'Required.'],
    [7, 'Must be a string'],
    ['hooks.example.org', 'Must be an absolute http or https address.'],
    [`https://hooks.example.org/${'x'.repeat(256)}`, 'Too long: at most 256 characters.'],
    ['http://hooks.example.org/', notHttps],
    ['https://me:pw@hooks.example.org/', 'Bad address: must not contain a user name or password.'],
    ['https://hooks.example.org:8443/', 'Bad address: must use port 443.'],
    ['https://93.184.215.14/', 'Bad address: must have a host name instead of an IP address.'],
    ['https://0x7f.2/', 'Bad address: must have a host name instead of an IP address.'],
    ['https://[::ffff:127.0.0.2]/', 'Bad address: must have a host name instead of an IP address.'],
    [
      'https://discord.com/api/webhooks/1/x',
      'Bad address: Discord webhooks cannot receive events.',
    ],
    ['https://nowhere.example.org/', 'Cannot resolve: the host name has no address.'],
    ['https://inside.example.org/', notPublic],
    ['https://half.example.org/', notPublic],
  ]
  test.each(rejected)('rejects the webhook address %j', async (url, reason) => {
    const as = await makeSystem()
    const before = 'https://hooks.example.org/before'
    await ask(`PUT ${WEBHOOK}`, { as, body: { url: before } })
    const answer = await ask(`PUT ${WEBHOOK}`, { as, body: { url, token: TOKEN } })
    expect(answer.json).toMatchObject({ code: 40001 })
    expect(problems(answer)).toEqual({ url: [expect.stringContaining(reason)] })
    expect((await ask(`GET ${WEBHOOK}`, { as })).json).toEqual(pending(before))
  })

  test.each(['fifteen letters', 'x'.repeat(15), 'x'.repeat(129), `${'x'.repeat(20)}é`, 7, ''])(
    'rejects the signing token %j',
    async (token) => {
      const as = await makeSystem()
      const answer = await ask(`PUT ${WEBHOOK}`, { as, body: { url: 'http://x', token } })
      expect(problems(answer)).toEqual({ token: [expect.stringContaining('16 to 128 characters')] })
      const both = await ask(`PUT ${WEBHOOK}`, { as, body: { token } })
      expect(Object.keys(problems(both))).toEqual(['url', 'token'])
    },
  )
})

describe('webhook verification', () => {
  test('sends one PING with the right token and one with a wrong one', async () => {
    const as = await makeSystem()
    const { url, received } = receive()
    await hook(at, as, url)
    expect((await ask(`GET ${WEBHOOK}`, { as })).json).toEqual({ ...pending(url), state: 'active' })
    expect(await shownUrl(as)).toBe(url)
    const tokens = received.map(({ body, text, headers }) => {
      expect(Object.keys(body)).toEqual(['type', 'signing_token', 'system_id', 'data'])
      expect(body).toMatchObject({ type: 'PING', system_id: as.uuid, data: null })
      // A receiver that checks only the signature must reject the wrong one too.
      expect(headers.get('x-event-signature')).toBe(signatureOf(headers, text, body.signing_token))
      return body.signing_token
    })
    expect(tokens).toEqual([TOKEN, expect.stringMatching(/^[\w+/]{64}$/)])
  })

  const failing: [how: string, handlers: Parameters<typeof receive>[0], reason: RegExp][] = [
    ['answers the right token with 204', { ping: () => 204 }, /with 200, not 204/],
    ['answers the right token with 401', { ping: () => 401 }, /with 200, not 401/],
    ['answers 500', { ping: () => 500 }, /with 200, not 500/],
    ['redirects', { ping: () => Response.redirect('/pk') }, /with 200, not 302/],
    ['hangs', { ping: hang }, /not answered: timeout/],
    ['accepts a wrong token', { wrong: () => 200 }, /must be answered with 401/],
    ['answers a wrong token with 403', { wrong: () => 403 }, /must be answered with 401/],
  ]
  test.each(failing)(
    'webhook verification fails when the receiver %s',
    async (_, handlers, reason) => {
      const as = await makeSystem()
      const { url, received } = receive(handlers)
      await ask(`PUT ${WEBHOOK}`, { as, body: { url, token: TOKEN } })
      const answering = ask(`POST ${WEBHOOK}/verify`, { as })
      await until(() => received.length > 0)
      if (handlers?.ping === hang) await clock.advance(TIMEOUT_MS)
      const answer = await answering
      expect(answer).toMatchObject({ status: 400, json: { code: 40001 } })
      expect(problems(answer)).toEqual({ url: [expect.stringMatching(reason)] })
      expect((await ask(`GET ${WEBHOOK}`, { as })).json).toEqual(pending(url))
      expect(await shownUrl(as)).toBeNull()
    },
  )

  test('webhook verification fails if the receiver is down or its host now resolves elsewhere', async () => {
    const as = await makeSystem()
    const stopped = receive()
    await stopped.stop()
    await ask(`PUT ${WEBHOOK}`, { as, body: { url: stopped.url } })
    expect(problems(await ask(`POST ${WEBHOOK}/verify`, { as }))).toEqual({
      url: ['The test PING was not answered: ECONNREFUSED'],
    })
    names['moved.example.org'] = ['93.184.215.14']
    await ask(`PUT ${WEBHOOK}`, { as, body: { url: 'https://moved.example.org/' } })
    names['moved.example.org'] = ['10.0.0.1']
    expect(problems(await ask(`POST ${WEBHOOK}/verify`, { as }))).toEqual({
      url: [expect.stringContaining('not answered: Address not public')],
    })
  })

  const replacing: [what: string, ...steps: [line: string, body?: object][]][] = [
    ['replaced', [`PUT ${WEBHOOK}`, { url: 'https://hooks.example.org/', token: TOKEN }]],
    ['deleted', [`DELETE ${WEBHOOK}`]],
  ]
  test.each(replacing)(
    'does not verify a webhook that was %s meanwhile',
    async (_, [line, body]) => {
      const as = await makeSystem()
      const pinged = Promise.withResolvers<void>()
      const resumed = Promise.withResolvers<void>()
      const wrong = () => {
        pinged.resolve()
        return resumed.promise.then(() => 401)
      }
      await ask(`PUT ${WEBHOOK}`, { as, body: { url: receive({ wrong }).url, token: TOKEN } })
      const verifying = ask(`POST ${WEBHOOK}/verify`, { as })
      await pinged.promise
      const { status } = await ask(line, { as, ...(body && { body }) })
      resumed.resolve()
      expect(status).toBeLessThan(300)
      expect((await verifying).status).toBe(409)
      const { json } = await ask(`GET ${WEBHOOK}`, { as })
      expect(json).toEqual(body ? pending('https://hooks.example.org/') : none)
      expect(await shownUrl(as)).toBeNull()
    },
  )

  test('verifying a webhook again loses no pending events', async () => {
    const as = await makeSystem()
    const receiver = receive({ event: () => 500 })
    await hook(at, as, receiver.url)
    await rename(as, 'one')
    await rename(as, 'two')
    await until(() => receiver.events.length === 1)
    receiver.event = () => 200
    expect((await ask(`POST ${WEBHOOK}/verify`, { as })).json).toMatchObject({ state: 'active' })
    await until(() => receiver.events.length === 3)
    expect(namesOf(receiver.events)).toEqual(['one', 'one', 'two'])
  })
})

describe('other webhook routes', () => {
  test('rejects verify, enable and test without a suitable webhook', async () => {
    const as = await makeSystem()
    const statuses = async () => {
      const lines = ['verify', 'enable', 'test'].map((word) => `POST ${WEBHOOK}/${word}`)
      const requests = lines.map((line) => ask(line, { as }))
      return (await Promise.all(requests)).map(({ status }) => status)
    }
    expect(await statuses()).toEqual([404, 404, 404])
    expect((await ask(`DELETE ${WEBHOOK}`, { as })).status).toBe(204)
    await ask(`PUT ${WEBHOOK}`, { as, body: { url: receive({ ping: () => 500 }).url } })
    expect(await statuses()).toEqual([400, 409, 200])
  })

  test('tests the receiver and returns its answer', async () => {
    const as = await makeSystem()
    const receiver = receive()
    await hook(at, as, receiver.url)
    const answers: unknown[] = []
    for (const ping of [() => 200, () => 418, hang]) {
      receiver.ping = ping
      const before = receiver.received.length
      const answering = ask(`POST ${WEBHOOK}/test`, { as })
      await until(() => receiver.received.length > before)
      if (ping === hang) await clock.advance(TIMEOUT_MS)
      answers.push((await answering).json)
    }
    expect(answers).toEqual([{ status: 200 }, { status: 418 }, { status: null, error: 'timeout' }])
    const { json } = await ask(`GET ${WEBHOOK}`, { as })
    const ping = { event_id: null, type: 'PING', attempt: 1, at: expect.any(String) }
    expect(json).toMatchObject({ state: 'active', reason: null, failing_since: null })
    expect(json.deliveries).toEqual([
      { ...ping, status: null, error: 'timeout' },
      { ...ping, status: 418, error: null },
      { ...ping, status: 200, error: null },
    ])
  })

  test('deletes the webhook, its deliveries and its token', async () => {
    const as = await makeSystem()
    const { url, events } = receive()
    await hook(at, as, url)
    await ask(`POST ${WEBHOOK}/test`, { as })
    expect((await ask(`DELETE ${WEBHOOK}`, { as })).status).toBe(204)
    expect((await ask(`GET ${WEBHOOK}`, { as })).json).toEqual(none)
    expect(await shownUrl(as)).toBeNull()
    expect(
      await drizzleOn(at.deps.db).select().from(webhooks).where(eq(webhooks.system_id, as.id)),
    ).toEqual([])
    await rename(as, 'Lantern Vale')
    // The event of another system is sent after it.
    const [other, later] = [await makeSystem(), receive()]
    await hook(at, other, later.url)
    await rename(other, 'Harbour')
    await until(() => later.events.length === 1)
    expect(events).toEqual([])
  })
})

describe('webhook access', () => {
  test('shows a webhook only to its owner and to a bot that acts for the owner', async () => {
    const [as, other] = [await makeSystem(), await makeSystem()]
    const { url } = receive()
    await hook(at, as, url)
    const bot = { authorization: `Bot ${await createBot(at.deps, 'discord')}`, 'x-system': as.hid }
    expect((await ask(`GET ${WEBHOOK}`, { headers: bot })).json).toMatchObject({ url })
    expect((await ask(`GET ${WEBHOOK}`, { as: other })).json).toEqual(none)
    expect((await ask(`GET ${WEBHOOK}`)).status).toBe(401)
    expect((await ask('GET /v2/systems/@me', { as })).json.webhook_url).toBe(url)
    for (const viewer of [other, null]) {
      const { json } = await ask(`GET /v2/systems/${as.hid}`, { as: viewer })
      expect('webhook_url' in json).toBe(false)
    }
  })

  test('ignores webhook_url in a patch of the system', async () => {
    const as = await makeSystem()
    const body = { name: 'x', webhook_url: 'https://hooks.example.org/' }
    await ask('PATCH /v2/systems/@me', { as, body })
    expect(await shownUrl(as)).toBeNull()
    expect((await ask(`GET ${WEBHOOK}`, { as })).json).toEqual(none)
  })
})

function problems({ json }: TestResponse): Record<string, string[]> {
  const errors = Object.entries(json.errors as Record<string, { message: string }[]>)
  return Object.fromEntries(errors.map(([key, all]) => [key, all.map(({ message }) => message)]))
}

async function shownUrl(as: TestSystem): Promise<unknown> {
  return (await ask('GET /v2/systems/@me', { as })).json.webhook_url
}

async function rename(as: TestSystem, name: string): Promise<void> {
  await ask('PATCH /v2/systems/@me', { as, body: { name } })
}

function namesOf(events: { body: { data?: Record<string, unknown> } }[]): unknown[] {
  return events.map(({ body }) => body.data?.name)
}

function signatureOf(headers: Headers, text: string, token: string): string {
  const signed = `${headers.get('x-event-id')}.${headers.get('x-event-timestamp')}.${text}`
  return `sha256=${createHmac('sha256', token).update(signed).digest('hex')}`
}
