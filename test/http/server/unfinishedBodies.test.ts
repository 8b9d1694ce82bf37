import { createBot } from '../../tools/operatorActions'
import { GIF_TEXT } from '../../tools/pictures'
import { afterEach, describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { createTestClock } from '../../tools/testClock'
import { until } from '../../tools/until'
import { openConnection, requestHead } from './rawConnection'

const clock = createTestClock()
const { app, ask, deps, makeSystem } = createTestApp({
  PORT: '0',
  RATE_LIMIT: 'off',
  TRUST_PROXY: '1',
  REQUESTS_IN_FLIGHT: '10',
  PUBLIC_URL: 'https://plural.example',
  clock,
})
const address = app.listen()
const [me, other, third] = [await makeSystem(), await makeSystem(), await makeSystem()]
const bot = { token: `Bot ${await createBot(deps, 'bodies')}` }

const [HERE, THERE, ELSEWHERE] = ['203.0.113.7', '203.0.113.8', '203.0.113.9']
const LOGIN = 'POST /web/session'
const NOTE = 'POST /ext/v1/systems/@me/notes'
const PATCH = 'PATCH /v2/systems/@me'
const PICTURE = 'PUT /ext/v1/systems/@me/picture'
const IMPORT = 'POST /v2/systems/@me/import'

/** Caller of a request whose body is sent in two parts. */
interface Sender {
  line?: string
  /** Forwarded address; null for a program on this machine. */
  from?: string | null
  as?: Pick<TestSystem, 'token'>
  headers?: string[]
  first?: string
  rest?: string
}

const opened: { end(): void }[] = []

/** Sends the head of a request and the first part of its body. */
async function send({
  line = NOTE,
  from = HERE,
  as,
  headers = [],
  first = '{',
  rest = '"text":"x"}',
}: Sender) {
  const forwarded = from === null ? [] : [`X-Forwarded-For: ${from}`]
  const length = `Content-Length: ${first.length + rest.length}`
  const head = requestHead(line, as?.token ?? '', [...forwarded, length, ...headers].join('\r\n'))
  const connection = await openConnection(address, `${head}${first}`)
  opened.push(connection)
  const answer = async () => {
    await until(() => /\r\n\r\n.*\}$/s.test(connection.response()))
    const [head = '', body = ''] = connection.response().split('\r\n\r\n')
    return { status: Number(head.split(' ')[1]), head, json: JSON.parse(body) }
  }
  return { ...connection, finish: () => connection.write(rest), answer }
}

/** Sends requests whose bodies stay unfinished, and waits until the server has counted each. */
async function begin(...senders: Sender[]) {
  const sent: Awaited<ReturnType<typeof send>>[] = []
  for (const sender of senders) {
    const before = app.handle.unfinishedBodies()
    sent.push(await send(sender))
    await until(() => app.handle.unfinishedBodies() > before)
  }
  return sent
}

const eight = (sender: Sender): Sender[] => Array<Sender>(8).fill(sender)

afterEach(async () => {
  for (const { end } of opened.splice(0)) end()
  await until(() => app.handle.unfinishedBodies() === 0)
  await until(() => app.handle.inFlight() === 0)
})

describe('slots of requests in flight', () => {
  test('are left to other callers by requests whose bodies are unfinished', async () => {
    await begin(
      ...eight({ line: LOGIN, from: HERE }),
      ...eight({ line: NOTE, from: THERE, as: me }),
      ...eight({ line: PICTURE, from: ELSEWHERE, as: other }),
      { line: IMPORT, as: third, from: '203.0.113.10' },
    )
    expect(app.handle.inFlight()).toBe(0)
    const peer = '203.0.113.11'
    expect((await ask(`GET /v2/systems/${me.hid}`, { peer })).status).toBe(200)
    expect((await ask(PATCH, { as: third, body: { tag: '|' }, peer })).status).toBe(200)
  })

  test('are taken when the body has arrived, and refused while all are taken', async () => {
    const [late] = await begin({ as: other })
    const busy = Promise.withResolvers<void>()
    const writing = deps.transact({ system: me.id }, () => busy.promise)
    const waiting = Array.from({ length: 10 }, () => ask(PATCH, { as: me, body: { tag: '|' } }))
    await until(() => app.handle.inFlight() === 10)
    late?.finish()
    await clock.untilTimer(500)
    await clock.advance(500)
    expect(await late?.answer()).toMatchObject({
      status: 503,
      json: { message: '503: Service Unavailable (too many requests at once)', retry_after: 1000 },
    })
    busy.resolve()
    await writing
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
  })
})

describe('a body in two parts', () => {
  const chunked = ['Transfer-Encoding: chunked']
  const parts: [title: string, sender: Sender, status: number][] = [
    ['a note', { line: NOTE, as: me }, 201],
    ['a login', { line: LOGIN, rest: '"token":"wrong"}' }, 401],
    [
      'a picture',
      { line: PICTURE, as: me, first: GIF_TEXT.slice(0, 6), rest: GIF_TEXT.slice(6) },
      200,
    ],
    ['an import', { line: IMPORT, as: me, rest: '"version":2}' }, 400],
  ]

  test.each(parts)('is accepted: %s', async (_, sender, status) => {
    const [sent] = await begin(sender)
    expect(sent?.response()).toBe('')
    sent?.finish()
    expect((await sent?.answer())?.status).toBe(status)
  })

  test('is accepted in chunks without a length', async () => {
    const head = requestHead(NOTE, me.token, chunked.join())
    const sent = await openConnection(address, `${head}1\r\n{\r\n`)
    await until(() => app.handle.unfinishedBodies() === 1)
    sent.write('a\r\n"text":"x"\r\n1\r\n}\r\n0\r\n\r\n')
    await sent.received
    expect(sent.response()).toStartWith('HTTP/1.1 201 ')
    sent.end()
  })
})

describe('the limit of unfinished bodies', () => {
  const ninth: [title: string, before: Sender[], refused: Sender, noun: string, next: Sender][] = [
    [
      'logins of one address',
      eight({ line: LOGIN }),
      { line: LOGIN },
      'address',
      { line: LOGIN, from: THERE },
    ],
    [
      'notes and pictures of two systems at one address',
      [...eight({ as: me }).slice(4), ...eight({ line: PICTURE, as: other }).slice(4)],
      { as: third },
      'address',
      { as: third, from: THERE },
    ],
    [
      'one system at eight addresses',
      eight({ as: me }).map((sender, at) => ({ ...sender, from: `198.51.100.${at}` })),
      { line: PICTURE, as: me },
      'system',
      { line: PICTURE, as: other },
    ],
  ]

  test.each(ninth)('refuses a ninth one: %s', async (_, before, refused, noun, next) => {
    await begin(...before)
    const { status, head, json } = await (await send(refused)).answer()
    expect({ status, json }).toEqual({
      status: 429,
      json: {
        message: `429: Too Many Requests (too many unfinished bodies of this ${noun})`,
        code: 0,
        retry_after: 1000,
      },
    })
    expect(head).toMatch(/^retry-after: 1$/im)
    expect(app.handle.unfinishedBodies()).toBe(8)
    await begin(next)
  })

  const free: [title: string, Sender][] = [
    ['a program on this machine', { line: LOGIN, from: null }],
    ['a program on this machine with a token', { as: me, from: null }],
    ['a bot', { as: bot, headers: [`X-System: ${me.hid}`] }],
    ['an import, which has a queue of its own', { line: IMPORT, as: me }],
  ]

  test.each(free)('does not apply to %s', async (_, sender) => {
    if (sender.line === IMPORT) await begin(...eight({ as: me }), sender)
    else await begin(...eight(sender), sender)
    expect(app.handle.unfinishedBodies()).toBe(9)
  })

  const ends: [title: string, end: (all: Awaited<ReturnType<typeof begin>>) => unknown][] = [
    ['the bodies have arrived', (all) => all.map(({ finish }) => finish())],
    ['the connections are closed', (all) => all.map(({ end }) => end())],
    ['their time has run out', () => clock.advance(5_000)],
  ]

  test.each(ends)('counts no longer when %s', async (_, end) => {
    await end(await begin(...eight({ as: me })))
    await until(() => app.handle.unfinishedBodies() === 0)
    await begin(...eight({ as: me }))
  })

  test('does not count bodies that arrive with their head', async () => {
    const sender = { line: PATCH, as: me, first: '{"tag":"|"}', rest: '' }
    const sent = await Promise.all(Array.from({ length: 10 }, () => send(sender)))
    for (const { answer } of sent) expect((await answer()).status).toBe(200)
  })
})

describe('the time limit of a body', () => {
  const late: [title: string, sender: Sender, limitMs: number][] = [
    ['of JSON', { as: me }, 5_000],
    ['of a program on this machine', { as: me, from: null }, 5_000],
    ['of a login before its first byte', { line: LOGIN, first: '' }, 5_000],
    ['of a login from its first byte on', { line: LOGIN }, 1_000],
    ['of a picture that stops', { line: PICTURE, as: me, first: 'GIF89a' }, 30_000],
    ['of an import that stops', { line: IMPORT, as: me }, 30_000],
  ]

  test.each(late)('is answered with 408: %s', async (_, sender, limitMs) => {
    const [sent] = await begin(sender)
    await clock.untilTimer(limitMs)
    await clock.advance(limitMs - 1)
    expect(app.handle.unfinishedBodies()).toBe(1)
    await clock.advance(1)
    const { status, head, json } = (await sent?.answer()) ?? {}
    expect({ status, json }).toEqual({
      status: 408,
      json: { message: '408: Request Timeout (the body took too long to arrive)', code: 0 },
    })
    expect(head).toMatch(/^connection: close$/im)
    await sent?.closed
  })

  test('of a login becomes a second when its first byte arrives', async () => {
    const [sent] = await begin({ line: LOGIN, first: '' })
    await clock.advance(2_345)
    sent?.write('{')
    await clock.untilTimer(1_000)
    await clock.advance(1_000)
    expect((await sent?.answer())?.status).toBe(408)
  })
})
