import { MAX_PICTURE_BYTES } from '../../../src/model/pictures/picture'
import { createBot } from '../../tools/operatorActions'
import { afterAll, afterEach, describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { openConnection, requestHead } from './rawConnection'

const BODY_LIMIT = 64 * 1024
const PICTURE = '/ext/v1/systems/@me/picture'
const settings = {
  PORT: '0',
  RATE_LIMIT: 'off',
  BODY_LIMIT: String(BODY_LIMIT),
  PUBLIC_URL: 'https://plural.example',
}
const { app, deps, makeSystem, logged } = createTestApp({ ...settings, IMPORT_LIMIT: '1MiB' })
const address = app.listen()
const { token, hid } = await makeSystem('Harbour')
const bot = `Bot ${await createBot(deps, 'protection')}`

const head = (line: string, header = '', authorization = token) =>
  requestHead(line, authorization, header)
const open = (bytes: string) => openConnection(address, bytes)

/** No test may cause an error of the server. */
afterEach(() => {
  expect(logged()).not.toMatch(/"level":"error"|"status":5/)
})

afterAll(() => {
  expect(logged()).toContain('"status":413')
})

describe('idle connections', () => {
  test('serves requests while five hundred connections are idle', async () => {
    const idle = await Promise.all(Array.from({ length: 400 }, () => open('')))
    const halfway = await Promise.all(
      Array.from({ length: 100 }, () => open('GET / HTTP/1.1\r\nX')),
    )
    for (let n = 0; n < 50; n++) await expectServed()
    expect([...idle, ...halfway].filter(({ isOpen }) => isOpen())).toHaveLength(500)
    for (const { end } of [...idle, ...halfway]) end()
    await expectServed()
  })
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
      const { response, received, write, end } = await open(first)
      // Includes bytes that are sent between two turns of the event loop.
      const limit = mostBytes + 8 * 1024 * 1024
      let sent = 0
      while (!(await isSettled(received)) && sent < limit) sent += write(chunk)
      await received
      expect(response()).toStartWith(`HTTP/1.1 ${status} `)
      end()
      await expectServed()
    },
  )

  test('refuses a chunked body with a Content-Length', async () => {
    const both = head('POST /v2/members', `Content-Length: 10\r\n${chunked}`)
    const { response, write, received, closed, end } = await open(both)
    for (let sent = 0; sent < 4 * BODY_LIMIT && !(await isSettled(received)); ) sent += write(chunk)
    await Promise.race([received, closed])
    expect(response()).toMatch(/^HTTP\/1\.1 4\d\d /)
    end()
    await expectServed()
  })

  test.each(['POST /v2/members', `PUT ${PICTURE}`])(
    'refuses a body by its Content-Length without waiting for it: %s',
    async (line) => {
      const { response, received, end } = await open(head(line, 'Content-Length: 99999999999'))
      await received
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
    const { response, closed } = await open(first)
    await closed
    expect(response()).toMatch(/^$|^HTTP\/1\.1 4\d\d /)
    await expectServed()
  })

  test('closes the connection when the head does not end', async () => {
    const { closed, write } = await open('GET /health HTTP/1.1\r\nHost: x\r\n')
    let sent = 0
    while (!(await isSettled(closed)) && sent < 16 * 1024 * 1024) sent += write('X-More: a\r\n')
    expect(sent).toBeLessThan(16 * 1024 * 1024)
    await expectServed()
  })
})

/** Expects that another request is answered. */
async function expectServed(): Promise<void> {
  const response = await fetch(`${address}/v2/systems/${hid}`)
  expect([response.status, await response.json()]).toMatchObject([200, { name: 'Harbour' }])
}

/** Returns whether the promise is settled after one turn of the event loop. */
function isSettled(promise: Promise<void>): Promise<boolean> {
  const turn = new Promise((resolve) => setImmediate(resolve))
  return Promise.race([promise.then(() => true), turn.then(() => false)])
}
