import type { Tally } from '../../src/model/transfer'
import { importQuery, isSame, type Report, sortRepairs } from '../../src/web/app/importReport'
import { describe, expect, test } from '../test'

const tally = (given: Partial<Tally> = {}): Tally => ({
  added: 0,
  changed: 0,
  unchanged: 0,
  left_out: 0,
  ...given,
})

const report: Report = {
  format: 'simplyplural',
  dry_run: true,
  members: tally({ unchanged: 3 }),
  groups: tally({ left_out: 1 }),
  memberships: tally(),
  switches: tally({ unchanged: 9 }),
  repairs: [],
  renamed: [],
  accounts: [],
  kept: {},
  skipped: {},
}

describe('an import', () => {
  test.each<[string, Partial<Report>, boolean]>([
    ['in which everything is unchanged', {}, true],
    ['with a new member', { members: tally({ added: 1 }) }, false],
    ['with a changed group', { groups: tally({ changed: 1 }) }, false],
    ['with a new group membership', { memberships: tally({ added: 1 }) }, false],
  ])('isSame is right for a report %s', (_, differs, expected) => {
    expect(isSame({ ...report, ...differs })).toBe(expected)
  })

  const all = new Set(['members', 'groups', 'switches'] as const)
  test.each([
    [{ isDryRun: true, parts: all }, 'dry_run=true'],
    [{ isDryRun: false, parts: all, isPublic: true }, 'public=true'],
    [{ isDryRun: false, parts: all, isPrivate: true }, 'private=true'],
    [{ isDryRun: false, parts: new Set(['groups'] as const) }, 'only=groups'],
  ])('importQuery builds the query of %p', (given, query) => {
    expect(importQuery({ isPublic: false, isPrivate: false, ...given })).toBe(query)
  })
})

test('sortRepairs separates repairs of the file, repaired, dropped and left out', () => {
  const one = { kind: 'member', name: 'Wren', field: 'color', why: 'because' }
  const file = { ...one, kind: 'file', now: 'private' }
  const repaired = { ...one, was: '#fff', now: 'ffffff' }
  const dropped = { ...one, was: 'red', now: null }
  const leftOut = { ...one, now: null, left_out: 2 }
  expect(sortRepairs([leftOut, file, dropped, repaired])).toEqual({
    file: [file],
    repaired: [repaired],
    dropped: [dropped],
    leftOut: [leftOut],
  })
})
