import { eq } from 'drizzle-orm'
import { members } from '../../../src/db/tables'
import { insertMember } from '../../../src/service/members/members'
import { drizzleOn } from '../../tools/drizzle'
import { readAllRows } from '../../tools/rawSql'
import { createFixture, eventsSince, type Fixture, type Json, stateOf } from '../../tools/scenarios'
import { beforeAll, describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })
const LINE = 'PATCH /ext/v1/systems/@me/members'
const SIZE = 1_000

let fixture: Fixture
let ids: string[] = []

beforeAll(async () => {
  fixture = await createFixture(testApp)
  const { owner } = fixture
  const { deps } = testApp
  await deps.transact({ system: owner.id }, async (tx) => {
    for (let at = 0; at < SIZE - 3; at++)
      await insertMember(tx, owner.id, { name: `Member ${at}`, created: deps.now() })
  })
  const rows = await drizzleOn(deps.db)
    .select({ uuid: members.uuid })
    .from(members)
    .where(eq(members.system_id, owner.id))
    .orderBy(members.id)
    .all()
  ids = rows.map(({ uuid }) => uuid)
  for (const [name, type] of [
    ['role', 'text'],
    ['age', 'number'],
  ] as const) {
    const { id } = await fixture.do('POST /ext/v1/systems/@me/fields', { name, type })
    fixture.remember(name, id)
  }
})

/** Sends changes of all members, with other changes at some positions. */
function change(others: Record<number, Json> = {}) {
  return fixture.ask<Json & Json[]>(
    LINE,
    ids.map((id, at) => ({
      id,
      member: { color: '88c0a8' },
      archived: true,
      fields: { '<age>': at },
      ...others[at],
    })),
  )
}

/** Returns all rows, and so all events. The version of the file changes with rendered JSON too. */
async function allRows() {
  await stateOf(testApp)
  return readAllRows(testApp.deps.db)
}

describe('a change of 1,000 members', () => {
  test('reports all problems, with the position first, and changes nothing', async () => {
    const before = await allRows()
    const { status, json } = await change({
      0: { member: { color: 'red' } },
      3: { fields: { '<age>': 'old', '<role>': 'x'.repeat(4_001), unknown: 1 } },
      500: { kind: 'person', about: 'x'.repeat(20_001), member: 7 },
      999: { archived_reason: 'x'.repeat(151), fields: [] },
    })
    expect({ status, code: json.code }).toEqual({ status: 400, code: 40001 })
    expect(Object.keys(json.errors as Json).toSorted()).toEqual(
      fixture
        .fill([
          '0.member.color',
          '3.fields.<age>',
          '3.fields.<role>',
          '3.fields.unknown',
          '500.about',
          '500.kind',
          '500.member',
          '999.archived_reason',
          '999.fields',
        ])
        .toSorted(),
    )
    expect(await allRows()).toEqual(before)
  })

  test('names repeated members beside problems of values, by their position', async () => {
    const { wren } = fixture
    const { status, json } = await fixture.ask(LINE, [
      'nonsense',
      { id: wren.hid, fields: { '<age>': 'old' } },
      { id: wren.uuid, fields: { unknown: 1 } },
    ])
    expect({ status, code: json.code }).toEqual({ status: 400, code: 40001 })
    expect(Object.keys(json.errors as Json).toSorted()).toEqual(
      fixture.fill(['0', '1.fields.<age>', '2.fields.unknown', '2.id']).toSorted(),
    )
  })

  test.each<[string, string, number, number]>([
    ['an unknown member', 'zzzzz', 404, 20003],
    ['a member of another system', '<stray>', 403, 30008],
  ])('is refused with %s at the end, and changes nothing', async (_, id, status, code) => {
    const before = await allRows()
    const refused = await change({ 999: { id } })
    expect({ status: refused.status, code: refused.json.code }).toEqual({ status, code })
    expect(await allRows()).toEqual(before)
  })

  test('may not name 1,001 members', async () => {
    const before = await allRows()
    const body = [...ids, fixture.stray.uuid].map((id) => ({ id, archived: false }))
    const { status, json } = await fixture.ask(LINE, body)
    expect({ status, code: json.code }).toEqual({ status: 400, code: 0 })
    expect(json.message).toContain('1000')
    expect(await allRows()).toEqual(before)
  })

  test('changes all of them in their order, with their events', async () => {
    const { lastEvent } = await stateOf(testApp)
    const { status, json } = await change({ 1: { about: 'Keeps the lamps.' } })
    expect(status).toBe(200)
    expect(json.map(({ member }) => (member as Json).uuid)).toEqual(ids)
    expect(json[1]).toMatchObject({
      member: { color: '88c0a8', description: 'Keeps the lamps.' },
      about: 'Keeps the lamps.',
    })
    expect(json[999]).toMatchObject(fixture.fill({ archived: true, fields: { '<age>': 999 } }))
    const types = (await eventsSince(fixture, lastEvent)).map(([type]) => type)
    const counts = Object.fromEntries(
      [...Map.groupBy(types, (type) => type)].map(([type, all]) => [type, all.length]),
    )
    expect(counts).toEqual({
      UPDATE_MEMBER: SIZE,
      UPDATE_MEMBER_EXT: SIZE,
      UPDATE_FIELD_VALUES: SIZE,
    })
    const listed = await fixture.get<Json[]>('GET /ext/v1/systems/@me/members?archived=true')
    expect(listed).toEqual(json.map((one) => ({ ...one, about_excerpt: null })))
    const again = await stateOf(testApp)
    expect((await change({ 1: { about: 'Keeps the lamps.' } })).status).toBe(200)
    expect((await stateOf(testApp)).lastEvent).toBe(again.lastEvent)
  })
})
