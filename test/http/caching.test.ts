import { describe, expect, test } from 'bun:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { createTestApp } from '../testApp'

const place = createTestApp({ TRUST_PROXY: '1', RATE_LIMIT: 'off' })
const { ask } = place
const me = await place.makeSystem('Lantern')
const members = 80
for (let n = 0; n < members; n++)
  await ask('POST /v2/members', { as: me, body: { name: `M${n}`, description: 'x'.repeat(300) } })

const LIST = 'GET /v2/systems/@me/members'
const ONE = 'GET /v2/systems/@me'

describe('every read of version 2', () => {
  const reads = [
    ONE,
    LIST,
    'GET /v2/systems/@me/settings',
    'GET /v2/systems/@me/groups',
    'GET /v2/systems/@me/switches',
    'GET /v2/systems/@me/autoproxy?guild_id=5',
    'GET /v2/systems/@me/webhook',
    'GET /systems/@me',
  ]

  test.each(reads)('%s has a tag, and is only told so to who has it already', async (line) => {
    const { status, headers, text } = await ask(line, { as: me })
    const tag = headers.get('etag') ?? ''
    expect([status, tag]).toEqual([200, expect.stringMatching(/^W\/"\w+"$/)])
    for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
      const again = await ask(line, { as: me, headers: { 'if-none-match': known } })
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag])
      expect(again.headers.get('access-control-allow-origin')).toBe('*')
    }
    const other = await ask(line, { as: me, headers: { 'if-none-match': '"other"' } })
    expect([other.status, other.text]).toEqual([200, text])
  })

  test('has another tag once it has changed', async () => {
    const before = await ask(ONE, { as: me })
    await ask('PATCH /v2/systems/@me', { as: me, body: { tag: 'changed' } })
    const headers = { 'if-none-match': before.headers.get('etag') ?? '' }
    const after = await ask(ONE, { as: me, headers })
    expect([after.status, after.json.tag]).toEqual([200, 'changed'])
  })

  test('says whom it depends on, and that what is somebody’s own is asked for anew', async () => {
    const own = await ask(ONE, { as: me })
    expect(own.headers.get('vary')).toBe('Authorization, Accept-Encoding')
    expect(own.headers.get('cache-control')).toBe('private, no-cache')
    const open = await ask(`GET /v2/systems/${me.hid}`)
    expect(open.headers.get('vary')).toBe('Authorization, Accept-Encoding')
    expect(open.headers.get('cache-control')).toBeNull()
    expect((await ask('GET /v2/systems/zzzzzz', { as: me })).headers.get('vary')).toContain(
      'Authorization',
    )
  })

  test.each([`GET /v1/s/${me.hid}`, 'GET /v2/systems/@me/export', 'GET /health'])(
    '%s is another matter',
    async (line) => {
      const { status, headers } = await ask(line, { as: me })
      expect([status, headers.get('etag')]).toEqual([200, null])
    },
  )
})

describe('a large answer', () => {
  const away = { 'x-forwarded-for': '203.0.113.7' }

  const packed: [accepted: string, encoding: string, unpack: (bytes: Uint8Array) => Uint8Array][] =
    [
      ['gzip', 'gzip', gunzipSync],
      ['gzip, deflate, br, zstd', 'zstd', zstdDecompressSync],
      ['zstd;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ]

  test.each(packed)('is compressed for who accepts %s', async (accepted, encoding, unpack) => {
    for (const path of ['/v2/systems/@me/members', '/v2/systems/@me/export']) {
      const plain = await send(path, {})
      const response = await send(path, { ...away, 'accept-encoding': accepted })
      expect(response.headers.get('content-encoding')).toBe(encoding)
      expect(response.headers.get('vary')).toContain('Accept-Encoding')
      expect(response.headers.get('etag')).toBe(plain.headers.get('etag'))
      const bytes = await response.bytes()
      const whole = await plain.text()
      expect(bytes.length).toBeLessThan(whole.length / 2)
      const unpacked = new TextDecoder().decode(unpack(bytes))
      expect(withoutTime(unpacked)).toBe(withoutTime(whole))
    }
  })

  const unpacked: [says: string, path: string, headers: Record<string, string>][] = [
    ['that nobody wants so', '/v2/systems/@me/members', away],
    [
      'for who accepts other things',
      '/v2/systems/@me/members',
      { ...away, 'accept-encoding': 'br' },
    ],
    ['on the same machine', '/v2/systems/@me/members', { 'accept-encoding': 'gzip' }],
    ['that is small', '/v2/systems/@me', { ...away, 'accept-encoding': 'gzip' }],
  ]

  test.each(unpacked)('%s is sent as it is', async (_, path, headers) => {
    const response = await send(path, headers)
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(await response.json()).toBeDefined()
  })

  test('has its length for who asks for the head alone', async () => {
    const headers = { ...away, 'accept-encoding': 'gzip' }
    const head = await send('/v2/systems/@me/members', headers, 'HEAD')
    const body = await (await send('/v2/systems/@me/members', away)).bytes()
    expect(Number(head.headers.get('content-length'))).toBe(body.length)
  })

  function send(path: string, headers: Record<string, string>, method = 'GET'): Promise<Response> {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { authorization: me.token, ...headers },
    })
    return place.app.handle(request, () => '127.0.0.1')
  }

  function withoutTime(text: string): string {
    return text.replace(/"exported_at":"[^"]+"/, '')
  }
})
