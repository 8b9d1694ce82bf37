import { eventTypes } from '../../src/model/events'
import {
  type Invalidation,
  invalidationFor,
  mergeInvalidations,
} from '../../src/web/app/invalidation'
import { describe, expect, test } from '../test'

const data = JSON.stringify({ id: 'uuid-1' })

describe('invalidationFor', () => {
  const notShown = [
    'UPDATE_SYSTEM_GUILD',
    'UPDATE_MEMBER_GUILD',
    'CREATE_MESSAGE',
    'UPDATE_AUTOPROXY',
  ]

  test.each([...eventTypes])(
    '%s invalidates something, unless the page does not show it',
    (type) => {
      expect(invalidationFor(type, data) === null).toBe(notShown.includes(type))
    },
  )

  test.each<[string, Invalidation]>([
    ['CREATE_SWITCH', { kind: 'switch', uuid: 'uuid-1', isNew: true }],
    ['UPDATE_SWITCH', { kind: 'switch', uuid: 'uuid-1', isNew: false }],
    ['DELETE_MEMBER', { kind: 'member', uuid: 'uuid-1' }],
    ['DELETE_ALL_SWITCHES', { kind: 'switches' }],
    ['SUCCESSFUL_IMPORT', { kind: 'all' }],
    ['gap', { kind: 'all' }],
  ])('%s invalidates %p', (type, expected) => expect(invalidationFor(type, data)).toEqual(expected))

  test('invalidationFor ignores an unknown event type of a later release', () =>
    expect(invalidationFor('INVENTED', '{')).toBeNull())
})

describe('mergeInvalidations', () => {
  const members = (count: number): Invalidation[] =>
    Array.from({ length: count }, (_, at) => ({ kind: 'member', uuid: `m${at}` }))

  test('mergeInvalidations removes duplicates', () => {
    expect(mergeInvalidations([...members(2), ...members(2)])).toEqual(members(2))
  })

  test('mergeInvalidations keeps that a new switch was changed', () => {
    const ofSwitch = (isNew: boolean): Invalidation => ({ kind: 'switch', uuid: 's', isNew })
    expect(mergeInvalidations([ofSwitch(true), ofSwitch(false)])).toEqual([ofSwitch(false)])
  })

  test('mergeInvalidations replaces many entries of a kind by their list', () => {
    expect(mergeInvalidations([...members(500), { kind: 'system' }])).toEqual([
      { kind: 'system' },
      { kind: 'members' },
    ])
  })

  test('mergeInvalidations returns only "all" when everything is stale', () => {
    expect(mergeInvalidations([...members(3), { kind: 'all' }])).toEqual([{ kind: 'all' }])
  })
})
