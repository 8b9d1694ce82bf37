import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { insertAccount } from '../src/service/accounts'
import { insertGroup } from '../src/service/groups'
import { insertMember } from '../src/service/members'
import { addPair } from '../src/service/memberships'
import { insertMessage } from '../src/service/messages'
import { insertSwitch } from '../src/service/switches'
import { type Attack, attacks, fillNames, type Pools, routes, type Whose } from './hostile'
import { expectDocumented } from './openapiDocument'
import { createBot, patchAutoproxy, patchMemberGuild, patchSystemGuild } from './operatorActions'
import { createTestApp, type TestSystem } from './testApp'

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
const people: Record<Whose, TestSystem> = { mine: await makeSystem(), theirs: await makeSystem() }

describe('whatever is asked of any route', () => {
  test('there are routes to ask', () => {
    const lines = routes.map(({ method, path }) => `${method} ${path}`)
    expect(lines).toContain('PATCH /v2/systems/{systemRef}/switches/{switchRef}/members')
    expect(lines.length).toBeGreaterThan(40)
  })

  test('by systems and by nobody: no failure, and nothing of another system changes', async () => {
    let last: Stored | undefined
    const property = fc.asyncProperty(attacks, async (attack) => {
      const pools = await peopled()
      const before = stored(last)
      const token = attack.who === 'nobody' ? undefined : people[attack.who].token
      const headers = { ...attack.headers, ...(token && { authorization: token }) }
      const { status, json, path } = await send(attack, pools, headers)
      last = stored(before)
      for (const whose of ['mine', 'theirs'] as const)
        if (whose !== attack.who) expect(last[whose]).toBe(before[whose])
      await expectDocumented(attack.method, path, status, json)
    })
    await fc.assert(property, { numRuns: 1500, endOnFailure: true })
    await expectSound()
  })

  test('by a bot: no failure', async () => {
    const authorization = `Bot ${await createBot(deps, 'hostile')}`
    const property = fc.asyncProperty(attacks, async (attack) => {
      const named = attack.who === 'nobody' ? {} : { 'x-system': people[attack.who].hid }
      await send(attack, await peopled(), { ...attack.headers, ...named, authorization })
    })
    await fc.assert(property, { numRuns: 700, endOnFailure: true })
    await expectSound()
  })
})

describe('whatever comes over the line', () => {
  const { mine } = people
  const head = (line: string, ...more: string[]) =>
    [line, 'Host: x', `Authorization: ${mine.token}`, ...more, '', ''].join('\r\n')

  test.each([
    ['no HTTP at all', '\0\xff\xfe nonsense \r\n\r\n'],
    ['no host', 'GET /v2/systems/@me HTTP/1.1\r\n\r\n'],
    ['two hosts', head('GET /v2/systems/@me HTTP/1.1', 'Host: y')],
    ['another version', head('GET /v2/systems/@me HTTP/9.9')],
    ['an unknown method', head('FROBNICATE /v2/systems/@me HTTP/1.1')],
    ['a whole address', head('GET http://elsewhere/v2/systems/@me HTTP/1.1')],
    ['an address without a slash', head('GET v2/systems/@me HTTP/1.1')],
    ['broken percent-encoding', head('GET /v2/systems/%zz%00%ff HTTP/1.1')],
    ['a NUL in the address', head('GET /v2/systems/a\0b HTTP/1.1')],
    ['a NUL in a header', head('GET /v2/systems/@me HTTP/1.1', 'X-System: a\0b')],
    ['a very long address', head(`GET /v2/systems/${'x'.repeat(100_000)} HTTP/1.1`)],
    ['very many headers', head('GET /health HTTP/1.1', ...Array(5000).fill('X-A: b'))],
    ['a length that is no number', head('POST /v2/members HTTP/1.1', 'Content-Length: many')],
    ['a length below zero', head('POST /v2/members HTTP/1.1', 'Content-Length: -5')],
    ['two lengths', head('POST /v2/members HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2')],
    ['less than was promised', `${head('POST /v2/members HTTP/1.1', 'Content-Length: 99')}{}`],
    [
      'chunks without an end',
      `${head('POST /v2/members HTTP/1.1', 'Transfer-Encoding: chunked')}5\r\n{"nam`,
    ],
    [
      'chunks of no length',
      `${head('POST /v2/members HTTP/1.1', 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
    ],
    ['a request within a body', `${head('GET /health HTTP/1.1')}DELETE /v2/members/x HTTP/1.1\r\n`],
  ])('%s does no harm', async (_, bytes) => {
    // What others before it have left to be done, such as mending faces, is no harm of its own.
    await deps.transact('new', async () => {})
    await Bun.sleep(20)
    const before = stored()
    const answer = await sendRaw(bytes)
    // 505 is the runtime's own word for a version of HTTP that it does not know.
    expect(answer).not.toMatch(/^HTTP\/1\.1 5(?!05)/)
    expect(stored()).toEqual(before)
    await expectSound()
  })
})

/** Sends an attack, and gives what it answered, which must not be a failure. */
async function send(
  { method, path, body }: Attack,
  pools: Pools,
  headers: Record<string, string>,
): Promise<{ status: number; json: unknown; path: string }> {
  const url = new URL(`http://localhost${fillNames(path, pools)}`)
  const hasBody = body !== null && method !== 'GET' && method !== 'HEAD'
  const request = new Request(url.href, {
    method,
    headers,
    ...(hasBody && { body: typeof body === 'string' ? fillNames(body, pools) : body }),
  })
  const response = await app.handle(request, '127.0.0.1')
  const { status } = response
  const type = response.headers.get('content-type') ?? ''
  // A stream of events has no end that could be waited for.
  if (type.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { status, json: '', path: url.pathname }
  }
  const text = await response.text()
  if (status >= 500) throw new Error(`${method} ${url} answered ${status} ${text}`)
  const isJson = type.startsWith('application/json') && text !== ''
  return { status, json: isJson ? JSON.parse(text) : null, path: url.pathname }
}

/** Sends bytes as they are, and gives what comes back until the line is quiet or closed. */
async function sendRaw(bytes: string): Promise<string> {
  const { port } = new URL(address)
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  let answer = ''
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(port),
    socket: {
      data: (_, chunk) => {
        answer += chunk.toString('latin1')
        close()
      },
      close: () => close(),
      error: () => close(),
    },
  })
  socket.write(Buffer.from(bytes, 'latin1'))
  await Promise.race([closed, Bun.sleep(100)])
  socket.end()
  return answer
}

/** The server answers, the file is whole, and nothing was logged as a failure. */
async function expectSound(): Promise<void> {
  const health = await fetch(`${address}/health`)
  expect(await health.json()).toEqual({ status: 'ok' })
  expect(reader.query('PRAGMA foreign_key_check').all()).toEqual([])
  expect(reader.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(logged()).toBe('')
}

/** Everything that is stored of both systems, as text. */
type Stored = Record<Whose, string> & { version: number }

/** Looks again only if anything was written since the last time. */
function stored(last?: Stored): Stored {
  const [[version = 0] = []] = reader.query('PRAGMA data_version').values() as number[][]
  if (last?.version === version) return last
  const dump = ({ id }: TestSystem) =>
    JSON.stringify(rowsOfSystem.map((statement) => statement.values(id)))
  return { version, mine: dump(people.mine), theirs: dump(people.theirs) }
}

/** One statement for each table that holds rows of a system, directly or through its own. */
function statementsOfSystem() {
  const owned = new Map([['systems', 'id = ?1']])
  const tables = reader
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => name)
    // They say again what the rows say, and are put beside them when somebody reads.
    .filter((name) => !name.endsWith('_faces'))
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

/** What can be named now. Who was deleted, or has lost everything, gets anew. */
async function peopled(): Promise<Pools> {
  for (const whose of ['mine', 'theirs'] as const) {
    const isThere = namesIn('SELECT hid FROM systems WHERE id = ?', people[whose]).length > 0
    if (!isThere) people[whose] = await makeSystem()
    const { members = [], groups = [], switches = [] } = poolsOf(people[whose])
    if ([members, groups, switches].some(({ length }) => length < 2)) await furnish(people[whose])
  }
  return { mine: poolsOf(people.mine), theirs: poolsOf(people.theirs) }
}

function poolsOf(someone: TestSystem): Pools[Whose] {
  return {
    systems: [[someone.hid, someone.uuid]],
    members: namesIn('SELECT hid, uuid FROM members WHERE system_id = ? LIMIT 10', someone),
    groups: namesIn('SELECT hid, uuid FROM groups WHERE system_id = ? LIMIT 10', someone),
    switches: namesIn('SELECT uuid FROM switches WHERE system_id = ? LIMIT 10', someone),
    messages: namesIn('SELECT id FROM messages WHERE system_id = ? LIMIT 10', someone),
    accounts: namesIn('SELECT id FROM accounts WHERE system_id = ? LIMIT 10', someone),
    guilds: [[GUILD]],
  }
}

function namesIn(statement: string, { id }: TestSystem): string[][] {
  return reader.query<unknown, [number]>(statement).values(id) as string[][]
}

async function furnish({ id }: TestSystem): Promise<void> {
  const wren = await deps.transact('new', async (tx) => {
    const proxy_tags = [{ prefix: 'w:', suffix: null }]
    const wren = await insertMember(tx, id, { name: 'Wren', proxy_tags })
    const ash = await insertMember(tx, id, { name: 'Ash' })
    for (const name of ['Red', 'Blue']) {
      const group = await insertGroup(tx, id, { name })
      await addPair(tx).run({ group: group.id, member: wren.id })
    }
    for (const front of [[wren], [ash, wren]]) await insertSwitch(deps, tx, id, deps.now(), front)
    const account = String(deps.now()).padStart(17, '1')
    await insertAccount(deps, tx, id, account)
    const message = { id: String(deps.now()), original: String(deps.now()), sender: account }
    const place = { channel: '1', guild: GUILD, timestamp: deps.now() }
    await insertMessage(tx, { ...message, ...place, system_id: id, member_id: wren.id })
    return wren
  })
  await patchSystemGuild(deps, id, GUILD, { tag: '| here' }, 'make')
  await patchMemberGuild(deps, wren, GUILD, { display_name: 'W' }, 'make')
  const autoproxy = { autoproxy_mode: 'member', autoproxy_member: wren.uuid } as const
  await patchAutoproxy(deps, id, GUILD, autoproxy)
}
