import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/model/entity'
import { rows } from '../../rawSql'
import { createFixture } from '../../scenarios'
import { createTestApp } from '../../testApp'

const house = createTestApp({ RATE_LIMIT: 'off' })
const { ask } = house

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

describe.each(kinds)('many %s at once', (noun, line, first, second, foreign, event, codes) => {
  const eventsOf = (systemId: number) =>
    rows<{ type: string; subject: string }>(
      house.deps.db,
      'select type, subject from events where system_id = :systemId order by id',
      { systemId },
    )

  test('are changed together, answered in the order given, and told one by one', async () => {
    const world = await createFixture(house)
    const before = (await eventsOf(world.owner.id)).length
    const { status, json } = await ask<JsonObject[]>(line, {
      as: world.owner,
      body: [
        { id: world[second].uuid, description: 'second', privacy: { visibility: 'private' } },
        { id: world[first].hid.toUpperCase(), color: 'AABBCC' },
      ],
    })
    expect(status).toBe(200)
    expect(json.map(({ id }) => id)).toEqual([world[second].hid, world[first].hid])
    expect(json).toMatchObject([
      { description: 'second', privacy: { visibility: 'private' } },
      { color: 'aabbcc' },
    ])
    expect((await eventsOf(world.owner.id)).slice(before)).toEqual([
      { type: event, subject: world[second].uuid },
      { type: event, subject: world[first].uuid },
    ])
  })

  test('that are so already make no event', async () => {
    const world = await createFixture(house)
    const before = (await eventsOf(world.owner.id)).length
    const body = [{ id: world[first].hid, name: world[first].name }]
    expect((await ask(line, { as: world.owner, body })).status).toBe(200)
    expect(await eventsOf(world.owner.id)).toHaveLength(before)
  })

  test('are refused together, every problem at its place', async () => {
    const world = await createFixture(house)
    const { status, json } = await ask(line, {
      as: world.owner,
      body: [
        { id: world[first].hid, description: 'written' },
        { id: world[second].hid, color: 'red', name: '' },
        { description: 'of whom?' },
        { id: world[first].hid, description: 'twice' },
        { id: world[foreign].hid, unknown: true },
        'nonsense',
      ],
    })
    expect([status, json.code]).toEqual([400, 40001])
    expect(Object.keys(json.errors as object).toSorted()).toEqual(
      ['1.color', '1.name', '2.id', '3.id', '4', '5'].toSorted(),
    )
    const { json: kept } = await ask(`GET /v2/${noun}/${world[first].hid}`, { as: world.owner })
    expect(kept.description).not.toBe('written')
  })

  test('named twice by two names are refused', async () => {
    const world = await createFixture(house)
    const body = [
      { id: world[first].hid, description: 'a' },
      { id: world[first].uuid, description: 'b' },
    ]
    const { status, json } = await ask(line, { as: world.owner, body })
    expect([status, Object.keys(json.errors as object)]).toEqual([400, ['1.id']])
  })

  test.each([
    ['unknown', 'zzzzz', codes[0]],
    ['foreign', foreign, codes[1]],
  ] as const)('with an %s one change nothing', async (_, other, code) => {
    const world = await createFixture(house)
    const id = other === 'zzzzz' ? other : world[other].hid
    const body = [
      { id: world[first].hid, description: 'written' },
      { id, description: 'written' },
    ]
    const { json } = await ask(line, { as: world.owner, body })
    expect(json.code).toBe(code)
    const { json: kept } = await ask(`GET /v2/${noun}/${world[first].hid}`, { as: world.owner })
    expect(kept.description).not.toBe('written')
  })

  test.each<[string, unknown]>([
    ['no list', {}],
    ['an empty list', []],
    ['too many', Array.from({ length: 1001 }, () => ({ id: 'abcde', name: 'x' }))],
  ])('in %s are a bad request', async (_, body) => {
    const world = await createFixture(house)
    const { status, json } = await ask(line, { as: world.owner, body })
    expect([status, json.code]).toEqual([400, 0])
  })
})

test('a thousand members change in one request, and others are answered meanwhile', async () => {
  const me = await house.makeSystem()
  const ids: string[] = []
  for (let at = 0; at < 1000; at++) {
    const { json } = await ask<{ id: string }>('POST /v2/members', {
      as: me,
      body: { name: `Member ${at}` },
    })
    ids.push(json.id)
  }
  let isDone = false
  const change = ask(`PATCH /v2/systems/@me/members`, {
    as: me,
    body: ids.map((id) => ({ id, privacy: { visibility: 'private' } })),
  }).finally(() => {
    isDone = true
  })
  let answered = 0
  while (!isDone) {
    await ask(`GET /v2/systems/${me.hid}`)
    answered++
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await change).status).toBe(200)
  expect(answered).toBeGreaterThan(3)
})
