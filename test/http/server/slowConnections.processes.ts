import { systemClock } from '../../../src/runtime/timers/clock'
import { afterEach, describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { until } from '../../tools/until'
import { openConnection, requestHead } from './rawConnection'

// Bun checks idle connections every four seconds, and gives a new one ten.
const IDLE_LIMIT_S = 1

const { app, makeSystem, logged } = createTestApp({
  PORT: '0',
  RATE_LIMIT: 'off',
  clock: systemClock,
})
const address = app.listen(IDLE_LIMIT_S)
const { token, hid } = await makeSystem('Harbour')

const head = (line: string, header: string) => requestHead(line, token, header)

/** No test may cause an error of the server. */
afterEach(() => {
  expect(logged()).not.toMatch(/"level":"error"|"status":5/)
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
      const { isOpen, write, response } = await openConnection(address, first)
      await until(() => {
        write(then)
        return !isOpen()
      })
      expect(response()).not.toMatch(/HTTP\/1\.1 5/)
      const served = await fetch(`${address}/v2/systems/${hid}`)
      expect([served.status, await served.json()]).toMatchObject([200, { name: 'Harbour' }])
    },
  )
})
