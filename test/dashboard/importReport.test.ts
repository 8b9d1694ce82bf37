import {
  countWithoutRoom,
  importQuery,
  isSame,
  partsIn,
  type Report,
  sortRepairs,
  talliesOf,
} from '../../src/dashboard/features/transfer/importReport'
import { edit } from '../../src/dashboard/texts/en/edit'
import { importing } from '../../src/dashboard/texts/en/import'
import { importReasons } from '../../src/dashboard/texts/en/importReasons'
import { privacy } from '../../src/dashboard/texts/en/privacy'
import { reason } from '../../src/model/core/reason'
import { reportReason } from '../../src/model/core/reasonMessages'
import { forEachExtPart, type Tally } from '../../src/model/transfer/transfer'
import { readFixture } from '../formats/fixture'
import { describe, expect, test } from '../tools/test'

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

const noRows = forEachExtPart(() => tally())

test('lists the parts and the kinds of rows that a file has', () => {
  const ext = {
    ...noRows,
    front_notes: tally({ added: 3 }),
    notes: tally({ added: 2 }),
    votes: tally({ left_out: 1 }),
  }
  expect(partsIn(report)).toEqual(['members', 'groups', 'switches'])
  expect(partsIn({ ...report, ext })).toEqual(['members', 'groups', 'switches', 'notes'])
  expect(talliesOf({ ...report, ext }).map(([part]) => part)).toEqual([
    'members',
    'groups',
    'switches',
    'front_notes',
    'notes',
    'votes',
  ])
  expect(talliesOf(report).map(([part]) => part)).toEqual(['members', 'groups', 'switches'])
})

describe('a report of', () => {
  const word = {
    one: 'member',
    many: 'members',
    a: 'a member',
    first: 'your first',
    title: 'Members',
  }
  const names = { ...edit.fields(word), ...privacy.levels(word), ...importing.fieldNames }

  test.each([
    'pluralkit-nasty.json',
    'pluralkit-old.json',
    'pluralport-nasty.json',
    'simplyplural-api.json',
    'simplyplural-cache.json',
    'simplyplural-nasty.json',
    'simplyplural.json',
    'tupperbox-nasty.json',
  ])('%s has a text for each reason, field and collection', (name) => {
    const { repairs, kept, skipped, ext } = readFixture(name)
    const own = new Set(ext.fields.map(({ values }) => values.name))
    const fields = repairs.filter(({ kind, field }) => kind !== 'file' && !own.has(field))
    const missing = (texts: object, keys: readonly string[]) =>
      keys.filter((key) => !Object.hasOwn(texts, key))
    expect(
      missing(
        importReasons,
        repairs.map(({ code }) => code),
      ),
    ).toEqual([])
    expect(
      missing(
        names,
        fields.map(({ field }) => field),
      ),
    ).toEqual([])
    expect(missing(importing.collections, Object.keys({ ...kept, ...skipped }))).toEqual([])
  })
})

test('countWithoutRoom counts rows above a limit and texts without space, and no others', () => {
  const one = { kind: 'note', name: null, field: 'notes' }
  expect(
    countWithoutRoom([
      { ...one, ...reportReason('no_space_for_text'), left_out: 39 },
      { ...one, ...reportReason(reason('above_limit', { max: 20_000 })), left_out: 2 },
      { ...one, kind: 'member', ...reportReason('no_space_for_text') },
      { ...one, ...reportReason('owner_not_imported'), left_out: 7 },
    ]),
  ).toBe(42)
})

describe('an import', () => {
  test.each<[string, Partial<Report>, boolean]>([
    ['in which everything is unchanged', {}, true],
    ['with a new member', { members: tally({ added: 1 }) }, false],
    ['with a changed group', { groups: tally({ changed: 1 }) }, false],
    ['with a new group membership', { memberships: tally({ added: 1 }) }, false],
    ['with a new note', { ext: { ...noRows, notes: tally({ added: 1 }) } }, false],
    ['with known notes', { ext: { ...noRows, notes: tally({ unchanged: 1 }) } }, true],
  ])('isSame is right for a report %s', (_, differs, expected) => {
    expect(isSame({ ...report, ...differs })).toBe(expected)
  })

  const all = { parts: ['members', 'groups', 'switches'], isWhole: true } as const
  const some = { parts: ['groups', 'notes'], isWhole: false } as const
  test.each([
    [{ isDryRun: true, ...all }, 'dry_run=true'],
    [{ isDryRun: false, ...all, isPublic: true }, 'public=true'],
    [{ isDryRun: false, ...all, isPrivate: true }, 'private=true'],
    [{ isDryRun: false, ...some }, 'only=groups%2Cnotes'],
  ])('importQuery builds the query of %p', (given, query) => {
    expect(importQuery({ isPublic: false, isPrivate: false, ...given })).toBe(query)
  })
})

test('sortRepairs separates repairs of the file, repaired, dropped and left out', () => {
  const one = { kind: 'member', name: 'Wren', field: 'color', ...reportReason('not_color') }
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
