import type { JsonObject } from '../../../src/model/entity'
import { exportSystem, importFile } from '../../operatorActions'
import { createFixture } from '../../scenarios'
import { describe, expect, test } from '../../test'
import { createTestApp } from '../../testApp'

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
