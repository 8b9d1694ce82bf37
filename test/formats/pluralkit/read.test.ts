import type { Bundle, BundleMember } from '../../../src/formats/bundle'
import { readFile } from '../../../src/formats/read'
import { parseInstant } from '../../../src/model/core/time'
import { describe, expect, test } from '../../tools/test'
import { named, readFixture, repairsOf } from '../fixture'

describe('what the extension API adds to an export', () => {
  const read = (ext: object) =>
    readFile(
      JSON.stringify({
        version: 2,
        switches: [],
        members: [],
        multitude: { ext: { version: 1, ...ext } },
      }),
    )

  test('is rejected if lists are none, and all of them are named', () => {
    const file = { polls: {}, fields: 'secret', members: 1, origins: false, notes: null }
    expect(() => read(file)).toThrow(
      '"multitude.ext.members" is not a list. "multitude.ext.origins" is not a list. "multitude.ext.fields" is not a list. "multitude.ext.polls" is not a list.',
    )
  })

  test('is imported without rows that are no objects, which are reported', () => {
    const { ext, extLeftOut, repairs } = read({
      notes: [7, { title: 'Kept' }, null],
      values: ['secret'],
    })
    expect(ext.notes.map(({ values }) => values)).toMatchObject([{ title: 'Kept' }])
    expect(extLeftOut).toMatchObject({ notes: 2, values: 1 })
    expect(repairs.map(({ kind, why, left_out }) => [kind, why, left_out])).toEqual([
      ['field', 'not an object', 1],
      ['note', 'not an object', 2],
    ])
  })
})

describe('a PluralKit export', () => {
  const bundle = readFixture('pluralkit.json')

  test('repairs only the duplicate avatar in a PluralKit export', () => {
    expect(repairsOf(bundle)).toEqual(['member Wren webhook_avatar_url → null'])
    expect(bundle.skipped).toEqual({})
    expect(bundle.kept).toEqual({})
  })

  test('imports the system with its ID, UUID and creation time', () => {
    expect(bundle.system).toMatchObject({
      hid: 'qvexmp',
      uuid: '0b6f1d3e-7a54-4c0a-9d5b-3f1f5a0c9e11',
      created: parseInstant('2022-05-04T18:20:31.250114Z'),
      patch: { name: 'Lantern Hill', description: null, color: 'f2b632' },
    })
    expect(bundle.system.patch).toMatchObject({
      description_privacy: 'private',
      front_privacy: 'public',
    })
    expect(bundle.system.patch).not.toHaveProperty('created')
    expect(bundle.system.patch).not.toHaveProperty('webhook_url')
  })

  test('imports settings except the limits, which the operator sets', () => {
    expect(bundle.settings).toMatchObject({
      timezone: 'Europe/Oslo',
      latch_timeout: 0,
      show_private_info: false,
      hid_list_padding: 'left',
      proxy_switch: 'add',
      name_format: '{name} {tag}',
      description_templates: ['Likes: '],
    })
    expect(bundle.settings).not.toHaveProperty('member_limit')
    expect(bundle.settings).not.toHaveProperty('group_limit')
  })

  test('imports account IDs to the last digit', () => {
    expect(bundle.accounts).toEqual([{ id: '123456789012345678' }, { id: '987654321098765433' }])
  })

  test('imports all values of a member', () => {
    expect(named(bundle.members, 'Wren')).toMatchObject({
      key: 'wrenab',
      hid: 'wrenab',
      uuid: '5a0f6f0e-2a39-4d0c-8a6d-5a1a1d7a2b01',
      values: {
        color: '88c0a8',
        birthday: '0004-11-02',
        webhook_avatar_url: null,
        banner: 'http://img.example.org/banner.png',
        created: parseInstant('2022-05-04T18:25:00Z'),
        autoproxy_enabled: false,
        message_count: 42,
        last_message_timestamp: parseInstant('2025-12-31T23:10:05.000001Z'),
        proxy_tags: [
          { prefix: 'w:', suffix: null },
          { prefix: '(', suffix: ')' },
        ],
        birthday_privacy: 'private',
        visibility: 'public',
      },
    })
  })

  test('clears null and blank values, and does not set missing privacy levels', () => {
    const { values } = named(bundle.members, 'Ash')
    expect(values).toMatchObject({ description: null, color: null, proxy_tags: [] })
    expect(values).not.toHaveProperty('visibility')
  })

  test('imports groups and switches with member keys, the oldest switch first', () => {
    expect(named(bundle.groups, 'Keepers')).toMatchObject({
      hid: 'grpef',
      values: { list_privacy: 'private', created: parseInstant('2023-02-01T00:00:00Z') },
      members: ['wrenab', 'ashcd'],
    })
    expect(bundle.switches).toEqual([
      { timestamp: 1767258000123456, members: ['wrenab'] },
      { timestamp: 1767261600500000, members: ['ashcd', 'wrenab'] },
      { timestamp: 1767268800000000, members: [] },
    ])
  })
})

describe('an old PluralKit export', () => {
  const bundle = readFixture('pluralkit-old.json')

  test('does not set values that an old export lacks', () => {
    expect(bundle.repairs).toEqual([])
    expect(bundle.system.patch).toEqual({ name: 'Old Mill', tag: null })
    expect(bundle.groups).toEqual([])
    expect(Object.keys(named(bundle.members, 'Miller').values).toSorted()).toEqual([
      'description_privacy',
      'message_count',
      'name',
      'name_privacy',
      'proxy_tags',
      'visibility',
    ])
  })

  test('imports the time zone from the top level of an old export', () => {
    expect(bundle.settings).toEqual({ timezone: 'America/Lima' })
  })

  test('imports the single proxy tag of an old export', () => {
    expect(named(bundle.members, 'Miller').values.proxy_tags).toEqual([
      { prefix: 'm-', suffix: null },
    ])
    expect(named(bundle.members, 'Grist').values.proxy_tags).toEqual([])
  })

  test('imports privacy levels next to the fields, which a privacy object overrides', () => {
    expect(named(bundle.members, 'Miller').values).toMatchObject({
      visibility: 'private',
      name_privacy: 'public',
      description_privacy: 'private',
    })
    expect(named(bundle.members, 'Grist').values.visibility).toBe('public')
  })
})

describe('an invalid PluralKit export', () => {
  const bundle = readFixture('pluralkit-nasty.json')

  test('repairs an invalid PluralKit export and reports every change', () => {
    expect(repairsOf(bundle)).toEqual([
      'member null member → null',
      'switch null switch → null',
      'system 12 webhook_url → null',
      'system 12 name → 404',
      'system 12 banner → null',
      'system 12 color → aabbcc',
      'system 12 name_privacy → private',
      'system 12 id → null',
      'system 12 uuid → null',
      'settings null timezone → null',
      'settings null pings_enabled → null',
      'settings null latch_timeout → null',
      'settings null hid_list_padding → off',
      'settings null description_templates → a list of 3',
      'account null id → null',
      'account null id → null',
      'account null id → null',
      'member Long display_name → nul and  half',
      'member Long color → null',
      'member Long birthday → null',
      'member Long created → null',
      'member Long proxy_tags → a list of 1',
      'member Long keep_proxy → null',
      'member Long message_count → null',
      'member Long visibility → private',
      'member Long webhook_avatar_url → null',
      'member Twin id → null',
      'member No ID birthday → 0004-02-29',
      'member nonam name → Shown',
      'member blank name → blank',
      'group ggggg icon → null',
      'group ggggg name → ggggg',
      'group ggggg members → null',
      'group ggggg members → null',
      'group ggggg members → null',
      'switch null timestamp → null',
      'switch 2021-01-01T00:00:00Z members → null',
      'switch null members → null',
      'switch 2024-01-01T00:00:00Z timestamp → null',
    ])
    expect(bundle.skipped).toEqual({})
    expect(bundle.leftOut).toEqual({ members: 2, groups: 0, memberships: 3, switches: 4 })
  })

  test('never reports the address of a webhook', () => {
    expect(JSON.stringify(bundle)).not.toContain('s3cr3t')
  })

  test('omits an invalid flag or count, so that the existing value stays', () => {
    const { values } = named(bundle.members, 'Long')
    expect(values).not.toHaveProperty('keep_proxy')
    expect(values).not.toHaveProperty('message_count')
    expect(values).not.toHaveProperty('created')
    expect(bundle.settings).toEqual({
      hid_list_padding: 'off',
      proxy_switch: 'new',
      description_templates: ['one', 'three', 'four'],
    })
  })

  test('assigns each member a unique key, and each short ID once', () => {
    expect(bundle.members.map(({ key, hid }) => [key, hid])).toEqual([
      ['aaaaa', 'aaaaa'],
      ['#1', undefined],
      ['#2', undefined],
      ['nonam', 'nonam'],
      ['blank', 'blank'],
    ])
  })

  test('merges two switches at the same time, with the members of both', () => {
    expect(bundle.switches.map(({ members }) => members)).toEqual([
      [],
      ['aaaaa'],
      ['aaaaa', 'nonam'],
    ])
  })
})

describe('single values of a PluralKit export', () => {
  const long = 'x'.repeat(99)
  const values: [what: string, row: object, read: object][] = [
    [
      'truncates a text that is too long',
      { pronouns: 'y'.repeat(101) },
      { pronouns: 'y'.repeat(100) },
    ],
    ['never truncates inside a character', { pronouns: `${long}🏮🏮` }, { pronouns: long }],
    [
      'keeps a character that just fits',
      { pronouns: `${long.slice(1)}🏮` },
      { pronouns: `${long.slice(1)}🏮` },
    ],
    [
      'removes angle brackets around an address',
      { avatar_url: '<https://a.example/x>' },
      { avatar_url: 'https://a.example/x' },
    ],
    [
      'drops an address that is too long',
      { banner: `https://a.example/${'x'.repeat(250)}` },
      { banner: null },
    ],
    ['drops an address without a host', { banner: 'https://' }, { banner: null }],
    [
      'keeps the year 0001, which means no year',
      { birthday: '0001-03-04' },
      { birthday: '0001-03-04' },
    ],
    [
      'changes the year of a leap day in 0001 to 0004',
      { birthday: '0001-02-29' },
      { birthday: '0004-02-29' },
    ],
    [
      'drops the time of a birthday',
      { birthday: '1990-03-04T00:00:00Z' },
      { birthday: '1990-03-04' },
    ],
    [
      'clears nullable values with null',
      { pronouns: null, birthday: null },
      { pronouns: null, birthday: null },
    ],
    [
      'ignores null for values that are not nullable',
      { keep_proxy: null, created: null, message_count: null },
      {},
    ],
    ['imports null proxy tags as an empty list', { proxy_tags: null }, { proxy_tags: [] }],
    [
      'prefers new proxy tags to old ones',
      { proxy_tags: [{ prefix: 'a' }], prefix: 'b' },
      { proxy_tags: [{ prefix: 'a', suffix: null }] },
    ],
    [
      'removes characters from a proxy tag that cannot be stored',
      { proxy_tags: [{ prefix: 'a\0' }] },
      { proxy_tags: [{ prefix: 'a', suffix: null }] },
    ],
    ['drops an object instead of text', { description: { a: 1 } }, {}],
  ]

  test.each(values)('%s', (_, row, read) => {
    expect(memberOf(row).values).toEqual({ name: 'Wren', ...read })
  })

  test('keeps the first 100 of more proxy tags', () => {
    const proxy_tags = Array.from({ length: 120 }, (_, n) => ({ prefix: `${n}:`, suffix: null }))
    expect(memberOf({ proxy_tags }).values.proxy_tags).toEqual(proxy_tags.slice(0, 100))
  })

  test('archives the full text of a truncated description', () => {
    const description = 'lamp '.repeat(300)
    const bundle = fileOf({ members: [{ name: 'Wren', description }] })
    expect(bundle.members[0]?.values.description).toHaveLength(1000)
    expect(bundle.kept).toEqual({
      longTexts: [{ kind: 'member', name: 'Wren', field: 'description', text: description }],
    })
    expect(String(bundle.repairs[0]?.was).length).toBeLessThan(110)
  })

  test('keeps the first 150 of more fronters', () => {
    const members = Array.from({ length: 160 }, (_, n) => ({ id: `m${n}`, name: `${n}` }))
    const bundle = fileOf({
      members,
      switches: [{ timestamp: '2026-01-01T00:00:00Z', members: members.map(({ id }) => id) }],
    })
    expect(bundle.switches[0]?.members).toHaveLength(150)
    expect(bundle.repairs.at(-1)).toMatchObject({ kind: 'switch', was: 160, now: 150 })
  })

  test('drops a UUID that is not version 4', () => {
    expect(memberOf({ uuid: '5a0f6f0e-2a39-1d0c-8a6d-5a1a1d7a2b01' }).uuid).toBeUndefined()
  })

  test('imports no settings from a null config', () => {
    expect(fileOf({ config: null }).settings).toEqual({})
  })

  const proxySwitches: [old: unknown, now: string][] = [
    [true, 'new'],
    [false, 'off'],
    ['add', 'add'],
    ['sideways', 'off'],
  ]

  test.each(proxySwitches)('imports the proxy switch %p as %s', (proxy_switch, now) => {
    expect(fileOf({ config: { proxy_switch } }).settings).toEqual({ proxy_switch: now } as object)
  })
})

function fileOf(file: object): Bundle {
  return readFile(JSON.stringify({ switches: [], ...file }))
}

function memberOf(row: object): BundleMember {
  const [member] = fileOf({ members: [{ name: 'Wren', ...row }] }).members
  if (!member) throw new Error('the member is missing')
  return member
}
