import type { JsonObject } from '../../../src/model/core/entity'
import { HOUR } from '../../../src/model/core/time'
import { notifyFriends } from '../../../src/service/friends/friendNotifications'
import { removeAbandoned } from '../../../src/service/systems/staging'
import { readAllRows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { exportText, importInto, killedBefore } from './importFixture'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

const toBytes = (file: JsonObject) => Buffer.from(JSON.stringify(file))

/** A file of Simply Plural with buckets. */
const withBuckets = {
  private: [{ _id: 'u1', defaultPrivacy: { members: ['k1'], customFronts: [], groups: ['k1'] } }],
  privacyBuckets: [
    { _id: 'k2', name: 'Partner', rank: '0|z:', icon: '💛', desc: 'One', color: '#C99524' },
    { _id: 'k1', name: 'Close', rank: '0|a:' },
  ],
  members: [
    { _id: 'm1', name: 'Wren', buckets: ['k1', 'k2', 'k1'] },
    { _id: 'm2', name: 'Ash', buckets: [] },
  ],
  frontStatuses: [{ _id: 'm3', name: 'Asleep', buckets: ['k2'] }],
  groups: [{ _id: 'g1', name: 'Keepers', members: [], buckets: ['k1'] }],
  customFields: [{ _id: 'c1', name: 'Role', type: 0, buckets: ['k2'] }],
}

/** Returns the buckets of an export with the names of what they contain. */
async function sharedBy(system: TestSystem) {
  const file = JSON.parse(await exportText(testApp.deps, system.id))
  const { fields, buckets } = file.multitude.ext as Record<string, JsonObject[]>
  const names = new Map(
    [...file.members, ...file.groups].map(({ uuid, name }: JsonObject) => [uuid, name]),
  )
  for (const { id, name } of fields ?? []) names.set(id, name)
  const named = (list: unknown) => (list as string[]).map((uuid) => names.get(uuid)).toSorted()
  return (buckets ?? []).map((row) => [
    row.name,
    named(row.members),
    named(row.groups),
    named(row.fields),
  ])
}

const all = [
  ['Close', ['Wren'], ['Keepers'], []],
  ['Partner', ['Asleep', 'Wren'], [], ['Role']],
]

const bucketsOf = async (as: TestSystem) =>
  (await testApp.ask<JsonObject[]>('GET /ext/v1/buckets', { as })).json

describe('an import of privacy buckets', () => {
  test('has their values, their order and what they contain', async () => {
    const system = await testApp.makeSystem()
    const report = await importInto(testApp, system, toBytes(withBuckets))
    expect(report.ext?.buckets).toEqual({ added: 2, changed: 0, unchanged: 0, left_out: 0 })
    expect(report.kept).toEqual({})
    expect(await sharedBy(system)).toEqual(all)
    expect(await bucketsOf(system)).toMatchObject([
      { name: 'Close', default_for: ['members', 'groups'], members: 1, groups: 1, fields: 0 },
      { name: 'Partner', about: 'One', emoji: '💛', color: 'c99524', members: 2, fields: 1 },
    ])
  })

  test('adds nothing the second time, also after changes here', async () => {
    const system = await testApp.makeSystem()
    await importInto(testApp, system, toBytes(withBuckets))
    const [close] = await bucketsOf(system)
    const changed = await testApp.ask(`PATCH /ext/v1/buckets/${close?.id}`, {
      as: system,
      body: { name: 'Near' },
    })
    expect(changed.status).toBe(200)
    const emptied = await testApp.ask(`PUT /ext/v1/buckets/${close?.id}/contents`, {
      as: system,
      body: { members: [] },
    })
    expect(emptied.status).toBe(200)
    const before = await sharedBy(system)
    const report = await importInto(testApp, system, toBytes(withBuckets))
    expect(report.ext?.buckets).toEqual({ added: 0, changed: 0, unchanged: 2, left_out: 0 })
    expect(await sharedBy(system)).toEqual(before)
  })

  test('puts new members in buckets that were imported before', async () => {
    const system = await testApp.makeSystem()
    await importInto(testApp, system, toBytes(withBuckets))
    const members = [...withBuckets.members, { _id: 'm4', name: 'Robin', buckets: ['k1'] }]
    const report = await importInto(testApp, system, toBytes({ ...withBuckets, members }))
    expect(report.ext?.buckets).toEqual({ added: 0, changed: 1, unchanged: 1, left_out: 0 })
    expect((await sharedBy(system))[0]).toEqual(['Close', ['Robin', 'Wren'], ['Keepers'], []])
  })

  test('counts the same in a dry run', async () => {
    const system = await testApp.makeSystem()
    const report = await importInto(testApp, system, toBytes(withBuckets), { dryRun: true })
    expect(report.ext?.buckets).toEqual({ added: 2, changed: 0, unchanged: 0, left_out: 0 })
    expect(await bucketsOf(system)).toEqual([])
  })

  test('cuts long names, reports them and archives them whole', async () => {
    const system = await testApp.makeSystem()
    const name = 'n'.repeat(150)
    const report = await importInto(
      testApp,
      system,
      toBytes({ ...withBuckets, privacyBuckets: [{ _id: 'k1', name }] }),
    )
    expect(await bucketsOf(system)).toMatchObject([{ name: 'n'.repeat(100) }])
    expect(report.repairs).toContainEqual(
      expect.objectContaining({ kind: 'bucket', field: 'name' }),
    )
    expect(report.kept).toMatchObject({ longTexts: 1 })
  })

  test('reads the flags of files without buckets', async () => {
    const system = await testApp.makeSystem()
    const members = [
      { _id: 'm1', name: 'Wren', private: false, preventTrusted: false },
      { _id: 'm2', name: 'Ash', private: true, preventTrusted: false },
      { _id: 'm3', name: 'Robin', preventTrusted: false },
      { _id: 'm4', name: 'Jay', private: true, preventTrusted: true },
      { _id: 'm5', name: 'Finch' },
    ]
    const file = toBytes({ frontStatuses: [], members })
    await importInto(testApp, system, file)
    const expected = [
      ['Friends', ['Wren'], [], []],
      ['Trusted friends', ['Ash', 'Robin', 'Wren'], [], []],
    ]
    expect(await sharedBy(system)).toEqual(expected)
    await importInto(testApp, system, file)
    expect(await sharedBy(system)).toEqual(expected)
  })

  test('uses a bucket of the same name that has no friends', async () => {
    const system = await testApp.makeSystem()
    const made = await testApp.ask('POST /ext/v1/buckets', { as: system, body: { name: 'Close' } })
    expect(made.status).toBe(201)
    const report = await importInto(testApp, system, toBytes(withBuckets))
    expect(report.ext?.buckets).toEqual({ added: 1, changed: 1, unchanged: 0, left_out: 0 })
    expect(await sharedBy(system)).toEqual(all)
  })

  test('takes those that come first up to the limit', async () => {
    const system = await testApp.makeSystem()
    const privacyBuckets = Array.from({ length: 23 }, (_, at) => ({
      _id: `k${at}`,
      name: `Bucket ${at}`,
      rank: at,
    }))
    const report = await importInto(testApp, system, toBytes({ ...withBuckets, privacyBuckets }))
    expect(report.ext?.buckets).toMatchObject({ added: 20, left_out: 3 })
    expect(report.repairs).toContainEqual(
      expect.objectContaining({ kind: 'bucket', left_out: 3, why: 'above the limit of 20' }),
    )
  })

  test('is left out unless `only` names it', async () => {
    const system = await testApp.makeSystem()
    const file = toBytes(withBuckets)
    const only = new Set(['members', 'groups', 'fields'] as const)
    const left = await importInto(testApp, system, file, { only })
    expect(left.ext?.buckets).toMatchObject({ added: 0, left_out: 2 })
    const taken = await importInto(testApp, system, file, { only: new Set(['buckets']) })
    expect(taken.ext?.buckets).toMatchObject({ added: 2, left_out: 0 })
    expect(await sharedBy(system)).toEqual(all)
  })
})

describe('an import of privacy buckets that is killed', () => {
  const more = {
    ...withBuckets,
    privacyBuckets: [...withBuckets.privacyBuckets, { _id: 'k3', name: 'Others', rank: '0|b:' }],
    members: [...withBuckets.members, { _id: 'm4', name: 'Robin', buckets: ['k1', 'k3'] }],
    groups: [...withBuckets.groups, { _id: 'g2', name: 'Dreamers', members: [], buckets: ['k1'] }],
    customFields: [
      ...withBuckets.customFields,
      { _id: 'c2', name: 'Age', type: 0, buckets: ['k1', 'k3'] },
    ],
  }

  /** Creates a system that has imported buckets, and a friend in one of them. */
  async function createFriends() {
    const [system, friend] = [await testApp.makeSystem(), await testApp.makeSystem()]
    await importInto(testApp, system, toBytes(withBuckets))
    const [close] = await bucketsOf(system)
    const body = { share: { see_members: true, buckets: [close?.id] } }
    const invited = await testApp.ask('POST /ext/v1/friends/invites', { as: system, body })
    const { code } = invited.json
    const accepted = await testApp.ask('POST /ext/v1/friends', { as: friend, body: { code } })
    const path = `/ext/v1/friends/${accepted.json.id}`
    const seen = async () =>
      Promise.all(
        ['members', 'groups', 'fields'].map(
          async (list) => (await testApp.ask(`GET ${path}/${list}`, { as: friend })).json,
        ),
      )
    return { system, seen }
  }

  /** Imports a file with a kill before each transaction. Nothing is left by those that are killed. */
  async function importAtLast(
    system: TestSystem,
    file: JsonObject,
    onKilled?: () => Promise<void>,
  ) {
    await notifyFriends(testApp.deps)
    const before = await readAllRows(testApp.deps.db)
    for (let last = 1; ; last++) {
      const deps = killedBefore(testApp.deps, last)
      const isDone = await importInto({ deps }, system, toBytes(file)).then(
        () => true,
        () => false,
      )
      if (isDone) return last
      await onKilled?.()
      await removeAbandoned({ ...testApp.deps, now: () => testApp.deps.now() + HOUR })
      expect(await readAllRows(testApp.deps.db)).toEqual(before)
    }
  }

  test('shares nothing with a friend, whenever it is killed, and leaves no row', async () => {
    const { system, seen } = await createFriends()
    const shown = await seen()
    const listed = await bucketsOf(system)
    const transactions = await importAtLast(system, more, async () => {
      expect(await seen()).toEqual(shown)
      expect(await bucketsOf(system)).toEqual(listed)
    })
    // Buckets, their contents and other rows are written by transactions before the last one.
    expect(transactions).toBeGreaterThan(5)
    expect(await seen()).not.toEqual(shown)
    expect(await sharedBy(system)).toEqual([
      ['Close', ['Robin', 'Wren'], ['Dreamers', 'Keepers'], ['Age']],
      ['Partner', ['Asleep', 'Wren'], [], ['Role']],
      ['Others', ['Robin'], [], ['Age']],
    ])
  })

  test('puts no existing member in an existing bucket', async () => {
    const system = await testApp.makeSystem()
    const only = new Set(['members', 'groups', 'fields'] as const)
    await importInto(testApp, system, toBytes(withBuckets), { only })
    await testApp.ask('POST /ext/v1/buckets', { as: system, body: { name: 'Close' } })
    await importAtLast(system, withBuckets)
    expect(await sharedBy(system)).toEqual(all)
  })
})

describe('privacy buckets of an export', () => {
  test('arrive in another system with what they contain', async () => {
    const [from, to] = [await testApp.makeSystem(), await testApp.makeSystem()]
    await importInto(testApp, from, toBytes(withBuckets))
    const file = Buffer.from(await exportText(testApp.deps, from.id))
    const report = await importInto(testApp, to, file)
    expect(report.ext?.buckets).toMatchObject({ added: 2, left_out: 0 })
    expect(await sharedBy(to)).toEqual(all)
    const again = await importInto(testApp, to, file)
    expect(again.ext?.buckets).toMatchObject({ added: 0, changed: 0, unchanged: 2 })
  })
})
