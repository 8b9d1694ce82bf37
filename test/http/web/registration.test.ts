import type { JsonObject } from '../../../src/model/core/entity'
import { listAccessRules, operator } from '../../../src/model/core/privacy'
import { DAY, MINUTE } from '../../../src/model/core/time'
import { group } from '../../../src/model/groups/group'
import { member } from '../../../src/model/members/member'
import { system, type Visibility, visibilities } from '../../../src/model/systems/system'
import { createInvite, listInvites } from '../../../src/service/access/invites'
import { createSetupCode } from '../../../src/service/access/setupCodes'
import { fixture } from '../../formats/fixture'
import { countSystems, createSystem, deleteSystem, listSystems } from '../../tools/operatorActions'
import { execute, rows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestApp } from '../../tools/testApp'

type Mode = 'closed' | 'invite' | 'open'
const modes: Mode[] = ['closed', 'invite', 'open']

const sameOrigin = {
  host: 'localhost',
  'sec-fetch-site': 'same-origin',
  origin: 'http://localhost',
}

interface Created extends JsonObject {
  system: { id: string; uuid: string; name: string | null }
  session: { id: string; name: string; created: string; expires: string }
  token: string
}

let peers = 0
/** Returns a new address each time, because failed attempts are counted by address. */
const nextPeer = () => `198.51.100.${(peers++ % 250) + 1}`

const START = Date.parse('2026-11-01T12:00:00Z') * 1000

/** Creates a server without systems, with a clock that the test can set forward. */
function createServer(settings: Parameters<typeof createTestApp>[0] = {}) {
  let clock = START
  const testApp = createTestApp({ now: () => ++clock, RATE_LIMIT: 'off', ...settings })
  return {
    ...testApp,
    wait(time: number) {
      clock += time
    },
  }
}

async function create(
  testApp: TestApp,
  body: unknown,
  headers: Record<string, string> = sameOrigin,
  peer = nextPeer(),
) {
  const response = await testApp.ask<Created>('POST /web/systems', { body, headers, peer })
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  return { ...response, cookie }
}

async function setupCodeOf({ deps }: TestApp): Promise<string> {
  const created = await createSetupCode(deps, operator)
  if (created === null) throw new Error('the server has a system')
  return created.code
}

function peek(testApp: TestApp, code: unknown, peer = nextPeer()) {
  return testApp.ask('POST /web/setup', { body: { code }, headers: sameOrigin, peer })
}

let invites = 0
function inviteOf({ deps }: TestApp, expires: number | null = null): Promise<string> {
  return createInvite(deps, operator, { name: `invite ${++invites}`, uses: 1, expires })
}

const hill = { name: 'Lantern Hill', visibility: 'private' }

type Server = ReturnType<typeof createServer>

/** Codes that a browser may send, and the status by registration mode. */
const credentials: [
  title: string,
  prepare: (server: Server) => Promise<JsonObject>,
  expected: Record<Mode, number>,
][] = [
  ['no code', async () => ({}), { closed: 403, invite: 401, open: 201 }],
  [
    'null as code and invite',
    async () => ({ code: null, invite: null }),
    { closed: 403, invite: 401, open: 201 },
  ],
  [
    'an invite',
    async (server) => ({ invite: await inviteOf(server) }),
    { closed: 403, invite: 201, open: 201 },
  ],
  [
    'an invite in lower case with spaces',
    async (server) => ({ invite: (await inviteOf(server)).toLowerCase().replaceAll('-', ' ') }),
    { closed: 403, invite: 201, open: 201 },
  ],
  [
    'a wrong invite',
    async () => ({ invite: '3333-3333-3333' }),
    { closed: 403, invite: 401, open: 201 },
  ],
  [
    'a used invite',
    async (server) => {
      const invite = await inviteOf(server)
      if (server.config.WEB_REGISTRATION === 'invite')
        expect((await create(server, { ...hill, invite })).status).toBe(201)
      return { invite }
    },
    { closed: 403, invite: 401, open: 201 },
  ],
  [
    'an expired invite',
    async (server) => {
      const invite = await inviteOf(server, START + MINUTE)
      server.wait(MINUTE)
      return { invite }
    },
    { closed: 403, invite: 401, open: 201 },
  ],
  [
    'a set-up code',
    async (server) => ({ code: await setupCodeOf(server) }),
    { closed: 201, invite: 201, open: 201 },
  ],
  [
    'a set-up code of almost 24 hours ago',
    async (server) => {
      const code = await setupCodeOf(server)
      server.wait(DAY - MINUTE)
      return { code }
    },
    { closed: 201, invite: 201, open: 201 },
  ],
  ['a wrong set-up code', async () => ({ code: 'wrong' }), { closed: 401, invite: 401, open: 401 }],
  [
    'an expired set-up code',
    async (server) => {
      const code = await setupCodeOf(server)
      server.wait(DAY)
      return { code }
    },
    { closed: 401, invite: 401, open: 401 },
  ],
  [
    'a used set-up code',
    async (server) => {
      const code = await setupCodeOf(server)
      expect((await create(server, { ...hill, code })).status).toBe(201)
      return { code }
    },
    { closed: 401, invite: 401, open: 401 },
  ],
  [
    'a set-up code after the operator created and deleted a system',
    async (server) => {
      const code = await setupCodeOf(server)
      const { deps } = server
      const made = await createSystem(deps, {}, { account: null, tokenName: 'default' })
      await deleteSystem(deps, made.system.id)
      return { code }
    },
    { closed: 401, invite: 401, open: 401 },
  ],
]

const cases = modes.flatMap((mode) =>
  credentials.map(([title, prepare, expected]) => [mode, title, prepare, expected[mode]] as const),
)

describe('creation of a system in a browser', () => {
  test.each(cases)('with WEB_REGISTRATION=%s and %s', async (mode, _, prepare, expected) => {
    const server = createServer({ WEB_REGISTRATION: mode })
    const code = await prepare(server)
    const before = await countSystems(server.deps)
    const { status, cookie, text } = await create(server, { ...hill, ...code })
    expect(status, text).toBe(expected)
    expect(await countSystems(server.deps)).toBe(before + (expected === 201 ? 1 : 0))
    expect(cookie === '').toBe(expected !== 201)
    if (status === 401)
      expect(JSON.parse(text)).toEqual({
        message: '401: Missing or invalid Authorization header',
        code: 0,
      })
  })

  const open = createServer({ WEB_REGISTRATION: 'open' })

  test('creation returns a token and logs the browser in', async () => {
    const agent = 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'
    const headers = { ...sameOrigin, 'user-agent': agent }
    const body = { ...hill, remember: true }
    const { status, json, cookie, headers: sent } = await create(open, body, headers)
    expect(status).toBe(201)
    expect(json.session.name).toBe('Firefox on Android')
    expect(sent.get('set-cookie')).toMatch(
      /^multitude-80=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=31536000$/,
    )
    expect(sent.get('cache-control')).toBe('no-store')
    expect(sent.get('access-control-allow-origin')).toBeNull()
    const asPage = { headers: { ...sameOrigin, cookie } }
    const { json: session } = await open.ask('GET /web/session', asPage)
    expect(session).toEqual({ system: json.system, session: json.session })
    const authorization = { headers: { authorization: json.token } }
    const { json: me } = await open.ask('GET /v2/systems/@me', authorization)
    expect(me).toMatchObject({ id: json.system.id, name: 'Lantern Hill' })
    const tokens = await open.ask<object[]>('GET /v2/systems/@me/tokens', asPage)
    expect(tokens.json).toMatchObject([{ name: 'default', scope: 'full', expires: null }])
    // Revoking the first token does not log out the browser that it was shown to.
    expect((await open.ask('DELETE /v2/systems/@me/tokens/default', asPage)).status).toBe(204)
    expect((await open.ask('GET /web/session', asPage)).status).toBe(200)
    const stored = await rows(
      open.deps.db,
      'select hash from sessions union all select hash from tokens',
    )
    expect(JSON.stringify(stored)).not.toContain(json.token)
    expect(open.logged()).not.toContain(json.token)
  })

  test('without `remember` the cookie ends with the browser', async () => {
    const { headers } = await create(open, hill)
    expect(headers.get('set-cookie')).toMatch(/SameSite=Strict$/)
  })

  test('a browser that is logged in creates a system of its own', async () => {
    const first = await create(open, hill)
    const second = await create(open, hill, { ...sameOrigin, cookie: first.cookie })
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.json.system.id).not.toBe(first.json.system.id)
  })

  test.each<[string, unknown, string[]]>([
    ['without name and visibility', {}, ['name', 'visibility']],
    ['with a number as name', { ...hill, name: 7 }, ['name']],
    ['with a long name', { ...hill, name: 'x'.repeat(101) }, ['name']],
    ['with an unknown visibility', { ...hill, visibility: 'friends' }, ['visibility']],
    ['with null as visibility', { ...hill, visibility: null }, ['visibility']],
    ['with a text for remember', { ...hill, remember: 'yes' }, ['remember']],
    ['with both code and invite', { ...hill, code: 'a', invite: 'b' }, ['code']],
    ['with numbers as codes', { ...hill, code: 1, invite: 2 }, ['code', 'invite']],
  ])('creation %s names every problem', async (_, body, keys) => {
    const { status, json } = await create(open, body)
    expect([status, json.code]).toEqual([400, 40001])
    expect(Object.keys(json.errors as object).toSorted()).toEqual(keys)
  })

  test.each([null, ''])('a system may have no name (%p)', async (name) => {
    const { status, json } = await create(open, { ...hill, name })
    expect([status, json.system.name]).toEqual([201, null])
  })

  test.each<[string, Record<string, string>, number]>([
    ['a program', { host: 'localhost' }, 201],
    ['our page', sameOrigin, 201],
    ['a page on another port', { ...sameOrigin, 'sec-fetch-site': 'same-site' }, 403],
    ['another site', { host: 'localhost', 'sec-fetch-site': 'cross-site' }, 403],
    ['the address bar', { host: 'localhost', 'sec-fetch-site': 'none' }, 403],
    ['another origin', { host: 'localhost', origin: 'http://evil.example' }, 403],
  ])('creation from %s returns the expected status', async (_, headers, expected) => {
    const before = await countSystems(open.deps)
    const { status, cookie } = await create(open, hill, headers)
    expect([status, cookie === '']).toEqual([expected, expected !== 201])
    expect(await countSystems(open.deps)).toBe(before + (expected === 201 ? 1 : 0))
    const setup = await open.ask('POST /web/setup', { body: { code: 'x' }, headers })
    expect(setup.status).toBe(expected === 201 ? 401 : 403)
  })
})

describe('visibility of a new system', () => {
  const open = createServer({ WEB_REGISTRATION: 'open' })
  const lists = {
    members: 'members',
    groups: 'groups',
    fronters: 'fronters',
    history: 'switches',
  } as const

  /** Privacy levels that the specification makes public. */
  const publicLevels: Record<Visibility, readonly string[]> = {
    public: system.levels,
    front: ['front_privacy'],
    private: [],
  }

  test.each(visibilities.map((visibility) => [visibility]))(
    '%s shows an anonymous caller what it promises',
    async (visibility) => {
      const { json } = await create(open, { name: 'Secret Hill', visibility })
      const headers = { authorization: json.token }
      const shown = publicLevels[visibility]
      const levels = system.levels.map((level) => [
        level,
        shown.includes(level) ? 'public' : 'private',
      ])
      const filled = {
        description: 'Secret text',
        pronouns: 'secret/secrets',
        avatar_url: 'https://secret.example/a.png',
        banner: 'https://secret.example/b.png',
      }
      const patched = await open.ask('PATCH /v2/systems/@me', { body: filled, headers })
      expect(patched.json.privacy).toEqual(Object.fromEntries(levels))
      const { json: wren } = await open.ask('POST /v2/members', { body: { name: 'Wren' }, headers })
      await open.ask('POST /v2/groups', { body: { name: 'Keepers' }, headers })
      await open.ask('POST /v2/systems/@me/switches', { body: { members: [wren.id] }, headers })

      const path = `/v2/systems/${json.system.id}`
      const seen = await open.ask(`GET ${path}`)
      expect(seen.json.privacy).toBeNull()
      for (const [key, { guard }] of system.entries)
        if (guard !== undefined)
          expect([key, seen.json[key] !== null]).toEqual([key, shown.includes(guard)])
      for (const list of ['members', 'groups', 'fronters', 'history'] as const) {
        const { status, text } = await open.ask(`GET ${path}/${lists[list]}`)
        const isShown = shown.includes(listAccessRules[list].level)
        expect([list, status]).toEqual([list, isShown ? 200 : 403])
        if (!isShown) expect(text).not.toMatch(/Wren|Keepers/)
      }
      if (visibility !== 'public') expect(seen.text).not.toMatch(/secret/i)

      const { json: settings } = await open.ask('GET /v2/systems/@me/settings', { headers })
      const isPrivate = visibility !== 'public'
      expect(settings).toMatchObject({
        member_default_private: isPrivate,
        group_default_private: isPrivate,
      })
    },
  )
})

describe('import into a new system', () => {
  const open = createServer({ WEB_REGISTRATION: 'open' })
  const field = { id: crypto.randomUUID(), name: 'Role', type: 'text', privacy: 'public' }
  const file = JSON.stringify({
    ...JSON.parse(fixture('pluralkit.json').toString()),
    multitude: { ext: { version: 1, fields: [field] } },
  })

  async function importInto(query: string) {
    const { cookie, json } = await create(open, hill)
    const headers = { ...sameOrigin, cookie }
    const report = await open.ask(`POST /v2/systems/@me/import${query}`, { body: file, headers })
    expect(report.status).toBe(200)
    const get = async (path: string) =>
      (await open.ask<JsonObject>(`GET /v2/systems/@me${path}`, { headers })).json
    const fields = await open.ask<JsonObject[]>('GET /ext/v1/systems/@me/fields', { headers })
    const levelOfField = fields.json[0]?.privacy
    return { get, levelOfField, path: `/v2/systems/${json.system.id}` }
  }

  test('private=true keeps the system private, and makes all that it imports private', async () => {
    const { get, levelOfField, path } = await importInto('?private=true')
    const owned = [
      await get(''),
      ...Object.values(await get('/members')),
      ...Object.values(await get('/groups')),
    ] as { privacy: object }[]
    expect(owned.length).toBeGreaterThan(3)
    expect(new Set(owned.flatMap(({ privacy }) => Object.values(privacy)))).toEqual(
      new Set(['private']),
    )
    expect(await get('/settings')).toMatchObject({
      member_default_private: true,
      group_default_private: true,
    })
    expect(levelOfField).toBe('private')
    for (const list of ['members', 'groups', 'fronters', 'switches'])
      expect((await open.ask(`GET ${path}/${list}`)).status).toBe(403)
  })

  test('without private=true the privacy levels of the file are applied', async () => {
    const { get, levelOfField } = await importInto('')
    expect((await get('')).privacy).toMatchObject(JSON.parse(file).privacy)
    expect(levelOfField).toBe('public')
  })

  test('public and private exclude each other', async () => {
    const { cookie } = await create(open, hill)
    const { status } = await open.ask('POST /v2/systems/@me/import?private=true&public=true', {
      body: file,
      headers: { ...sameOrigin, cookie },
    })
    expect(status).toBe(400)
  })
})

describe('members and groups of a new system', () => {
  const open = createServer({ WEB_REGISTRATION: 'open' })

  const cases = visibilities.flatMap((visibility) =>
    ([member, group] as const).map(({ name, levels }) => [visibility, name, levels] as const),
  )
  test.each(cases)('%s: a %s that the dashboard creates', async (visibility, name, levels) => {
    const { cookie, json } = await create(open, { ...hill, visibility })
    const asPage = { headers: { ...sameOrigin, cookie } }
    const path = `/v2/${name}s`
    const [level = ''] = levels
    const add = (body: object, as: { headers: Record<string, string> }) =>
      open.ask(`POST ${path}`, { body, ...as })
    const added = await add({ name: 'Wren', description: 'Secret' }, asPage)
    const expected = visibility === 'public' ? 'public' : 'private'
    expect(new Set(Object.values(added.json.privacy as object))).toEqual(new Set([expected]))
    const seen = await open.ask(`GET ${path}/${added.json.id}`)
    expect(seen.json.description).toBe(visibility === 'public' ? 'Secret' : null)
    // The page may decide otherwise, and a token follows PluralKit's rule.
    const chosen = await add({ name: 'Finch', privacy: { [level]: 'public' } }, asPage)
    expect(chosen.json.privacy).toMatchObject({ [level]: 'public' })
    const byToken = await add({ name: 'Heron' }, { headers: { authorization: json.token } })
    expect(new Set(Object.values(byToken.json.privacy as object))).toEqual(new Set(['public']))
  })
})

describe('set-up links', () => {
  test('a preview names the expiry and does not consume the code', async () => {
    const server = createServer()
    const code = await setupCodeOf(server)
    expect(code).toMatch(/^[\w-]{43}$/)
    for (let times = 0; times < 2; times++)
      expect((await peek(server, code)).json.expires).toStartWith('2026-11-02T12:00:00')
    expect((await create(server, { ...hill, code })).status).toBe(201)
    const wrong = await peek(server, 'wrong')
    for (const { status, text } of [await peek(server, code), wrong])
      expect([status, text]).toEqual([401, wrong.text])
    expect(server.logged()).not.toContain(code)
    expect(JSON.stringify(await rows(server.deps.db, 'select * from setup_codes'))).toBe('[]')
  })

  test('only the hash of a code is stored', async () => {
    const server = createServer()
    const code = await setupCodeOf(server)
    const stored = await rows(server.deps.db, 'select hash, expires from setup_codes')
    expect(stored).toHaveLength(1)
    expect(JSON.stringify(stored)).not.toContain(code)
  })

  test.each([7, null, undefined])('a preview refuses %p as code', async (code) => {
    const { status, json } = await peek(createServer(), code)
    expect([status, json.code]).toEqual([400, 40001])
  })

  test('no set-up link is created when there is a system', async () => {
    const server = createServer()
    await server.makeSystem()
    expect(await createSetupCode(server.deps, operator)).toBeNull()
  })

  test.each<[string, (server: Server) => Promise<string[]>]>([
    [
      'one code',
      async (server) => {
        const code = await setupCodeOf(server)
        return Array.from({ length: 6 }, () => code)
      },
    ],
    [
      'different codes',
      (server) => Promise.all(Array.from({ length: 6 }, () => setupCodeOf(server))),
    ],
  ])('concurrent requests with %s create one system', async (_, prepare) => {
    const server = createServer()
    const codes = await prepare(server)
    const all = await Promise.all(codes.map((code) => create(server, { ...hill, code })))
    const statuses = all.map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([201, 401, 401, 401, 401, 401])
    expect(await countSystems(server.deps)).toBe(1)
  })
})

describe('limits of creation in a browser', () => {
  test('the limit of systems applies to every way, and no code or invite is consumed', async () => {
    const server = createServer({ WEB_REGISTRATION: 'invite', SYSTEM_LIMIT: '1' })
    const [first, second] = [await inviteOf(server), await inviteOf(server)]
    const all = await Promise.all(
      [first, second].map((invite) => create(server, { ...hill, invite })),
    )
    expect(all.map(({ status }) => status).toSorted()).toEqual([201, 403])
    expect(all.find(({ status }) => status === 403)?.json.message).toEndWith(
      '(this server takes no more systems)',
    )
    const used = (await listInvites(server.deps, operator)).map((invite) => invite.used)
    expect(used.toSorted()).toEqual([0, 1])
    expect((await create(server, { ...hill, code: 'wrong' })).status).toBe(403)
  })

  test('a creation that fails consumes neither code nor invite', async () => {
    const server = createServer({ WEB_REGISTRATION: 'invite' })
    const code = await setupCodeOf(server)
    const invite = await inviteOf(server)
    const rename = (from: string, to: string) =>
      server.deps.transact('new', (tx) => execute(tx, `alter table ${from} rename to ${to}`))
    await rename('sessions', 'sessions_elsewhere')
    for (const proof of [{ code }, { invite }])
      expect((await create(server, { ...hill, ...proof })).status).toBe(500)
    await rename('sessions_elsewhere', 'sessions')
    expect(await listSystems(server.deps)).toEqual([])
    const [left] = await listInvites(server.deps, operator)
    expect(left).toMatchObject({ used: 0 })
    expect((await create(server, { ...hill, code, remember: 1 })).status).toBe(400)
    expect((await create(server, { ...hill, code })).status).toBe(201)
    expect((await create(server, { ...hill, invite })).status).toBe(201)
  })

  test('failed attempts of all login routes are counted together, and a correct code still works', async () => {
    const server = createServer()
    const code = await setupCodeOf(server)
    const peer = nextPeer()
    const ask = (line: string, body: unknown) =>
      server.ask(line, { body, headers: sameOrigin, peer })
    const attempts: [string, unknown][] = [
      ['POST /web/systems', { ...hill, code: 'wrong' }],
      ['POST /web/setup', { code: 'wrong' }],
      ['POST /web/session', { token: 'wrong' }],
      ['POST /web/login', { code: 'wrong' }],
      ['POST /web/systems', { ...hill, code: 'wrong' }],
    ]
    for (const [line, body] of attempts) expect((await ask(line, body)).status).toBe(401)
    for (const [line, body] of attempts) {
      const { status, headers } = await ask(line, body)
      expect([line, status]).toEqual([line, 429])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await create(server, { ...hill, code: 'wrong' })).status).toBe(401)
    expect((await ask('POST /web/setup', { code })).status).toBe(200)
    expect((await ask('POST /web/systems', { ...hill, code })).status).toBe(201)
  })

  test('the rate limit of an address applies', async () => {
    const server = createServer({ WEB_REGISTRATION: 'open', RATE_LIMIT: 'generic_update=2' })
    const peer = nextPeer()
    const statuses: number[] = []
    for (let at = 0; at < 6; at++)
      statuses.push((await create(server, hill, sameOrigin, peer)).status)
    expect(statuses.slice(0, 2)).toEqual([201, 201])
    expect(statuses).toContain(429)
  })

  test('a body above 4 KiB is refused', async () => {
    const server = createServer({ WEB_REGISTRATION: 'open' })
    expect((await create(server, { ...hill, padding: 'x'.repeat(4096) })).status).toBe(413)
  })
})

describe('what a visitor may do', () => {
  test.each(modes.map((mode) => [mode]))(
    'GET /web/registration says whether a visitor may create a system (%s)',
    async (mode) => {
      const server = createServer({ WEB_REGISTRATION: mode, SYSTEM_LIMIT: '1' })
      const get = async () => (await server.ask('GET /web/registration')).json
      expect(await get()).toEqual({ registration: mode, needs_setup: true })
      await server.makeSystem()
      expect(await get()).toEqual({ registration: 'closed', needs_setup: false })
    },
  )

  test('creation in a browser is closed by default', async () => {
    const { json, headers } = await createServer().ask('GET /web/registration')
    expect(json).toEqual({ registration: 'closed', needs_setup: true })
    expect(headers.get('cache-control')).toBe('no-store')
  })
})

describe('login links for another device', () => {
  const server = createServer({ WEB_REGISTRATION: 'open' })

  async function logIn(code: string) {
    const body = { code }
    const { status } = await server.ask('POST /web/session', {
      body,
      headers: sameOrigin,
      peer: nextPeer(),
    })
    return status
  }

  test('a session creates a link that logs another browser in, once', async () => {
    const { cookie } = await create(server, hill)
    const headers = { ...sameOrigin, cookie }
    const answer = await server.ask<{ url: string; expires: string }>('POST /web/login-links', {
      headers,
    })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(answer.json.expires).toMatch(/^2026-11-01T12:1/)
    const [, code = ''] = /^http:\/\/localhost\/#\/login\/([\w-]{43})$/.exec(answer.json.url) ?? []
    expect([await logIn(code), await logIn(code)]).toEqual([200, 401])
    expect(server.logged()).not.toContain(code)
  })

  test('a fourth link invalidates the oldest', async () => {
    const { cookie } = await create(server, hill)
    const codes: string[] = []
    for (let at = 0; at < 4; at++) {
      const { json } = await server.ask<{ url: string }>('POST /web/login-links', {
        headers: { ...sameOrigin, cookie },
      })
      codes.push(json.url.split('/').at(-1) ?? '')
    }
    const statuses: number[] = []
    for (const code of codes) statuses.push(await logIn(code))
    expect(statuses).toEqual([401, 200, 200, 200])
  })

  test.each<[string, Record<string, string>, number]>([
    ['a page on another port', { ...sameOrigin, 'sec-fetch-site': 'same-site' }, 401],
    ['another site', { host: 'localhost', origin: 'http://evil.example' }, 401],
    ['a program with the cookie only', { host: 'localhost' }, 401],
  ])('a login link is refused to %s', async (_, headers, expected) => {
    const { cookie } = await create(server, hill)
    const { status } = await server.ask('POST /web/login-links', {
      headers: { ...headers, cookie },
    })
    expect(status).toBe(expected)
  })

  test.each<[string, Record<string, string>, Record<string, string>, string]>([
    ['PUBLIC_URL', { PUBLIC_URL: 'https://home.example' }, {}, 'https://home.example'],
    [
      'the scheme of a trusted proxy',
      { TRUST_PROXY: '1' },
      { 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.7' },
      'https://localhost',
    ],
    [
      'plain http where no proxy is trusted',
      {},
      { 'x-forwarded-proto': 'https' },
      'http://localhost',
    ],
  ])('a login link has the address of %s', async (_, settings, headers, address) => {
    const other = createServer({ WEB_REGISTRATION: 'open', ...settings })
    const { cookie } = await create(other, hill, { ...sameOrigin, ...headers })
    const { json } = await other.ask<{ url: string }>('POST /web/login-links', {
      headers: { ...sameOrigin, ...headers, cookie },
    })
    expect(json.url).toStartWith(`${address}/#/login/`)
  })
})
