import { anyTime, anyUuid } from '../../tools/anyUuid'
import { createFixture, type Fixture, type Json, LATEST, runScenarios } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

const NOTES = '/ext/v1/systems/@me/front/notes'
const LATER = '2024-01-02T12:00:00Z'
const BEFORE_ALL = '2023-01-01T00:00:00Z'

const newNote = {
  id: anyUuid,
  member: null,
  text: null,
  by: null,
  author_name: null,
  created: anyTime,
  edited: null,
}

/** Creates a status of Finch, `<status>`, a comment by Heron, `<comment>`, and a foreign comment. */
async function withNotes(fixture: Fixture): Promise<void> {
  const create = async (name: string, body: object, as?: 'other') =>
    fixture.remember(name, (await fixture.do(`POST ${NOTES}`, body, as)).id)
  await create('status', { kind: 'status', member: '<finch>', at: LATER, text: 'at work' })
  await create('comment', { kind: 'comment', at: LATER, text: 'Rain.', by: '<heron>' })
  await create('foreign', { kind: 'comment', text: 'Secret' }, 'other')
}

describe('writing front notes', () => {
  runScenarios(testApp, {
    'a status begins now': {
      ask: `POST ${NOTES}`,
      body: { kind: 'status', member: '<finch>', text: 'at work' },
      status: 201,
      json: {
        ...newNote,
        kind: 'status',
        member: '<finch.uuid>',
        at: anyTime,
        text: 'at work',
      },
      events: [
        [
          'CREATE_FRONT_NOTE',
          anyUuid,
          {
            member: '<finch.uuid>',
            kind: 'status',
            at: anyTime,
            keys: ['kind', 'member', 'text', 'at'],
          },
        ],
      ],
      after: async (fixture) => {
        expect(await fixture.get('GET /ext/v1/systems/@me/front')).toMatchObject({
          switch: fixture.latest.uuid,
          since: LATEST,
          fronters: [{ member: { id: fixture.finch.hid }, status: 'at work' }],
        })
      },
    },
    'a status at the same time replaces the first one': {
      given: withNotes,
      ask: `POST ${NOTES}`,
      body: { kind: 'status', member: '<finch.uuid>', at: LATER, text: 'at home' },
      has: { id: '<status>', text: 'at home', edited: anyTime },
      events: [
        [
          'UPDATE_FRONT_NOTE',
          '<status>',
          { member: '<finch.uuid>', kind: 'status', at: LATER, keys: ['text'] },
        ],
      ],
    },
    'null ends a status': {
      given: withNotes,
      ask: `POST ${NOTES}`,
      body: { kind: 'status', member: '<finch>', text: null },
      status: 201,
      events: [['CREATE_FRONT_NOTE', anyUuid, expect.anything()]],
      after: async (fixture) => {
        expect(await fixture.get('GET /ext/v1/systems/@me/front')).toMatchObject({
          fronters: [{ status: null }],
        })
      },
    },
    'a member who is not in front has no status': {
      ask: `POST ${NOTES}`,
      body: { kind: 'status', member: '<wren>', at: LATER, text: 'x' },
      status: 400,
      code: 40001,
      problems: ['member'],
    },
    'nobody is in front before the first switch': {
      ask: `POST ${NOTES}`,
      body: { kind: 'status', member: '<wren>', at: BEFORE_ALL, text: 'x' },
      status: 400,
      code: 40001,
    },
    'problems of a status are reported': {
      ask: `POST ${NOTES}`,
      body: { kind: 'status', text: 'x'.repeat(101), by: '<wren>', at: '2199-01-01T00:00:00Z' },
      status: 400,
      code: 40001,
      problems: ['member', 'text', 'by', 'at'],
    },
    'a text must be given': {
      ask: `POST ${NOTES}`,
      body: { kind: 'status', member: '<finch>' },
      status: 400,
      code: 40001,
      problems: ['text'],
    },
    'a comment needs a text': {
      ask: `POST ${NOTES}`,
      body: { kind: 'comment', text: '' },
      status: 400,
      code: 40001,
      problems: ['text'],
    },
    'a comment may be about any member and time': {
      ask: `POST ${NOTES}`,
      body: { kind: 'comment', member: '<wren>', at: BEFORE_ALL, text: 'Hm.', by: '<heron>' },
      status: 201,
      json: {
        ...newNote,
        kind: 'comment',
        member: '<wren.uuid>',
        at: BEFORE_ALL,
        text: 'Hm.',
        by: '<heron.uuid>',
      },
      events: [['CREATE_FRONT_NOTE', anyUuid, expect.anything()]],
    },
    'an unknown kind is refused': {
      ask: `POST ${NOTES}`,
      body: { kind: 'note', text: 'x' },
      status: 400,
      code: 40001,
      problems: ['kind'],
    },
    'a member of another system is refused': {
      ask: `POST ${NOTES}`,
      body: { kind: 'status', member: '<stray>', text: 'x' },
      status: 403,
      code: 30008,
    },
    'an unknown author is refused': {
      ask: `POST ${NOTES}`,
      body: { kind: 'comment', text: 'x', by: 'nobody' },
      status: 404,
      code: 20003,
    },
    'a text can be changed': {
      given: withNotes,
      ask: 'PATCH /ext/v1/front-notes/<comment>',
      body: { text: 'Snow.', by: null },
      has: { text: 'Snow.', by: null, edited: anyTime },
      events: [
        [
          'UPDATE_FRONT_NOTE',
          '<comment>',
          { member: null, kind: 'comment', at: LATER, keys: ['text', 'by'] },
        ],
      ],
    },
    'a status moves only to a time when its member is in front': {
      given: withNotes,
      ask: 'PATCH /ext/v1/front-notes/<status>',
      body: { at: BEFORE_ALL },
      status: 400,
      code: 40001,
      problems: ['member'],
    },
    'kind and member cannot be changed': {
      given: withNotes,
      ask: 'PATCH /ext/v1/front-notes/<status>',
      body: { kind: 'comment', member: '<wren>' },
      status: 400,
    },
    'a status keeps its length limit': {
      given: withNotes,
      ask: 'PATCH /ext/v1/front-notes/<status>',
      body: { text: 'x'.repeat(101) },
      status: 400,
      code: 40001,
      problems: ['text'],
    },
    'a deleted front note is gone': {
      given: withNotes,
      ask: 'DELETE /ext/v1/front-notes/<status>',
      status: 204,
      events: [['DELETE_FRONT_NOTE', '<status>', null]],
      after: async (fixture) => {
        expect(await fixture.ask('DELETE /ext/v1/front-notes/<status>')).toMatchObject({
          status: 404,
          json: { code: 29010 },
        })
      },
    },
    'a front note of another system is not found': {
      given: withNotes,
      ask: 'PATCH /ext/v1/front-notes/<foreign>',
      body: { text: 'Mine' },
      status: 404,
      code: 29010,
      lacks: ['Secret'],
    },
    'an anonymous caller is refused': {
      as: 'anonymous',
      ask: `GET ${NOTES}`,
      status: 401,
    },
  })
})

describe('statuses and switches of version 2', () => {
  runScenarios(testApp, {
    'a moved switch takes its status along, replacing one of the same member': {
      given: async (fixture) => {
        const set = (at: string, text: string) =>
          fixture.do(`POST ${NOTES}`, { kind: 'status', member: '<finch>', at, text })
        fixture.remember('moved', (await set(LATEST, 'moved')).id)
        fixture.remember('replaced', (await set(LATER, 'replaced')).id)
      },
      ask: 'PATCH /v2/systems/@me/switches/<latest>',
      body: { timestamp: LATER },
      has: { timestamp: LATER },
      events: [
        ['DELETE_FRONT_NOTE', '<replaced>', null],
        [
          'UPDATE_FRONT_NOTE',
          '<moved>',
          { member: '<finch.uuid>', kind: 'status', at: LATER, keys: ['at'] },
        ],
        ['UPDATE_SWITCH', '<latest>', expect.anything()],
      ],
      after: async (fixture) => {
        expect(await fixture.get<Json[]>(`GET ${NOTES}`)).toMatchObject([
          { text: 'moved', at: LATER },
        ])
      },
    },
    'a deleted switch takes the statuses of members who leave the front, not comments': {
      given: async (fixture) => {
        const body = {
          timestamp: LATER,
          members: [
            { id: '<wren>', status: 'leaves' },
            { id: '<finch>', status: 'stays' },
          ],
          comment: 'stays too',
        }
        const uuid = crypto.randomUUID()
        fixture.remember('put', uuid)
        await fixture.do(`PUT /ext/v1/systems/@me/switches/${uuid}`, body)
      },
      ask: 'DELETE /v2/systems/@me/switches/<put>',
      status: 204,
      events: [
        ['DELETE_SWITCH', '<put>', null],
        ['DELETE_FRONT_NOTE', anyUuid, null],
      ],
      after: async (fixture) => {
        const left = await fixture.get<Json[]>(`GET ${NOTES}`)
        expect(left.map(({ text }) => text).toSorted()).toEqual(['stays', 'stays too'])
      },
    },
    'comments of a deleted author keep the name': {
      given: withNotes,
      ask: 'DELETE /v2/members/<heron>',
      status: 204,
      events: [['DELETE_MEMBER', '<heron.uuid>', null]],
      after: async (fixture) => {
        expect(await fixture.get<Json[]>(`GET ${NOTES}?kind=comment`)).toMatchObject([
          { by: null, author_name: 'Heron', text: 'Rain.' },
        ])
      },
    },
  })
})

describe('listing front notes', () => {
  const filters: [query: string, found: string[]][] = [
    ['', ['c2', 's2', 'c1', 's1']],
    ['?kind=status', ['s2', 's1']],
    ['?kind=comment', ['c2', 'c1']],
    ['?member=<finch>', ['s2', 's1']],
    ['?member=<wren>&kind=comment', ['c1']],
    ['?member=<wren>&kind=status', []],
    ['?since=2024-01-03T00:00:00Z', ['c2', 's2']],
    ['?until=2024-01-04T00:00:00Z', ['s2', 'c1', 's1']],
    ['?since=2024-01-03T00:00:00Z&until=2024-01-04T00:00:00Z', ['s2']],
    ['?limit=1', ['c2']],
    ['?before=2024-01-03T00:00:00Z', ['c1', 's1']],
    ['?before=<s2>', ['c1', 's1']],
    ['?before=<s2>&until=2024-01-04T00:00:00Z', ['c1', 's1']],
  ]
  test.each(filters)('lists by %p', async (query, found) => {
    const fixture = await createFixture(testApp)
    const status = { kind: 'status', member: '<finch>' }
    const rows = [
      { ...status, at: '2024-01-02T20:00:00Z', text: 's1' },
      { kind: 'comment', member: '<wren>', at: '2024-01-02T21:00:00Z', text: 'c1' },
      { ...status, at: '2024-01-03T00:00:00Z', text: 's2' },
      { kind: 'comment', at: '2024-01-04T00:00:00Z', text: 'c2' },
    ]
    for (const row of rows) fixture.remember(row.text, (await fixture.do(`POST ${NOTES}`, row)).id)
    const listed = await fixture.get<Json[]>(`GET ${NOTES}${query}`)
    expect(listed.map(({ text }) => text)).toEqual(found)
  })

  runScenarios(testApp, {
    'an unknown kind in the query is refused': { ask: `GET ${NOTES}?kind=x`, status: 400 },
    'an unknown front note as position is not found': {
      ask: `GET ${NOTES}?before=00000000-0000-4000-8000-000000000000`,
      status: 404,
      code: 29010,
    },
    'an unknown member in the query is not found': {
      ask: `GET ${NOTES}?member=zzzzz`,
      status: 404,
      code: 20003,
    },
  })
})
