import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

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

describe('request log', () => {
  const infoApp = createTestApp()
  const debugApp = createTestApp({ LOG_LEVEL: 'debug' })

  test('logs health checks at level debug only', async () => {
    for (const { ask } of [infoApp, debugApp]) {
      await ask('GET /health')
      await ask('GET /v2/systems/abcde')
    }
    expect(requestsIn(infoApp.logged()).map(({ path }) => path)).toEqual(['/v2/systems/abcde'])
    expect(requestsIn(debugApp.logged()).map(({ path, level }) => [path, level])).toEqual([
      ['/health', 'debug'],
      ['/v2/systems/abcde', 'info'],
    ])
  })
})

describe('client address in the log', () => {
  const peer = '192.0.2.7'
  const cases: [
    title: string,
    settings: object,
    peer: string,
    forwarded: string,
    client: string | null,
  ][] = [
    ['does not log the client address by default', {}, peer, '', null],
    ['logs the peer address with LOG_CLIENT', { LOG_CLIENT: 'on' }, peer, '', peer],
    ['logs a full IPv6 address', { LOG_CLIENT: 'on' }, '2001:db8::5:1', '', '2001:db8::5:1'],
    ['logs an IPv4-mapped address as IPv4', { LOG_CLIENT: 'on' }, '::ffff:192.0.2.7', '', peer],
    [
      'does not log X-Forwarded-For of an untrusted peer',
      { LOG_CLIENT: 'on' },
      peer,
      '203.0.113.1',
      peer,
    ],
    [
      'logs the address that a trusted proxy sends',
      { LOG_CLIENT: 'on', TRUST_PROXY: '1' },
      '127.0.0.1',
      '198.51.100.1, [2001:db8::9]:4711',
      '2001:db8::9',
    ],
    [
      'does not log a forwarded value that is not an address',
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
