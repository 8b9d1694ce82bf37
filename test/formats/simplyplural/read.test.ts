import type { Bundle } from '../../../src/formats/bundle'
import { readFile } from '../../../src/formats/read'
import { group } from '../../../src/model/groups/group'
import { member } from '../../../src/model/members/member'
import { system } from '../../../src/model/systems/system'
import { describe, expect, test } from '../../tools/test'
import { fixture, named, readFixture, repairsOf } from '../fixture'

const HOUR = 3600_000_000
const nine = 1767258000_000000

describe('a Simply Plural export', () => {
  const bundle = readFixture('simplyplural.json')

  test('imports system, time zone and members', () => {
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

  test('does not set blank values, so that a member known from PluralKit loses nothing', () => {
    const keys = Object.keys(named(bundle.members, 'Ash').values)
    expect(keys.toSorted()).toEqual(['name', ...member.levels].toSorted())
  })

  test('imports everything as private by default', () => {
    for (const level of system.levels) expect(bundle.system.patch[level]).toBe('private')
    for (const { values } of bundle.members)
      for (const level of member.levels) expect(values[level]).toBe('private')
    for (const { values } of bundle.groups)
      for (const level of group.levels) expect(values[level]).toBe('private')
  })

  test('imports groups with emoji and parent, without unknown members', () => {
    expect(
      bundle.groups.map(({ values, members, ext }) => [
        values.name,
        ext?.emoji,
        ext?.parent,
        members,
      ]),
    ).toEqual([
      ['Keepers', '💡', null, ['m1']],
      ['Night watch', null, named(bundle.groups, 'Keepers').key, ['m2', 'f1']],
    ])
    expect(named(bundle.groups, 'Keepers').values.color).toBe('335577')
  })

  test('imports switches with custom fronts among the fronters', () => {
    expect(bundle.switches).toEqual([
      { timestamp: nine, members: ['m1'] },
      { timestamp: nine + HOUR, members: ['m1', 'm2'] },
      { timestamp: nine + 2 * HOUR, members: ['m2'] },
      { timestamp: 1767300000_000000, members: ['m2', 'f1'] },
      { timestamp: 1767310000_000000, members: ['m2'] },
    ])
  })

  test('archives rows without a counterpart, and counts encrypted messages as skipped', () => {
    const counts = Object.entries(bundle.kept).map(([name, rows]) => [name, rows.length])
    expect(Object.fromEntries(counts)).toEqual({
      automatedReminders: 1,
      repeatedReminders: 2,
      friends: 1,
    })
    expect(bundle.skipped).toEqual({ chatMessages: 1 })
  })

  test('reports a lost picture, an unknown member and incomplete reminders', () => {
    expect(repairsOf(bundle)).toEqual([
      'file null privacy → private',
      'group Night watch members → null',
      'reminder Sleep reminder → null',
      'reminder Eat reminder → null',
      'reminder Drink reminder → null',
      'system lanternhill avatar_url → null',
    ])
  })

  const filesWithSecrets = [
    'simplyplural.json',
    'simplyplural-nasty.json',
    'simplyplural-cache.json',
  ]

  test.each(filesWithSecrets)('does not import secrets of %s', (name) => {
    expect(new TextDecoder().decode(fixture(name))).toContain('SECRET')
    expect(JSON.stringify(readFixture(name))).not.toContain('SECRET')
    expect(JSON.stringify(readFixture(name, { public: true }))).not.toContain('SECRET')
  })
})

describe('a Simply Plural import with the option public', () => {
  const bundle = readFixture('simplyplural.json', { public: true })

  test('makes only rows in the bucket of all friends public', () => {
    expect(named(bundle.members, 'Wren').values.visibility).toBe('public')
    expect(named(bundle.members, 'Ash').values.name_privacy).toBe('private')
    expect(named(bundle.members, 'Asleep').values.name_privacy).toBe('private')
    expect(named(bundle.groups, 'Keepers').values.visibility).toBe('public')
    expect(named(bundle.groups, 'Night watch').values.visibility).toBe('private')
  })

  test('keeps a birthday private whose field only trusted friends could see', () => {
    expect(named(bundle.members, 'Wren').values.birthday_privacy).toBe('private')
  })

  test('makes lists public that every friend could see, and never the history', () => {
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

  test.each(rows)('imports a member with %j as %s with the option public', (row, level) => {
    const file = {
      members: [{ _id: 'm1', name: 'Wren', ...row }],
      privacyBuckets: [
        { _id: 'all', name: ' friends' },
        { _id: 'some', name: 'Friends I trust' },
      ],
    }
    const [withOption] = readFile(JSON.stringify(file), { public: true }).members
    expect(withOption?.values.visibility).toBe(level as 'public')
    const [byDefault] = readFile(JSON.stringify(file)).members
    expect(byDefault?.values.visibility).toBe('private')
  })

  test('hides an archived member from lists even with the option public', () => {
    const file = { members: [{ _id: 'm1', name: 'Wren', private: false, archived: true }] }
    const [wren] = readFile(JSON.stringify(file), { public: true }).members
    expect(wren?.values).toMatchObject({ visibility: 'private', name_privacy: 'public' })
  })
})

describe('other forms of a Simply Plural export', () => {
  test('merges old and new rows of a phone’s cache by ID, preferring the new ones', () => {
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

  test('unwraps rows of an API dump, and uses current fronters if there is no history', () => {
    const bundle = readFixture('simplyplural-api.json', { public: true })
    expect(bundle.system.patch.name).toBe('apihill')
    expect(bundle.members.map(({ key, values }) => [key, values.name, values.visibility])).toEqual([
      ['m1', 'Wren', 'public'],
      ['m2', 'Ash', 'private'],
    ])
    expect(bundle.switches).toEqual([{ timestamp: nine + HOUR, members: ['m2'] }])
  })
})

describe('an invalid Simply Plural export', () => {
  const bundle = readFixture('simplyplural-nasty.json')

  test('repairs an invalid Simply Plural export and reports every change', () => {
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
      'switch null startTime → 1',
      'member Tail B-Day → null',
      'member Short B-Day → null',
      'settings null timezone → null',
    ])
    expect(bundle.skipped).toEqual({})
    expect(bundle.leftOut).toEqual({ members: 2, groups: 0, memberships: 1, switches: 6 })
  })

  test('parses colours in every notation', () => {
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

  test('ignores numbers and objects instead of text', () => {
    expect(named(bundle.members, 'Eight').values).not.toHaveProperty('description')
    expect(named(bundle.members, 'Eight').values).not.toHaveProperty('pronouns')
    expect(bundle.system.patch.name).toBe('Old Mill')
  })

  test('finds a birthday in legacy custom fields', () => {
    expect(named(bundle.members, 'Eight').values.birthday).toBe('1990-02-03')
    expect(bundle.ext.fields.map(({ key, values }) => [key, values.name, values.type])).toEqual([
      ['lf1', 'B-Day', 'date'],
    ])
  })

  test('drops addresses on hosts that were shut down', () => {
    const { repairs, ...stored } = bundle
    expect(JSON.stringify(stored)).not.toContain('apparyllis')
  })

  test('breaks cycles of groups at one group', () => {
    const parents = bundle.groups.map(({ values, ext }) => [values.name, ext?.parent])
    expect(parents.filter(([, parent]) => parent !== null)).toEqual([
      ['Hen', named(bundle.groups, 'Egg').key],
    ])
  })

  test('parses times in every notation', () => {
    expect(bundle.switches.map(({ timestamp }) => timestamp)).toEqual([
      1700000000_000000, 1700000001_000500, 1700000002_000000, 1700000003_000000, 1700000004_000000,
      1700000005_123456,
    ])
  })
})

describe('limits of a Simply Plural import', () => {
  test('imports a long description whole, and its beginning as description', () => {
    const desc = '🏮'.repeat(600)
    const bundle = fileOf({ members: [{ _id: 'm1', name: 'Wren', desc }] })
    expect(bundle.members[0]?.values.description).toBe('🏮'.repeat(500))
    expect(bundle.members[0]?.ext?.about).toBe(desc)
    expect(bundle.kept.longTexts).toBeUndefined()
  })

  test('truncates a description longer than 20,000 characters and archives the full text', () => {
    const desc = 'lamp '.repeat(5000)
    const bundle = fileOf({ members: [{ _id: 'm1', name: 'Wren', desc }] })
    expect(bundle.members[0]?.ext?.about?.length).toBeLessThanOrEqual(20_000)
    expect(bundle.kept.longTexts).toEqual([
      { kind: 'member', name: 'Wren', field: 'about', text: desc },
    ])
  })

  test('moves groups that are nested deeper than 8 to level 8', () => {
    const groups = Array.from({ length: 30 }, (_, n) => ({
      _id: `g${n}`,
      name: `Level ${n}`,
      parent: n === 0 ? 'root' : `g${n - 1}`,
    }))
    const bundle = fileOf({ groups })
    const parents = bundle.groups.map(({ ext }) => ext?.parent)
    expect(parents.slice(0, 8)).toEqual([null, 'g0', 'g1', 'g2', 'g3', 'g4', 'g5', 'g6'])
    expect(new Set(parents.slice(8))).toEqual(new Set(['g6']))
    expect(bundle.repairs.filter(({ field }) => field === 'parent')).toHaveLength(22)
  })

  test('handles a cycle of 50,000 groups', () => {
    const groups = Array.from({ length: 50_000 }, (_, n) => ({
      _id: `g${n}`,
      name: `${n}`,
      parent: `g${(n + 1) % 50_000}`,
    }))
    expect(repairsOf(fileOf({ groups })).slice(0, 2)).toEqual([
      'file null privacy → private',
      'group 49999 parent → null',
    ])
  })
})

describe('chat messages', () => {
  const iv = 'AAECAwQFBgcICQoLDA0ODw=='
  const messages: [what: string, message: object, isArchived: boolean][] = [
    ['archives plain text', { message: 'See you at nine', iv }, true],
    ['skips ciphertext', { message: '9YKx3wD/gJrT4pr+kMOf8g==', iv }, false],
    ['archives ciphertext without its vector', { message: '9YKx3wD/gJrT4pr+kMOf8g==' }, true],
    [
      'archives ciphertext with a vector of another length',
      { message: '9YKx3wD/gJrT4pr+kMOf8g==', iv: 'AAEC' },
      true,
    ],
    ['archives a word that could be base64', { message: 'Unbelievable', iv }, true],
    ['archives base64 of readable text', { message: 'TGFtcHMgYXJlIGxpdCBhdCBuaW5l', iv }, true],
    ['archives a message without text', { message: null, iv }, true],
  ]

  test.each(messages)('%s in a chat message', (_, message, isArchived) => {
    const bundle = fileOf({ chatMessages: [{ _id: 'c1', ...message }] })
    expect(bundle.kept.chatMessages?.length ?? 0).toBe(isArchived ? 1 : 0)
    expect(bundle.skipped.chatMessages ?? 0).toBe(isArchived ? 0 : 1)
  })
})

function fileOf(file: object): Bundle {
  return readFile(JSON.stringify({ frontHistory: [], ...file }))
}

describe('custom fronts', () => {
  test('marks custom fronts, and creates no group for them', () => {
    const { members, preferences } = readFixture('simplyplural.json')
    expect(members.flatMap(({ key, ext }) => (ext?.kind === 'custom_front' ? [key] : []))).toEqual([
      'f1',
    ])
    expect(preferences).toBeUndefined()
  })

  test('creates no status group without custom fronts', () => {
    const file = Buffer.from(JSON.stringify({ members: [], frontHistory: [], frontStatuses: [] }))
    expect(readFile(file)).not.toHaveProperty('preferences')
  })
})
