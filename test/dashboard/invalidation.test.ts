import {
  type Invalidation,
  invalidationFor,
  mergeInvalidations,
  type SwitchValues,
} from '../../src/dashboard/core/invalidation'
import { eventTypes, extEventTypes } from '../../src/model/events'
import { describe, expect, test } from '../tools/test'

const now = { timestamp: '2026-11-15T06:54:00.000000Z', members: ['uuid-2'] }
const data = JSON.stringify({ id: 'uuid-1', data: now })

describe('invalidationFor', () => {
  const notShown = [
    'UPDATE_SYSTEM_GUILD',
    'UPDATE_MEMBER_GUILD',
    'CREATE_MESSAGE',
    'UPDATE_AUTOPROXY',
    'FRIEND_FRONT',
  ]

  test.each([...eventTypes, ...extEventTypes])(
    '%s invalidates something, unless the page does not show it',
    (type) => {
      expect(invalidationFor(type, data) === null).toBe(notShown.includes(type))
    },
  )

  test.each<[string, Invalidation]>([
    ['CREATE_SWITCH', { kind: 'switch', uuid: 'uuid-1', isDeleted: false, now }],
    ['UPDATE_SWITCH', { kind: 'switch', uuid: 'uuid-1', isDeleted: false, now }],
    ['DELETE_SWITCH', { kind: 'switch', uuid: 'uuid-1', isDeleted: true, now }],
    ['UPDATE_MEMBER', { kind: 'member', uuid: 'uuid-1', isDeleted: false }],
    ['DELETE_MEMBER', { kind: 'member', uuid: 'uuid-1', isDeleted: true }],
    ['DELETE_GROUP', { kind: 'group', uuid: 'uuid-1', isDeleted: true }],
    ['UPDATE_MEMBER_EXT', { kind: 'member', uuid: 'uuid-1', isDeleted: false }],
    ['UPDATE_GROUP_EXT', { kind: 'groups' }],
    ['DELETE_NOTE', { kind: 'notes' }],
    ['UPDATE_POLL_VOTES', { kind: 'polls' }],
    ['DELETE_ALL_SWITCHES', { kind: 'switches' }],
    ['SUCCESSFUL_IMPORT', { kind: 'all' }],
    ['gap', { kind: 'all' }],
  ])('%s invalidates %p', (type, expected) => expect(invalidationFor(type, data)).toEqual(expected))

  test('invalidationFor ignores an unknown event type of a later release', () =>
    expect(invalidationFor('INVENTED', '{')).toBeNull())
})

describe('mergeInvalidations', () => {
  const members = (count: number): Invalidation[] =>
    Array.from({ length: count }, (_, at) => ({ kind: 'member', uuid: `m${at}`, isDeleted: false }))

  test('mergeInvalidations removes duplicates', () => {
    expect(mergeInvalidations([...members(2), ...members(2)])).toEqual(members(2))
  })

  test('mergeInvalidations joins the values of a switch that changed twice', () => {
    const ofSwitch = (now: SwitchValues): Invalidation => ({
      kind: 'switch',
      uuid: 's',
      isDeleted: false,
      now,
    })
    const [moved, changed] = [{ timestamp: 'later' }, { members: ['m'] }]
    expect(mergeInvalidations([ofSwitch(moved), ofSwitch(changed)])).toEqual([
      ofSwitch({ ...moved, ...changed }),
    ])
  })

  test('mergeInvalidations fetches no list because of many deletions', () => {
    const deleted = members(20).map((one) => ({ ...one, isDeleted: true }))
    expect(mergeInvalidations(deleted)).toEqual(deleted)
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
