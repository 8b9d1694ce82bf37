import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ TRUST_PROXY: '1', RATE_LIMIT: 'off' })
const { ask } = testApp
const me = await testApp.makeSystem('Lantern')
const members = 80
for (let n = 0; n < members; n++)
  await ask('POST /v2/members', { as: me, body: { name: `M${n}`, description: 'x'.repeat(300) } })

const LIST = 'GET /v2/systems/@me/members'
const ONE = 'GET /v2/systems/@me'

describe('ETags of version 2', () => {
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

  test.each(reads)('%s has an ETag and returns 304 when the client sends it', async (line) => {
    const { status, headers, text } = await ask(line, { as: me })
    const tag = headers.get('etag') ?? ''
    expect([status, tag]).toEqual([200, expect.stringMatching(/^W\/"\w+"$/)])
    for (const sentTag of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
      const again = await ask(line, { as: me, headers: { 'if-none-match': sentTag } })
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag])
      expect(again.headers.get('access-control-allow-origin')).toBe('*')
    }
    const other = await ask(line, { as: me, headers: { 'if-none-match': '"other"' } })
    expect([other.status, other.text]).toEqual([200, text])
  })

  test('the ETag changes when the system changes', async () => {
    const before = await ask(ONE, { as: me })
    await ask('PATCH /v2/systems/@me', { as: me, body: { tag: 'changed' } })
    const headers = { 'if-none-match': before.headers.get('etag') ?? '' }
    const after = await ask(ONE, { as: me, headers })
    expect([after.status, after.json.tag]).toEqual([200, 'changed'])
  })

  test('sends Vary: Authorization, and no-cache when the caller is the owner', async () => {
    const ownResponse = await ask(ONE, { as: me })
    expect(ownResponse.headers.get('vary')).toBe('Authorization, Accept-Encoding')
    expect(ownResponse.headers.get('cache-control')).toBe('private, no-cache')
    const publicResponse = await ask(`GET /v2/systems/${me.hid}`)
    expect(publicResponse.headers.get('vary')).toBe('Authorization, Accept-Encoding')
    expect(publicResponse.headers.get('cache-control')).toBeNull()
    expect((await ask('GET /v2/systems/zzzzzz', { as: me })).headers.get('vary')).toContain(
      'Authorization',
    )
  })

  test.each([`GET /v1/s/${me.hid}`, 'GET /v2/systems/@me/export', 'GET /health'])(
    '%s has no ETag',
    async (line) => {
      const { status, headers } = await ask(line, { as: me })
      expect([status, headers.get('etag')]).toEqual([200, null])
    },
  )
})

describe('compression', () => {
  const remote = { 'x-forwarded-for': '203.0.113.7' }

  const encodings: [
    accepted: string,
    encoding: string,
    decompress: (bytes: Uint8Array) => Uint8Array,
  ][] = [
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br, zstd', 'zstd', zstdDecompressSync],
    ['zstd;q=0, gzip;q=0.5', 'gzip', gunzipSync],
  ]

  test.each(encodings)(
    'compresses a large response when the client accepts %s',
    async (accepted, encoding, decompress) => {
      for (const path of ['/v2/systems/@me/members', '/v2/systems/@me/export']) {
        const plain = await send(path, {})
        const response = await send(path, { ...remote, 'accept-encoding': accepted })
        expect(response.headers.get('content-encoding')).toBe(encoding)
        expect(response.headers.get('vary')).toContain('Accept-Encoding')
        expect(response.headers.get('etag')).toBe(plain.headers.get('etag'))
        const bytes = await response.bytes()
        const text = await plain.text()
        expect(bytes.length).toBeLessThan(text.length / 2)
        const decompressed = new TextDecoder().decode(decompress(bytes))
        expect(withoutTime(decompressed)).toBe(withoutTime(text))
      }
    },
  )

  const uncompressed: [title: string, path: string, headers: Record<string, string>][] = [
    ['does not compress when the client does not ask for it', '/v2/systems/@me/members', remote],
    [
      'does not compress when the client accepts only other encodings',
      '/v2/systems/@me/members',
      { ...remote, 'accept-encoding': 'br' },
    ],
    [
      'does not compress when the client is on the same machine',
      '/v2/systems/@me/members',
      { 'accept-encoding': 'gzip' },
    ],
    [
      'does not compress a small response',
      '/v2/systems/@me',
      { ...remote, 'accept-encoding': 'gzip' },
    ],
  ]

  test.each(uncompressed)('%s', async (_, path, headers) => {
    const response = await send(path, headers)
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(await response.json()).toBeDefined()
  })

  test('HEAD returns the uncompressed length', async () => {
    const headers = { ...remote, 'accept-encoding': 'gzip' }
    const head = await send('/v2/systems/@me/members', headers, 'HEAD')
    const body = await (await send('/v2/systems/@me/members', remote)).bytes()
    expect(Number(head.headers.get('content-length'))).toBe(body.length)
  })

  async function send(
    path: string,
    headers: Record<string, string>,
    method = 'GET',
  ): Promise<Response> {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { authorization: me.token, ...headers },
    })
    return testApp.app.handle(request, () => '127.0.0.1')
  }

  function withoutTime(text: string): string {
    return text.replace(/"exported_at":"[^"]+"/, '')
  }
})
