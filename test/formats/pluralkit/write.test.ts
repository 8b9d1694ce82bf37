import fc from 'fast-check'
import type { Bundle } from '../../../src/formats/bundle'
import type { Snapshot } from '../../../src/formats/pluralkit/write'
import { readFile } from '../../../src/formats/read'
import { type Entity, fillDefaults, type Row } from '../../../src/model/core/entity'
import type { Field } from '../../../src/model/core/field'
import { Problem } from '../../../src/model/core/validation'
import { group } from '../../../src/model/groups/group'
import { member } from '../../../src/model/members/member'
import { autoproxy } from '../../../src/model/proxy/autoproxy'
import { memberGuild, systemGuild } from '../../../src/model/proxy/guild'
import { settings } from '../../../src/model/systems/settings'
import { system } from '../../../src/model/systems/system'
import { describe, expect, test } from '../../tools/test'
import { fixture, readFixture } from '../fixture'
import { emptySnapshot, now, textOf } from './snapshots'

describe('writePluralkit', async () => {
  const text = await textOf(snapshotOf(readFixture('pluralkit.json')))
  const written = JSON.parse(text)
  const original = JSON.parse(new TextDecoder().decode(fixture('pluralkit.json')))

  test('writes keys in the order of PluralKit, and the key multitude last', () => {
    expectKeys(written, original, [...Object.keys(system.fields), 'multitude'])
    expect(Object.keys(written).at(-1)).toBe('multitude')
    expectKeys(written.privacy, original.privacy, system.levels)
    expectKeys(written.config, original.config, Object.keys(settings.fields))
    expect(Object.keys(written.switches[0])).toEqual(Object.keys(original.switches[0]))
    for (const [list, { fields, levels }] of [
      ['members', member],
      ['groups', group],
    ] as const) {
      expectKeys(written[list][0], original[list][0], Object.keys(fields))
      expectKeys(written[list][0].privacy, original[list][0].privacy, levels)
    }
  })

  test('writes no white space, and account IDs as numbers', () => {
    expect(text).toStartWith('{"version":2,"id":"qvexmp","uuid":"0b6f1d3e-')
    expect(text).toContain(',"accounts":[123456789012345678,987654321098765433],"members":[{')
  })

  test('writes times without trailing zeros', () => {
    expect(written.created).toBe('2022-05-04T18:20:31.250114Z')
    expect(written.switches).toEqual(original.switches)
  })

  test('writes missing values as null', () => {
    expect(written.members[1]).toMatchObject({ color: null, last_message_timestamp: null })
    expect(written).toMatchObject({ description: null, webhook_url: null })
  })

  test.each([
    { pages: [], what: 'no switches' },
    { pages: [[1, 2, 3]], what: 'one page of switches' },
    { pages: [[1, 2], [3], [4, 5]], what: 'several pages of switches' },
    { pages: [[], [1], [], [2], []], what: 'pages of switches of which some are empty' },
  ])('writes $what', async ({ pages }) => {
    const switches = pages.map((page) =>
      page.map((n) => ({ uuid: uuidOf(n), timestamp: now - n, members: ['wrenab'] })),
    )
    const text = await textOf({ ...snapshotOf(readFixture('pluralkit.json')), switches })
    const read = readFile(text).switches.toReversed()
    expect(read.map(({ uuid, timestamp }) => [uuid, timestamp])).toEqual(
      pages.flat().map((n) => [uuidOf(n), now - n]),
    )
  })
})

describe('writePluralkit and readFile', () => {
  test('restores data that the format of PluralKit lacks', async () => {
    const kept = {
      notes: [{ _id: 'n1', note: 'Oil' }],
      polls: [{ votes: ['1234567890123456789'] }],
    }
    const snapshot: Snapshot = {
      ...snapshotOf(readFixture('pluralkit.json')),
      accounts: [
        { id: '123456789012345678', autoproxy_enabled: false },
        { id: '007', autoproxy_enabled: true },
      ],
      systemGuilds: [
        { ...fillDefaults(systemGuild, {}), guild_id: '18446744073709551615', tag: '*' },
      ],
      memberGuilds: [
        { ...fillDefaults(memberGuild, {}), guild_id: '5', member: 'ashcd', keep_proxy: true },
      ],
      autoproxy: [
        {
          guild_id: '5',
          autoproxy_mode: 'latch',
          autoproxy_member: 'wrenab',
          last_latch_timestamp: now + 1,
        },
        { ...fillDefaults(autoproxy, {}), guild_id: '6', autoproxy_mode: 'front' },
      ],
      kept: archivedOf(kept),
    }
    const bundle = readFile(await textOf(snapshot))
    expect(bundle).toMatchObject({
      repairs: [],
      skipped: {},
      accounts: snapshot.accounts,
      systemGuilds: snapshot.systemGuilds,
      memberGuilds: snapshot.memberGuilds,
      autoproxy: snapshot.autoproxy,
      kept,
    })
    const switches = (await Array.fromAsync(snapshot.switches)).flat()
    expect(bundle.switches.toReversed()).toEqual(switches as Bundle['switches'])
    expect(await textOf(snapshotOf(bundle))).toBe(await textOf(snapshot))
  })

  test('repairs invalid values in the key multitude', async () => {
    const file = JSON.parse(await textOf(snapshotOf(readFixture('pluralkit.json'))))
    const uuid = file.multitude.switches[0].uuid
    file.accounts = ['123456789012345678', 5]
    file.multitude = {
      switches: [
        { timestamp: file.switches[0].timestamp, uuid },
        { timestamp: file.switches[1].timestamp, uuid },
        5,
      ],
      accounts: 'none',
      system_guilds: [{ guild_id: 'x' }, null, { guild_id: '5', tag: 5 }],
      member_guilds: [{ guild_id: '5', member: 'nobody' }],
      autoproxy: [
        { guild_id: '1', autoproxy_mode: 'member', autoproxy_member: 'nobody' },
        { guild_id: '2', autoproxy_mode: 'front', autoproxy_member: 'wrenab' },
        { guild_id: '3', autoproxy_mode: 'sideways' },
      ],
      kept: { notes: 'none', __proto__: [1], 'a b': [1] },
    }
    const bundle = readFile(JSON.stringify(file))
    expect(bundle.accounts).toEqual([{ id: '123456789012345678' }, { id: '5' }])
    expect(bundle.systemGuilds).toEqual([{ guild_id: '5', tag: '5' }])
    expect(bundle.memberGuilds).toEqual([])
    expect(bundle.autoproxy).toEqual([
      { guild_id: '1', autoproxy_mode: 'off', autoproxy_member: null },
      { guild_id: '2', autoproxy_mode: 'front', autoproxy_member: null },
      { guild_id: '3', autoproxy_mode: 'off', autoproxy_member: null },
    ])
    expect(bundle.switches.flatMap((entry) => entry.uuid ?? [])).toEqual([uuid])
    expect(bundle.kept).toEqual({})
  })

  test('restores every value that the field tables accept, including blanks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(rowOf(member), { maxLength: 5 }),
        rowOf(system),
        rowOf(settings),
        async (rows, systemRow, config) => {
          const snapshot: Snapshot = {
            ...emptySnapshot,
            system: { ...systemRow, webhook_url: null, hid: 'abcdef', uuid: crypto.randomUUID() },
            settings: { ...config, member_limit: 1000, group_limit: 250 },
            members: rows.map((row, n) => ({
              ...row,
              hid: `abcd${'efghi'[n]}`,
              uuid: crypto.randomUUID(),
            })),
          }
          const text = await textOf(snapshot)
          const bundle = readFile(text)
          expect(bundle.repairs).toEqual([])
          expect(await textOf(snapshotOf(bundle))).toBe(text)
        },
      ),
    )
  })
})

function archivedOf(kept: Bundle['kept']) {
  return Object.entries(kept).map(([collection, rows]) => ({
    collection,
    rows: rows.map((row) => JSON.stringify(row)),
  }))
}

function uuidOf(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
}

/** Returns the snapshot of an empty server after importing the bundle. */
function snapshotOf(bundle: Bundle): Snapshot {
  return {
    ...emptySnapshot,
    system: {
      ...fillDefaults(system, bundle.system.patch),
      created: bundle.system.created ?? null,
      hid: bundle.system.hid ?? 'abcdef',
      uuid: bundle.system.uuid ?? crypto.randomUUID(),
    },
    settings: fillDefaults(settings, bundle.settings),
    accounts: bundle.accounts.map(({ id, autoproxy_enabled = true }) => ({
      id,
      autoproxy_enabled,
    })),
    members: bundle.members.map(({ key, uuid, values }) => ({
      ...fillDefaults(member, values),
      hid: key,
      uuid: uuid ?? crypto.randomUUID(),
    })),
    groups: bundle.groups.map(({ key, uuid, values, members }) => ({
      ...fillDefaults(group, values),
      hid: key,
      uuid: uuid ?? crypto.randomUUID(),
      members,
    })),
    switches: [
      bundle.switches
        .map(({ uuid = crypto.randomUUID(), timestamp, members }) => ({ uuid, timestamp, members }))
        .toReversed(),
    ],
    systemGuilds: bundle.systemGuilds.map((row) => ({ ...fillDefaults(systemGuild, {}), ...row })),
    memberGuilds: bundle.memberGuilds.map((row) => ({ ...fillDefaults(memberGuild, {}), ...row })),
    autoproxy: bundle.autoproxy.map((row) => ({ ...fillDefaults(autoproxy, {}), ...row })),
    kept: archivedOf(bundle.kept),
    colorHex: bundle.colorHex ?? false,
  }
}

/** Expects PluralKit's keys in its order; other keys must be fields of our own. */
function expectKeys(written: object, original: object, ownKeys: readonly string[]): void {
  const keys = Object.keys(written)
  expect(keys.filter((key) => key in original)).toEqual(Object.keys(original))
  expect(keys.filter((key) => !(key in original) && !ownKeys.includes(key))).toEqual([])
}

/** Generates rows that the field table accepts. */
function rowOf<E extends Entity>(entity: E): fc.Arbitrary<Row<E>> {
  const fields = entity.entries.map(([key, field]) => [key, anyValue(field)])
  const levels = entity.levels.map((level) => [level, fc.constantFrom('public', 'private')])
  return fc.record(Object.fromEntries([...fields, ...levels])) as fc.Arbitrary<Row<E>>
}

function anyValue(field: Field): fc.Arbitrary<unknown> {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 })
  const part = fc.option(fc.string({ minLength: 1, maxLength: 20 }))
  const values: Partial<Record<Field['kind'], fc.Arbitrary<unknown>>> = {
    text: fc.oneof(text, fc.constantFrom(' ', '\n', '1234567890123456789', '"\\')),
    color: fc.constantFrom('00ff00', 'abcdef'),
    url: fc.constantFrom('https://img.example.org/a.png', 'http://a.example'),
    date: fc.constantFrom('0001-03-04', '0004-02-29', '1990-12-31'),
    timestamp: fc.integer({ min: -(2 ** 40), max: 2 ** 52 }),
    flag: fc.boolean(),
    count: fc.maxSafeNat(),
    choice: fc.constantFrom(...(field.choices ?? ['none'])),
    timezone: fc.constantFrom('UTC', 'Europe/Oslo'),
    texts: fc.array(text, { maxLength: 3 }),
    proxyTags: fc.array(
      fc.record({ prefix: part, suffix: fc.string({ minLength: 1, maxLength: 20 }) }),
    ),
  }
  const isAccepted = (given: unknown) =>
    field.kind === 'timestamp' || !(field.parse(given) instanceof Problem)
  const value = (values[field.kind] ?? fc.constant(field.defaultValue)).filter(isAccepted)
  return field.nullable && field.kind !== 'text' ? fc.option(value) : value
}
