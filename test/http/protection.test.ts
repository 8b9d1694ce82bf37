import { heapStats } from 'bun:jsc'
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createRateLimiter, type Scope } from '../../src/http/ratelimit'
import { createBot } from '../operatorActions'
import { createTestApp } from '../testApp'

// The runtime looks at its connections every four seconds, and at a new one for ten.
setDefaultTimeout(30_000)
const IDLE_LIMIT_S = 1
const LONGEST_MS = 18_000

const BODY_LIMIT = 64 * 1024
const settings = { PORT: '0', RATE_LIMIT: 'off', BODY_LIMIT: String(BODY_LIMIT) }
const { app, deps, makeSystem, logged } = createTestApp({ ...settings, IMPORT_LIMIT: '1MiB' })
const { hostname, port, origin } = new URL(app.listen(IDLE_LIMIT_S))
const { token, hid } = await makeSystem('Harbour')
const bot = `Bot ${await createBot(deps, 'protection')}`

/** Nothing of all this counts as a failure of the server. */
afterEach(() => {
  expect(logged()).not.toMatch(/"level":"error"|"status":5/)
})

afterAll(() => {
  expect(logged()).toContain('"status":413')
})

describe('connections that say nothing', () => {
  test('five hundred at once, and others are served on', async () => {
    const idle = await Promise.all(Array.from({ length: 400 }, () => talk('')))
    const halfway = await Promise.all(
      Array.from({ length: 100 }, () => talk('GET / HTTP/1.1\r\nX')),
    )
    for (let n = 0; n < 50; n++) await expectServed()
    expect([...idle, ...halfway].filter(({ isOpen }) => isOpen())).toHaveLength(500)
    for (const { end } of [...idle, ...halfway]) end()
    await expectServed()
  })
})

describe('a request that never comes to its end', () => {
  const get = 'GET /health HTTP/1.1\r\nHost: x\r\n'
  const slow: [says: string, first: string, then: string][] = [
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
    ['a body where none is due', head('GET /v2/systems/@me', 'Content-Length: 5000'), 'a'],
  ]

  test.concurrent.each(slow)('is cut: %s', async (_, first, then) => {
    const { closed, write, answer } = await talk(first)
    const trickle = setInterval(() => then && write(then), 100)
    await Promise.race([closed, Bun.sleep(LONGEST_MS)]).finally(() => clearInterval(trickle))
    expect(await isSettled(closed)).toBe(true)
    expect(answer()).not.toMatch(/HTTP\/1\.1 5/)
    await expectServed()
  })
})

describe('a body without an end', () => {
  const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`
  const chunked = 'Transfer-Encoding: chunked'
  const endless: [says: string, first: string, status: number, mostBytes: number][] = [
    ['of nobody', head('POST /v2/members', chunked, ''), 401, 0],
    ['of a stranger to the bots', head('POST /bot/messages', chunked), 413, BODY_LIMIT],
    ['of a system', head('POST /v2/members', chunked), 413, BODY_LIMIT],
    ['in version 1', head('POST /v1/m', chunked), 413, BODY_LIMIT],
    ['of a bot', head('POST /bot/messages', chunked, bot), 413, BODY_LIMIT],
    ['that is a file of nobody', head('POST /v2/systems/@me/import', chunked, ''), 401, 0],
    ['that is a file', head('POST /v2/systems/@me/import', chunked), 413, 1024 * 1024],
    ['to nowhere', head('POST /nowhere', chunked), 404, 0],
    ['behind a read', head('GET /v2/systems/@me', chunked), 200, BODY_LIMIT],
  ]

  test.each(endless)('%s is answered before it ends', async (_, first, status, mostBytes) => {
    const { answer, heard, write, end } = await talk(first)
    // What lies between two turns of the loop is on its way already.
    const most = mostBytes + 8 * 1024 * 1024
    let sent = 0
    while (!(await isSettled(heard)) && sent < most) sent += write(chunk)
    await Promise.race([heard, Bun.sleep(5000)])
    expect(answer()).toStartWith(`HTTP/1.1 ${status} `)
    end()
    await expectServed()
  })

  test('and a length is refused, or what was announced is all that counts', async () => {
    const both = head('POST /v2/members', `Content-Length: 10\r\n${chunked}`)
    const { answer, write, heard, closed, end } = await talk(both)
    for (let sent = 0; sent < 4 * BODY_LIMIT && !(await isSettled(heard)); ) sent += write(chunk)
    await Promise.race([heard, closed, Bun.sleep(5000)])
    expect(answer()).toMatch(/^HTTP\/1\.1 4\d\d /)
    end()
    await expectServed()
  })

  test('announced as too large is not waited for', async () => {
    const { answer, heard, end } = await talk(
      head('POST /v2/members', 'Content-Length: 99999999999'),
    )
    await Promise.race([heard, Bun.sleep(5000)])
    expect(answer()).toStartWith('HTTP/1.1 413 ')
    end()
  })
})

describe('a huge head', () => {
  const huge: [says: string, first: string][] = [
    ['one long line', head('GET /health', `X-Long: ${'a'.repeat(1_000_000)}`)],
    ['one token', head('GET /v2/systems/@me', '', 'a'.repeat(100_000))],
    ['many lines', head('GET /health', Array(10_000).fill('X-Many: a').join('\r\n'))],
    ['a long address', head(`GET /v2/systems/${'a'.repeat(100_000)}`)],
  ]

  test.each(huge)('is refused and cut: %s', async (_, first) => {
    const { answer, closed } = await talk(first)
    await Promise.race([closed, Bun.sleep(5000)])
    expect(await isSettled(closed)).toBe(true)
    expect(answer()).toMatch(/^$|^HTTP\/1\.1 4\d\d /)
    await expectServed()
  })

  test('that goes on for ever is cut', async () => {
    const { closed, write } = await talk('GET /health HTTP/1.1\r\nHost: x\r\n')
    let sent = 0
    while (!(await isSettled(closed)) && sent < 16 * 1024 * 1024) sent += write('X-More: a\r\n')
    expect(sent).toBeLessThan(16 * 1024 * 1024)
    await expectServed()
  })
})

describe('a million addresses', () => {
  const limits = { generic_get: 10, message: 10, generic_update: 1 }
  const scopes: Scope[] = ['generic_get', 'message', 'generic_update']
  const start = Date.UTC(2026, 4, 6, 12)

  test('take little memory, and little time', () => {
    const take = createRateLimiter(limits)
    Bun.gc(true)
    const before = heapStats().heapSize
    const started = performance.now()
    // Within one second, which is more than any server hears.
    for (let n = 0; n < 1_000_000; n++)
      take(scopes[n % 3] as Scope, `2001:db8:${n >> 16}:${n & 0xffff}::/64`, start + n / 1000)
    expect(performance.now() - started).toBeLessThan(10_000)
    Bun.gc(true)
    expect(heapStats().heapSize - before).toBeLessThan(32 * 1024 * 1024)
    expect(take('generic_update', 'one more', start + 1000).remaining).toBe(0)
  })

  test('help nobody to be forgotten, as long as they are those of one second', () => {
    const take = createRateLimiter(limits)
    take('generic_update', 'a', start)
    for (let n = 0; n < 15_000; n++) take('generic_update', `other ${n}`, start + n / 20)
    expect(take('generic_update', 'a', start + 750).retryAfter).toBe(250)
  })
})

function head(line: string, more = '', authorization = token): string {
  const lines = [`${line} HTTP/1.1`, 'Host: x', `Authorization: ${authorization}`, more]
  return `${lines.filter(Boolean).join('\r\n')}\r\n\r\n`
}

/** Others get their answer, and soon. */
async function expectServed(): Promise<void> {
  const response = await fetch(`${origin}/v2/systems/${hid}`, { signal: AbortSignal.timeout(5000) })
  expect([response.status, await response.json()]).toMatchObject([200, { name: 'Harbour' }])
}

/** A bare connection, with the first words said. */
async function talk(words: string) {
  const closed = Promise.withResolvers<void>()
  const heard = Promise.withResolvers<void>()
  let answer = ''
  let isOpen = true
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        answer += chunk.toString('latin1')
        heard.resolve()
      },
      close() {
        isOpen = false
        closed.resolve()
      },
      error() {},
    },
  })
  /** Gives how many bytes went out; a full line takes none until the other end reads. */
  const write = (text: string) => (isOpen ? Math.max(0, socket.write(text)) : 0)
  if (words) write(words)
  return {
    write,
    closed: closed.promise,
    heard: heard.promise,
    answer: () => answer,
    isOpen: () => isOpen,
    end: () => socket.terminate(),
  }
}

/** Lets the loop turn once, and tells whether it has come about. */
function isSettled(promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), Bun.sleep(1).then(() => false)])
}
