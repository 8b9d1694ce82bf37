import { expect, test } from 'bun:test'
import { patchMemberGuild, patchSystemGuild } from '../../operatorActions'
import { createFixture, everyone, type Fixture, stateOf, type Who } from '../../scenarios'
import { createTestApp } from '../../testApp'
import { endpoints } from './endpoints'

const place = createTestApp()

/** A status, or a status with the number of an error. */
type Fate = number | [status: number, code: number]

interface Row {
  endpoint: keyof typeof endpoints
  /** Where the path differs from the endpoint's with everything of the owner filled in. */
  ask?: string
  body?: unknown
  fates: Record<Who, Fate>
}

const open = { owner: 200, other: 200, nobody: 200 }
/** `@me` means whoever asks, so only nobody is refused. */
const mine = { owner: 200, other: 200, nobody: 401 }
const ofSystem = { owner: 200, other: [403, 0], nobody: 401 } satisfies Row['fates']
const ofMember = { owner: 200, other: [403, 30006], nobody: 401 } satisfies Row['fates']
const ofGroup = { owner: 200, other: [403, 30007], nobody: 401 } satisfies Row['fates']

const rows: Row[] = [
  { endpoint: 'GET /systems/{systemRef}', fates: open },
  { endpoint: 'GET /systems/{systemRef}', ask: 'GET /systems/@me', fates: mine },
  { endpoint: 'PATCH /systems/{systemRef}', body: { tag: '|' }, fates: ofSystem },
  {
    endpoint: 'PATCH /systems/{systemRef}',
    ask: 'PATCH /systems/@me',
    body: { tag: '|' },
    fates: mine,
  },
  { endpoint: 'GET /systems/{systemRef}/settings', fates: open },
  { endpoint: 'GET /systems/{systemRef}/settings', ask: 'GET /systems/@me/settings', fates: mine },
  {
    endpoint: 'PATCH /systems/{systemRef}/settings',
    body: { pings_enabled: false },
    fates: ofSystem,
  },
  {
    endpoint: 'GET /systems/@me/guilds/{guild_id}',
    fates: { owner: 200, other: [404, 20009], nobody: 401 },
  },
  {
    endpoint: 'PATCH /systems/@me/guilds/{guild_id}',
    body: { tag: '|' },
    fates: { owner: 200, other: [404, 20009], nobody: 401 },
  },
  {
    endpoint: 'GET /systems/@me/autoproxy',
    ask: 'GET /systems/@me/autoproxy?guild_id=333',
    fates: mine,
  },
  {
    endpoint: 'PATCH /systems/@me/autoproxy',
    ask: 'PATCH /systems/@me/autoproxy?guild_id=333',
    body: { autoproxy_mode: 'front' },
    fates: mine,
  },
  { endpoint: 'GET /systems/{systemRef}/members', fates: open },
  { endpoint: 'GET /systems/{systemRef}/members', ask: 'GET /systems/@me/members', fates: mine },
  { endpoint: 'POST /members', body: { name: 'Robin' }, fates: mine },
  { endpoint: 'GET /members/{memberRef}', fates: open },
  { endpoint: 'PATCH /members/{memberRef}', body: { name: 'Robin' }, fates: ofMember },
  { endpoint: 'DELETE /members/{memberRef}', fates: { ...ofMember, owner: 204 } },
  { endpoint: 'GET /members/{memberRef}/groups', fates: open },
  ...['add', 'remove', 'overwrite'].flatMap((action): Row[] => [
    {
      endpoint: `POST /members/{memberRef}/groups/${action}`,
      body: ['<dreamers>'],
      fates: { ...ofMember, owner: 204 },
    },
    {
      endpoint: `POST /groups/{groupRef}/members/${action}`,
      body: ['<heron>'],
      fates: { ...ofGroup, owner: 204 },
    },
  ]),
  { endpoint: 'GET /members/{memberRef}/guilds/{guild_id}', fates: ofMember },
  {
    endpoint: 'GET /members/{memberRef}/guilds/{guild_id}',
    ask: 'GET /members/<wren>/guilds/444',
    fates: { ...ofMember, owner: [404, 20010] },
  },
  {
    endpoint: 'PATCH /members/{memberRef}/guilds/{guild_id}',
    body: { display_name: 'R' },
    fates: ofMember,
  },
  { endpoint: 'GET /systems/{systemRef}/groups', fates: open },
  { endpoint: 'GET /systems/{systemRef}/groups', ask: 'GET /systems/@me/groups', fates: mine },
  { endpoint: 'POST /groups', body: { name: 'Robins' }, fates: mine },
  { endpoint: 'GET /groups/{groupRef}', fates: open },
  { endpoint: 'PATCH /groups/{groupRef}', body: { name: 'Robins' }, fates: ofGroup },
  { endpoint: 'DELETE /groups/{groupRef}', fates: { ...ofGroup, owner: 204 } },
  { endpoint: 'GET /groups/{groupRef}/members', fates: open },
  { endpoint: 'GET /systems/{systemRef}/switches', fates: open },
  { endpoint: 'GET /systems/{systemRef}/switches', ask: 'GET /systems/@me/switches', fates: mine },
  { endpoint: 'GET /systems/{systemRef}/fronters', fates: open },
  { endpoint: 'GET /systems/{systemRef}/fronters', ask: 'GET /systems/@me/fronters', fates: mine },
  { endpoint: 'POST /systems/{systemRef}/switches', body: { members: [] }, fates: ofSystem },
  { endpoint: 'GET /systems/{systemRef}/switches/{switchRef}', fates: open },
  {
    endpoint: 'GET /systems/{systemRef}/switches/{switchRef}',
    ask: 'GET /systems/@me/switches/<first>',
    fates: { owner: 200, other: [404, 20008], nobody: 401 },
  },
  {
    endpoint: 'PATCH /systems/{systemRef}/switches/{switchRef}',
    body: { timestamp: '2024-06-01' },
    fates: ofSystem,
  },
  {
    endpoint: 'PATCH /systems/{systemRef}/switches/{switchRef}/members',
    body: ['<heron>'],
    fates: ofSystem,
  },
  {
    endpoint: 'DELETE /systems/{systemRef}/switches/{switchRef}',
    fates: { ...ofSystem, owner: 204 },
  },
  { endpoint: 'GET /messages/{message}', fates: open },
]

const owners: Record<string, string> = {
  '{systemRef}': '<own>',
  '{memberRef}': '<wren>',
  '{groupRef}': '<keepers>',
  '{switchRef}': '<first>',
  '{guild_id}': '333',
  '{message}': '<message>',
}

test('every endpoint has a row', () => {
  const named = new Set(rows.map(({ endpoint }) => endpoint))
  expect([...named].toSorted()).toEqual(Object.keys(endpoints).toSorted())
})

const cases = rows.flatMap(({ endpoint, ask, body, fates }) => {
  const line = ask ?? endpoint.replaceAll(/\{\w+\}/g, (part) => owners[part] ?? part)
  return everyone.map((who) => ({ line, who, body, fate: fates[who] }))
})

async function worldWithGuilds(): Promise<Fixture> {
  const world = await createFixture(place)
  await patchSystemGuild(place.deps, world.owner.id, '333', {}, 'make')
  await patchMemberGuild(place.deps, world.wren, '333', {}, 'make')
  return world
}

/** For what changes nothing, which is part of its test. */
const shared = worldWithGuilds()

test.each(cases)('$line as $who', async ({ line, who, body, fate }) => {
  const [status, code] = typeof fate === 'number' ? [fate, 0] : fate
  const changesNothing = status >= 400 || line.startsWith('GET')
  const world = await (changesNothing ? shared : worldWithGuilds())
  const before = await stateOf(place)
  const answer = await world.ask(line.replace(' ', ' /v2'), body, who)
  expect({ status: answer.status, code: answer.json?.code ?? 0 }, answer.text).toEqual({
    status,
    code,
  })
  if (changesNothing) expect(await stateOf(place)).toEqual(before)
})

const writes = [...new Set(cases.map(({ line }) => line))].filter((line) => !line.startsWith('GET'))

test.each(writes)('%s as nobody is refused before its body is read', async (line) => {
  const world = await shared
  const [method, path] = world.fill(line).split(' ')
  for (const body of ['x'.repeat(2 ** 20 + 1), new Uint8Array([0xff, 0xfe, 0xfd])]) {
    const request = new Request(`http://localhost/v2${path}`, { method: method ?? '', body })
    const response = await place.app.handle(request, '127.0.0.1')
    expect(response.status).toBe(401)
    expect(request.bodyUsed).toBe(false)
  }
})
