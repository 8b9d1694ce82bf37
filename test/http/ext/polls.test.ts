import { anyTime, anyUuid } from '../../tools/anyUuid'
import { at, createFixture, type Fixture, type Json, runScenarios } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })
let now = at('2026-01-01T10:00:00Z')
const timed = createTestApp({ RATE_LIMIT: 'off', now: () => now })

interface PollJson extends Json {
  id: string
  options: { id: string; name: string }[]
  counts: Record<string, number>
  votes: Json[]
}

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

/** Creates a poll with the options `<yes>` and `<no>`, a veto. */
async function withPoll(fixture: Fixture): Promise<void> {
  const poll = await fixture.do<PollJson>('POST /ext/v1/systems/@me/polls', {
    name: 'Move the desk?',
    options: [{ name: 'yes' }, { name: 'no', color: 'FF0000', veto: true }],
  })
  fixture.remember('poll', poll.id)
  fixture.remember('yes', poll.options[0]?.id)
  fixture.remember('no', poll.options[1]?.id)
}

const vote = (option: string, more: Json = {}) => ({ option, ...more })

describe('polls', () => {
  runScenarios(testApp, {
    'a poll stores its options with new IDs': {
      ask: 'POST /ext/v1/systems/@me/polls',
      body: { name: 'Move the desk?', options: [{ name: 'yes' }, { name: 'no', veto: true }] },
      status: 201,
      has: {
        id: anyUuid,
        name: 'Move the desk?',
        about: null,
        ends: null,
        closed: false,
        created: anyTime,
        options: [
          { id: anyUuid, name: 'yes', color: null, veto: false },
          { id: anyUuid, name: 'no', color: null, veto: true },
        ],
        votes: [],
      },
      events: [['CREATE_POLL', anyUuid, { keys: ['name', 'options'] }]],
    },
    'problems of options are named by position': {
      ask: 'POST /ext/v1/systems/@me/polls',
      body: { name: '', options: [{ name: 'yes' }, { name: 'x'.repeat(101) }] },
      status: 400,
      code: 40001,
      problems: ['name', 'options.1.name'],
    },
    'every problem of every option is named, beside those of other keys': {
      ask: 'POST /ext/v1/systems/@me/polls',
      body: {
        name: '',
        options: [
          { name: '', color: 'red', veto: 1 },
          'yes',
          { id: 5, name: 'no' },
          { id: UNKNOWN, name: 'maybe' },
          { id: UNKNOWN },
        ],
      },
      status: 400,
      code: 40001,
      problems: [
        'name',
        'options.0.color',
        'options.0.name',
        'options.0.veto',
        'options.1',
        'options.2.id',
        'options.3.id',
        'options.4.id',
        'options.4.name',
      ],
    },
    'a change names unknown options beside other problems': {
      given: withPoll,
      ask: 'PATCH /ext/v1/polls/<poll>',
      body: {
        name: 7,
        options: [{ id: '<yes>', name: '' }, { id: UNKNOWN, name: 'maybe' }, { id: '<no>' }],
      },
      status: 400,
      code: 40001,
      problems: ['name', 'options.0.name', 'options.1.id', 'options.2.name'],
    },
    'options above the limit do not hide problems of others': {
      ask: 'POST /ext/v1/systems/@me/polls',
      body: {
        name: 'Move?',
        options: Array.from({ length: 51 }, (_, n) => ({ name: n && `${n}` })),
      },
      status: 400,
      code: 40001,
      problems: ['options', 'options.0.name'],
    },
    'a poll needs an option': {
      ask: 'POST /ext/v1/systems/@me/polls',
      body: { name: 'Move the desk?', options: [] },
      status: 400,
      code: 40001,
      problems: ['options'],
    },
    'a list has counts but no votes': {
      given: async (fixture) => {
        await withPoll(fixture)
        await fixture.do('PUT /ext/v1/polls/<poll>/votes/<wren>', vote('<no>'))
      },
      ask: 'GET /ext/v1/systems/@me/polls',
      has: [{ id: '<poll>', counts: { '<yes>': 0, '<no>': 1 } }],
      lacks: ['"votes"'],
    },
    'a member votes': {
      given: withPoll,
      ask: 'PUT /ext/v1/polls/<poll>/votes/<wren>',
      body: vote('<yes>', { comment: 'finally' }),
      has: {
        counts: { '<yes>': 1, '<no>': 0 },
        votes: [
          {
            member: '<wren.uuid>',
            author_name: null,
            option: '<yes>',
            comment: 'finally',
            created: anyTime,
          },
        ],
      },
      events: [['UPDATE_POLL_VOTES', '<poll>', { members: ['<wren.uuid>'] }]],
    },
    'a second vote replaces the first': {
      given: async (fixture) => {
        await withPoll(fixture)
        await fixture.do('PUT /ext/v1/polls/<poll>/votes/<wren>', vote('<yes>'))
      },
      ask: 'PUT /ext/v1/polls/<poll>/votes/<wren>',
      body: vote('<no>'),
      has: { counts: { '<yes>': 0, '<no>': 1 } },
      events: [['UPDATE_POLL_VOTES', '<poll>', { members: ['<wren.uuid>'] }]],
    },
    'the same vote again changes nothing': {
      given: async (fixture) => {
        await withPoll(fixture)
        await fixture.do('PUT /ext/v1/polls/<poll>/votes/<wren>', vote('<yes>'))
      },
      ask: 'PUT /ext/v1/polls/<poll>/votes/<wren>',
      body: vote('<yes>'),
      events: [],
    },
    'a withdrawn vote no longer counts': {
      given: async (fixture) => {
        await withPoll(fixture)
        await fixture.do('PUT /ext/v1/polls/<poll>/votes/<wren>', vote('<yes>'))
      },
      ask: 'DELETE /ext/v1/polls/<poll>/votes/<wren>',
      has: { counts: { '<yes>': 0, '<no>': 0 }, votes: [] },
      events: [['UPDATE_POLL_VOTES', '<poll>', { members: ['<wren.uuid>'] }]],
    },
    'withdrawing no vote records no event': {
      given: withPoll,
      ask: 'DELETE /ext/v1/polls/<poll>/votes/<wren>',
      has: { votes: [] },
      events: [],
    },
    'an unknown option is refused': {
      given: withPoll,
      ask: 'PUT /ext/v1/polls/<poll>/votes/<wren>',
      body: vote('<poll>'),
      status: 400,
      code: 40001,
      problems: ['option'],
    },
    'a member of another system cannot vote': {
      given: withPoll,
      ask: 'PUT /ext/v1/polls/<poll>/votes/<stray>',
      body: vote('<yes>'),
      status: 403,
      code: 30006,
    },
    'an unknown member cannot vote': {
      given: withPoll,
      ask: 'PUT /ext/v1/polls/<poll>/votes/zzzzz',
      body: vote('<yes>'),
      status: 404,
      code: 20002,
    },
    'a poll that ended accepts no votes': {
      given: async (fixture) => {
        await withPoll(fixture)
        await fixture.do('PATCH /ext/v1/polls/<poll>', { ends: '2020-01-01T00:00:00Z' })
      },
      ask: 'PUT /ext/v1/polls/<poll>/votes/<wren>',
      body: vote('<yes>'),
      status: 400,
      code: 49002,
    },
    'a vote in a poll that ended cannot be withdrawn, and stays shown': {
      given: async (fixture) => {
        await withPoll(fixture)
        await fixture.do('PUT /ext/v1/polls/<poll>/votes/<wren>', vote('<yes>'))
        await fixture.do('PATCH /ext/v1/polls/<poll>', { ends: '2020-01-01T00:00:00Z' })
      },
      ask: 'DELETE /ext/v1/polls/<poll>/votes/<wren>',
      status: 400,
      code: 49002,
      after: async (fixture) =>
        expect(await fixture.get('GET /ext/v1/polls/<poll>')).toMatchObject({
          closed: true,
          counts: { [fixture.fill('<yes>')]: 1 },
        }),
    },
    'a poll that is opened again accepts votes': {
      given: async (fixture) => {
        await withPoll(fixture)
        await fixture.do('PATCH /ext/v1/polls/<poll>', { ends: '2020-01-01T00:00:00Z' })
        await fixture.do('PATCH /ext/v1/polls/<poll>', { ends: null })
      },
      ask: 'PUT /ext/v1/polls/<poll>/votes/<wren>',
      body: vote('<no>'),
      has: { closed: false, options: [{ veto: false }, { id: '<no>', veto: true }] },
      events: [['UPDATE_POLL_VOTES', '<poll>', { members: ['<wren.uuid>'] }]],
    },
    'a custom front cannot vote': {
      given: async (fixture) => {
        await withPoll(fixture)
        await fixture.do('PATCH /ext/v1/members/<wren>', { kind: 'custom_front' })
      },
      ask: 'PUT /ext/v1/polls/<poll>/votes/<wren>',
      body: vote('<yes>'),
      status: 400,
      code: 40001,
      problems: ['member'],
    },
    'a removed option takes its votes with it': {
      given: async (fixture) => {
        await withPoll(fixture)
        await fixture.do('PUT /ext/v1/polls/<poll>/votes/<wren>', vote('<yes>'))
        await fixture.do('PUT /ext/v1/polls/<poll>/votes/<finch>', vote('<no>'))
      },
      ask: 'PATCH /ext/v1/polls/<poll>',
      body: { options: [{ id: '<no>', name: 'never' }, { name: 'later' }] },
      has: {
        options: [
          { id: '<no>', name: 'never', color: null, veto: false },
          { id: anyUuid, name: 'later' },
        ],
        votes: [{ member: '<finch.uuid>', option: '<no>' }],
      },
      events: [['UPDATE_POLL', '<poll>', { keys: ['options'] }]],
    },
    'an option with the ID of another poll is refused': {
      given: withPoll,
      ask: 'PATCH /ext/v1/polls/<poll>',
      body: { options: [{ id: '<poll>', name: 'never' }] },
      status: 400,
      code: 40001,
      problems: ['options.0.id'],
    },
    'a poll of another system is not found': {
      given: withPoll,
      as: 'other',
      ask: 'GET /ext/v1/polls/<poll>',
      status: 404,
      code: 29005,
    },
    'a deleted poll is gone': {
      given: withPoll,
      ask: 'DELETE /ext/v1/polls/<poll>',
      status: 204,
      events: [['DELETE_POLL', '<poll>', null]],
      after: async (fixture) =>
        expect(await fixture.ask('GET /ext/v1/polls/<poll>')).toMatchObject({ status: 404 }),
    },
  })

  test('votes are accepted until the poll ends', async () => {
    const fixture = await createFixture(timed)
    await withPoll(fixture)
    await fixture.do('PATCH /ext/v1/polls/<poll>', { ends: '2026-01-01T11:00:00Z' })
    const cast = () => fixture.ask('PUT /ext/v1/polls/<poll>/votes/<wren>', vote('<yes>'))
    now = at('2026-01-01T10:59:59.999Z')
    expect((await cast()).status).toBe(200)
    now = at('2026-01-01T11:00:00Z')
    expect((await cast()).json.code).toBe(49002)
  })

  test('the vote of a deleted member stays with its name', async () => {
    const fixture = await createFixture(testApp)
    await withPoll(fixture)
    await fixture.do('PUT /ext/v1/polls/<poll>/votes/<wren>', vote('<yes>'))
    await fixture.do('DELETE /v2/members/<wren>')
    const poll = await fixture.get<PollJson>('GET /ext/v1/polls/<poll>')
    expect(poll.votes).toMatchObject([{ member: null, author_name: 'Wren' }])
    expect(poll.counts[fixture.fill('<yes>')]).toBe(1)
  })
})
