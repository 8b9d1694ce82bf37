import type { JsonObject } from '../../../src/model/core/entity'
import { exportSystem, importFile } from '../../tools/operatorActions'
import { insertAll } from '../../tools/rawSql'
import { createFixture, eventsSince, stateOf } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })
const { ask, deps } = testApp

const line = 'PATCH /web/preferences'

describe('preferences', () => {
  test('returns the defaults when no preferences are set', async () => {
    const me = await testApp.makeSystem()
    const { json } = await ask('GET /web/preferences', { as: me })
    expect(json).toEqual({ pinned: [], statuses: [], word: 'members' })
  })

  test('stores preferences by UUID and in order', async () => {
    const { owner, wren, finch, keepers } = await createFixture(testApp)
    const body = { pinned: [finch.hid, wren.uuid, finch.uuid], statuses: [keepers.hid] }
    const { status, json } = await ask(line, { as: owner, body })
    expect([status, json]).toEqual([
      200,
      { pinned: [finch.uuid, wren.uuid], statuses: [keepers.uuid], word: 'members' },
    ])
    expect((await ask(line, { as: owner, body: { word: 'headmates' } })).json).toMatchObject({
      pinned: [finch.uuid, wren.uuid],
      word: 'headmates',
    })
    expect((await ask(line, { as: owner, body: { pinned: [] } })).json.pinned).toEqual([])
  })

  test('removes deleted members and groups from the preferences', async () => {
    const { owner, wren, finch, keepers } = await createFixture(testApp)
    await ask(line, {
      as: owner,
      body: { pinned: [wren.hid, finch.hid], statuses: [keepers.hid] },
    })
    await ask(`DELETE /v2/members/${wren.hid}`, { as: owner })
    await ask(`DELETE /v2/groups/${keepers.hid}`, { as: owner })
    const { json } = await ask('GET /web/preferences', { as: owner })
    expect(json).toMatchObject({ pinned: [finch.uuid], statuses: [] })
  })

  /** Archives rows as an earlier release did. */
  const archive = (system: TestSystem, collection: string, count: number, reader = 0) => {
    const rows = Array.from({ length: count }, (_, at) => {
      const content = JSON.stringify({ _id: `${reader} ${at}`, title: 'Tuesday' })
      return { system_id: system.id, collection, content, digest: content, reader }
    })
    return deps.transact('new', (tx) => insertAll(tx, 'import_archive', rows))
  }

  test.each<[string, [collection: string, rows: number, reader?: number][], JsonObject]>([
    [
      'only rows that no conversion has read',
      [
        ['notes', 2],
        ['polls', 3, 1],
      ],
      { notes: 2 },
    ],
    ['no rows that cannot be converted', [['friends', 2]], {}],
    [
      'unread rows before those that were read',
      [
        ['notes', 1],
        ['notes', 1, 1],
      ],
      { notes: 1 },
    ],
    ['more than 1,000 rows as 1,001', [['notes', 1002]], { notes: 1001 }],
  ])('counts archived rows that can be converted: %s', async (_, given, convertible) => {
    const me = await testApp.makeSystem()
    await archive(await testApp.makeSystem(), 'comments', 1)
    for (const rows of given) await archive(me, ...rows)
    const listed = Object.entries(convertible).map(([collection, rows]) => ({ collection, rows }))
    const expected = { pinned: [], statuses: [], archive: { convertible: listed } }
    const { json } = await ask('GET /web/preferences', { as: me })
    expect(json).toEqual({ ...expected, word: 'members' })
    const changed = await ask(line, { as: me, body: { word: 'parts' } })
    expect(changed.json).toEqual({ ...expected, word: 'parts' })
  })

  /** Kinds of the members of a system by name. */
  const kindsOf = async (as: TestSystem) => {
    const { json } = await ask<{ member: { name: string }; kind: string }[]>(
      'GET /ext/v1/systems/@me/members',
      { as },
    )
    return Object.fromEntries(json.map(({ member, kind }) => [member.name, kind]))
  }
  const setStatuses = (as: TestSystem, ...statuses: string[]) =>
    ask(line, { as, body: { statuses } })

  test('naming a group in statuses makes its present members custom fronts', async () => {
    const fixture = await createFixture(testApp)
    const { owner, keepers, wren, finch, heron } = fixture
    await ask(`PATCH /ext/v1/members/${finch.hid}`, { as: owner, body: { kind: 'custom_front' } })
    const { lastEvent } = await stateOf(testApp)
    expect((await setStatuses(owner, keepers.hid)).status).toBe(200)
    expect(await kindsOf(owner)).toEqual({
      Wren: 'custom_front',
      Finch: 'custom_front',
      Heron: 'member',
    })
    expect(await eventsSince(fixture, lastEvent)).toEqual([
      ['UPDATE_MEMBER_EXT', wren.uuid, { keys: ['kind'], kind: 'custom_front' }],
    ])
    // A member that joins the group later stays what it is.
    await ask(`POST /v2/groups/${keepers.hid}/members/add`, { as: owner, body: [heron.hid] })
    expect((await kindsOf(owner)).Heron).toBe('member')
  })

  test('removing a group from statuses changes no member', async () => {
    const { owner, keepers, dreamers, wren } = await createFixture(testApp)
    await setStatuses(owner, keepers.hid, dreamers.hid)
    await ask(`PATCH /ext/v1/members/${wren.hid}`, { as: owner, body: { kind: 'member' } })
    const before = await kindsOf(owner)
    expect(before).toEqual({ Wren: 'member', Finch: 'custom_front', Heron: 'member' })
    await setStatuses(owner, dreamers.hid)
    await setStatuses(owner)
    expect(await kindsOf(owner)).toEqual(before)
  })

  test('a refused list of statuses changes no member', async () => {
    const { owner, keepers, circle } = await createFixture(testApp)
    expect((await setStatuses(owner, keepers.hid, circle.hid)).status).toBe(403)
    expect((await kindsOf(owner)).Wren).toBe('member')
  })

  test.each<[string, JsonObject, number, number]>([
    ['an empty word', { word: '' }, 400, 40001],
    ['a long word', { word: 'x'.repeat(31) }, 400, 40001],
    ['null for the word', { word: null }, 400, 40001],
    ['a number for a list', { pinned: 7 }, 400, 40001],
    ['no known key', {}, 400, 0],
    ['an unknown member', { pinned: ['zzzzz'] }, 404, 20003],
    ['an unknown group', { statuses: ['zzzzz'] }, 404, 20005],
  ])('refuses preferences with %s', async (_, body, status, code) => {
    const me = await testApp.makeSystem()
    const { json, status: responseStatus } = await ask(line, { as: me, body })
    expect([responseStatus, json.code]).toEqual([status, code])
  })

  test('refuses preferences with members and groups of another system', async () => {
    const { owner, stray, circle } = await createFixture(testApp)
    expect((await ask(line, { as: owner, body: { pinned: [stray.hid] } })).json.code).toBe(30008)
    expect((await ask(line, { as: owner, body: { statuses: [circle.hid] } })).json.code).toBe(30009)
  })

  test('exports and imports preferences, and an import keeps those that are set', async () => {
    const { owner, wren, finch, keepers } = await createFixture(testApp)
    await ask(line, {
      as: owner,
      body: { pinned: [finch.hid, wren.hid], statuses: [keepers.hid], word: 'parts' },
    })
    const { file } = await exportSystem(deps, owner.id)
    expect(JSON.parse(new TextDecoder().decode(file)).multitude.preferences).toEqual({
      pinned: [finch.uuid, wren.uuid],
      statuses: [keepers.uuid],
      word: 'parts',
    })

    const other = await testApp.makeSystem()
    const options = { dryRun: false, only: null, isPublic: false, link: new Set<string>() }
    await importFile(deps, file, { systemId: other.id }, options)
    const { json } = await ask<{ pinned: string[]; statuses: string[]; word: string }>(
      'GET /web/preferences',
      { as: other },
    )
    expect(json.word).toBe('parts')
    const names = await Promise.all(
      json.pinned.map(async (id) => (await ask(`GET /v2/members/${id}`)).json.name),
    )
    expect(names).toEqual([finch.name, wren.name])
    expect(json.statuses.length).toBe(1)

    await ask(line, { as: other, body: { word: 'people', pinned: [json.pinned[0]] } })
    await importFile(deps, file, { systemId: other.id }, options)
    const after = await ask('GET /web/preferences', { as: other })
    expect(after.json).toMatchObject({ word: 'people', pinned: [json.pinned[0]] })
  })
})
