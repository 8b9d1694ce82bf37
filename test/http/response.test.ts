import { describe, expect, test } from 'bun:test'
import { createToken, deleteSystem, revokeToken } from '../operatorActions'
import { change } from '../rawSql'
import { createTestApp, type TestApp, type TestSystem } from '../testApp'

const here = createTestApp({ LOG_LEVEL: 'debug' })
const { ask, makeSystem, deps } = here
const owner = await makeSystem('Lantern Hill')

describe('a token', () => {
  const asOwner = (authorization: string) =>
    ask('GET /v2/systems/@me', { headers: { authorization } })

  test.each(['', 'Bearer ', 'bearer ', 'BEARER   '])('is taken after %p', async (scheme) => {
    expect((await asOwner(`${scheme}${owner.token}`)).json.id).toBe(owner.hid)
  })

  const useless: [says: string, authorization: string][] = [
    ['an unknown one', 'A'.repeat(64)],
    ['one of another case', owner.token.toLowerCase()],
    ['one with more behind', `${owner.token}A`],
    ['one that is cut', owner.token.slice(0, -1)],
    ['a scheme alone', 'Bearer'],
    ['another scheme', `Basic ${owner.token}`],
    ['two at once', `${owner.token} ${owner.token}`],
    ['its own hash', new Bun.CryptoHasher('sha256').update(owner.token).digest('hex')],
    ['a long one', 'x'.repeat(8000)],
  ]

  test.each(useless)('%s makes the caller nobody, who may still read', async (_, authorization) => {
    expect((await asOwner(authorization)).status).toBe(401)
    const { status, json } = await ask(`GET /v2/systems/${owner.hid}`, {
      headers: { authorization },
    })
    expect([status, json.privacy]).toEqual([200, null])
  })

  test('that was revoked stops at once, and the others stay', async () => {
    const [phone, bot] = [await createToken(deps, owner.id, 'phone'), owner.token]
    expect((await asOwner(phone)).status).toBe(200)
    await revokeToken(deps, owner.id, 'phone')
    expect((await asOwner(phone)).status).toBe(401)
    expect((await asOwner(bot)).status).toBe(200)
  })

  test('that was made anew stops the older one of that name', async () => {
    const older = await createToken(deps, owner.id, 'laptop')
    const newer = await createToken(deps, owner.id, 'laptop')
    expect((await asOwner(older)).status).toBe(401)
    expect((await asOwner(newer)).status).toBe(200)
  })

  test('of a system that is gone is nobody’s', async () => {
    const gone = await makeSystem('Gone')
    await deleteSystem(deps, gone.id)
    expect((await ask('GET /systems/@me', { as: gone })).status).toBe(401)
    expect((await ask(`GET /systems/${gone.hid}`)).status).toBe(404)
  })
})

describe('every answer', () => {
  const lines = [
    'GET /health',
    'GET /nowhere',
    'PATCH /systems/@me',
    'PUT /docs',
    'OPTIONS /x',
    'GET /docs',
  ]

  test.each(lines)('to %s is open to every page and has an ID', async (line) => {
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
    expect(lastLine(here)).toMatchObject({ request_id: id, method, path, level })
  })

  test('that is an error is JSON', async () => {
    for (const line of ['GET /nowhere', 'GET /systems/@me', 'PUT /health', 'GET /v2/s']) {
      const { headers, json } = await ask(line)
      expect(headers.get('content-type')).toStartWith('application/json')
      expect(Object.keys(json)).toEqual(['message', 'code'])
    }
  })

  test('has an ID of its own', async () => {
    const headers = { 'x-request-id': 'mine' }
    const answers = await Promise.all([1, 2, 3].map(() => ask('GET /health', { headers })))
    const ids = new Set(answers.map((answer) => answer.headers.get('x-request-id')))
    expect(ids.size).toBe(3)
    expect(ids).not.toContain('mine')
  })

  test.each(['/v2/systems/@me', '/nowhere'])('to a preflight for %s allows all', async (path) => {
    const { status, headers, text } = await ask(`OPTIONS ${path}`, {
      headers: { 'access-control-request-method': 'PATCH', origin: 'https://app.example' },
    })
    expect([status, text]).toEqual([204, ''])
    expect(headers.get('access-control-allow-headers')).toBe(
      'Content-Type, Authorization, User-Agent, If-None-Match, Last-Event-ID, X-System',
    )
    expect(headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(headers.get('access-control-max-age')).toBe('86400')
  })
})

describe('when the database fails', () => {
  const without = async (table: string): Promise<[TestApp, TestSystem]> => {
    const there = createTestApp()
    const me = await there.makeSystem('Lantern Hill')
    await there.deps.transact('new', (tx) => change(tx, `alter table ${table} rename to elsewhere`))
    return [there, me]
  }

  const failures: [line: string, table: string][] = [
    ['GET /v2/systems/abcdef', 'systems'],
    ['GET /v2/systems/@me', 'tokens'],
    ['PATCH /v2/systems/@me', 'events'],
  ]

  test.each(failures)('%s answers without detail, and the log has it', async (line, table) => {
    const [there, me] = await without(table)
    const body = line.startsWith('PATCH') ? { tag: 'a word of mine' } : undefined
    const { status, json, headers } = await there.ask(line, { as: me, body })
    expect([status, json]).toEqual([500, { message: '500: Internal Server Error', code: 0 }])
    const failure = there
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
    expect(there.logged()).not.toContain('a word of mine')
    expect(there.logged()).not.toContain(me.token)
  })

  test('its health is told', async () => {
    expect(await ask('GET /health')).toMatchObject({ status: 200, json: { status: 'ok' } })
    const [there] = await without('systems')
    const { status, json } = await there.ask('GET /health')
    const message = '503: Service Unavailable (the database does not answer)'
    expect([status, json]).toEqual([503, { message, code: 0, retry_after: 60_000 }])
  })

  test('GET /health/live is 200 also when the database cannot be read', async () => {
    const [there] = await without('systems')
    for (const line of ['GET /health/live', 'GET /health/live/', 'HEAD /health/live'])
      expect((await there.ask(line)).status).toBe(200)
    expect((await there.ask('GET /health/live')).json).toEqual({ status: 'ok' })
    expect((await there.ask('GET /health')).status).toBe(503)
  })
})

describe('the log', () => {
  test('has one line for each request, and no token, query or body', async () => {
    const there = createTestApp({ LOG_LEVEL: 'debug' })
    const me = await there.makeSystem('Lantern Hill')
    const secret = 'words-that-are-mine'
    await there.ask('PATCH /v2/systems/@me', { as: me, body: { description: secret } })
    await there.ask('PATCH /v2/systems/@me', { as: me, body: `{"description": "${secret}` })
    await there.ask('PATCH /v2/systems/@me', {
      as: me,
      body: { description: secret, tag: [secret] },
    })
    await there.ask(`GET /v2/systems/@me?token=${secret}`, {
      headers: { authorization: `Bearer ${me.token}`, cookie: secret },
    })
    await there.ask('GET /systems/@me', { headers: { authorization: secret } })
    const log = there.logged()
    expect(log.trim().split('\n')).toHaveLength(5)
    for (const word of [secret, me.token, me.token.slice(0, 12), 'authorization', 'Bearer'])
      expect(log).not.toContain(word)
  })

  test('of a lower level is left out', async () => {
    const there = createTestApp({ LOG_LEVEL: 'warn' })
    await there.ask('GET /health')
    expect(there.logged()).toBe('')
  })
})

function lastLine({ logged }: TestApp): Record<string, unknown> {
  return JSON.parse(logged().trim().split('\n').at(-1) ?? '')
}
