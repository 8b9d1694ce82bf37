import { describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { collectFacts, findFacts, type Wire } from '../../src/http/wire'

const routes = () => new Elysia()

const wires: Wire[] = [
  {
    prefix: '',
    routes,
    facts: {},
    nouns: { '': { isForEveryone: true }, health: { isForEveryone: true, isUrgent: true } },
  },
  {
    prefix: '/new',
    routes,
    facts: { isKept: true },
    nouns: { systems: { namesSystem: true }, messages: { scope: 'message' } },
  },
  {
    prefix: '/old',
    routes,
    facts: { headers: { deprecation: 'true' } },
    nouns: { s: { namesSystem: true } },
    elsewhere: { '/new/s': { unknown: 'invalidPath' } },
  },
  { prefix: '', routes, facts: { isKept: true }, nouns: { systems: { namesSystem: true } } },
]

const stated = collectFacts(wires, (facts, start) => ({ facts, start }))

describe('a path', () => {
  test.each([
    ['/', '/', { isForEveryone: true, isKept: false }],
    ['/health', '/health', { isForEveryone: true, isUrgent: true }],
    ['/health/', '/health', { isUrgent: true }],
    ['/health/live', '/health', { isForEveryone: true, isUrgent: true }],
    ['/new', '/new', { isKept: true, namesSystem: false, unknown: 'notFound' }],
    ['/new/systems', '/new/systems', { isKept: true, namesSystem: true }],
    ['/new/systems/abcde/members', '/new/systems', { isKept: true, scope: 'generic_get' }],
    ['/new/messages/1', '/new/messages', { scope: 'message', namesSystem: false }],
    ['/new/nowhere/systems', '/new', { namesSystem: false }],
    ['/new/s/abcde', '/new/s', { unknown: 'invalidPath', isKept: true, namesSystem: false }],
    ['/old/s', '/old/s', { headers: { deprecation: 'true' }, namesSystem: true, isKept: false }],
    ['/old/nowhere', '/old', { headers: { deprecation: 'true' }, unknown: 'notFound' }],
    ['/older/s', '', { headers: {}, isKept: true, namesSystem: false }],
    ['/systems/abcde', '/systems', { isKept: true, namesSystem: true }],
    ['/systems/s', '/systems', { namesSystem: true }],
    ['/nowhere', '', { isForEveryone: false, isKept: true }],
    ['//new/systems', '', { namesSystem: false }],
  ])('is what its wire says of it: %s', (path, start, facts) => {
    expect(findFacts(stated, path)).toMatchObject({ start, facts })
  })

  test('is plain where no wire says anything', () => {
    const { facts } = findFacts(
      collectFacts([], (facts) => ({ facts })),
      '/nowhere',
    )
    expect(facts).toMatchObject({ isForEveryone: false, isKept: false, unknown: 'notFound' })
  })
})
