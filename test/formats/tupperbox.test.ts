import { readFile } from '../../src/formats/read'
import { parseInstant } from '../../src/model/core/time'
import { describe, expect, test } from '../tools/test'
import { named, readFixture, repairsOf } from './fixture'

describe('a Tupperbox export', () => {
  const bundle = readFixture('tupperbox.json')

  test('converts a tupper to a member with all values', () => {
    expect(bundle.repairs).toEqual([])
    expect(named(bundle.members, 'Juniper').values).toEqual({
      name: 'Juniper',
      display_name: 'Juni',
      description: 'Loves maps.',
      avatar_url: 'https://cdn.tupperbox.app/pfp/123456789012345678/AbCdEf012345.webp',
      birthday: '0004-06-21',
      proxy_tags: [
        { prefix: 'j:', suffix: null },
        { prefix: '{', suffix: '}' },
      ],
      keep_proxy: false,
      message_count: 17,
      created: parseInstant('2024-02-02T12:00:00Z'),
      last_message_timestamp: parseInstant('2025-10-10T08:30:00Z'),
    })
  })

  test('puts the tag of a tupper after its name instead of the nick', () => {
    expect(named(bundle.members, 'Moss').values).toEqual({
      name: 'Moss',
      display_name: 'Moss (hill)',
      description: null,
      birthday: null,
      proxy_tags: [{ prefix: null, suffix: '-m' }],
      keep_proxy: true,
      message_count: 0,
    })
    expect(bundle.system.patch).toEqual({})
  })

  test('converts groups with their members, and puts the tag of a group in its description', () => {
    const [juniper] = bundle.members
    expect(bundle.groups).toEqual([
      {
        key: '77',
        values: {
          name: 'Cartographers',
          description: 'Map room\nTag: [map]',
          icon: 'https://cdn.tupperbox.app/group-pfp/123456789012345678/Gh1234.webp',
        },
        members: [juniper?.key ?? ''],
      },
      { key: '78', values: { name: 'Nobody', description: null }, members: [] },
    ])
  })
})

describe('an invalid Tupperbox export', () => {
  const bundle = readFixture('tupperbox-nasty.json')

  test('repairs an invalid Tupperbox export and reports every change', () => {
    expect(repairsOf(bundle)).toEqual([
      'member null member → null',
      'member Odd proxy_tags → null',
      'member Odd birthday → null',
      'member Odd banner → null',
      'member Odd created → null',
      'member Odd message_count → null',
      'member Odd group_id → null',
      'member null proxy_tags → null',
      'member null name → Unnamed',
      'member Unnamed group_id → null',
      'member null name → null',
      'member null name → Unnamed',
      'system null tag → ~same',
    ])
    expect(bundle.skipped).toEqual({})
    expect(bundle.leftOut).toEqual({ members: 1, groups: 0, memberships: 2, switches: 0 })
  })

  test('uses a bracket without a partner as a prefix', () => {
    expect(named(bundle.members, 'Odd').values.proxy_tags).toEqual([
      { prefix: 'a', suffix: 'b' },
      { prefix: 'c', suffix: null },
    ])
  })
})

describe('tags of tuppers', () => {
  const tags: [what: string, tags: unknown[], system: string | undefined, shown: unknown[]][] = [
    ['a shared tag becomes the system tag', ['|x', '|x'], '|x', ['nick', 'nick']],
    ['different tags stay with their tuppers', ['|x', '|y'], undefined, ['A |x', 'A |y']],
    [
      'a tag that not all tuppers have stays with its tupper',
      ['|x', null],
      undefined,
      ['A |x', 'nick'],
    ],
    ['the tag of a single tupper stays with it', ['|x'], undefined, ['A |x']],
    ['a blank tag is ignored', [' ', ' '], undefined, ['nick', 'nick']],
  ]

  test.each(tags)('Tupperbox tags: %s', (_, given, system, shown) => {
    const tuppers = given.map((tag) => ({ name: 'A', nick: 'nick', tag }))
    const bundle = readFile(JSON.stringify({ tuppers, groups: [] }))
    expect(bundle.system.patch.tag).toBe(system)
    expect(bundle.members.map(({ values }) => values.display_name)).toEqual(shown as string[])
  })
})
