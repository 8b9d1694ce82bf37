import { createToken, deleteSystem, revokeToken } from '../../tools/operatorActions'
import { execute } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestApp, type TestSystem } from '../../tools/testApp'

const testApp = createTestApp({ LOG_LEVEL: 'debug' })
const { ask, makeSystem, deps } = testApp
const owner = await makeSystem('Lantern Hill')

describe('tokens', () => {
  const asOwner = (authorization: string) =>
    ask('GET /v2/systems/@me', { headers: { authorization } })

  test.each(['', 'Bearer ', 'bearer ', 'BEARER   '])('accepts a token after %p', async (scheme) => {
    expect((await asOwner(`${scheme}${owner.token}`)).json.id).toBe(owner.hid)
  })

  const invalid: [title: string, authorization: string][] = [
    ['an unknown token', 'A'.repeat(64)],
    ['a token in lower case', owner.token.toLowerCase()],
    ['a token with a character appended', `${owner.token}A`],
    ['a truncated token', owner.token.slice(0, -1)],
    ['a scheme without a token', 'Bearer'],
    ['another scheme', `Basic ${owner.token}`],
    ['two tokens', `${owner.token} ${owner.token}`],
    ['the hash of the token', new Bun.CryptoHasher('sha256').update(owner.token).digest('hex')],
    ['a long value', 'x'.repeat(8000)],
  ]

  test.each(invalid)(
    'treats %s as an anonymous caller, who may still read',
    async (_, authorization) => {
      expect((await asOwner(authorization)).status).toBe(401)
      const { status, json } = await ask(`GET /v2/systems/${owner.hid}`, {
        headers: { authorization },
      })
      expect([status, json.privacy]).toEqual([200, null])
    },
  )

  test('refuses a revoked token at once and keeps the others', async () => {
    const [phone, bot] = [await createToken(deps, owner.id, 'phone'), owner.token]
    expect((await asOwner(phone)).status).toBe(200)
    await revokeToken(deps, owner.id, 'phone')
    expect((await asOwner(phone)).status).toBe(401)
    expect((await asOwner(bot)).status).toBe(200)
  })

  test('a new token replaces the older one of the same name', async () => {
    const older = await createToken(deps, owner.id, 'laptop')
    const newer = await createToken(deps, owner.id, 'laptop')
    expect((await asOwner(older)).status).toBe(401)
    expect((await asOwner(newer)).status).toBe(200)
  })

  test('refuses the token of a deleted system', async () => {
    const deleted = await makeSystem('Gone')
    // The server remembers a token that was used.
    expect((await ask('GET /systems/@me', { as: deleted })).status).toBe(200)
    await deleteSystem(deps, deleted.id)
    expect((await ask('GET /systems/@me', { as: deleted })).status).toBe(401)
    expect((await ask(`GET /systems/${deleted.hid}`)).status).toBe(404)
  })
})

describe('response headers', () => {
  const lines = [
    'GET /health',
    'GET /nowhere',
    'PATCH /systems/@me',
    'PUT /docs',
    'OPTIONS /x',
    'GET /docs',
  ]

  test.each(lines)('%s allows every origin and returns a request ID', async (line) => {
    const { headers } = await ask(line, { headers: { origin: 'https://app.example' } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('access-control-expose-headers')?.split(', ')).toEqual(
      expect.arrayContaining(['X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-RateLimit-Scope']),
    )
    const id = headers.get('x-request-id') ?? ''
    expect(id).toMatch(/^[0-9a-z-]{15,}$/)
    const [method, path] = line.split(' ')
    const level = path === '/health' ? 'debug' : 'info'
    expect(lastLine(testApp)).toMatchObject({ request_id: id, method, path, level })
  })

  test('returns errors as JSON', async () => {
    for (const line of ['GET /nowhere', 'GET /systems/@me', 'PUT /health', 'GET /v2/s']) {
      const { headers, json } = await ask(line)
      expect(headers.get('content-type')).toStartWith('application/json')
      expect(Object.keys(json)).toEqual(['message', 'code'])
    }
  })

  test('generates a request ID and ignores the one of the client', async () => {
    const headers = { 'x-request-id': 'mine' }
    const responses = await Promise.all([1, 2, 3].map(() => ask('GET /health', { headers })))
    const ids = new Set(responses.map((response) => response.headers.get('x-request-id')))
    expect(ids.size).toBe(3)
    expect(ids).not.toContain('mine')
  })

  test.each(['/v2/systems/@me', '/nowhere'])(
    'the preflight for %s allows all origins and methods',
    async (path) => {
      const { status, headers, text } = await ask(`OPTIONS ${path}`, {
        headers: { 'access-control-request-method': 'PATCH', origin: 'https://app.example' },
      })
      expect([status, text]).toEqual([204, ''])
      expect(headers.get('access-control-allow-headers')).toBe(
        'Content-Type, Authorization, User-Agent, If-None-Match, Last-Event-ID, X-System',
      )
      expect(headers.get('access-control-allow-methods')).toContain('PATCH')
      expect(headers.get('access-control-max-age')).toBe('86400')
    },
  )
})

describe('database failures', () => {
  const withoutTable = async (table: string): Promise<[TestApp, TestSystem]> => {
    const failing = createTestApp()
    const me = await failing.makeSystem('Lantern Hill')
    await failing.deps.transact('new', (tx) =>
      execute(tx, `alter table ${table} rename to elsewhere`),
    )
    return [failing, me]
  }

  const failures: [line: string, table: string][] = [
    ['GET /v2/systems/abcdef', 'systems'],
    ['GET /v2/systems/@me', 'tokens'],
    ['PATCH /v2/systems/@me', 'events'],
  ]

  test.each(failures)(
    '%s returns a bare 500 and logs the cause when the database fails',
    async (line, table) => {
      const [failing, me] = await withoutTable(table)
      const body = line.startsWith('PATCH') ? { tag: 'a word of mine' } : undefined
      const { status, json, headers } = await failing.ask(line, { as: me, body })
      expect([status, json]).toEqual([500, { message: '500: Internal Server Error', code: 0 }])
      const failure = failing
        .logged()
        .split('\n')
        .filter((text) => text.includes('request failed'))
      expect(failure).toHaveLength(1)
      expect(JSON.parse(failure[0] ?? '')).toMatchObject({
        level: 'error',
        request_id: headers.get('x-request-id'),
        cause: expect.stringMatching(
          new RegExp(`no such table: ${table}|relation "${table}" does not exist`),
        ),
      })
      expect(failing.logged()).not.toContain('a word of mine')
      expect(failing.logged()).not.toContain(me.token)
    },
  )

  test('GET /health returns 503 when the database cannot be read', async () => {
    expect(await ask('GET /health')).toMatchObject({ status: 200, json: { status: 'ok' } })
    const [failing] = await withoutTable('systems')
    const { status, json } = await failing.ask('GET /health')
    const message = '503: Service Unavailable (the database does not answer)'
    expect([status, json]).toEqual([503, { message, code: 0, retry_after: 60_000 }])
  })

  test('GET /health/live returns 200 when the database cannot be read', async () => {
    const [failing] = await withoutTable('systems')
    for (const line of ['GET /health/live', 'GET /health/live/', 'HEAD /health/live'])
      expect((await failing.ask(line)).status).toBe(200)
    expect((await failing.ask('GET /health/live')).json).toEqual({ status: 'ok' })
    expect((await failing.ask('GET /health')).status).toBe(503)
  })
})

describe('request log', () => {
  test('logs one line per request, without token, query or body', async () => {
    const failing = createTestApp({ LOG_LEVEL: 'debug' })
    const me = await failing.makeSystem('Lantern Hill')
    const secret = 'words-that-are-mine'
    await failing.ask('PATCH /v2/systems/@me', { as: me, body: { description: secret } })
    await failing.ask('PATCH /v2/systems/@me', { as: me, body: `{"description": "${secret}` })
    await failing.ask('PATCH /v2/systems/@me', {
      as: me,
      body: { description: secret, tag: [secret] },
    })
    await failing.ask(`GET /v2/systems/@me?token=${secret}`, {
      headers: { authorization: `Bearer ${me.token}`, cookie: secret },
    })
    await failing.ask('GET /systems/@me', { headers: { authorization: secret } })
    const log = failing.logged()
    expect(log.trim().split('\n')).toHaveLength(5)
    for (const word of [secret, me.token, me.token.slice(0, 12), 'authorization', 'Bearer'])
      expect(log).not.toContain(word)
  })

  test('omits log lines below the log level', async () => {
    const failing = createTestApp({ LOG_LEVEL: 'warn' })
    await failing.ask('GET /health')
    expect(failing.logged()).toBe('')
  })
})

function lastLine({ logged }: TestApp): Record<string, unknown> {
  return JSON.parse(logged().trim().split('\n').at(-1) ?? '')
}
