import { describe, expect, test } from 'bun:test'
import { eventTypes } from '../../src/model/events'
import {
  type Invalidation,
  invalidationFor,
  mergeInvalidations,
} from '../../src/web/app/invalidation'

const data = JSON.stringify({ id: 'uuid-1' })

describe('what happened', () => {
  const unseen = [
    'UPDATE_SYSTEM_GUILD',
    'UPDATE_MEMBER_GUILD',
    'CREATE_MESSAGE',
    'UPDATE_AUTOPROXY',
  ]

  test.each([...eventTypes])('%s makes stale what it names, or nothing that is shown', (type) => {
    expect(invalidationFor(type, data) === null).toBe(unseen.includes(type))
  })

  test.each<[string, Invalidation]>([
    ['CREATE_SWITCH', { kind: 'switch', uuid: 'uuid-1' }],
    ['DELETE_MEMBER', { kind: 'member', uuid: 'uuid-1' }],
    ['DELETE_ALL_SWITCHES', { kind: 'switches' }],
    ['SUCCESSFUL_IMPORT', { kind: 'all' }],
    ['gap', { kind: 'all' }],
  ])('%s asks for %p', (type, expected) => expect(invalidationFor(type, data)).toEqual(expected))

  test('of a later release is passed over', () =>
    expect(invalidationFor('INVENTED', '{')).toBeNull())
})

describe('what came in one breath', () => {
  const members = (count: number): Invalidation[] =>
    Array.from({ length: count }, (_, at) => ({ kind: 'member', uuid: `m${at}` }))

  test('is asked for once each', () => {
    expect(mergeInvalidations([...members(2), ...members(2)])).toEqual(members(2))
  })

  test('is asked for as a list where it is many', () => {
    expect(mergeInvalidations([...members(500), { kind: 'system' }])).toEqual([
      { kind: 'system' },
      { kind: 'members' },
    ])
  })

  test('is everything after an import', () => {
    expect(mergeInvalidations([...members(3), { kind: 'all' }])).toEqual([{ kind: 'all' }])
  })
})
