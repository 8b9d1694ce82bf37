import { documentedModules, rootModule } from '../../../src/http/apiModules'
import { directReadOf } from '../../../src/http/server/directRead'
import { listRoutes } from '../../../src/http/server/elysiaInternals'
import { allCallers, createFixture, type Fixture, type Who } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off', TRUST_PROXY: '1' })
const { app, config, deps } = testApp
const modules = [
  ...documentedModules({ deps, events: app.events, config }),
  rootModule({ deps, events: app.events, config }),
]
const declared = modules.flatMap((module) =>
  listRoutes(module.routes()).flatMap(({ path, handler }) =>
    directReadOf(handler) ? path.slice(module.prefix.length) : [],
  ),
)

/** Requests to direct reads, by the path of the route. */
const requests: Record<string, string[]> = {
  '/systems/:systemRef': [
    '/systems/<own>',
    '/systems/@me',
    '/systems/<account>',
    '/systems/qqqqqq',
  ],
  '/systems/:systemRef/members': ['/systems/<own>/members', '/systems/@me/members'],
  '/systems/:systemRef/fronters': ['/systems/<own>/fronters', '/systems/<other>/fronters'],
  '/members/:memberRef': ['/members/<wren>', '/members/nobody'],
  '/members/:memberRef/groups': ['/members/<wren>/groups'],
  '/groups/:groupRef': ['/groups/<keepers>'],
  '/groups/:groupRef/members': ['/groups/<keepers>/members'],
  '/messages/:message': ['/messages/<message>', '/messages/nonsense'],
}
const lines = Object.values(requests).flat()

describe('direct reads', () => {
  test('every direct read is compared with its route', () => {
    expect(Object.keys(requests).toSorted()).toEqual([...new Set(declared)].toSorted())
  })

  /** Elysia answers percent-encoded references, because it decodes them. */
  test.each(lines)('%s has the same response through Elysia', async (line) => {
    const fixture = await createFixture(testApp)
    const path = fixture.fill(`/v2${line}`)
    for (const as of allCallers)
      for (const method of ['GET', 'HEAD']) {
        const direct = await send(fixture, method, path, as)
        const routed = await send(fixture, method, encodeFirst(path), as)
        expect(routed).toEqual(direct)
        const etag = { 'if-none-match': direct.headers.etag ?? '' }
        expect(await send(fixture, method, encodeFirst(path), as, etag)).toEqual(
          await send(fixture, method, path, as, etag),
        )
      }
  })

  test('fronters of a system without switches have the same response through Elysia', async () => {
    const fixture = await createFixture(testApp)
    const { hid } = await testApp.makeSystem()
    const path = `/v2/systems/${hid}/fronters`
    const direct = await send(fixture, 'GET', path, 'anonymous')
    expect(direct.status).toBe(204)
    expect(await send(fixture, 'GET', encodeFirst(path), 'anonymous')).toEqual(direct)
  })

  test('a large compressed list has the same response through Elysia', async () => {
    const fixture = await createFixture(testApp)
    const { owner } = fixture
    for (let n = 0; n < 60; n++)
      await testApp.ask('POST /v2/members', {
        as: owner,
        body: { name: `M${n}`, description: 'x'.repeat(300) },
      })
    const path = `/v2/systems/${owner.hid}/members`
    for (const more of [
      {},
      { 'accept-encoding': 'gzip', 'x-forwarded-for': '203.0.113.7' },
      { 'accept-encoding': 'zstd', 'x-forwarded-for': '203.0.113.7' },
    ]) {
      const direct = await send(fixture, 'GET', path, 'owner', more)
      expect(direct.headers['content-encoding']).toBe(more['accept-encoding'])
      expect(await send(fixture, 'GET', encodeFirst(path), 'owner', more)).toEqual(direct)
    }
  })
})

describe('notations of a path', () => {
  test.each(lines)('every notation of a path gets the same response: /v2%s', async (line) => {
    const fixture = await createFixture(testApp)
    const path = fixture.fill(`/v2${line}`)
    for (const as of allCallers) {
      const expected = await send(fixture, 'GET', path, as)
      for (const other of [`${path}/`, `${path}?a=b`, path.slice('/v2'.length)])
        expect(await send(fixture, 'GET', other, as)).toEqual(expected)
    }
  })
})

/** Encodes the first character of the reference. */
function encodeFirst(path: string): string {
  return path.replace(
    /^(\/v2\/\w+\/)(.)/,
    (_, start: string, first: string) => `${start}%${first.charCodeAt(0).toString(16)}`,
  )
}

/** Sends a request and returns its status, body and headers, except for the request ID. */
async function send(
  fixture: Fixture,
  method: string,
  path: string,
  as: Who,
  more: Record<string, string> = {},
) {
  const token = as === 'anonymous' ? {} : { authorization: fixture[as].token }
  const request = new Request(`http://localhost${path}`, { method, headers: { ...token, ...more } })
  const response = await app.handle(request, '127.0.0.1')
  const { 'x-request-id': _, ...headers } = Object.fromEntries<string | undefined>(response.headers)
  return { status: response.status, headers, bytes: await response.bytes() }
}
