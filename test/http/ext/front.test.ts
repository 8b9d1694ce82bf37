import type { JsonObject } from '../../../src/model/core/entity'
import { readStream } from '../../events/readStream'
import { createFixture, type Fixture, type Json, LATEST, runScenarios } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { until } from '../../tools/until'
import { headersOf } from './callers'

const testApp = createTestApp({ RATE_LIMIT: 'off', HOST: '127.0.0.1', PORT: '0' })
const { ask } = testApp
const address = testApp.app.listen()

const SETTINGS = '/ext/v1/systems/@me/settings'

/** Sets the status of Finch, who is in front. */
const withStatus = (fixture: Fixture) =>
  fixture.do('POST /ext/v1/systems/@me/front/notes', {
    kind: 'status',
    member: '<finch>',
    at: LATEST,
    text: 'at work',
  })

describe('settings of the extension API', () => {
  runScenarios(testApp, {
    'statuses are private by default': {
      ask: 'GET /ext/v1/systems/@me/settings',
      json: { front_status_privacy: 'private' },
    },
    'a change is stored and recorded': {
      ask: `PATCH ${SETTINGS}`,
      body: { front_status_privacy: 'public' },
      json: { front_status_privacy: 'public' },
      events: [['UPDATE_EXT_SETTINGS', null, { front_status_privacy: 'public' }]],
      after: async (fixture) => {
        expect(await fixture.get(`GET ${SETTINGS}`)).toEqual({ front_status_privacy: 'public' })
      },
    },
    'the same value changes nothing': {
      ask: `PATCH ${SETTINGS}`,
      body: { front_status_privacy: 'private' },
      json: { front_status_privacy: 'private' },
      events: [],
    },
    'another value is refused': {
      ask: `PATCH ${SETTINGS}`,
      body: { front_status_privacy: 'friends' },
      status: 400,
      code: 40001,
      problems: ['front_status_privacy'],
    },
    'an anonymous caller has no settings': { as: 'anonymous', ask: `GET ${SETTINGS}`, status: 401 },
  })
})

const callers = ['owner', 'front', 'read', 'watch', 'watch all', 'other', 'anonymous'] as const
const levels = ['public', 'private'] as const

/** Every caller × privacy of statuses × privacy of the member. */
const cells = callers.flatMap((caller) =>
  levels.flatMap((statuses) => levels.map((visibility) => ({ caller, statuses, visibility }))),
)

describe('the front for other callers', () => {
  test.each(cells)(
    'shows the right status to $caller when statuses are $statuses and the member is $visibility',
    async ({ caller, statuses, visibility }) => {
      const fixture = await createFixture(testApp)
      await withStatus(fixture)
      await fixture.do(`PATCH ${SETTINGS}`, { front_status_privacy: statuses })
      await fixture.do('PATCH /v2/members/<finch>', { privacy: { visibility } })
      const headers = await headersOf(fixture, caller)
      const { json, status } = await ask(fixture.fill('GET /ext/v1/systems/<own>/front'), {
        headers,
      })
      expect(status).toBe(200)
      const owner = ['owner', 'front', 'read'].includes(caller)
      const shownStatus = owner || statuses === 'public' ? 'at work' : null
      const v2 = await ask(fixture.fill('GET /v2/systems/<own>/fronters'), { headers })
      const isLeftOut = caller === 'watch' && visibility === 'private'
      expect(json).toEqual({
        switch: fixture.latest.uuid,
        since: LATEST,
        fronters: isLeftOut
          ? []
          : [
              {
                member: (v2.json.members as Json[])[0],
                kind: 'member',
                since: fixture.fill('2024-01-01T10:00:00.000001Z'),
                status: shownStatus,
              },
            ],
        ...('hidden' in v2.json && { hidden: v2.json.hidden }),
      })
    },
  )

  runScenarios(testApp, {
    'a private front is refused': {
      given: (fixture) =>
        fixture.do('PATCH /v2/systems/@me', { privacy: { front_privacy: 'private' } }),
      as: ['other', 'anonymous'],
      ask: 'GET /ext/v1/systems/<own>/front',
      status: 403,
      code: 30004,
    },
    'a private front cannot be followed': {
      given: (fixture) =>
        fixture.do('PATCH /v2/systems/@me', { privacy: { front_privacy: 'private' } }),
      as: ['other', 'anonymous'],
      ask: 'GET /ext/v1/systems/<own>/front/stream',
      status: 403,
      code: 30004,
    },
    'an unknown system is not found': {
      ask: 'GET /ext/v1/systems/zzzzzz/front',
      status: 404,
      code: 20001,
    },
    'there is no front before the first switch': {
      given: async (fixture) => {
        await fixture.do('DELETE /v2/systems/@me/switches/<latest>')
        await fixture.do('DELETE /v2/systems/@me/switches/<first>')
      },
      ask: 'GET /ext/v1/systems/@me/front',
      status: 204,
    },
  })

  test('a calendar token sees what an anonymous caller sees', async () => {
    const fixture = await createFixture(testApp)
    await withStatus(fixture)
    const headers = await headersOf(fixture, 'calendar')
    const { text } = await ask(fixture.fill('GET /ext/v1/systems/<own>/front'), { headers })
    expect(text).not.toContain('at work')
  })
})

describe('the stream of the front', () => {
  test.each(['owner', 'anonymous'] as const)(
    'sends statuses and their changes to the %s',
    async (caller) => {
      const fixture = await createFixture(testApp)
      const url = `${address}/ext/v1/systems/${fixture.owner.hid}/front/stream`
      const token = caller === 'owner' ? { token: fixture.owner.token } : {}
      await fixture.do(`PATCH ${SETTINGS}`, { front_status_privacy: 'public' })
      const reading = await readStream(url, token)
      const next = async (count: number) => {
        await until(() => reading.messages.length === count)
        return statusesOf(reading.messages.at(-1)?.data)
      }
      expect(await next(1)).toEqual([['Finch', null]])
      expect(reading.messages[0]?.event).toBe('front')
      await withStatus(fixture)
      expect(await next(2)).toEqual([['Finch', 'at work']])
      const put = `PUT /ext/v1/systems/@me/switches/${crypto.randomUUID()}`
      await fixture.do(put, { members: [{ id: '<wren>', status: 'here' }, '<finch>'] })
      await until(() => statusesOf(reading.messages.at(-1)?.data).length === 2)
      expect(statusesOf(reading.messages.at(-1)?.data)).toEqual([
        ['Wren', 'here'],
        ['Finch', 'at work'],
      ])
      const count = reading.messages.length
      await fixture.do(`PATCH ${SETTINGS}`, { front_status_privacy: 'private' })
      await fixture.do('PATCH /v2/members/<wren>', { name: 'Jenny' })
      const shown = caller === 'owner' ? 'here' : null
      await until(() => statusesOf(reading.messages.at(-1)?.data)[0]?.[0] === 'Jenny')
      expect(statusesOf(reading.messages.at(-1)?.data)[0]).toEqual(['Jenny', shown])
      expect(reading.messages.length).toBeGreaterThan(count)
      await reading.leave()
    },
  )
})

function statusesOf(data: unknown): [unknown, unknown][] {
  const { fronters } = data as { fronters: { member: JsonObject; status: unknown }[] }
  return fronters.map(({ member, status }) => [member.name, status])
}
