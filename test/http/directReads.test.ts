import { describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { collectDirectReads, directRead, findDirectRead } from '../../src/http/directReads'
import { routes } from '../../src/http/routeGroup'
import { allCallers, createFixture } from '../scenarios'
import { createTestApp } from '../testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

/** Direct reads in this notation; with a trailing slash or an encoded character Elysia answers them. */
const lines = [
  '/v2/systems/<own>',
  '/v2/systems/@me',
  '/v2/systems/<account>',
  '/v2/systems/qqqqqq',
  '/v2/systems/<own>/members',
  '/v2/systems/<own>/fronters',
  '/v2/systems/<other>/fronters',
  '/v2/members/<wren>',
  '/v2/members/<wren>/groups',
  '/v2/members/nobody',
  '/v2/groups/<keepers>',
  '/v2/groups/<keepers>/members',
  '/v2/messages/<message>',
  '/v2/messages/nonsense',
]

describe('notations of a path', () => {
  test.each(lines)('every notation of a path gets the same response: %s', async (line) => {
    const { ask, fill } = await createFixture(testApp)
    const path = fill(line)
    const [, start = '', first = '', rest = ''] = /^(\/v2\/\w+\/)(.)(.*)$/.exec(path) ?? []
    const encoded = `${start}%${first.charCodeAt(0).toString(16)}${rest}`
    for (const as of allCallers) {
      const { status, text, headers } = await ask(`GET ${path}`, undefined, as)
      for (const other of [`${path}/`, encoded, `${path}?a=b`, path.slice('/v2'.length)]) {
        const answer = await ask(`GET ${other}`, undefined, as)
        expect([answer.status, answer.text]).toEqual([status, text])
        expect(headerNames(answer.headers)).toEqual(headerNames(headers))
        expect(answer.headers.get('etag')).toBe(headers.get('etag'))
      }
      const head = await ask(`HEAD ${path}`, undefined, as)
      expect([head.status, head.headers.get('etag')]).toEqual([status, headers.get('etag')])
    }
  })
})

function headerNames(headers: Headers): string[] {
  return [...headers.keys()]
}

describe('direct reads', () => {
  const load = () => null
  const handler = () => undefined

  test('direct reads are found by the path before and after the reference', () => {
    const group = routes(0)
      .get('/things/:ref', directRead('ref', load))
      .get('/things/:ref/parts', directRead('ref', load))
      .get('/things/:ref/others', handler)
      .post('/things/:ref/posts', handler)
    const mounted = new Elysia({ prefix: '/v2' }).use(group)
    const things = collectDirectReads(mounted).get('/v2/things')
    expect([...(things?.keys() ?? [])].toSorted()).toEqual(['', '/parts'])
    const at = '/v2/things/'.length
    const find = (path: string) =>
      things && findDirectRead(things, path, path.split('/')[3] ?? '', at)
    expect(find('/v2/things/abc')).toBe(load)
    expect(find('/v2/things/abc/parts')).toBe(load)
    for (const other of ['', '/', '/abc/', '/abc/parts/', '/abc/others', '/%61bc', '//parts'])
      expect(find(`/v2/things${other}`)).toBeUndefined()
  })

  test('a direct read is not used when a more specific route exists', () => {
    const group = routes(0)
      .get('/things/:ref/parts', directRead('ref', load))
      .get('/things/:ref', directRead('ref', load))
      .get('/things/@me/parts', handler)
    expect([...(collectDirectReads(group).get('/things')?.keys() ?? [])]).toEqual([''])
  })
})
