import { describe, expect, test } from 'bun:test'
import type { Bundle } from '../../../src/formats/bundle'
import { readFile } from '../../../src/formats/read'
import { group } from '../../../src/model/group'
import { member } from '../../../src/model/member'
import { system } from '../../../src/model/system'
import { fixture, named, readFixture, repairsOf } from '../fixture'

const HOUR = 3600_000_000
const nine = 1767258000_000000

describe('a Simply Plural export', () => {
  const bundle = readFixture('simplyplural.json')

  test('becomes system, time zone and members', () => {
    expect(bundle.system.patch).toMatchObject({
      name: 'lanternhill',
      description: 'A small system',
      color: 'f2b632',
    })
    expect(bundle.settings).toEqual({ timezone: 'Europe/Oslo' })
    expect(named(bundle.members, 'Wren')).toMatchObject({
      key: 'm1',
      hid: 'wrenab',
      values: {
        description: 'Keeps the lamps.',
        pronouns: 'she/her',
        color: '88c0a8',
        avatar_url: 'https://img.example.org/wren.png',
        birthday: '0004-11-02',
      },
    })
  })

  test('leaves alone what is blank, so that a member known from PluralKit loses nothing', () => {
    const keys = Object.keys(named(bundle.members, 'Ash').values)
    expect(keys.toSorted()).toEqual(['name', ...member.levels].toSorted())
  })

  test('is private from top to bottom', () => {
    for (const level of system.levels) expect(bundle.system.patch[level]).toBe('private')
    for (const { values } of bundle.members)
      for (const level of member.levels) expect(values[level]).toBe('private')
    for (const { values } of bundle.groups)
      for (const level of group.levels) expect(values[level]).toBe('private')
  })

  test('becomes groups: the path and the emoji in the display name, unknown members dropped', () => {
    expect(
      bundle.groups.map(({ values, members }) => [values.name, values.display_name, members]),
    ).toEqual([
      ['Keepers', '💡 Keepers', ['m1']],
      ['Night watch', 'Keepers / Night watch', ['m2', 'f1']],
      ['Archived', undefined, ['m2']],
      ['Custom fronts', undefined, ['f1']],
    ])
    expect(named(bundle.groups, 'Keepers').values.color).toBe('335577')
  })

  test('becomes switches, custom fronts among the fronters', () => {
    expect(bundle.switches).toEqual([
      { timestamp: nine, members: ['m1'] },
      { timestamp: nine + HOUR, members: ['m1', 'm2'] },
      { timestamp: nine + 2 * HOUR, members: ['m2'] },
      { timestamp: 1767300000_000000, members: ['m2', 'f1'] },
      { timestamp: 1767310000_000000, members: ['m2'] },
    ])
  })

  test('has the rows without a counterpart kept, and encrypted messages counted', () => {
    const counts = Object.entries(bundle.kept).map(([name, rows]) => [name, rows.length])
    expect(Object.fromEntries(counts)).toEqual({
      members: 2,
      frontStatuses: 1,
      groups: 2,
      privacyBuckets: 2,
      notes: 1,
      comments: 1,
      polls: 1,
      boardMessages: 1,
      channels: 1,
      automatedReminders: 1,
      repeatedReminders: 2,
      friends: 1,
      customFields: 2,
      chatMessages: 2,
      frontHistory: 2,
    })
    expect(bundle.skipped).toEqual({ chatMessages: 1 })
    expect(bundle.kept.notes).toEqual([
      { _id: 'n1', member: 'm1', title: 'Oil', note: 'Buy more', date: 1 },
    ])
    expect(bundle.kept.members?.[1]).toMatchObject({ _id: 'm2', archivedReason: 'resting' })
  })

  test('tells of the picture that is gone and of the unknown member', () => {
    expect(repairsOf(bundle)).toEqual([
      'file null privacy → private',
      'group Night watch members → null',
      'system lanternhill avatar_url → null',
    ])
  })

  const planted = ['simplyplural.json', 'simplyplural-nasty.json', 'simplyplural-cache.json']

  test.each(planted)('no secret of %s gets into the bundle', (name) => {
    expect(new TextDecoder().decode(fixture(name))).toContain('SECRET')
    expect(JSON.stringify(readFixture(name))).not.toContain('SECRET')
    expect(JSON.stringify(readFixture(name, { public: true }))).not.toContain('SECRET')
  })
})

describe('making public what all friends could see', () => {
  const bundle = readFixture('simplyplural.json', { public: true })

  test('opens the rows of the bucket that all friends are in, and no others', () => {
    expect(named(bundle.members, 'Wren').values.visibility).toBe('public')
    expect(named(bundle.members, 'Ash').values.name_privacy).toBe('private')
    expect(named(bundle.members, 'Asleep').values.name_privacy).toBe('private')
    expect(named(bundle.groups, 'Keepers').values.visibility).toBe('public')
    expect(named(bundle.groups, 'Night watch').values.visibility).toBe('private')
    expect(named(bundle.groups, 'Custom fronts').values.visibility).toBe('private')
  })

  test('keeps a birthday private whose field only trusted friends could see', () => {
    expect(named(bundle.members, 'Wren').values.birthday_privacy).toBe('private')
  })

  test('opens the lists that every friend could see, and never the history', () => {
    expect(bundle.system.patch).toMatchObject({
      name_privacy: 'public',
      member_list_privacy: 'public',
      front_privacy: 'private',
      front_history_privacy: 'private',
    })
  })

  const rows: [row: object, level: string][] = [
    [{ private: false }, 'public'],
    [{ private: false, preventTrusted: true }, 'public'],
    [{ private: true, preventTrusted: false }, 'private'],
    [{ private: true, preventTrusted: true }, 'private'],
    [{}, 'private'],
    [{ private: false, buckets: [] }, 'private'],
    [{ buckets: ['all'] }, 'public'],
    [{ buckets: ['some', 'all'] }, 'public'],
    [{ buckets: ['some'] }, 'private'],
    [{ private: true, buckets: ['all'] }, 'private'],
    [{ buckets: ['nowhere'] }, 'private'],
  ]

  test.each(rows)('a member with %j is %s', (row, level) => {
    const file = {
      members: [{ _id: 'm1', name: 'Wren', ...row }],
      privacyBuckets: [
        { _id: 'all', name: ' friends' },
        { _id: 'some', name: 'Friends I trust' },
      ],
    }
    const [open] = readFile(JSON.stringify(file), { public: true }).members
    expect(open?.values.visibility).toBe(level as 'public')
    const [closed] = readFile(JSON.stringify(file)).members
    expect(closed?.values.visibility).toBe('private')
  })

  test('an archived member leaves the lists all the same', () => {
    const file = { members: [{ _id: 'm1', name: 'Wren', private: false, archived: true }] }
    const [wren] = readFile(JSON.stringify(file), { public: true }).members
    expect(wren?.values).toMatchObject({ visibility: 'private', name_privacy: 'public' })
  })
})

describe('other shapes of the same', () => {
  test('a phone’s cache: generations are merged by ID, the newer one wins, no row is lost', () => {
    const bundle = readFixture('simplyplural-cache.json')
    expect(bundle.members.map(({ key, values }) => [key, values.name])).toEqual([
      ['m1', 'Wren'],
      ['m2', 'Ash'],
      ['m3', 'Only in the old generation'],
    ])
    expect(bundle.switches.map(({ members }) => members)).toEqual([['m3'], [], ['m1'], []])
    expect(bundle.system.patch.name).toBe('lanternhill')
    expect(bundle.settings.timezone).toBe('Asia/Tokyo')
  })

  test('a dump of the API: rows are unwrapped, current fronters stand in for the history', () => {
    const bundle = readFixture('simplyplural-api.json', { public: true })
    expect(bundle.system.patch.name).toBe('apihill')
    expect(bundle.members.map(({ key, values }) => [key, values.name, values.visibility])).toEqual([
      ['m1', 'Wren', 'public'],
      ['m2', 'Ash', 'private'],
    ])
    expect(bundle.switches).toEqual([{ timestamp: nine + HOUR, members: ['m2'] }])
  })
})

describe('a Simply Plural export full of faults', () => {
  const bundle = readFixture('simplyplural-nasty.json')

  test('is read, and every change is told', () => {
    expect(repairsOf(bundle)).toEqual([
      'file null privacy → private',
      'member null members → null',
      'member null frontStatuses → null',
      'member Eight avatar_url → null',
      'member Tail birthday → null',
      'member Tail pkId → null',
      'member Neither color → 112233',
      'member Short pkId → null',
      'member Short birthday → null',
      'member Word color → null',
      'member null name → Unnamed',
      'group Egg parent → null',
      'group Self parent → null',
      'group Lost parent → null',
      'group Hen members → null',
      'switch null frontHistory → null',
      'switch null member → null',
      'switch null startTime → null',
      'switch null startTime → null',
      'switch null startTime → 1 fronts',
      'settings null timezone → null',
    ])
    expect(bundle.skipped).toEqual({})
    expect(bundle.leftOut).toEqual({ members: 2, groups: 0, memberships: 1, switches: 6 })
  })

  test('colours are understood in every spelling', () => {
    expect(bundle.members.map(({ values }) => values.color)).toEqual([
      '112233',
      '112233',
      '112233',
      'aabbcc',
      null,
      undefined,
      undefined,
    ])
  })

  test('numbers and objects where text is due count as absent', () => {
    expect(named(bundle.members, 'Eight').values).not.toHaveProperty('description')
    expect(named(bundle.members, 'Eight').values).not.toHaveProperty('pronouns')
    expect(bundle.system.patch.name).toBe('Old Mill')
  })

  test('a birthday is found in the old place of custom fields', () => {
    expect(named(bundle.members, 'Eight').values.birthday).toBe('1990-02-03')
    expect(bundle.kept.customFields).toEqual([{ _id: 'lf1', name: 'B-Day', type: '2' }])
  })

  test('addresses on hosts that are gone are stored nowhere', () => {
    const { repairs, ...stored } = bundle
    expect(JSON.stringify(stored)).not.toContain('apparyllis')
  })

  test('groups inside each other are taken apart at one place', () => {
    expect(bundle.groups.map(({ values }) => values.display_name)).toEqual([
      'Egg / Hen',
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  test('a group that is called Archived already takes the archived members too', () => {
    expect(named(bundle.groups, 'Archived').members).toEqual(['m1', 'm5'])
  })

  test('times are understood in every spelling', () => {
    expect(bundle.switches.map(({ timestamp }) => timestamp)).toEqual([
      1700000000_000000, 1700000001_000500, 1700000002_000000, 1700000003_000000, 1700000004_000000,
      1700000005_123456,
    ])
  })
})

describe('what does not fit', () => {
  test('a long description is cut, and kept whole aside', () => {
    const desc = '🏮'.repeat(600)
    const bundle = fileOf({ members: [{ _id: 'm1', name: 'Wren', desc }] })
    expect(bundle.members[0]?.values.description).toBe('🏮'.repeat(500))
    expect(bundle.kept.longTexts).toEqual([
      { kind: 'member', name: 'Wren', field: 'description', text: desc },
    ])
  })

  test('a path that is too long starts further down', () => {
    const groups = Array.from({ length: 30 }, (_, n) => ({
      _id: `g${n}`,
      name: `Level ${n}`,
      parent: n === 0 ? 'root' : `g${n - 1}`,
      emoji: '💡',
    }))
    const last = fileOf({ groups }).groups.at(-1)?.values.display_name ?? ''
    expect(last.length).toBeLessThanOrEqual(100)
    expect(last).toStartWith('💡 Level 21 / Level 22 / ')
    expect(last).toEndWith(' / Level 29')
  })

  test('a chain of 100,000 groups, and a loop of as many, end', () => {
    const groups = Array.from({ length: 100_000 }, (_, n) => ({
      _id: `g${n}`,
      name: `${n}`,
      parent: `g${(n + 1) % 100_000}`,
    }))
    expect(repairsOf(fileOf({ groups }))).toEqual([
      'file null privacy → private',
      'group 99999 parent → null',
    ])
  })
})

describe('chat messages', () => {
  const iv = 'AAECAwQFBgcICQoLDA0ODw=='
  const messages: [what: string, message: object, isKept: boolean][] = [
    ['plain text', { message: 'See you at nine', iv }, true],
    ['ciphertext', { message: '9YKx3wD/gJrT4pr+kMOf8g==', iv }, false],
    ['ciphertext without its vector', { message: '9YKx3wD/gJrT4pr+kMOf8g==' }, true],
    ['a vector of another length', { message: '9YKx3wD/gJrT4pr+kMOf8g==', iv: 'AAEC' }, true],
    ['a word that could be base64', { message: 'Unbelievable', iv }, true],
    ['base64 of readable text', { message: 'TGFtcHMgYXJlIGxpdCBhdCBuaW5l', iv }, true],
    ['no text at all', { message: null, iv }, true],
  ]

  test.each(messages)('%s', (_, message, isKept) => {
    const bundle = fileOf({ chatMessages: [{ _id: 'c1', ...message }] })
    expect(bundle.kept.chatMessages?.length ?? 0).toBe(isKept ? 1 : 0)
    expect(bundle.skipped.chatMessages ?? 0).toBe(isKept ? 0 : 1)
  })
})

function fileOf(file: object): Bundle {
  return readFile(JSON.stringify({ frontHistory: [], ...file }))
}

describe('custom fronts', () => {
  test('are statuses, for whoever shows them so', () => {
    const { preferences, groups } = readFixture('simplyplural.json')
    expect(preferences).toEqual({
      pinned: [],
      statuses: [named(groups, 'Custom fronts').key],
    })
  })

  test('that are none make no group a status', () => {
    const file = Buffer.from(JSON.stringify({ members: [], frontHistory: [], frontStatuses: [] }))
    expect(readFile(file)).not.toHaveProperty('preferences')
  })
})
