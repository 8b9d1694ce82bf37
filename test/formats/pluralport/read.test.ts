import type { Bundle } from '../../../src/formats/bundle'
import { NAMESPACE } from '../../../src/formats/pluralport/format'
import { readFile } from '../../../src/formats/read'
import type { JsonObject } from '../../../src/model/core/entity'
import { formatInstant } from '../../../src/model/core/time'
import { isObject } from '../../../src/model/core/validation'
import { customFieldTypes } from '../../../src/model/members/customField'
import { MAX_PICTURE_BYTES } from '../../../src/model/pictures/picture'
import { gifOfSize, pngOf, smallPictures } from '../../tools/pictures'
import { describe, expect, test } from '../../tools/test'

const wren = { id: 'm1', system_id: 's1', name: 'Wren' }
const ash = { id: 'm2', system_id: 's1', name: 'Ash' }

/** Reads a file of another app with two members. */
function read(parts: JsonObject = {}): Bundle {
  return readFile(
    JSON.stringify({
      pluralport_version: '0.1',
      producer: { app: 'Example', app_id: 'example' },
      systems: [{ id: 's1', name: 'Lantern Hill' }],
      members: [wren, ash],
      ...parts,
    }),
  )
}

const nameOf = (bundle: Bundle) => {
  const names = new Map(bundle.members.map(({ key, values }) => [key, values.name]))
  return (key: unknown) => names.get(String(key)) ?? null
}

/** Times with the names of the fronters. */
function history(bundle: Bundle): string[] {
  const name = nameOf(bundle)
  return bundle.switches.map(
    ({ timestamp, members }) => `${formatInstant(timestamp).slice(11, 16)} ${members.map(name)}`,
  )
}

/** Front notes, oldest first: kind, member and text. */
function frontNotes(bundle: Bundle): string[] {
  const name = nameOf(bundle)
  return bundle.ext.front_notes
    .toReversed()
    .map(({ values, refs }) => `${values.kind} ${name(refs.member)}: ${values.text}`)
}

const reasons = ({ repairs }: Bundle) => repairs.map(({ why }) => why)
const at = (time: string) => `2026-01-01T${time}:00Z`

describe('version of a PluralPort file', () => {
  const versions: [given: JsonObject, result: string][] = [
    [{ pluralport_version: '0.1' }, 'pluralport'],
    [{ openplural_version: '0.1' }, 'pluralport'],
    [{ pluralport_version: '0.1', openplural_version: '0.1' }, 'pluralport'],
    [{ pluralport_version: '0.1', openplural_version: '0.2' }, 'pluralport'],
    [
      { pluralport_version: '0.2', openplural_version: '0.1' },
      'The file has PluralPort version 0.2, this server reads 0.1.',
    ],
    [{ pluralport_version: 0.1 }, 'pluralport'],
    [{ pluralport_version: null, openplural_version: '0.1' }, 'pluralport'],
    [{ pluralport_version: 0.2 }, 'The file has PluralPort version 0.2, this server reads 0.1.'],
    [{ openplural_version: '1' }, 'The file has PluralPort version 1, this server reads 0.1.'],
    [
      { pluralport_version: { secret: 'hunter2' } },
      'The file has PluralPort version of another kind, this server reads 0.1.',
    ],
    [
      { pluralport_version: 'hunter2' },
      'The file has PluralPort version of another kind, this server reads 0.1.',
    ],
  ]

  test.each(versions)('of %j: %s', (given, result) => {
    const parse = () => readFile(JSON.stringify({ ...given, members: [wren] })).format
    if (result === 'pluralport') expect(parse()).toBe('pluralport')
    else expect(parse).toThrow(result)
  })

  test('rejects another version of our own namespace', () => {
    const file = { extensions: { [NAMESPACE]: { version: 2 } } }
    expect(() => read(file)).toThrow('has version 2, this server reads 1')
  })

  test.each(['pluralport.json', 'openplural.json'])('names %s of a ZIP archive', (name) => {
    const archive = Buffer.from(`PK\u0003\u0004…${name}…`)
    expect(() => readFile(archive)).toThrow(`use the file ${name} inside it`)
  })
})

describe('members and groups of a PluralPort file', () => {
  test('are read with the keys that both have', () => {
    const { members, system } = read({
      systems: [
        { id: 's0', name: 'Below', parent_system_id: 's1' },
        { id: 's1', name: 'Lantern Hill', color: '#F2B632', privacy: { visibility: 'public' } },
      ],
      members: [
        {
          ...wren,
          display_name: 'Wren L.',
          pronouns: 'she/her',
          description: 'lamp '.repeat(300),
          birthday: { value: '--11-02', precision: 'month_day' },
          color: '#88C0A8',
          avatar_asset_id: 'a1',
          proxy_tags: [{ prefix: 'w:', suffix: null }],
          created_at: at('09:00'),
          privacy: { visibility: 'friends' },
          archived: true,
        },
        { id: 'f1', name: 'Asleep', is_custom_front: true, privacy: { visibility: 'public' } },
        { id: 'm3', display_name: 'Only shown' },
        { id: 'm4' },
      ],
      assets: [{ id: 'a1', kind: 'avatar', uri: 'https://img.example.org/wren.png' }],
    })
    expect(system.patch).toMatchObject({ name: 'Lantern Hill', color: 'f2b632' })
    expect(system.patch.front_privacy).toBe('public')
    const [first, second, third, fourth] = members
    expect(first?.values).toMatchObject({
      name: 'Wren',
      display_name: 'Wren L.',
      birthday: '0004-11-02',
      color: '88c0a8',
      avatar_url: 'https://img.example.org/wren.png',
      proxy_tags: [{ prefix: 'w:', suffix: null }],
      visibility: 'private',
    })
    expect(String(first?.values.description).length).toBeLessThanOrEqual(1000)
    expect(first?.ext).toMatchObject({ about: 'lamp '.repeat(300) })
    expect(first?.ext?.archived_at).toBeGreaterThan(0)
    expect(second?.ext).toEqual({ kind: 'custom_front' })
    expect(second?.values.visibility).toBe('public')
    expect([third?.values.name, fourth?.values.name]).toEqual(['Only shown', 'Unnamed'])
    expect(members.map(({ uuid }) => uuid)).toEqual([undefined, undefined, undefined, undefined])
  })

  test.each([
    [{ value: '2001-04-29', precision: 'day' }, '2001-04-29'],
    [{ value: '2001-04-29', precision: 'day', year_visible: false }, '0004-04-29'],
    [{ value: '--04-29', precision: 'month_day' }, '0004-04-29'],
    ['2001-04-29', '2001-04-29'],
    [{ value: '2001-04', precision: 'month' }, undefined],
    [{ value: '2001', precision: 'year' }, undefined],
    [{ value: '2001-01-01', precision: 'year' }, undefined],
    [{ value: '2001-04-01', precision: 'month' }, undefined],
  ])('have the birthday %j as %s; one that is no whole date is archived', (birthday, expected) => {
    const { members, kept } = read({ members: [{ ...wren, birthday }] })
    expect(members[0]?.values.birthday).toEqual(expected as string)
    expect(kept.pluralportMembers).toEqual(expected ? undefined : [{ id: 'm1', birthday }])
  })

  test('archives a second name of the system', () => {
    const system = { id: 's1', name: 'Lantern Hill' }
    const { kept } = read({ systems: [{ ...system, display_name: 'The Hill' }] })
    expect(kept.pluralportSystems).toEqual([{ id: 's1', display_name: 'The Hill' }])
    for (const display_name of [null, system.name])
      expect(read({ systems: [{ ...system, display_name }] }).kept).toEqual({})
    expect(read({ systems: [{ id: 's1', display_name: 'The Hill' }] })).toMatchObject({
      system: { patch: { name: 'The Hill' } },
      kept: {},
    })
  })

  test('archives the rows of further systems and reports them', () => {
    const bundle = read({
      systems: [{ id: 's1' }, { id: 's2', name: 'Other', parent_system_id: 's1' }],
      members: [wren, { id: 'x', system_id: 's2', name: 'Elsewhere' }],
    })
    expect(bundle.members.map(({ values }) => values.name)).toEqual(['Wren'])
    expect(bundle.kept.pluralportMembers).toEqual([{ id: 'x', system_id: 's2', name: 'Elsewhere' }])
    expect(bundle.leftOut.members).toBe(1)
    expect(reasons(bundle)).toContain(
      'only the first system of the file is imported; the others are archived',
    )
  })

  test('reports repeated IDs apart from rows of further systems', () => {
    const other = { id: 's2', parent_system_id: 's1' }
    const bundle = read({
      systems: [{ id: 's1' }, other],
      members: [wren, { ...wren, name: 'Again' }, { ...ash, system_id: 's2' }],
    })
    expect(bundle.members.map(({ values }) => values.name)).toEqual(['Wren'])
    expect(reasons(bundle)).toEqual(
      expect.arrayContaining([
        'belongs to another system of the file; archived',
        'given twice in the file',
      ]),
    )
  })

  test('are imported although a further system has the ID of the first one', () => {
    const bundle = read({ systems: [{ id: 's1' }, { id: 's1' }] })
    expect(bundle.members).toHaveLength(2)
  })

  test('have the positions of the file, and parents that are in it', () => {
    const bundle = read({
      groups: [
        { id: 'g1', name: 'Keepers', sort_order: 5 },
        { id: 'g2', name: 'Night', parent_group_id: 'nothing' },
      ],
    })
    expect(bundle.groups.map(({ ext }) => ext?.position)).toEqual([5, 1])
    expect(reasons(bundle)).toEqual(['no such group in this file'])
  })

  test('have parents, emojis and members; labels become groups', () => {
    const bundle = read({
      groups: [
        { id: 'g2', name: 'Night', parent_group_id: 'g1' },
        { id: 'g1', name: 'Keepers', emoji: '🌱' },
      ],
      group_memberships: [
        { id: '1', group_id: 'g2', member_id: 'm1' },
        { id: '2', group_id: 'g2', member_id: 'unknown' },
        { id: '3', group_id: 'nothing', member_id: 'm1' },
      ],
      taxonomy_terms: [{ id: 't1', kind: 'role', name: 'Protector', color: '#335577' }],
      taxonomy_assignments: [
        { id: '4', term_id: 't1', subject_type: 'member', subject_id: 'm2' },
        { id: '5', term_id: 't1', subject_type: 'note', subject_id: 'n1' },
      ],
    })
    const name = nameOf(bundle)
    const groups = bundle.groups.map(({ values, members }) => [values.name, members.map(name)])
    expect(groups).toEqual([
      ['Night', ['Wren']],
      ['Keepers', []],
      ['Role: Protector', ['Ash']],
    ])
    expect(bundle.groups[0]?.ext?.parent).toBe(bundle.groups[1]?.key)
    expect(bundle.groups[1]?.ext?.emoji).toBe('🌱')
    expect(bundle.leftOut.memberships).toBe(2)
    expect(bundle.kept.pluralportTaxonomyAssignments).toHaveLength(1)
  })

  test('are known by their source, else by the app that wrote the file', () => {
    const source = { app: 'simply_plural', collection: 'members', id: '64a0' }
    const bundle = read({
      members: [
        { ...wren, source_refs: [source] },
        { ...ash, source_refs: [source] },
      ],
    })
    expect(bundle.members.map(({ origin }) => origin)).toEqual([
      { app: 'simplyplural', collection: 'members', id: '64a0' },
      { app: 'example', collection: 'members', id: 'm2' },
    ])
  })

  test('are found by IDs that are too long to be stored', () => {
    const long = 'm'.repeat(101)
    const bundle = read({
      members: [wren, { ...ash, id: long }],
      groups: [{ id: `g${long}`, name: 'Keepers' }],
      group_memberships: [{ id: 'x1', group_id: `g${long}`, member_id: long }],
      front_events: [{ id: 'e1', at: at('09:00'), assignments: [{ member_id: long }] }],
    })
    expect(bundle.groups[0]?.members.map(nameOf(bundle))).toEqual(['Ash'])
    expect(history(bundle)).toEqual(['09:00 Ash'])
    expect(bundle.repairs).toEqual([])
  })

  test('keep UUIDs of our own files, whatever their digits are', () => {
    const plain = '00000000-0000-4000-8000-000000000001'
    const { members, groups } = read({
      members: [wren, { ...ash, id: plain }],
      groups: [{ id: 'g1', name: 'Keepers' }],
      group_memberships: [{ id: 'x1', group_id: 'g1', member_id: plain }],
      extensions: { [NAMESPACE]: { version: 1 } },
    })
    expect(members.map(({ uuid }) => uuid)).toEqual([undefined, plain])
    expect(groups[0]?.members).toEqual([members[1]?.key ?? ''])
  })

  test('are archived although the time when they were written is none', () => {
    const { members } = read({ members: [{ ...wren, archived: true, created_at: 'NaN' }] })
    expect(members[0]?.ext?.archived_at).toBeGreaterThan(0)
  })

  test('counts a picture once that many members have', () => {
    const { skipped, repairs } = read({
      members: [
        { ...wren, avatar_asset_id: 'a1', banner_asset_id: 'a1' },
        { ...ash, avatar_asset_id: 'a1' },
      ],
      assets: [{ id: 'a1', kind: 'avatar', data_base64: 'iVBORw0=' }],
    })
    expect(skipped).toEqual({ pluralportAssets: 1 })
    expect(repairs.map(({ name }) => name)).toEqual(['Wren', 'Wren', 'Ash'])
  })

  test('have pictures of the file once, whatever names them', () => {
    const png = Buffer.from(smallPictures.png).toString('base64')
    const gif = Buffer.from(smallPictures.gif).toString('base64url')
    const bundle = read({
      systems: [{ id: 's1', name: 'Us', avatar_asset_id: 'png', banner_asset_id: 'gif' }],
      members: [
        { ...wren, avatar_asset_id: 'png', banner_asset_id: 'same' },
        { ...ash, avatar_asset_id: 'web' },
      ],
      assets: [
        { id: 'png', kind: 'avatar', data_uri: `data:image/png;base64,${png}` },
        { id: 'same', kind: 'avatar', data_base64: `${png.slice(0, 4)}\r\n ${png.slice(4)}` },
        { id: 'gif', kind: 'banner', uri: `data:image/gif;base64,${gif}` },
        { id: 'web', kind: 'avatar', uri: 'https://a.example/x.png' },
      ],
    })
    expect(bundle.pictures.map(({ base64 }) => base64)).toEqual([
      png,
      Buffer.from(smallPictures.gif).toString('base64'),
    ])
    const [first, second] = bundle.pictures.map(({ address }) => address)
    expect(bundle.system.patch).toMatchObject({ avatar_url: first, banner: second })
    expect(bundle.members.map(({ values }) => [values.avatar_url, values.banner])).toEqual([
      [first, first],
      ['https://a.example/x.png', undefined],
    ])
    expect([reasons(bundle), bundle.skipped]).toEqual([[], {}])
  })

  test('reports pictures that cannot be stored, and assets that are missing', () => {
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
    const bundle = read({
      members: [
        { ...wren, avatar_asset_id: 'largest', banner_asset_id: 'large' },
        { ...ash, avatar_asset_id: 'missing', banner_asset_id: 'html' },
        { ...wren, id: 'm3', avatar_asset_id: 'text', banner_asset_id: 'empty' },
        { ...wren, id: 'm4', avatar_asset_id: 'half', banner_asset_id: 'wide' },
      ],
      assets: [
        { id: 'largest', kind: 'avatar', data_base64: base64(gifOfSize(MAX_PICTURE_BYTES)) },
        { id: 'large', kind: 'banner', data_base64: base64(gifOfSize(MAX_PICTURE_BYTES + 1)) },
        { id: 'html', kind: 'avatar', data_uri: 'data:image/png;base64,PGh0bWw+' },
        { id: 'text', kind: 'avatar', data_base64: `${base64(smallPictures.gif)}<html>` },
        { id: 'empty', kind: 'avatar', data_base64: '====' },
        { id: 'half', kind: 'avatar', data_base64: base64(smallPictures.jpg.slice(0, -1)) },
        { id: 'wide', kind: 'banner', data_base64: base64(pngOf({ width: 4097, height: 1 })) },
        { id: 'audio', kind: 'audio', uri: 'https://a.example/x.mp3' },
      ],
    })
    const wrong = 'the picture is no PNG, JPEG, WebP or GIF'
    expect(reasons(bundle)).toEqual([
      'the picture is larger than 512 KiB',
      'no such asset in this file',
      wrong,
      wrong,
      wrong,
      'the picture is damaged',
      'the picture has more than 4096 pixels a side',
    ])
    expect(bundle.pictures).toHaveLength(1)
    expect(bundle.skipped).toEqual({ pluralportAssets: 6 })
    expect(bundle.kept.pluralportAssets).toMatchObject([{ id: 'audio' }])
  })
})

test('names the field of a picture that is missing, and drops data that no record names', () => {
  const bundle = read({
    members: [{ ...wren, banner_asset_id: 'missing' }],
    assets: [{ id: 'unused', kind: 'avatar', data_base64: 'AAAA' }],
  })
  expect(bundle.repairs.map(({ field }) => field)).toEqual(['banner'])
  expect(bundle.skipped).toEqual({ pluralportAssets: 1 })
  expect(bundle.kept.pluralportAssets).toBeUndefined()
})

describe('fronts of a PluralPort file', () => {
  const assigned = (...ids: string[]) =>
    ids.map((member_id) => ({ member_id, front_role: 'member' }))

  test('are read from events', () => {
    const bundle = read({
      front_events: [
        { id: 'e2', at: at('12:00'), assignments: [] },
        {
          id: 'e1',
          at: at('09:00'),
          assignments: [...assigned('m1'), { member_id: 'm2', front_role: 'primary' }],
        },
      ],
      front_periods: [{ id: 'p1', started_at: at('10:00'), assignments: assigned('m1') }],
    })
    expect(history(bundle)).toEqual(['09:00 Ash,Wren', '12:00 '])
  })

  test('are read from overlapping periods if there are no events', () => {
    const bundle = read({
      front_periods: [
        { id: 'p1', started_at: at('09:00'), ended_at: at('11:00'), assignments: assigned('m1') },
        { id: 'p2', started_at: at('10:00'), ended_at: at('12:00'), assignments: assigned('m2') },
        { id: 'p3', started_at: at('14:00'), ended_at: null, assignments: assigned('m1') },
        { id: 'p4', started_at: at('15:00'), ended_at: at('15:00'), assignments: assigned('m2') },
        { id: 'p5', started_at: at('16:00'), assignments: assigned('unknown') },
      ],
    })
    expect(history(bundle)).toEqual([
      '09:00 Wren',
      '10:00 Wren,Ash',
      '11:00 Ash',
      '12:00 ',
      '14:00 Wren',
    ])
    expect(bundle.leftOut.switches).toBe(2)
  })

  test('have statuses, and comments where a status is too long or there is one already', () => {
    const long = 'x'.repeat(101)
    const bundle = read({
      front_periods: [
        {
          id: 'p1',
          started_at: at('09:00'),
          status: 'masking',
          note: 'a long day',
          assignments: [
            { member_id: 'm1', front_role: 'co_conscious', note: 'at work', mood: 'calm' },
            { member_id: 'm2', front_role: 'member', note: long },
          ],
        },
      ],
      front_comments: [
        { id: 'c1', target_time: at('10:00'), author_member_id: 'm2', body: 'quiet' },
        { id: 'c2', target_time: 'never', body: 'lost' },
      ],
    })
    expect(frontNotes(bundle).toSorted()).toEqual(
      [
        'status Wren: at work',
        'comment Wren: masking',
        `comment Ash: ${long}`,
        'status Ash: masking',
        'comment null: a long day',
        'comment null: quiet',
      ].toSorted(),
    )
    expect(bundle.kept.pluralportFrontPeriods).toEqual([
      {
        id: 'p1',
        assignments: [{ member_id: 'm1', mood: 'calm', front_role: 'co_conscious' }],
      },
    ])
    expect(bundle.kept.pluralportFrontComments).toMatchObject([{ id: 'c2' }])
  })
})

test('puts the comment on a period of one member at that member', () => {
  const period = (id: string, ...members: string[]) => ({
    id,
    started_at: at('09:00'),
    assignments: members.map((member_id) => ({ member_id })),
  })
  const comment = (id: string, front_period_id: string) => ({
    ...{ id, front_period_id, body: id },
    target_time: at('10:00'),
  })
  const bundle = read({
    front_periods: [period('p1', 'm1'), period('p2', 'm1', 'm2')],
    front_comments: [comment('alone', 'p1'), comment('together', 'p2')],
  })
  expect(frontNotes(bundle).toSorted()).toEqual(['comment Wren: alone', 'comment null: together'])
})

describe('custom fields of a PluralPort file', () => {
  const fields: [field: JsonObject, given: unknown, type: string, value: unknown][] = [
    [{ field_type: 'text' }, 'tea', 'text', 'tea'],
    [{ field_type: 'text', supports_markdown: true }, '**tea**', 'markdown', '**tea**'],
    [{ field_type: 'markdown' }, '*tea*', 'markdown', '*tea*'],
    [{ field_type: 'number' }, 4.5, 'number', 4.5],
    [{ field_type: 'number' }, '7', 'number', 7],
    [{ field_type: 'boolean' }, false, 'flag', false],
    [{ field_type: 'color' }, '#88C0A8', 'color', '88c0a8'],
    [{ field_type: 'date' }, '2026-01-02', 'date', '2026-01-02'],
    [{ field_type: 'date', date_precision: 'month' }, '2026-01', 'month_year', '2026-01'],
    [{ field_type: 'date', date_precision: 'year' }, '2026', 'year', '2026'],
    [{ field_type: 'date', date_precision: 'month_day' }, '--11-02', 'month_day', '11-02'],
    [{ field_type: 'month' }, 5, 'month', '05'],
    [{ field_type: 'year' }, 1999, 'year', '1999'],
    [{ field_type: 'month_year' }, '2026-03', 'month_year', '2026-03'],
    [{ field_type: 'month_day' }, '03-04', 'month_day', '03-04'],
    [{ field_type: 'timestamp' }, '2026-01-02T03:04:05Z', 'moment', '2026-01-02T03:04'],
    [{ field_type: 'select', options: ['Keeper', 'Host'] }, 'Host', 'choice', 'Host'],
    [{ field_type: 'select', options: { choices: ['Keeper'] } }, 'keeper', 'choice', 'Keeper'],
    [{ field_type: 'multiselect', options: ['a', 'b'] }, ['b', 'a'], 'choices', 'b,a'],
    [{ field_type: 'multiselect', options: ['a', 'b'] }, ['b', 'B', 'a'], 'choices', 'b,a'],
    [{ field_type: 'multiselect' }, ['c'], 'choices', 'c'],
    [{ field_type: 'date_range' }, { start: '2026', end: '2027' }, 'text', '2026 – 2027'],
    [{ field_type: 'json' }, { a: [1] }, 'text', '{"a":[1]}'],
    [{ field_type: 'mood ring' }, 'blue', 'text', 'blue'],
  ]

  test.each(fields)('of %j with the value %j', (field, value, type, expected) => {
    const bundle = read({
      custom_fields: [{ id: 'c1', name: 'Field', ...field }],
      custom_field_values: [
        { id: 'v1', field_id: 'c1', subject_type: 'member', subject_id: 'm1', value },
      ],
    })
    const definition: JsonObject = bundle.ext.fields[0]?.values ?? {}
    expect(definition).toMatchObject({ name: 'Field', type, position: 0, privacy: 'private' })
    const options = Array.isArray(definition.options) ? definition.options : []
    const named = (one: unknown) => options.find(({ id }) => id === one)?.name ?? one
    const stored = bundle.ext.values[0]?.values.value
    expect(Array.isArray(stored) ? stored.map(named).join() : named(stored)).toEqual(expected)
  })

  test('are tested with every type except the one that the format lacks', () => {
    const tested = new Set(fields.map(([, , type]) => type))
    expect(customFieldTypes.filter((type) => !tested.has(type))).toEqual(['url'])
  })

  test.each([['coordinates'], ['__proto__'], [7]])(
    'of our own with the unknown type %j are texts',
    (type) => {
      const bundle = read({
        extensions: { [NAMESPACE]: { version: 1 } },
        custom_fields: [{ id: 'f1', name: 'Place', extensions: { [NAMESPACE]: { type } } }],
        custom_field_values: [
          { field_id: 'f1', subject_type: 'member', subject_id: 'm1', value: 'Lighthouse' },
        ],
      })
      expect(bundle.ext.fields.map(({ values }) => values.type)).toEqual(['text'])
      expect(bundle.ext.values.map(({ values }) => values.value)).toEqual(['Lighthouse'])
    },
  )

  test('archives values of the system, and the second value of a member', () => {
    const value = { field_id: 'c1', subject_type: 'member', subject_id: 'm1', value: 'first' }
    const ofSystem = { ...value, subject_type: 'system' }
    const second = { ...value, value: 'second' }
    const bundle = read({
      custom_fields: [{ id: 'c1', name: 'Field', field_type: 'text' }],
      custom_field_values: [ofSystem, value, second],
    })
    expect(bundle.ext.values.map(({ values }) => values.value)).toEqual(['first'])
    expect(bundle.kept.pluralportCustomFieldValues).toEqual([ofSystem, second])
  })

  test('archives values that are none, and those of unknown members and fields', () => {
    const value = (field_id: string, subject_id: string, value: unknown) => ({
      id: `${field_id} ${subject_id}`,
      field_id,
      subject_type: 'member',
      subject_id,
      value,
    })
    const rows = [
      value('c1', 'm1', 'soon'),
      value('c1', 'unknown', '2026-01-01'),
      value('nothing', 'm1', 'x'),
    ]
    const bundle = read({
      custom_fields: [{ id: 'c1', name: 'Day', field_type: 'date' }],
      custom_field_values: rows,
    })
    expect(bundle.ext.values).toEqual([])
    expect(bundle.kept.pluralportCustomFieldValues).toEqual(rows)
    expect(bundle.extLeftOut.values).toBe(2)
  })
})

describe('texts of a PluralPort file', () => {
  test('become notes, rooms and posts', () => {
    const bundle = read({
      notes: [
        { id: 'n1', member_id: 'm1', title: 'Oil', body: 'Buy more', entry_date: '2026-01-02' },
        { id: 'n2', member_id: 'unknown', body: 'Whose?', created_at: at('09:00') },
        { id: 'n3', body: 'By one', author_member_ids: ['m2'], content_warning: 'food' },
        { id: 'n4', body: ' ' },
      ],
      chat: {
        conversations: [{ id: 'r1', title: 'General', access: { kind: 'all_members' } }],
        messages: [
          {
            id: 'x1',
            conversation_id: 'r1',
            author_member_id: 'm1',
            body: 'Hi',
            created_at: at('09:00'),
          },
          {
            id: 'x2',
            conversation_id: 'r1',
            body: 'Yes',
            reply_to_message_id: 'x1',
            created_at: at('09:01'),
          },
          { id: 'x3', conversation_id: 'nothing', body: 'Lost', created_at: at('09:02') },
        ],
        reactions: [{ id: 'q1', message_id: 'x1', value: '💡' }],
      },
      boards: {
        posts: [
          {
            id: 'b1',
            target_member_id: 'm2',
            author_member_id: 'm1',
            body: 'Milk',
            created_at: at('10:00'),
          },
          { id: 'b2', target_member_id: 'unknown', body: 'Bread', created_at: at('11:00') },
          { id: 'b3', body: 'Gone', created_at: at('11:00'), deleted_at: at('12:00') },
        ],
      },
    })
    const name = nameOf(bundle)
    const notes = bundle.ext.notes.map(({ values, refs }) => [values.text, name(refs.member)])
    expect(new Map(notes as [string, string][])).toEqual(
      new Map<string, string | null>([
        ['Buy more', 'Wren'],
        ['Whose?', null],
        ['By one', 'Ash'],
      ]) as never,
    )
    const posts = bundle.ext.posts.map(({ values, refs }) => [
      values.text,
      refs.room === null ? null : 'General',
      name(refs.for),
      name(refs.by),
    ])
    expect(posts.toSorted()).toEqual([
      ['Bread', null, null, null],
      ['Hi', 'General', null, 'Wren'],
      ['Milk', null, 'Ash', 'Wren'],
      ['Yes', 'General', null, null],
    ])
    const hi = bundle.ext.posts.find(({ values }) => values.text === 'Hi')
    const yes = bundle.ext.posts.find(({ values }) => values.text === 'Yes')
    expect(yes?.refs.reply_to).toBe(hi?.key ?? '')
    expect(bundle.kept).toMatchObject({
      pluralportNotes: [{ id: 'n3', content_warning: 'food' }, { id: 'n4' }],
      pluralportChatMessages: [{ id: 'x3' }],
      pluralportChatReactions: [{ id: 'q1' }],
      pluralportBoardsPosts: [{ id: 'b3' }],
    })
  })

  test('are neither about nor by custom fronts, and about their member rather than its author', () => {
    const bundle = read({
      members: [wren, { ...ash, is_custom_front: true }],
      notes: [
        { id: 'n1', member_id: 'm2', body: 'away' },
        { id: 'n2', member_id: 'm1', author_member_ids: ['m2'], body: 'home' },
      ],
      boards: {
        posts: [{ id: 'b1', author_member_id: 'm2', body: 'Hi', created_at: at('09:00') }],
      },
    })
    const name = nameOf(bundle)
    const notes = bundle.ext.notes.map(({ values, refs }) => `${values.text} ${name(refs.member)}`)
    expect(notes.toSorted()).toEqual(['away null', 'home Wren'])
    expect(bundle.ext.posts.map(({ refs }) => name(refs.by))).toEqual([null])
  })

  test('have rooms in the order of the file, and replies in the same room only', () => {
    const message = (id: string, conversation_id: string) => ({
      ...{ id, conversation_id, body: id },
      created_at: at('09:00'),
    })
    const bundle = read({
      chat: {
        conversations: [
          { id: 'r1', title: 'Second', sort_order: 9 },
          { id: 'r2', title: 'First', sort_order: 4 },
        ],
        messages: [
          message('question', 'r1'),
          { ...message('elsewhere', 'r2'), reply_to_message_id: 'question' },
        ],
      },
    })
    const rooms = bundle.ext.rooms.map(({ values }) => `${values.position} ${values.name}`)
    expect(rooms.toSorted()).toEqual(['0 First', '1 Second'])
    expect(bundle.ext.posts.map(({ refs }) => refs.reply_to ?? null)).toEqual([null, null])
    expect(bundle.kept.pluralportChatMessages).toEqual([
      { id: 'elsewhere', reply_to_message_id: 'question' },
    ])
  })

  test('have the first of their times that is one', () => {
    const { ext } = read({
      notes: [{ id: 'n1', body: 'Tea', entry_date: '2026-02-30', created_at: at('09:00') }],
      boards: {
        posts: [{ id: 'b1', body: 'Milk', written_at: 'NaN', created_at: at('10:00') }],
      },
      front_comments: [{ id: 'c1', body: 'calm', target_time: 'NaN', created_at: at('11:00') }],
    })
    const times = [ext.notes[0]?.values.date, ext.posts[0]?.values.written]
    expect(
      [...times, ext.front_notes[0]?.values.at].map((time) => formatInstant(Number(time))),
    ).toEqual(['09:00', '10:00', '11:00'].map((time) => at(time)))
  })

  test('archives that a conversation is archived', () => {
    const conversations = [
      { id: 'r1', title: 'General', archived: true },
      { id: 'r2', title: 'B' },
    ]
    const { kept } = read({ chat: { conversations, messages: [] } })
    expect(kept.pluralportChatConversations).toEqual([{ id: 'r1', archived: true }])
  })

  test('archives who may read a conversation, and kinds that rooms do not have', () => {
    const access = { kind: 'participants', member_ids: ['m1'] }
    const everyone = { kind: 'all_members' }
    const conversations = [
      { id: 'r1', title: 'Two of us', kind: 'direct_message', access },
      { id: 'r2', title: 'General', kind: 'internal_chat', access: everyone },
    ]
    const { kept } = read({ chat: { conversations, messages: [] } })
    expect(kept.pluralportChatConversations).toEqual([{ id: 'r1', kind: 'direct_message', access }])
  })

  test('archives authors that are unknown, or custom fronts, which do not write', () => {
    const text = { body: 'Milk', created_at: at('10:00') }
    const by = ['m1', 'unknown', 'f1', null]
    const rows = by.map((author_member_id, id) => ({ id, author_member_id, ...text }))
    const { ext, kept } = read({
      members: [wren, { id: 'f1', name: 'Asleep', is_custom_front: true }],
      chat: {
        conversations: [{ id: 'r1', title: 'General' }],
        messages: rows.map((row) => ({ ...row, conversation_id: 'r1' })),
      },
      boards: { posts: rows },
      front_comments: rows,
    })
    const unread = [
      { id: 1, author_member_id: 'unknown' },
      { id: 2, author_member_id: 'f1' },
    ]
    expect(kept).toEqual({
      pluralportChatMessages: unread,
      pluralportBoardsPosts: unread,
      pluralportFrontComments: unread,
    })
    const authors = [...ext.posts, ...ext.front_notes].filter(({ refs }) => refs.by)
    expect(authors).toHaveLength(3)
  })

  test('of other modules are archived, row by row', () => {
    const bundle = read({
      polls: [{ id: 'p1', name: 'Move?' }],
      relationships: { types: [{ id: 't1', name: 'partner' }], edges: [] },
      habits: { note: 'one value' },
      extensions: { example: { theme: 'dark' } },
      ['__proto__']: [],
    })
    expect(bundle.kept).toEqual({
      pluralportPolls: [{ id: 'p1', name: 'Move?' }],
      pluralportRelationshipsTypes: [{ id: 't1', name: 'partner' }],
      pluralportHabitsNote: ['one value'],
      pluralportExtensions: [{ app: 'example', value: { theme: 'dark' } }],
    })
  })
})

describe('damaged PluralPort files', () => {
  test('names every list that is none, and quotes nothing', () => {
    const secret = 'hunter2'
    const parse = () =>
      read({
        members: secret,
        notes: { secret },
        chat: { messages: secret },
        boards: 3,
        extensions: 1,
      })
    expect(parse).toThrow(
      '"members" is not a list. "notes" is not a list. "chat.messages" is not a list. "boards" is not an object. "extensions" is not an object.',
    )
  })

  const wrong = [null, 0, -1.5, true, '', 'hunter2', [], ['hunter2'], {}, { a: { b: 'hunter2' } }]
  const keys = [
    'id system_id name display_name description birthday color avatar_asset_id proxy_tags',
    'is_custom_front archived created_at privacy source_refs extensions parent_group_id emoji',
    'sort_order group_id member_id term_id subject_type subject_id kind field_type options',
    'date_precision field_id value at started_at ended_at assignments status note target_time',
    'author_member_id body title entry_date author_member_ids conversation_id access',
    'reply_to_message_id target_member_id deleted_at uri data_base64 data_uri front_period_id',
  ].flatMap((line) => line.split(' '))

  test.each(wrong.map((value) => [value]))('reads records whose keys are all %j', (value) => {
    const record = Object.fromEntries(keys.map((key) => [key, value]))
    const list = [record, value, record, { ...record, id: 'm1' }]
    const file = {
      systems: list,
      members: [...list, { id: 'right', name: 'Wren' }],
      groups: list,
      group_memberships: list,
      taxonomy_terms: list,
      taxonomy_assignments: list,
      custom_fields: list,
      custom_field_values: list,
      front_events: list,
      front_periods: list,
      front_comments: list,
      notes: list,
      assets: list,
      chat: { conversations: list, messages: list, other: value },
      boards: { posts: list },
      polls: value,
      warnings: value,
    }
    const ext = isObject(value) ? { ...value, version: 1 } : value
    const own = { version: 1, ext, config: value, accounts: value, kept: value }
    for (const extensions of [{}, { [NAMESPACE]: own }]) {
      const bundle = read({ ...file, extensions })
      expect(bundle.members.map(({ values }) => values.name)).toContain('Wren')
    }
  })

  test('rejects deep nesting before it is parsed', () => {
    const deep = '['.repeat(100) + ']'.repeat(100)
    const text = `{"pluralport_version":"0.1","members":${deep}}`
    expect(() => readFile(text)).toThrow('nested deeper than 64 levels')
  })

  test('cuts long texts and keeps them whole in the archive', () => {
    const long = 'y'.repeat(2_000_000)
    const bundle = read({
      members: [{ ...wren, name: long, pronouns: long }],
      notes: [{ id: 'n1', title: long, body: long }],
    })
    expect(bundle.members[0]?.values.name).toHaveLength(100)
    expect(bundle.ext.notes[0]?.values.text).toHaveLength(100_000)
    expect(bundle.kept.longTexts?.length).toBe(4)
    for (const { was } of bundle.repairs) expect(String(was).length).toBeLessThan(200)
  })

  test('rejects more members than the system may have', () => {
    const members = Array.from({ length: 3 }, (_, n) => ({ id: `m${n}`, name: `${n}` }))
    const text = JSON.stringify({ pluralport_version: '0.1', members })
    expect(() => readFile(text, { maxMembers: 2 })).toThrow('more than 2 members')
  })
})
