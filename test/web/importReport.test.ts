import { describe, expect, test } from 'bun:test'
import type { Tally } from '../../src/model/transfer'
import {
  importQuery,
  isSame,
  nameCollection,
  type Report,
  sortRepairs,
} from '../../src/web/app/importReport'

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
    ['that finds everything', {}, true],
    ['with somebody new', { members: tally({ added: 1 }) }, false],
    ['with a group that differs', { groups: tally({ changed: 1 }) }, false],
    ['with another member of a group', { memberships: tally({ added: 1 }) }, false],
  ])('%s', (_, differs, expected) => {
    expect(isSame({ ...report, ...differs })).toBe(expected)
  })

  const all = new Set(['members', 'groups', 'switches'] as const)
  test.each([
    [{ isDryRun: true, parts: all, isPublic: false }, 'dry_run=true'],
    [{ isDryRun: false, parts: all, isPublic: true }, 'public=true'],
    [{ isDryRun: false, parts: new Set(['groups'] as const), isPublic: false }, 'only=groups'],
  ])('asks for what was chosen: %p', (given, query) => {
    expect(importQuery(given)).toBe(query)
  })
})

test('repairs are told apart: of the file, repaired, dropped, left out', () => {
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

test('collections are named in words', () => {
  expect(nameCollection('frontStatuses')).toBe('front statuses')
})
