import fc from 'fast-check'
import { parseRoute, type Route } from '../../src/web/app/address'
import { expect, test } from '../test'

test.each<[string, Route]>([
  ['', { page: 'now' }],
  ['#/', { page: 'now' }],
  ['#/now', { page: 'now' }],
  ['#/nowhere', { page: 'now' }],
  ['#/members', { page: 'members' }],
  ['#/members/', { page: 'members' }],
  ['#/members/abcdef', { page: 'member', id: 'abcdef' }],
  ['#/members/abcdef/edit', { page: 'memberEdit', id: 'abcdef' }],
  ['#/groups', { page: 'groups' }],
  ['#/groups/abcdef', { page: 'group', id: 'abcdef' }],
  ['#/groups/abcdef/edit', { page: 'groupEdit', id: 'abcdef' }],
  ['#/more', { page: 'more' }],
  ['#/devices', { page: 'devices' }],
  ['#/insights', { page: 'insights' }],
  ['#/import', { page: 'import' }],
  ['#/history', { page: 'history', view: 'days' }],
  ['#/history/list', { page: 'history', view: 'list' }],
  ['#/history/day?date=2026-11-10', { page: 'history', view: 'day', date: '2026-11-10' }],
  [
    '#/history/days?date=2026-11-10&member=abcdef&days=14&at=2026-11-08',
    {
      page: 'history',
      view: 'days',
      date: '2026-11-10',
      member: 'abcdef',
      days: '14',
      at: '2026-11-08',
    },
  ],
  ['#/history/list?date=yesterday&days=0&time=noon', { page: 'history', view: 'list' }],
  ['#/history/of-the-world', { page: 'history', view: 'days' }],
  ['#/system', { page: 'system' }],
  ['#/system/edit', { page: 'systemEdit' }],
  ['#/system/settings', { page: 'settings' }],
  ['#/systems/abcde', { page: 'systems', ref: 'abcde' }],
  ['#/systems/', { page: 'now' }],
  ['#/friends', { page: 'friends' }],
  ['#/privacy', { page: 'privacy' }],
  ['#/watch', { page: 'watch', token: '' }],
  ['#/login', { page: 'now' }],
  ['#/login/', { page: 'now' }],
  ['#/login/a_b-c', { page: 'login', code: 'a_b-c' }],
  ['#/setup/a_b-c', { page: 'setup', code: 'a_b-c' }],
  ['#/setup', { page: 'now' }],
  ['#/create', { page: 'create' }],
  ['#/watch/a%2Fb%2B', { page: 'watch', token: 'a/b+' }],
  ['#/watch/%', { page: 'watch', token: '%' }],
])('parseRoute parses %p as %p', (hash, expected) => expect(parseRoute(hash)).toEqual(expected))

test('parseRoute returns a page for any hash', () => {
  fc.assert(fc.property(fc.string(), (typed) => parseRoute(`#/${typed}`).page.length > 0))
})
