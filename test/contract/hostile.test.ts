import { Database } from 'bun:sqlite'
import fc from 'fast-check'
import { insertGroup } from '../../src/service/groups/groups'
import { insertMember } from '../../src/service/members/members'
import { insertAccount } from '../../src/store/access/accountRows'
import { insertSwitch } from '../../src/store/front/switchChanges'
import { insertMembership } from '../../src/store/groups/membershipRows'
import { insertMessage } from '../../src/store/proxy/messageRows'
import { expectDocumented } from '../tools/openapiDocument'
import {
  createBot,
  patchAutoproxy,
  patchMemberGuild,
  patchSystemGuild,
} from '../tools/operatorActions'
import { rounds } from '../tools/rounds'
import { afterAll, describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'
import { type Attack, attacks, fillPlaceholders, type Owner, type Pools, routes } from './hostile'

const GUILD = '466707357099884544'

const { app, deps, makeSystem, logged } = createTestApp({
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'error',
  PORT: '0',
})
const address = app.listen()
const reader = new Database(app.storage.location, { readonly: true })
afterAll(() => reader.close())

const rowsOfSystem = statementsOfSystem()
const systems: Record<Owner, TestSystem> = { mine: await makeSystem(), theirs: await makeSystem() }

describe('hostile requests', () => {
  test('the attacks cover the routes of the API document', () => {
    const lines = routes.map(({ method, path }) => `${method} ${path}`)
    expect(lines).toContain('PATCH /v2/systems/{systemRef}/switches/{switchRef}/members')
    expect(lines.length).toBeGreaterThan(40)
  })

  test('hostile requests of systems and anonymous callers cause no error and change no other system', async () => {
    let last: Stored | undefined
    const property = fc.asyncProperty(attacks, async (attack) => {
      const pools = await ensureRows()
      const before = stored(last)
      const token = attack.who === 'nobody' ? undefined : systems[attack.who].token
      const headers = { ...attack.headers, ...(token && { authorization: token }) }
      const { status, json, path } = await send(attack, pools, headers)
      last = stored(before)
      for (const owner of ['mine', 'theirs'] as const)
        if (owner !== attack.who) expect(last[owner]).toBe(before[owner])
      await expectDocumented(attack.method, path, status, json)
    })
    await fc.assert(property, { numRuns: rounds(200), endOnFailure: true })
    await expectHealthy()
  })

  test('hostile requests of a bot cause no error', async () => {
    const authorization = `Bot ${await createBot(deps, 'hostile')}`
    const property = fc.asyncProperty(attacks, async (attack) => {
      const actingFor = attack.who === 'nobody' ? {} : { 'x-system': systems[attack.who].hid }
      await send(attack, await ensureRows(), { ...attack.headers, ...actingFor, authorization })
    })
    await fc.assert(property, { numRuns: rounds(100), endOnFailure: true })
    await expectHealthy()
  })
})

describe('malformed HTTP', () => {
  const { mine } = systems
  const head = (line: string, ...more: string[]) =>
    [line, 'Host: x', `Authorization: ${mine.token}`, ...more, '', ''].join('\r\n')

  test.each([
    ['no HTTP', '\0\xff\xfe nonsense \r\n\r\n'],
    ['no host', 'GET /v2/systems/@me HTTP/1.1\r\n\r\n'],
    ['two hosts', head('GET /v2/systems/@me HTTP/1.1', 'Host: y')],
    ['another version', head('GET /v2/systems/@me HTTP/9.9')],
    ['an unknown method', head('FROBNICATE /v2/systems/@me HTTP/1.1')],
    ['an absolute URL', head('GET http://elsewhere/v2/systems/@me HTTP/1.1')],
    ['a path without a slash', head('GET v2/systems/@me HTTP/1.1')],
    ['broken percent-encoding', head('GET /v2/systems/%zz%00%ff HTTP/1.1')],
    ['a NUL in the path', head('GET /v2/systems/a\0b HTTP/1.1')],
    ['a NUL in a header', head('GET /v2/systems/@me HTTP/1.1', 'X-System: a\0b')],
    ['a very long path', head(`GET /v2/systems/${'x'.repeat(100_000)} HTTP/1.1`)],
    ['very many headers', head('GET /health HTTP/1.1', ...Array(5000).fill('X-A: b'))],
    ['a length that is not a number', head('POST /v2/members HTTP/1.1', 'Content-Length: many')],
    ['a negative length', head('POST /v2/members HTTP/1.1', 'Content-Length: -5')],
    ['two lengths', head('POST /v2/members HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2')],
    [
      'a body shorter than its length',
      `${head('POST /v2/members HTTP/1.1', 'Content-Length: 99')}{}`,
    ],
    [
      'chunks without an end',
      `${head('POST /v2/members HTTP/1.1', 'Transfer-Encoding: chunked')}5\r\n{"nam`,
    ],
    [
      'chunks without a valid length',
      `${head('POST /v2/members HTTP/1.1', 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
    ],
    ['a request within a body', `${head('GET /health HTTP/1.1')}DELETE /v2/members/x HTTP/1.1\r\n`],
  ])('a request with %s causes no error and changes nothing', async (_, bytes) => {
    const before = stored()
    const response = await sendRaw(bytes)
    // Bun itself answers an unknown version of HTTP with 505.
    expect(response).not.toMatch(/^HTTP\/1\.1 5(?!05)/)
    // Not the version: earlier requests refresh cached JSON in the background.
    const { mine, theirs } = stored()
    expect({ mine, theirs }).toEqual({ mine: before.mine, theirs: before.theirs })
    await expectHealthy()
  })
})

/** Sends an attack and returns the response, which must not be a server error. */
async function send(
  { method, path, body }: Attack,
  pools: Pools,
  headers: Record<string, string>,
): Promise<{ status: number; json: unknown; path: string }> {
  const url = new URL(`http://localhost${fillPlaceholders(path, pools)}`)
  const hasBody = body !== null && method !== 'GET' && method !== 'HEAD'
  const request = new Request(url.href, {
    method,
    headers,
    ...(hasBody && { body: typeof body === 'string' ? fillPlaceholders(body, pools) : body }),
  })
  const response = await app.handle(request, '127.0.0.1')
  const { status } = response
  const type = response.headers.get('content-type') ?? ''
  // An event stream does not end.
  if (type.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { status, json: '', path: url.pathname }
  }
  const text = await response.text()
  if (status >= 500) throw new Error(`${method} ${url} answered ${status} ${text}`)
  const isJson = type.startsWith('application/json') && text !== ''
  return { status, json: isJson ? JSON.parse(text) : null, path: url.pathname }
}

/** Sends raw bytes and returns what arrives until the first data, the close or the answer to a later request. */
async function sendRaw(bytes: string): Promise<string> {
  const { port } = new URL(address)
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  let response = ''
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(port),
    socket: {
      data: (_, chunk) => {
        response += chunk.toString('latin1')
        close()
      },
      close: () => close(),
      error: () => close(),
    },
  })
  socket.write(Buffer.from(bytes, 'latin1'))
  // Some get no answer: the server waits for the rest of them, and answers later requests.
  await Promise.race([closed, expectHealthy()])
  socket.end()
  return response
}

/** Expects that the server is healthy, the database file is intact and no error was logged. */
async function expectHealthy(): Promise<void> {
  const health = await fetch(`${address}/health`)
  expect(await health.json()).toEqual({ status: 'ok' })
  expect(reader.query('PRAGMA foreign_key_check').all()).toEqual([])
  expect(reader.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(logged()).toBe('')
}

/** All rows of both systems, as text. */
type Stored = Record<Owner, string> & { version: number }

/** Reads the rows again only if the database has changed since the last call. */
function stored(last?: Stored): Stored {
  const [[version = 0] = []] = reader.query('PRAGMA data_version').values() as number[][]
  if (last?.version === version) return last
  const dump = ({ id }: TestSystem) =>
    JSON.stringify(rowsOfSystem.map((statement) => statement.values(id)))
  return { version, mine: dump(systems.mine), theirs: dump(systems.theirs) }
}

/** Prepares a statement for each table that refers to a system, directly or indirectly. */
function statementsOfSystem() {
  const owned = new Map([['systems', 'id = ?1']])
  const tables = reader
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => name)
    // The cached JSON follows from the rows and is written by reads.
    .filter((name) => !name.startsWith('rendered_'))
  // Twice, because a table may come before the one it refers to.
  for (const name of [...tables, ...tables])
    for (const { table, from } of reader
      .query<{ table: string; from: string }, [string]>(
        'SELECT "table", "from" FROM pragma_foreign_key_list(?)',
      )
      .all(name)) {
      const condition = owned.get(table)
      if (condition && !owned.has(name))
        owned.set(name, `${from} IN (SELECT id FROM ${table} WHERE ${condition})`)
    }
  return [...owned].map(([name, condition]) =>
    reader.query(`SELECT * FROM ${name} WHERE ${condition}`),
  )
}

/** Returns the existing references. Creates a deleted system or deleted rows again. */
async function ensureRows(): Promise<Pools> {
  for (const owner of ['mine', 'theirs'] as const) {
    const exists = queryIds('SELECT hid FROM systems WHERE id = ?', systems[owner]).length > 0
    if (!exists) systems[owner] = await makeSystem()
    const { members = [], groups = [], switches = [] } = listReferences(systems[owner])
    if ([members, groups, switches].some(({ length }) => length < 2))
      await createRows(systems[owner])
  }
  return { mine: listReferences(systems.mine), theirs: listReferences(systems.theirs) }
}

function listReferences(system: TestSystem): Pools[Owner] {
  return {
    systems: [[system.hid, system.uuid]],
    members: queryIds('SELECT hid, uuid FROM members WHERE system_id = ? LIMIT 10', system),
    groups: queryIds('SELECT hid, uuid FROM groups WHERE system_id = ? LIMIT 10', system),
    switches: queryIds('SELECT uuid FROM switches WHERE system_id = ? LIMIT 10', system),
    messages: queryIds('SELECT id FROM messages WHERE system_id = ? LIMIT 10', system),
    accounts: queryIds('SELECT id FROM accounts WHERE system_id = ? LIMIT 10', system),
    guilds: [[GUILD]],
  }
}

function queryIds(statement: string, { id }: TestSystem): string[][] {
  return reader.query<unknown, [number]>(statement).values(id) as string[][]
}

async function createRows({ id }: TestSystem): Promise<void> {
  const wren = await deps.transact('new', async (tx) => {
    const proxy_tags = [{ prefix: 'w:', suffix: null }]
    const wren = await insertMember(tx, id, { name: 'Wren', proxy_tags })
    const ash = await insertMember(tx, id, { name: 'Ash' })
    for (const name of ['Red', 'Blue']) {
      const group = await insertGroup(tx, id, { name })
      await insertMembership(tx, group.id, wren.id)
    }
    for (const front of [[wren], [ash, wren]]) await insertSwitch(deps, tx, id, deps.now(), front)
    const account = String(deps.now()).padStart(17, '1')
    await insertAccount(deps, tx, id, account)
    const message = { id: String(deps.now()), original: String(deps.now()), sender: account }
    const context = { channel: '1', guild: GUILD, timestamp: deps.now() }
    await insertMessage(tx, { ...message, ...context, system_id: id, member_id: wren.id })
    return wren
  })
  await patchSystemGuild(deps, id, GUILD, { tag: '| here' }, 'create')
  await patchMemberGuild(deps, wren, GUILD, { display_name: 'W' }, 'create')
  const autoproxy = { autoproxy_mode: 'member', autoproxy_member: wren.uuid } as const
  await patchAutoproxy(deps, id, GUILD, autoproxy)
}
