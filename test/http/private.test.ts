import { describe, expect, test } from 'bun:test'
import { group } from '../../src/model/group'
import { member } from '../../src/model/member'
import { insertMember } from '../../src/service/members'
import { createFixture, eventsSince, type Json, runScenarios, stateOf } from '../scenarios'
import { createTestApp } from '../testApp'

const place = createTestApp()

describe('the privacy of all members at once', () => {
  const ask = 'POST /private/bulk_privacy/member'
  runScenarios(place, {
    'is set without a word, and told of each that changed': {
      given: (world) =>
        world.do('PATCH /v2/members/<finch>', { privacy: { visibility: 'private' } }),
      ask,
      body: { visibility: 'private', unknown: 'private' },
      status: 204,
      events: [
        ['UPDATE_MEMBER', '<wren.uuid>', { visibility: 'private' }],
        ['UPDATE_MEMBER', '<heron.uuid>', { visibility: 'private' }],
      ],
      after: async (world) => {
        for (const { privacy } of await world.get<Json[]>('GET /v2/systems/@me/members'))
          expect(privacy).toMatchObject({ visibility: 'private', name_privacy: 'public' })
        expect(await world.get<Json[]>('GET /v2/systems/<own>/members', 'nobody')).toEqual([])
        const stray = await world.get('GET /v2/members/<stray>', 'other')
        expect(stray.privacy).toMatchObject({ visibility: 'public' })
      },
    },
    'takes null as public': {
      given: (world) =>
        world.do('PATCH /v2/members/<finch>', { privacy: { visibility: 'private' } }),
      ask,
      body: { visibility: null },
      status: 204,
      events: [['UPDATE_MEMBER', '<finch.uuid>', { visibility: 'public' }]],
    },
    'that is so already changes nothing': {
      ask,
      body: allOf(member.levels, 'public'),
      status: 204,
    },
    'takes no other words, and tells them all': {
      ask,
      body: { visibility: 'secret', name_privacy: 1, banner_privacy: 'private' },
      status: 400,
      code: 40001,
      problems: ['visibility', 'name_privacy'],
    },
    'must say something': { ask, body: { unknown: 'private' }, status: 400 },
    'is an object': { ask, body: '["visibility"]', status: 400 },
    'is nobody’s': { as: 'nobody', ask, body: { visibility: 'private' }, status: 401 },
  })

  test('is set for a thousand, and others do not wait for it', async () => {
    const world = await createFixture(place)
    await place.deps.transact('new', async (tx) => {
      for (let n = 0; n < 1000; n++) await insertMember(tx, world.owner.id, { name: `Bee ${n}` })
    })
    const { lastEvent } = await stateOf(place)
    const levels = allOf(member.levels, 'private')
    const done = world.ask(ask, levels)
    let reads = 0
    let isDone = false
    void done.then(() => {
      isDone = true
    })
    while (!isDone) {
      await world.get('GET /v2/systems/<other>', 'nobody')
      await new Promise((resolve) => setImmediate(resolve))
      reads++
    }
    expect((await done).status).toBe(204)
    expect(reads).toBeGreaterThan(1)
    const told = await eventsSince(world, lastEvent)
    expect(told).toHaveLength(1003)
    expect(told.at(-1)).toEqual(['UPDATE_MEMBER', expect.any(String), levels])
  })
})

describe('the privacy of all groups at once', () => {
  runScenarios(place, {
    'is set without a word, and told of each that changed': {
      ask: 'POST /private/bulk_privacy/group',
      body: { list_privacy: 'private', metadata_privacy: 'public' },
      status: 204,
      events: [
        ['UPDATE_GROUP', '<keepers.uuid>', { list_privacy: 'private' }],
        ['UPDATE_GROUP', '<dreamers.uuid>', { list_privacy: 'private' }],
      ],
    },
    'knows the levels of groups alone': {
      ask: 'POST /private/bulk_privacy/group',
      body: { birthday_privacy: 'private' },
      status: 400,
    },
    'may be every level': {
      given: (world) => world.do('DELETE /v2/groups/<dreamers>'),
      ask: 'POST /private/bulk_privacy/group',
      body: allOf(group.levels, 'private'),
      status: 204,
      events: [['UPDATE_GROUP', '<keepers.uuid>', allOf(group.levels, 'private')]],
    },
  })
})

function allOf(levels: readonly string[], level: string): Json {
  return Object.fromEntries(levels.map((name) => [name, level]))
}
