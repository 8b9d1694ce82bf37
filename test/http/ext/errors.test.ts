import { errorTable } from '../../../src/model/core/errors'
import { notifyFriends } from '../../../src/service/friends/friendNotifications'
import { runScenarios, type Scenario } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { isExtCode } from './extCodes'

const testApp = createTestApp({ EXT_TEXT_QUOTA: '1000' })

const MISSING = '00000000-0000-4000-8000-000000000000'

/** A request for each error of the extension API. */
const table: [code: number, status: number, message: string, scenario: Scenario][] = [
  [29001, 404, 'Field not found.', { ask: `DELETE /ext/v1/fields/${MISSING}` }],
  [29002, 404, 'Note not found.', { ask: `GET /ext/v1/notes/${MISSING}` }],
  [29010, 404, 'Front note not found.', { ask: `DELETE /ext/v1/front-notes/${MISSING}` }],
  [
    29003,
    404,
    'Post not found.',
    { ask: `PATCH /ext/v1/posts/${MISSING}`, body: { text: 'Hello' } },
  ],
  [29004, 404, 'Room not found.', { ask: `DELETE /ext/v1/rooms/${MISSING}` }],
  [29012, 404, 'Archived collection not found.', { ask: 'GET /ext/v1/systems/@me/archive/x' }],
  [29011, 404, 'Push target not found.', { ask: `DELETE /ext/v1/push/${MISSING}` }],
  [29005, 404, 'Poll not found.', { ask: `GET /ext/v1/polls/${MISSING}` }],
  [29006, 404, 'Reminder not found.', { ask: `DELETE /ext/v1/reminders/${MISSING}` }],
  [29007, 404, 'Privacy bucket not found.', { ask: `DELETE /ext/v1/buckets/${MISSING}` }],
  [29008, 404, 'Friend not found.', { ask: `GET /ext/v1/friends/${MISSING}/front` }],
  [
    39001,
    403,
    'This is not shared with you.',
    {
      given: async (fixture) => {
        const other = { as: fixture.other }
        const { json } = await testApp.ask('POST /ext/v1/friends/invites', { ...other, body: {} })
        const { id } = await fixture.do('POST /ext/v1/friends', { code: json.code })
        fixture.remember('friend', id)
        // Otherwise this happens in the background, and later requests would seem to change rows.
        await notifyFriends(testApp.deps)
      },
      ask: 'GET /ext/v1/friends/<friend>/members',
    },
  ],
  [29009, 404, 'Invitation not found.', { ask: `DELETE /ext/v1/friends/invites/${MISSING}` }],
  [
    49001,
    400,
    'Limit reached: text of this system (0.98 KiB).',
    { ask: 'POST /ext/v1/systems/@me/notes', body: { text: 'x'.repeat(1001) } },
  ],
  [
    49002,
    400,
    'The poll is closed.',
    {
      given: async (fixture) => {
        const body = { name: 'Move?', options: [{ name: 'yes' }], ends: '2020-01-01T00:00:00Z' }
        const poll = await fixture.do<{ id: string; options: { id: string }[] }>(
          'POST /ext/v1/systems/@me/polls',
          body,
        )
        fixture.remember('poll', poll.id)
        fixture.remember('option', poll.options[0]?.id)
      },
      ask: 'PUT /ext/v1/polls/<poll>/votes/<wren>',
      body: { option: '<option>' },
    },
  ],
  [
    49003,
    400,
    'Groups cannot contain each other.',
    { ask: 'PATCH /ext/v1/groups/<keepers>', body: { parent: '<keepers>' } },
  ],
  [
    49004,
    400,
    'The type cannot be changed while members have values.',
    {
      given: async (fixture) => {
        const field = { name: 'Age', type: 'number' }
        const { id } = await fixture.do('POST /ext/v1/systems/@me/fields', field)
        fixture.remember('field', id)
        await fixture.do('PATCH /ext/v1/members/<wren>', { fields: { '<field>': 30 } })
      },
      ask: 'PATCH /ext/v1/fields/<field>',
      body: { type: 'flag' },
    },
  ],
]

describe('the errors of the extension API', () => {
  runScenarios(
    testApp,
    Object.fromEntries(
      table.map(([code, status, message, scenario]) => [
        `returns error ${code}: ${message}`,
        { ...scenario, status, code, message },
      ]),
    ),
  )

  test('every error has a request', () => {
    const codes = Object.values(errorTable).map(({ code }) => code)
    expect(codes.filter(isExtCode).toSorted()).toEqual(table.map(([code]) => code).toSorted())
  })
})
