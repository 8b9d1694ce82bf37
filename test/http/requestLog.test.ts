import { describe, expect, test } from 'bun:test'
import { createTestApp } from '../testApp'

interface Line {
  message: string
  level: string
  path: string
  client?: string
}

function requestsIn(logged: string): Line[] {
  return logged
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line): Line => JSON.parse(line))
    .filter(({ message }) => message === 'request')
}

describe('the log', () => {
  const quiet = createTestApp()
  const chatty = createTestApp({ LOG_LEVEL: 'debug' })

  test('has a look at the health only for who debugs', async () => {
    for (const { ask } of [quiet, chatty]) {
      await ask('GET /health')
      await ask('GET /v2/systems/abcde')
    }
    expect(requestsIn(quiet.logged()).map(({ path }) => path)).toEqual(['/v2/systems/abcde'])
    expect(requestsIn(chatty.logged()).map(({ path, level }) => [path, level])).toEqual([
      ['/health', 'debug'],
      ['/v2/systems/abcde', 'info'],
    ])
  })
})

describe('the address of whoever asks', () => {
  const peer = '192.0.2.7'
  const cases: [
    says: string,
    settings: object,
    peer: string,
    forwarded: string,
    client: string | null,
  ][] = [
    ['is not logged unless that is wanted', {}, peer, '', null],
    ['is that of the connection', { LOG_CLIENT: 'on' }, peer, '', peer],
    ['is a whole one of IPv6', { LOG_CLIENT: 'on' }, '2001:db8::5:1', '', '2001:db8::5:1'],
    ['is spelled as IPv4 where it is that', { LOG_CLIENT: 'on' }, '::ffff:192.0.2.7', '', peer],
    ['is not what a client says of itself', { LOG_CLIENT: 'on' }, peer, '203.0.113.1', peer],
    [
      'is what the trusted proxy says',
      { LOG_CLIENT: 'on', TRUST_PROXY: '1' },
      '127.0.0.1',
      '198.51.100.1, [2001:db8::9]:4711',
      '2001:db8::9',
    ],
    [
      'is never what is no address',
      { LOG_CLIENT: 'on', TRUST_PROXY: '1' },
      peer,
      '203.0.113.1 status=200',
      peer,
    ],
  ]

  test.each(cases)('%s', async (_, settings, from, forwarded, client) => {
    const { ask, logged } = createTestApp(settings)
    const headers = {
      authorization: 'a-token-that-nobody-may-read',
      ...(forwarded && { 'x-forwarded-for': forwarded }),
    }
    await ask('GET /v2/systems/@me?token=neither-this', { peer: from, headers })
    expect(requestsIn(logged()).map((line) => line.client ?? null)).toEqual([client])
    expect(logged()).not.toMatch(/nobody-may-read|neither-this/)
  })
})
