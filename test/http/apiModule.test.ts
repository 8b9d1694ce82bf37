import { describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { type ApiModule, buildPolicyTable, findPolicy } from '../../src/http/apiModule'

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
