import { group } from '../../../src/model/groups/group'
import { member } from '../../../src/model/members/member'
import { insertMember } from '../../../src/service/members/members'
import { createFixture, eventsSince, type Json, runScenarios, stateOf } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

describe('bulk privacy of members', () => {
  const ask = 'POST /private/bulk_privacy/member'
  runScenarios(testApp, {
    'bulk privacy of members returns 204 and records an event for each changed member': {
      given: (fixture) =>
        fixture.do('PATCH /v2/members/<finch>', { privacy: { visibility: 'private' } }),
      ask,
      body: { visibility: 'private', unknown: 'private' },
      status: 204,
      events: [
        ['UPDATE_MEMBER', '<wren.uuid>', { visibility: 'private' }],
        ['UPDATE_MEMBER', '<heron.uuid>', { visibility: 'private' }],
      ],
      after: async (fixture) => {
        for (const { privacy } of await fixture.get<Json[]>('GET /v2/systems/@me/members'))
          expect(privacy).toMatchObject({ visibility: 'private', name_privacy: 'public' })
        expect(await fixture.get<Json[]>('GET /v2/systems/<own>/members', 'anonymous')).toEqual([])
        const stray = await fixture.get('GET /v2/members/<stray>', 'other')
        expect(stray.privacy).toMatchObject({ visibility: 'public' })
      },
    },
    'bulk privacy of members treats null as public': {
      given: (fixture) =>
        fixture.do('PATCH /v2/members/<finch>', { privacy: { visibility: 'private' } }),
      ask,
      body: { visibility: null },
      status: 204,
      events: [['UPDATE_MEMBER', '<finch.uuid>', { visibility: 'public' }]],
    },
    'bulk privacy of members changes nothing when all levels are set already': {
      ask,
      body: setAll(member.levels, 'public'),
      status: 204,
    },
    'bulk privacy of members refuses invalid values and lists all of them': {
      ask,
      body: { visibility: 'secret', name_privacy: 1, banner_privacy: 'private' },
      status: 400,
      code: 40001,
      problems: ['visibility', 'name_privacy'],
    },
    'bulk privacy of members refuses a body without a known level': {
      ask,
      body: { unknown: 'private' },
      status: 400,
    },
    'bulk privacy of members refuses a body that is not an object': {
      ask,
      body: '["visibility"]',
      status: 400,
    },
    'bulk privacy of members requires a token': {
      as: 'anonymous',
      ask,
      body: { visibility: 'private' },
      status: 401,
    },
  })

  test('other requests are answered while a thousand members are changed', async () => {
    const fixture = await createFixture(testApp)
    await testApp.deps.transact('new', async (tx) => {
      for (let n = 0; n < 1000; n++) await insertMember(tx, fixture.owner.id, { name: `Bee ${n}` })
    })
    const { lastEvent } = await stateOf(testApp)
    const levels = setAll(member.levels, 'private')
    const done = fixture.ask(ask, levels)
    let reads = 0
    let isDone = false
    void done.then(() => {
      isDone = true
    })
    while (!isDone) {
      await fixture.get('GET /v2/systems/<other>', 'anonymous')
      await new Promise((resolve) => setImmediate(resolve))
      reads++
    }
    expect((await done).status).toBe(204)
    expect(reads).toBeGreaterThan(1)
    const events = await eventsSince(fixture, lastEvent)
    expect(events).toHaveLength(1003)
    expect(events.at(-1)).toEqual(['UPDATE_MEMBER', expect.any(String), levels])
  })
})

describe('bulk privacy of groups', () => {
  runScenarios(testApp, {
    'bulk privacy of groups returns 204 and records an event for each changed group': {
      ask: 'POST /private/bulk_privacy/group',
      body: { list_privacy: 'private', metadata_privacy: 'public' },
      status: 204,
      events: [
        ['UPDATE_GROUP', '<keepers.uuid>', { list_privacy: 'private' }],
        ['UPDATE_GROUP', '<dreamers.uuid>', { list_privacy: 'private' }],
      ],
    },
    'bulk privacy of groups refuses a level that only members have': {
      ask: 'POST /private/bulk_privacy/group',
      body: { birthday_privacy: 'private' },
      status: 400,
    },
    'bulk privacy of groups accepts every level': {
      given: (fixture) => fixture.do('DELETE /v2/groups/<dreamers>'),
      ask: 'POST /private/bulk_privacy/group',
      body: setAll(group.levels, 'private'),
      status: 204,
      events: [['UPDATE_GROUP', '<keepers.uuid>', setAll(group.levels, 'private')]],
    },
  })
})

function setAll(levels: readonly string[], level: string): Json {
  return Object.fromEntries(levels.map((name) => [name, level]))
}
