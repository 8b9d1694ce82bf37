import { patchMemberGuild, patchSystemGuild } from '../../operatorActions'
import { allCallers, createFixture, type Fixture, stateOf, type Who } from '../../scenarios'
import { expect, test } from '../../test'
import { createTestApp } from '../../testApp'
import { endpoints } from './endpoints'

const testApp = createTestApp()

/** Expected status, with the error code unless it is 0. */
type Outcome = number | [status: number, code: number]

interface Row {
  endpoint: keyof typeof endpoints
  /** Request line; by default the endpoint with the references of the owner. */
  ask?: string
  body?: unknown
  outcomes: Record<Who, Outcome>
}

const anyCaller = { owner: 200, other: 200, anonymous: 200 }
/** `@me` is the system of the caller, so only anonymous callers are refused. */
const anySystem = { owner: 200, other: 200, anonymous: 401 }
const systemOwner = { owner: 200, other: [403, 0], anonymous: 401 } satisfies Row['outcomes']
const memberOwner = { owner: 200, other: [403, 30006], anonymous: 401 } satisfies Row['outcomes']
const groupOwner = { owner: 200, other: [403, 30007], anonymous: 401 } satisfies Row['outcomes']

const rows: Row[] = [
  { endpoint: 'GET /systems/{systemRef}', outcomes: anyCaller },
  { endpoint: 'GET /systems/{systemRef}', ask: 'GET /systems/@me', outcomes: anySystem },
  { endpoint: 'PATCH /systems/{systemRef}', body: { tag: '|' }, outcomes: systemOwner },
  {
    endpoint: 'PATCH /systems/{systemRef}',
    ask: 'PATCH /systems/@me',
    body: { tag: '|' },
    outcomes: anySystem,
  },
  { endpoint: 'GET /systems/{systemRef}/settings', outcomes: anyCaller },
  {
    endpoint: 'GET /systems/{systemRef}/settings',
    ask: 'GET /systems/@me/settings',
    outcomes: anySystem,
  },
  {
    endpoint: 'PATCH /systems/{systemRef}/settings',
    body: { pings_enabled: false },
    outcomes: systemOwner,
  },
  {
    endpoint: 'GET /systems/@me/guilds/{guild_id}',
    outcomes: { owner: 200, other: [404, 20009], anonymous: 401 },
  },
  {
    endpoint: 'PATCH /systems/@me/guilds/{guild_id}',
    body: { tag: '|' },
    outcomes: { owner: 200, other: [404, 20009], anonymous: 401 },
  },
  {
    endpoint: 'GET /systems/@me/autoproxy',
    ask: 'GET /systems/@me/autoproxy?guild_id=333',
    outcomes: anySystem,
  },
  {
    endpoint: 'PATCH /systems/@me/autoproxy',
    ask: 'PATCH /systems/@me/autoproxy?guild_id=333',
    body: { autoproxy_mode: 'front' },
    outcomes: anySystem,
  },
  { endpoint: 'GET /systems/{systemRef}/members', outcomes: anyCaller },
  {
    endpoint: 'GET /systems/{systemRef}/members',
    ask: 'GET /systems/@me/members',
    outcomes: anySystem,
  },
  { endpoint: 'POST /members', body: { name: 'Robin' }, outcomes: anySystem },
  { endpoint: 'GET /members/{memberRef}', outcomes: anyCaller },
  { endpoint: 'PATCH /members/{memberRef}', body: { name: 'Robin' }, outcomes: memberOwner },
  { endpoint: 'DELETE /members/{memberRef}', outcomes: { ...memberOwner, owner: 204 } },
  { endpoint: 'GET /members/{memberRef}/groups', outcomes: anyCaller },
  ...['add', 'remove', 'overwrite'].flatMap((action): Row[] => [
    {
      endpoint: `POST /members/{memberRef}/groups/${action}`,
      body: ['<dreamers>'],
      outcomes: { ...memberOwner, owner: 204 },
    },
    {
      endpoint: `POST /groups/{groupRef}/members/${action}`,
      body: ['<heron>'],
      outcomes: { ...groupOwner, owner: 204 },
    },
  ]),
  { endpoint: 'GET /members/{memberRef}/guilds/{guild_id}', outcomes: memberOwner },
  {
    endpoint: 'GET /members/{memberRef}/guilds/{guild_id}',
    ask: 'GET /members/<wren>/guilds/444',
    outcomes: { ...memberOwner, owner: [404, 20010] },
  },
  {
    endpoint: 'PATCH /members/{memberRef}/guilds/{guild_id}',
    body: { display_name: 'R' },
    outcomes: memberOwner,
  },
  { endpoint: 'GET /systems/{systemRef}/groups', outcomes: anyCaller },
  {
    endpoint: 'GET /systems/{systemRef}/groups',
    ask: 'GET /systems/@me/groups',
    outcomes: anySystem,
  },
  { endpoint: 'POST /groups', body: { name: 'Robins' }, outcomes: anySystem },
  { endpoint: 'GET /groups/{groupRef}', outcomes: anyCaller },
  { endpoint: 'PATCH /groups/{groupRef}', body: { name: 'Robins' }, outcomes: groupOwner },
  { endpoint: 'DELETE /groups/{groupRef}', outcomes: { ...groupOwner, owner: 204 } },
  { endpoint: 'GET /groups/{groupRef}/members', outcomes: anyCaller },
  { endpoint: 'GET /systems/{systemRef}/switches', outcomes: anyCaller },
  {
    endpoint: 'GET /systems/{systemRef}/switches',
    ask: 'GET /systems/@me/switches',
    outcomes: anySystem,
  },
  { endpoint: 'GET /systems/{systemRef}/fronters', outcomes: anyCaller },
  {
    endpoint: 'GET /systems/{systemRef}/fronters',
    ask: 'GET /systems/@me/fronters',
    outcomes: anySystem,
  },
  { endpoint: 'POST /systems/{systemRef}/switches', body: { members: [] }, outcomes: systemOwner },
  { endpoint: 'GET /systems/{systemRef}/switches/{switchRef}', outcomes: anyCaller },
  {
    endpoint: 'GET /systems/{systemRef}/switches/{switchRef}',
    ask: 'GET /systems/@me/switches/<first>',
    outcomes: { owner: 200, other: [404, 20008], anonymous: 401 },
  },
  {
    endpoint: 'PATCH /systems/{systemRef}/switches/{switchRef}',
    body: { timestamp: '2024-06-01' },
    outcomes: systemOwner,
  },
  {
    endpoint: 'PATCH /systems/{systemRef}/switches/{switchRef}/members',
    body: ['<heron>'],
    outcomes: systemOwner,
  },
  {
    endpoint: 'DELETE /systems/{systemRef}/switches/{switchRef}',
    outcomes: { ...systemOwner, owner: 204 },
  },
  { endpoint: 'GET /messages/{message}', outcomes: anyCaller },
]

const ownerRefs: Record<string, string> = {
  '{systemRef}': '<own>',
  '{memberRef}': '<wren>',
  '{groupRef}': '<keepers>',
  '{switchRef}': '<first>',
  '{guild_id}': '333',
  '{message}': '<message>',
}

test('every endpoint has access cases', () => {
  const named = new Set(rows.map(({ endpoint }) => endpoint))
  expect([...named].toSorted()).toEqual(Object.keys(endpoints).toSorted())
})

const cases = rows.flatMap(({ endpoint, ask, body, outcomes }) => {
  const line = ask ?? endpoint.replaceAll(/\{\w+\}/g, (part) => ownerRefs[part] ?? part)
  return allCallers.map((who) => ({ line, who, body, outcome: outcomes[who] }))
})

async function createGuildFixture(): Promise<Fixture> {
  const fixture = await createFixture(testApp)
  await patchSystemGuild(testApp.deps, fixture.owner.id, '333', {}, 'create')
  await patchMemberGuild(testApp.deps, fixture.wren, '333', {}, 'create')
  return fixture
}

/** Fixture of all requests that change nothing; each test checks that. */
const shared = createGuildFixture()

test.each(cases)(
  '$line as $who returns the expected status and code',
  async ({ line, who, body, outcome }) => {
    const [status, code] = typeof outcome === 'number' ? [outcome, 0] : outcome
    const changesNothing = status >= 400 || line.startsWith('GET')
    const fixture = await (changesNothing ? shared : createGuildFixture())
    const before = await stateOf(testApp)
    const answer = await fixture.ask(line.replace(' ', ' /v2'), body, who)
    expect({ status: answer.status, code: answer.json?.code ?? 0 }, answer.text).toEqual({
      status,
      code,
    })
    if (changesNothing) expect(await stateOf(testApp)).toEqual(before)
  },
)

const writes = [...new Set(cases.map(({ line }) => line))].filter((line) => !line.startsWith('GET'))

test.each(writes)('%s without a token is refused before its body is read', async (line) => {
  const fixture = await shared
  const [method, path] = fixture.fill(line).split(' ')
  for (const body of ['x'.repeat(2 ** 20 + 1), new Uint8Array([0xff, 0xfe, 0xfd])]) {
    const request = new Request(`http://localhost/v2${path}`, { method: method ?? '', body })
    const response = await testApp.app.handle(request, '127.0.0.1')
    expect(response.status).toBe(401)
    expect(request.bodyUsed).toBe(false)
  }
})
