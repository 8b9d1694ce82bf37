import { eq } from 'drizzle-orm'
import { systemSettings } from '../../../src/db/tables'
import { errorTable } from '../../../src/model/core/errors'
import { drizzleOn } from '../../tools/drizzle'
import { execute } from '../../tools/rawSql'
import {
  createFixture,
  type Fixture,
  LATEST,
  runScenarios,
  type Scenario,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { isExtCode } from '../ext/extCodes'

const testApp = createTestApp()

const guild = '/v2/systems/@me/guilds/333'
const switches = '/v2/systems/@me/switches'
const autoproxy = '/v2/systems/@me/autoproxy'
const unknownUuid = '00000000-0000-4000-8000-000000000000'

const hide = (level: string) => (fixture: Fixture) =>
  fixture.do('PATCH /v2/systems/@me', { privacy: { [level]: 'private' } })

/** Rows of the error table, each with a request that gets this error. */
const table: [code: number, status: number, message: string, Partial<Scenario>][] = [
  [0, 400, '400: Bad Request (the body is not valid JSON)', { ask: 'POST /v2/members', body: '{' }],
  [
    0,
    400,
    '400: Bad Request (no valid key was given)',
    { ask: 'PATCH /v2/members/<wren>', body: {} },
  ],
  [0, 400, 'Invalid path for API version', { ask: 'GET /v2/s/<own>' }],
  [
    0,
    401,
    '401: Missing or invalid Authorization header',
    { ask: 'GET /v2/systems/@me', as: 'anonymous' },
  ],
  [
    0,
    403,
    '403: Missing permissions to access this resource',
    { ask: 'PATCH /v2/systems/<other>', body: { tag: 'x' } },
  ],
  [0, 404, '404: Not Found', { ask: 'GET /v2/nothing' }],
  [0, 405, '405: Method Not Allowed', { ask: 'DELETE /v2/systems/@me' }],
  [
    0,
    413,
    '413: Payload Too Large',
    { ask: 'POST /v2/members', body: { name: 'x'.repeat(2 ** 20) } },
  ],
  [20001, 404, 'System not found.', { ask: 'GET /v2/systems/zzzzz' }],
  [20002, 404, 'Member not found.', { ask: 'GET /v2/members/zzzzz' }],
  [
    20003,
    404,
    "Member 'ZZZ-zzz' not found.",
    { ask: `POST ${switches}`, body: { members: ['ZZZ-zzz'] } },
  ],
  [20004, 404, 'Group not found.', { ask: 'GET /v2/groups/zzzzz' }],
  [
    20005,
    404,
    "Group 'zzzzz' not found.",
    { ask: 'POST /v2/members/<wren>/groups/add', body: ['zzzzz'] },
  ],
  [20006, 404, 'Message not found.', { ask: 'GET /v2/messages/1' }],
  [
    20008,
    404,
    'Switch not found, switch associated with different system, or unauthorized to view front history.',
    { ask: `GET ${switches}/${unknownUuid}` },
  ],
  [20009, 404, 'No system guild settings found for target guild.', { ask: `GET ${guild}` }],
  [
    20010,
    404,
    'No member guild settings found for target guild.',
    { ask: 'GET /v2/members/<wren>/guilds/333' },
  ],
  [
    30001,
    403,
    'Unauthorized to view member list',
    {
      as: 'anonymous',
      given: hide('member_list_privacy'),
      ask: 'GET /v2/systems/<own>/members',
    },
  ],
  [
    30002,
    403,
    'Unauthorized to view group list',
    { as: 'anonymous', given: hide('group_list_privacy'), ask: 'GET /v2/systems/<own>/groups' },
  ],
  [
    30003,
    403,
    'Unauthorized to view group member list',
    {
      as: 'anonymous',
      given: (fixture) =>
        fixture.do('PATCH /v2/groups/<keepers>', { privacy: { list_privacy: 'private' } }),
      ask: 'GET /v2/groups/<keepers>/members',
    },
  ],
  [
    30004,
    403,
    'Unauthorized to view current fronters.',
    { as: 'anonymous', given: hide('front_privacy'), ask: 'GET /v2/systems/<own>/fronters' },
  ],
  [
    30005,
    403,
    'Unauthorized to view front history.',
    {
      as: 'anonymous',
      given: hide('front_history_privacy'),
      ask: 'GET /v2/systems/<own>/switches',
    },
  ],
  [30006, 403, 'Target member is not part of your system.', { ask: 'DELETE /v2/members/<stray>' }],
  [30007, 403, 'Target group is not part of your system.', { ask: 'DELETE /v2/groups/<circle>' }],
  [
    30008,
    403,
    "Member '<stray.upper>' is not part of your system.",
    { ask: 'POST /v2/groups/<keepers>/members/add', body: ['<stray.upper>'] },
  ],
  [
    30009,
    403,
    "Group '<circle.uuid>' is not part of your system.",
    { ask: 'POST /v2/members/<wren>/groups/add', body: ['<circle.uuid>'] },
  ],
  [
    40001,
    400,
    'Error parsing JSON model',
    {
      ask: 'POST /v2/members',
      body: { name: 'x'.repeat(101), color: 'red', tts: 'no' },
      json: {
        message: 'Error parsing JSON model',
        code: 40001,
        errors: {
          name: [{ message: expect.any(String), max_length: 100, actual_length: 101 }],
          color: [{ message: expect.any(String) }],
          tts: [{ message: expect.any(String) }],
        },
      },
    },
  ],
  [
    40002,
    400,
    'Missing autoproxy member for member-mode autoproxy.',
    { ask: `PATCH ${autoproxy}?guild_id=333`, body: { autoproxy_mode: 'member' } },
  ],
  [
    40003,
    400,
    'Duplicate members in member list.',
    { ask: `POST ${switches}`, body: { members: ['<wren>', '<wren.uuid>'] } },
  ],
  [
    40004,
    400,
    'Member list identical to current fronter list.',
    { ask: `POST ${switches}`, body: { members: ['<finch>'] } },
  ],
  [
    40005,
    400,
    'Switch with provided timestamp already exists.',
    { ask: `POST ${switches}`, body: { members: [], timestamp: LATEST } },
  ],
  [40006, 400, 'Invalid switch ID.', { ask: `GET ${switches}/abcde` }],
  [
    40007,
    400,
    'Member limit reached.',
    { given: (fixture) => setLimits(fixture, 3), ask: 'POST /v2/members', body: { name: 'Robin' } },
  ],
  [
    40008,
    400,
    'Group limit reached.',
    { given: (fixture) => setLimits(fixture, 2), ask: 'POST /v2/groups', body: { name: 'Robins' } },
  ],
  [50001, 400, 'Unimplemented (autoproxy without guild_id)', { ask: `GET ${autoproxy}` }],
]

describe('the error table', () => {
  const scenarios = table.map(([code, status, message, scenario]) => [
    `returns error ${code}: ${message}`,
    { ...scenario, status, code, message },
  ])
  runScenarios(testApp, Object.fromEntries(scenarios))

  test('errorTable has every error with its status and message', () => {
    const known = Object.values(errorTable)
    for (const [code, status, message] of table.filter(([code]) => code > 0)) {
      const found = known.find((kind) => kind.code === code)
      expect(found?.status).toBe(status)
      const [beginning = ''] = found?.message.split('{ref}') ?? []
      expect(message).toStartWith(beginning)
    }
    const generic = known.filter(({ code }) => code === 0).map((kind) => kind.status)
    for (const status of [400, 401, 403, 404, 405, 408, 409, 413, 429, 500])
      expect(generic).toContain(status)
  })

  test('errorTable has no untested code and not the reserved one', () => {
    const tested = table.map(([code]) => code)
    // `test/http/ext/errors.test.ts` tests the codes of the extension API.
    const codes = Object.values(errorTable)
      .map(({ code }) => code)
      .filter((code) => !isExtCode(code))
    expect(codes.filter((code) => !tested.includes(code))).toEqual([])
    expect(codes).not.toContain(20007)
  })

  test('errorTable has each code only once', () => {
    const codes = Object.values(errorTable).flatMap(({ code }) => (code > 0 ? [code] : []))
    expect(codes).toEqual([...new Set(codes)])
  })
})

describe('errors that no single request gets', () => {
  test('errorTable has 409, which no v2 endpoint returns', () => {
    expect(errorTable.conflict).toEqual({ status: 409, code: 0, message: '409: Conflict' })
  })

  test('error 429 has the time to wait in retry_after', async () => {
    const fixture = await createFixture(testApp)
    const { uuid } = fixture.owner
    const requests = Array.from({ length: 12 }, () =>
      testApp.ask(`GET /v2/systems/${uuid}`, { peer: '203.0.113.9' }),
    )
    const refused = (await Promise.all(requests)).find(({ status }) => status === 429)
    expect(refused?.json).toEqual({
      message: '429: Too Many Requests',
      code: 0,
      retry_after: expect.any(Number),
    })
  })

  const broken = createTestApp()

  test('error 500 does not reveal its cause, which is logged with the request ID', async () => {
    await broken.deps.transact('new', (tx) => execute(tx, 'drop table messages'))
    const { status, json, text, headers } = await broken.ask('GET /v2/messages/1')
    expect(status).toBe(500)
    expect(json).toEqual({ message: '500: Internal Server Error', code: 0 })
    expect(text).not.toContain('messages')
    expect(broken.logged()).toMatch(/no such table|does not exist/)
    expect(broken.logged()).toContain(String(headers.get('x-request-id')))
  })
})

describe('every error', () => {
  test('every error is JSON with a message and a code', async () => {
    const fixture = await createFixture(testApp)
    for (const [, status, , { ask = '', body, as, given }] of table) {
      if (given || Array.isArray(as)) continue
      const { headers, json, ...answer } = await fixture.ask(ask, body, as)
      expect(answer.status).toBe(status)
      expect(headers.get('content-type')).toStartWith('application/json')
      const keys = Object.keys(json).toSorted()
      expect(keys).toEqual(
        json.code === 40001 ? ['code', 'errors', 'message'] : ['code', 'message'],
      )
    }
  })

  test('a v1 path returns 400 under /v2, and 404 without a prefix', async () => {
    const fixture = await createFixture(testApp)
    for (const path of ['/s', '/s/<own>', '/m', '/m/<wren>', '/a/<account>', '/msg/<message>']) {
      const { status, json } = await fixture.ask(`GET /v2${path}`)
      expect([status, json.message]).toEqual([400, 'Invalid path for API version'])
      const unprefixed = await fixture.ask(`GET ${path}`)
      expect([unprefixed.status, unprefixed.json]).toEqual([
        404,
        { message: '404: Not Found', code: 0 },
      ])
    }
  })

  test('error 405 lists the allowed methods', async () => {
    const fixture = await createFixture(testApp)
    const { status, headers } = await fixture.ask('PUT /v2/members/<wren>', { name: 'x' })
    expect(status).toBe(405)
    const allowed = (headers.get('allow') ?? '').split(', ')
    for (const method of ['GET', 'PATCH', 'DELETE']) expect(allowed).toContain(method)
    expect(allowed).not.toContain('PUT')
  })

  test('a body of exactly the maximum size is accepted', async () => {
    const fixture = await createFixture(testApp)
    const body = JSON.stringify({ name: 'Robin', ignored: '' })
    const filled = body.replace('""', `"${'x'.repeat(2 ** 20 - body.length)}"`)
    expect(filled).toHaveLength(2 ** 20)
    expect((await fixture.ask('POST /v2/members', filled)).status).toBe(200)
    expect((await fixture.ask('POST /v2/members', `${filled} `)).status).toBe(413)
  })
})

function setLimits({ owner }: Fixture, limit: number) {
  return testApp.deps.transact('new', async (tx) => {
    await drizzleOn(tx)
      .update(systemSettings)
      .set({ member_limit: limit, group_limit: limit })
      .where(eq(systemSettings.system_id, owner.id))
  })
}
