import type { JsonObject } from '../../../src/model/core/entity'
import { insertMember } from '../../../src/service/members/members'
import { rows } from '../../tools/rawSql'
import { createFixture } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })
const { ask } = testApp

const kinds = [
  [
    'members',
    'PATCH /v2/systems/@me/members',
    'wren',
    'finch',
    'stray',
    'UPDATE_MEMBER',
    [20003, 30008],
  ],
  [
    'groups',
    'PATCH /v2/systems/@me/groups',
    'keepers',
    'dreamers',
    'circle',
    'UPDATE_GROUP',
    [20005, 30009],
  ],
] as const

describe.each(kinds)('a bulk change of %s', (noun, line, first, second, foreign, event, codes) => {
  const eventsOf = (systemId: number) =>
    rows<{ type: string; subject: string }>(
      testApp.deps.db,
      'select type, subject from events where system_id = :systemId order by id',
      { systemId },
    )

  test(`a bulk change of ${noun} keeps the order of the request and records one event for each`, async () => {
    const fixture = await createFixture(testApp)
    const before = (await eventsOf(fixture.owner.id)).length
    const { status, json } = await ask<JsonObject[]>(line, {
      as: fixture.owner,
      body: [
        { id: fixture[second].uuid, description: 'second', privacy: { visibility: 'private' } },
        { id: fixture[first].hid.toUpperCase(), color: 'AABBCC' },
      ],
    })
    expect(status).toBe(200)
    expect(json.map(({ id }) => id)).toEqual([fixture[second].hid, fixture[first].hid])
    expect(json).toMatchObject([
      { description: 'second', privacy: { visibility: 'private' } },
      { color: 'aabbcc' },
    ])
    expect((await eventsOf(fixture.owner.id)).slice(before)).toEqual([
      { type: event, subject: fixture[second].uuid },
      { type: event, subject: fixture[first].uuid },
    ])
  })

  test(`a bulk change of ${noun} records no event when nothing changes`, async () => {
    const fixture = await createFixture(testApp)
    const before = (await eventsOf(fixture.owner.id)).length
    const body = [{ id: fixture[first].hid, name: fixture[first].name }]
    expect((await ask(line, { as: fixture.owner, body })).status).toBe(200)
    expect(await eventsOf(fixture.owner.id)).toHaveLength(before)
  })

  test(`a bulk change of ${noun} reports every problem by index and changes nothing`, async () => {
    const fixture = await createFixture(testApp)
    const { status, json } = await ask(line, {
      as: fixture.owner,
      body: [
        { id: fixture[first].hid, description: 'written' },
        { id: fixture[second].hid, color: 'red', name: '' },
        { description: 'without an ID' },
        { id: fixture[first].hid, description: 'twice' },
        { id: fixture[foreign].hid, unknown: true },
        'nonsense',
      ],
    })
    expect([status, json.code]).toEqual([400, 40001])
    expect(Object.keys(json.errors as object).toSorted()).toEqual(
      ['1.color', '1.name', '2.id', '3.id', '4', '5'].toSorted(),
    )
    const { json: stored } = await ask(`GET /v2/${noun}/${fixture[first].hid}`, {
      as: fixture.owner,
    })
    expect(stored.description).not.toBe('written')
  })

  test(`a bulk change of ${noun} names each repeated one, by short ID or UUID, beside other problems`, async () => {
    const fixture = await createFixture(testApp)
    const body = [
      { id: fixture[first].hid, description: 'a' },
      { id: fixture[first].uuid, color: 'red' },
      { id: fixture[first].hid.toUpperCase(), description: 'b' },
      'nonsense',
      { id: fixture[second].uuid, name: '' },
      { id: fixture[second].hid, description: 'c' },
    ]
    const { status, json } = await ask(line, { as: fixture.owner, body })
    expect([status, json.code]).toEqual([400, 40001])
    expect(Object.keys(json.errors as object).toSorted()).toEqual(
      ['1.color', '1.id', '2.id', '3', '4.name', '5.id'].toSorted(),
    )
  })

  test(`a bulk change of ${noun} refuses the short ID and the UUID of the same one`, async () => {
    const fixture = await createFixture(testApp)
    const body = [
      { id: fixture[first].hid, description: 'a' },
      { id: fixture[first].uuid, description: 'b' },
    ]
    const { status, json } = await ask(line, { as: fixture.owner, body })
    expect([status, json.errors]).toEqual([400, { '1.id': [{ message: 'Named twice.' }] }])
  })

  test.each([
    ['unknown', 'zzzzz', codes[0]],
    ['foreign', foreign, codes[1]],
  ] as const)(
    `a bulk change of ${noun} changes nothing when one ID is %s`,
    async (_, other, code) => {
      const fixture = await createFixture(testApp)
      const id = other === 'zzzzz' ? other : fixture[other].hid
      const body = [
        { id: fixture[first].hid, description: 'written' },
        { id, description: 'written' },
      ]
      const { json } = await ask(line, { as: fixture.owner, body })
      expect(json.code).toBe(code)
      const { json: stored } = await ask(`GET /v2/${noun}/${fixture[first].hid}`, {
        as: fixture.owner,
      })
      expect(stored.description).not.toBe('written')
    },
  )

  test.each<[string, unknown]>([
    ['an object', {}],
    ['an empty list', []],
    ['more than 1000 entries', Array.from({ length: 1001 }, () => ({ id: 'abcde', name: 'x' }))],
  ])(`a bulk change of ${noun} refuses %s`, async (_, body) => {
    const fixture = await createFixture(testApp)
    const { status, json } = await ask(line, { as: fixture.owner, body })
    expect([status, json.code]).toEqual([400, 0])
  })
})

test('a bulk change of 1000 members does not block other requests', async () => {
  const me = await testApp.makeSystem()
  const ids = await testApp.deps.transact('new', async (tx) => {
    const created: string[] = []
    for (let at = 0; at < 1000; at++)
      created.push((await insertMember(tx, me.id, { name: `Member ${at}` })).hid)
    return created
  })
  let isDone = false
  const change = ask(`PATCH /v2/systems/@me/members`, {
    as: me,
    body: ids.map((id) => ({ id, privacy: { visibility: 'private' } })),
  }).finally(() => {
    isDone = true
  })
  for (let answered = 0; answered < 2; answered++) {
    await ask(`GET /v2/systems/${me.hid}`)
    await new Promise((resolve) => setImmediate(resolve))
    expect(isDone).toBe(false)
  }
  expect((await change).status).toBe(200)
})
