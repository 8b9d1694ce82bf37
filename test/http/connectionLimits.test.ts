import { heapStats } from 'bun:jsc'
import { createRateLimiter, type Scope } from '../../src/http/requestLimits'
import { MAX_PICTURE_BYTES } from '../../src/model/ext/picture'
import { createBot } from '../operatorActions'
import { afterAll, afterEach, describe, expect, test } from '../test'
import { createTestApp } from '../testApp'

// Bun checks idle connections every four seconds, and gives a new one ten.
const IDLE_LIMIT_S = 1
const TIMEOUT_MS = 18_000

const BODY_LIMIT = 64 * 1024
const PICTURE = '/ext/v1/systems/@me/picture'
const settings = {
  PORT: '0',
  RATE_LIMIT: 'off',
  BODY_LIMIT: String(BODY_LIMIT),
  PUBLIC_URL: 'https://plural.example',
}
const { app, deps, makeSystem, logged } = createTestApp({ ...settings, IMPORT_LIMIT: '1MiB' })
const { hostname, port, origin } = new URL(app.listen(IDLE_LIMIT_S))
const { token, hid } = await makeSystem('Harbour')
const bot = `Bot ${await createBot(deps, 'protection')}`

/** No test may cause an error of the server. */
afterEach(() => {
  expect(logged()).not.toMatch(/"level":"error"|"status":5/)
})

afterAll(() => {
  expect(logged()).toContain('"status":413')
})

describe('idle connections', () => {
  test('serves requests while five hundred connections are idle', async () => {
    const idle = await Promise.all(Array.from({ length: 400 }, () => openConnection('')))
    const halfway = await Promise.all(
      Array.from({ length: 100 }, () => openConnection('GET / HTTP/1.1\r\nX')),
    )
    for (let n = 0; n < 50; n++) await expectServed()
    expect([...idle, ...halfway].filter(({ isOpen }) => isOpen())).toHaveLength(500)
    for (const { end } of [...idle, ...halfway]) end()
    await expectServed()
  })
})

describe('requests that never end', () => {
  const get = 'GET /health HTTP/1.1\r\nHost: x\r\n'
  const slow: [title: string, first: string, then: string][] = [
    ['nothing at all', '', ''],
    ['a head, byte by byte', `${get}X-Slow: `, 'a'],
    ['a head, line by line', get, 'X-Slow: a\r\n'],
    ['a second head, byte by byte', `${get}\r\n${get}X-Slow: `, 'a'],
    ['a body, byte by byte', head('POST /v2/members', 'Content-Length: 5000'), 'a'],
    [
      'a body, chunk by chunk',
      head('POST /v2/members', 'Transfer-Encoding: chunked'),
      '1\r\na\r\n',
    ],
    ['a body that stops', `${head('POST /v2/members', 'Content-Length: 5000')}{"name":`, ''],
    ['a file, byte by byte', head('POST /v2/systems/@me/import', 'Content-Length: 5000'), 'a'],
    ['a body of a GET', head('GET /v2/systems/@me', 'Content-Length: 5000'), 'a'],
  ]

  test.concurrent.each(slow)(
    'closes the connection of a slow request: %s',
    async (_, first, then) => {
      const { closed, write, response } = await openConnection(first)
      const trickle = setInterval(() => then && write(then), 100)
      await Promise.race([closed, Bun.sleep(TIMEOUT_MS)]).finally(() => clearInterval(trickle))
      expect(await isSettled(closed)).toBe(true)
      expect(response()).not.toMatch(/HTTP\/1\.1 5/)
      await expectServed()
    },
  )
})

describe('endless bodies', () => {
  const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`
  const chunked = 'Transfer-Encoding: chunked'
  const endless: [title: string, first: string, status: number, mostBytes: number][] = [
    ['without a token', head('POST /v2/members', chunked, ''), 401, 0],
    ['with a token instead of a bot key', head('POST /bot/messages', chunked), 413, BODY_LIMIT],
    ['with a token', head('POST /v2/members', chunked), 413, BODY_LIMIT],
    ['to version 1', head('POST /v1/m', chunked), 413, BODY_LIMIT],
    ['with a bot key', head('POST /bot/messages', chunked, bot), 413, BODY_LIMIT],
    ['of an import without a token', head('POST /v2/systems/@me/import', chunked, ''), 401, 0],
    ['of an import', head('POST /v2/systems/@me/import', chunked), 413, 1024 * 1024],
    ['of a picture without a token', head(`PUT ${PICTURE}`, chunked, ''), 401, 0],
    ['of a picture', head(`PUT ${PICTURE}`, chunked), 413, MAX_PICTURE_BYTES],
    ['to an unknown path', head('POST /nowhere', chunked), 404, 0],
    ['of a GET', head('GET /v2/systems/@me', chunked), 200, BODY_LIMIT],
  ]

  test.each(endless)(
    'answers before an endless body ends: %s',
    async (_, first, status, mostBytes) => {
      const { response, received, write, end } = await openConnection(first)
      // Includes bytes that are sent between two turns of the event loop.
      const limit = mostBytes + 8 * 1024 * 1024
      let sent = 0
      while (!(await isSettled(received)) && sent < limit) sent += write(chunk)
      await Promise.race([received, Bun.sleep(5000)])
      expect(response()).toStartWith(`HTTP/1.1 ${status} `)
      end()
      await expectServed()
    },
  )

  test('refuses a chunked body with a Content-Length', async () => {
    const both = head('POST /v2/members', `Content-Length: 10\r\n${chunked}`)
    const { response, write, received, closed, end } = await openConnection(both)
    for (let sent = 0; sent < 4 * BODY_LIMIT && !(await isSettled(received)); ) sent += write(chunk)
    await Promise.race([received, closed, Bun.sleep(5000)])
    expect(response()).toMatch(/^HTTP\/1\.1 4\d\d /)
    end()
    await expectServed()
  })

  test.each(['POST /v2/members', `PUT ${PICTURE}`])(
    'refuses a body by its Content-Length without waiting for it: %s',
    async (line) => {
      const { response, received, end } = await openConnection(
        head(line, 'Content-Length: 99999999999'),
      )
      await Promise.race([received, Bun.sleep(5000)])
      expect(response()).toStartWith('HTTP/1.1 413 ')
      end()
    },
  )
})

describe('huge request heads', () => {
  const huge: [title: string, first: string][] = [
    ['one long line', head('GET /health', `X-Long: ${'a'.repeat(1_000_000)}`)],
    ['one token', head('GET /v2/systems/@me', '', 'a'.repeat(100_000))],
    ['many lines', head('GET /health', Array(10_000).fill('X-Many: a').join('\r\n'))],
    ['a long path', head(`GET /v2/systems/${'a'.repeat(100_000)}`)],
  ]

  test.each(huge)('refuses a huge head and closes the connection: %s', async (_, first) => {
    const { response, closed } = await openConnection(first)
    await Promise.race([closed, Bun.sleep(5000)])
    expect(await isSettled(closed)).toBe(true)
    expect(response()).toMatch(/^$|^HTTP\/1\.1 4\d\d /)
    await expectServed()
  })

  test('closes the connection when the head does not end', async () => {
    const { closed, write } = await openConnection('GET /health HTTP/1.1\r\nHost: x\r\n')
    let sent = 0
    while (!(await isSettled(closed)) && sent < 16 * 1024 * 1024) sent += write('X-More: a\r\n')
    expect(sent).toBeLessThan(16 * 1024 * 1024)
    await expectServed()
  })
})

describe('rate limiter with many addresses', () => {
  const limits = { generic_get: 10, message: 10, generic_update: 1 }
  const scopes: Scope[] = ['generic_get', 'message', 'generic_update']
  const start = Date.UTC(2026, 4, 6, 12)

  test('a million addresses take little memory in the rate limiter', () => {
    const take = createRateLimiter(limits)
    Bun.gc(true)
    const before = heapStats().heapSize
    // All within one second, more than any server receives.
    for (let n = 0; n < 1_000_000; n++)
      take(scopes[n % 3] as Scope, `2001:db8:${n >> 16}:${n & 0xffff}::/64`, start + n / 1000)
    Bun.gc(true)
    expect(heapStats().heapSize - before).toBeLessThan(32 * 1024 * 1024)
    expect(take('generic_update', 'one more', start + 1000).remaining).toBe(0)
  })

  test('a client stays limited when thousands of addresses follow in the same second', () => {
    const take = createRateLimiter(limits)
    take('generic_update', 'a', start)
    for (let n = 0; n < 15_000; n++) take('generic_update', `other ${n}`, start + n / 20)
    expect(take('generic_update', 'a', start + 750).retryAfter).toBe(250)
  })
})

function head(line: string, header = '', authorization = token): string {
  const lines = [`${line} HTTP/1.1`, 'Host: x', `Authorization: ${authorization}`, header]
  return `${lines.filter(Boolean).join('\r\n')}\r\n\r\n`
}

/** Expects that another request is answered soon. */
async function expectServed(): Promise<void> {
  const response = await fetch(`${origin}/v2/systems/${hid}`, {
    signal: AbortSignal.timeout(20_000),
  })
  expect([response.status, await response.json()]).toMatchObject([200, { name: 'Harbour' }])
}

/** Opens a TCP connection and sends these bytes. */
async function openConnection(bytes: string) {
  const closed = Promise.withResolvers<void>()
  const received = Promise.withResolvers<void>()
  let response = ''
  let isOpen = true
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        response += chunk.toString('latin1')
        received.resolve()
      },
      close() {
        isOpen = false
        closed.resolve()
      },
      error() {},
    },
  })
  /** Returns the number of bytes sent, 0 while the socket's buffer is full. */
  const write = (text: string) => (isOpen ? Math.max(0, socket.write(text)) : 0)
  if (bytes) write(bytes)
  return {
    write,
    closed: closed.promise,
    received: received.promise,
    response: () => response,
    isOpen: () => isOpen,
    end: () => socket.terminate(),
  }
}

/** Returns whether the promise is settled after one turn of the event loop. */
function isSettled(promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), Bun.sleep(1).then(() => false)])
}
