import { Elysia } from 'elysia'
import type { ApiModule } from '../../../src/http/server/apiModule'
import { markDirect } from '../../../src/http/server/directRead'
import { buildPolicyTable, createRouteTable, findPolicy } from '../../../src/http/server/routeTable'
import { describe, expect, test } from '../../tools/test'

const routes = () => new Elysia()

const modules: ApiModule[] = [
  {
    prefix: '',
    routes,
    policy: {},
    resources: { '': { isPublic: true }, health: { isPublic: true, bypassesAdmission: true } },
  },
  {
    prefix: '/new',
    routes,
    policy: { isCacheable: true },
    resources: { systems: { hasSystemParam: true }, messages: { scope: 'message' } },
  },
  {
    prefix: '/old',
    routes,
    policy: { headers: { deprecation: 'true' } },
    resources: { s: { hasSystemParam: true } },
    overrides: { '/new/s': { notFoundError: 'invalidPath' } },
  },
  {
    prefix: '',
    routes,
    policy: { isCacheable: true },
    resources: { systems: { hasSystemParam: true } },
  },
]

const policyTable = buildPolicyTable(modules, (policy, start) => ({ policy, start }))

describe('findPolicy', () => {
  test.each([
    ['/', '/', { isPublic: true, isCacheable: false }],
    ['/health', '/health', { isPublic: true, bypassesAdmission: true }],
    ['/health/', '/health', { bypassesAdmission: true }],
    ['/health/live', '/health', { isPublic: true, bypassesAdmission: true }],
    ['/new', '/new', { isCacheable: true, hasSystemParam: false, notFoundError: 'notFound' }],
    ['/new/systems', '/new/systems', { isCacheable: true, hasSystemParam: true }],
    ['/new/systems/abcde/members', '/new/systems', { isCacheable: true, scope: 'generic_get' }],
    ['/new/messages/1', '/new/messages', { scope: 'message', hasSystemParam: false }],
    ['/new/nowhere/systems', '/new', { hasSystemParam: false }],
    [
      '/new/s/abcde',
      '/new/s',
      { notFoundError: 'invalidPath', isCacheable: true, hasSystemParam: false },
    ],
    [
      '/old/s',
      '/old/s',
      { headers: { deprecation: 'true' }, hasSystemParam: true, isCacheable: false },
    ],
    ['/old/nowhere', '/old', { headers: { deprecation: 'true' }, notFoundError: 'notFound' }],
    ['/older/s', '', { headers: {}, isCacheable: true, hasSystemParam: false }],
    ['/systems/abcde', '/systems', { isCacheable: true, hasSystemParam: true }],
    ['/systems/s', '/systems', { hasSystemParam: true }],
    ['/nowhere', '', { isPublic: false, isCacheable: true }],
    ['//new/systems', '', { hasSystemParam: false }],
  ])('applies the policy of the API module to %s', (path, start, policy) => {
    expect(findPolicy(policyTable, path)).toMatchObject({ start, policy })
  })

  test('findPolicy returns the default policy when there are no API modules', () => {
    const { policy } = findPolicy(
      buildPolicyTable([], (policy) => ({ policy })),
      '/nowhere',
    )
    expect(policy).toMatchObject({ isPublic: false, isCacheable: false, notFoundError: 'notFound' })
  })
})

describe('createRouteTable', () => {
  const handler = () => undefined
  const read = markDirect(
    () => undefined,
    () => null,
  )
  const module: ApiModule = {
    prefix: '/v2',
    routes: () =>
      new Elysia({ prefix: '/v2' })
        .get('/things/:ref', read)
        .patch('/things/:ref', handler)
        .get('/things/:ref/parts', read)
        .patch('/things/@me/parts', handler)
        .get('/things/:ref/names', read)
        .get('/things/@me/names', handler)
        .post('/things', handler)
        .get('/plain/:ref', handler),
    policy: {},
    resources: { things: {} },
  }
  const match = createRouteTable([module], (policy, start, mounted) => ({
    policy,
    start,
    app: mounted?.routes() ?? new Elysia(),
  }))

  test.each([
    ['/v2/things', '/v2/things', 'POST', null],
    ['/v2/things/', '/v2/things', 'POST', null],
    ['/v2/things/abc', '/v2/things/:ref', 'GET, PATCH, HEAD', 'abc'],
    ['/v2/things/abc/', '/v2/things/:ref', 'GET, PATCH, HEAD', 'abc'],
    ['/v2/things/abc/parts', '/v2/things/:ref/parts', 'GET, HEAD', 'abc'],
    ['/v2/things/@me/parts', '/v2/things/@me/parts', 'GET, PATCH, HEAD', '@me'],
    ['/v2/things/abc/names', '/v2/things/:ref/names', 'GET, HEAD', 'abc'],
    ['/v2/things/@me/names', '/v2/things/@me/names', 'GET, HEAD', null],
    ['/v2/plain/abc', '/v2/plain/:ref', 'GET, HEAD', null],
    ['/v2/things//', 'unknown', '', null],
    ['/v2/things//parts', 'unknown', '', null],
    ['/v2/things/abc/other', 'unknown', '', null],
    ['/v2/things/abc/parts/more', 'unknown', '', null],
    ['/v2', 'unknown', '', null],
    ['/things/abc', 'unknown', '', null],
    ['/', 'unknown', '', null],
  ])('matches %s with %s', (path, route, methods, ref) => {
    const found = match(path)
    expect([found.route, found.methods.join(', ')]).toEqual([route, methods])
    const { refStart = 0 } = found.directRead ?? {}
    expect(found.directRead && path.slice(refStart).split('/')[0]).toBe(ref)
  })

  test('returns the same match for every request to a route', () => {
    expect(match('/v2/things/abc')).toBe(match('/v2/things/xyz'))
  })
})
