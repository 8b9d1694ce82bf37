import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { createHandler } from '../../src/http/handler'
import { createLog } from '../../src/log'
import { type Instant, MINUTE } from '../../src/model/time'
import type { Deps } from '../../src/service/deps'
import { insertMember } from '../../src/service/members'
import { until } from '../events/receiver'
import { createBot } from '../operatorActions'
import { change, insertAll } from '../rawSql'
import { createTestApp, type TestSystem } from '../testApp'

const { app, config, deps, makeSystem } = createTestApp({ TRUST_PROXY: '1', RATE_LIMIT: 'off' })
const lines: string[] = []

/** Long reads of the server: each is held at its beginning until the test lets it go on. */
let held = Promise.withResolvers<void>()
let asked = 0
let begun = 0
let left = 0
const ends: ('done' | 'stopped')[] = []
const watched: Deps = {
  ...deps,
  longReads: (read, work) => {
    asked++
    return deps.longReads(read, work)
  },
  snapshot: (work) =>
    deps.snapshot(async (db) => {
      begun++
      await held.promise
      const result = work(db)
      await result.then(
        () => ends.push('done'),
        () => ends.push('stopped'),
      )
      return result
    }),
}
const handle = createHandler({
  deps: watched,
  events: app.events,
  config,
  log: createLog('info', 'json', (text) => lines.push(text)),
  checkHealth: app.storage.checkHealth,
  toUnavailable: app.storage.toUnavailable,
  closing: () => undefined,
})
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request, from) {
    request.signal.addEventListener('abort', () => left++)
    return handle(request, () => from.requestIP(request)?.address ?? '')
  },
})
afterAll(() => server.stop(true))

afterEach(async () => {
  held.resolve()
  await until(() => handle.inFlight() === 0)
  expect(lines.join('')).not.toMatch(/"level":"(warn|error)"|"status":5/)
  held = Promise.withResolvers()
  asked = 0
  begun = 0
  left = 0
  ends.length = 0
})

const forAll = ['stints', 'totals', 'days', 'hours', 'pairs'].map((what) => `fronting/${what}`)
const forOthers = [...forAll, 'fronting.ics']
const forOwner = [...forOthers, 'export', 'export/front-history?format=csv']

const [A, B, C] = ['203.0.113.1', '203.0.113.2', '203.0.113.3']

describe('long reads of other callers', () => {
  test('wait, two of one address and four of all; further ones get 429 at once', async () => {
    const of = await makeHistory()
    const running = await begin(of, 'fronting/totals', { from: A })
    const waiting = [
      await wait(of, 'fronting/days', { from: A }),
      await wait(of, 'fronting/stints', { from: A }),
    ]
    for (const what of forOthers) await expectRefused(of, what, { from: A })
    waiting.push(await wait(of, 'fronting/hours', { from: B }))
    waiting.push(await wait(of, 'fronting.ics', { from: B }))
    for (const what of forOthers) await expectRefused(of, what, { from: C })
    held.resolve()
    for (const { answer } of [running, ...waiting]) expect((await answer).status).toBe(200)
  })

  test('leave the places of the owner free', async () => {
    const of = await makeHistory()
    await begin(of, 'fronting/totals', { from: A })
    for (const from of [A, A, B, B]) await wait(of, 'fronting/pairs', { from })
    await expectRefused(of, 'fronting/pairs', { from: C })
    for (const what of forOwner.slice(-4)) await wait(of, what, { as: of })
    for (const what of forOwner) await expectRefused(of, what, { as: of })
  })

  test('do not delay other requests, nor long reads of other systems', async () => {
    const [of, other] = [await makeHistory(), await makeHistory()]
    await begin(of, 'fronting/totals', { from: A })
    for (const from of [A, A, B, B]) await wait(of, 'fronting/totals', { from })
    expect((await send(`/v2/systems/${of.hid}`, { from: A }).answer).status).toBe(200)
    await begin(other, 'fronting/totals', { from: C })
  })

  test('are not counted by address for programs on this machine and for bots', async () => {
    const of = await makeHistory()
    const bot = `Bot ${await createBot(deps, 'reads')}`
    await begin(of, 'fronting/totals')
    for (let n = 0; n < 2; n++) await wait(of, 'fronting/totals')
    for (let n = 0; n < 2; n++) await wait(of, 'fronting/totals', { from: A, bot })
    await expectRefused(of, 'fronting/totals')
    await expectRefused(of, 'fronting/totals', { from: A, bot })
    // A bot that acts for the system has the places of the owner.
    for (let n = 0; n < 4; n++) await wait(of, 'fronting/totals', { from: A, bot, for: of })
    await expectRefused(of, 'fronting/totals', { from: A, bot, for: of })
  })
})

test.each(forOthers)(
  'hides a history that was made private while a read waited: %s',
  async (what) => {
    const of = await makeHistory()
    await begin(of, 'fronting/totals', { as: of })
    const waiting = await wait(of, what, { from: A })
    await deps.transact({ system: of.id }, (tx) =>
      change(tx, "update systems set front_history_privacy = 'private' where id = :id", {
        id: of.id,
      }),
    )
    held.resolve()
    expect((await waiting.answer).status).toBe(403)
  },
)

describe('a client that closes its connection', () => {
  test('gives its place to the next one at once', async () => {
    const of = await makeHistory()
    await begin(of, 'fronting/totals', { from: A })
    const [first] = [
      await wait(of, 'fronting/totals', { from: A }),
      await wait(of, 'fronting/totals', { from: A }),
    ]
    await expectRefused(of, 'fronting/totals', { from: A })
    first?.close()
    await until(() => handle.inFlight() === 2)
    await wait(of, 'fronting/totals', { from: A })
  })

  test.each(forOwner)('is not read for after it has left the queue: %s', async (what) => {
    const of = await makeHistory()
    const running = await begin(of, 'fronting/totals', { from: A })
    const waiting = await wait(of, what, { as: of })
    waiting.close()
    await until(() => handle.inFlight() === 1)
    held.resolve()
    expect((await running.answer).status).toBe(200)
    expect({ begun, ends }).toEqual({ begun: 1, ends: ['done'] })
  })

  test.each(forOwner)('stops its read between two pages: %s', async (what) => {
    const of = await makeHistory()
    const running = await begin(of, what, { as: of })
    const next = await wait(of, 'fronting/totals', { from: A })
    running.close()
    await until(() => left === 1)
    held.resolve()
    expect((await next.answer).status).toBe(200)
    expect(ends).toEqual(['stopped', 'done'])
  })

  test('is in the log with status 499', async () => {
    const of = await makeHistory()
    await begin(of, 'fronting/totals', { from: A })
    const waiting = await wait(of, 'fronting/pairs', { from: A })
    waiting.close()
    const line = `"path":"/v2/systems/${of.hid}/fronting/pairs","status":499`
    await until(() => lines.join('').includes(line))
  })
})

interface Client {
  /** Address that the proxy names; a program on this machine otherwise. */
  from?: string | undefined
  as?: TestSystem
  bot?: string
  /** The system that the bot acts for. */
  for?: TestSystem
}

/** Sends a request by a connection of its own. */
function send(path: string, { from, as, bot, for: actingFor }: Client) {
  const headers = [
    'Host: x',
    ...(from ? [`X-Forwarded-For: ${from}`] : []),
    ...(as ? [`Authorization: ${as.token}`] : []),
    ...(bot ? [`Authorization: ${bot}`] : []),
    ...(actingFor ? [`X-System: ${actingFor.hid}`] : []),
  ]
  const { promise: answer, resolve } = Promise.withResolvers<{ status: number; head: string }>()
  const socket = connect(server.port ?? 0, '127.0.0.1', () => {
    socket.write(`GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  })
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    const end = text.indexOf('\r\n\r\n')
    if (end === -1) return
    resolve({ status: Number(text.split(' ')[1]), head: text.slice(0, end) })
    socket.destroy()
  })
  return { answer, close: () => socket.destroy() }
}

function sendTo(of: TestSystem, what: string, client: Client = {}) {
  const whose = client.as ? '@me' : of.hid
  return send(`/v2/systems/${whose}/${what}`, client)
}

/** Sends a request whose long read begins at once. */
async function begin(of: TestSystem, what: string, client?: Client) {
  const before = begun
  const sent = sendTo(of, what, client)
  await until(() => begun === before + 1)
  return sent
}

/** Sends a request whose long read has to wait. */
async function wait(of: TestSystem, what: string, client?: Client) {
  const [before, running] = [asked, begun]
  const sent = sendTo(of, what, client)
  await until(() => asked === before + 1)
  const first = await Promise.race([sent.answer, Bun.sleep(5).then(() => 'waits' as const)])
  expect([what, first, begun]).toEqual([what, 'waits', running])
  return sent
}

async function expectRefused(of: TestSystem, what: string, client?: Client) {
  const { status, head } = await sendTo(of, what, client).answer
  expect([what, status]).toEqual([what, 429])
  expect(head).toMatch(/^retry-after: 2$/im)
}

/** A system with a public history that is read in pages. */
async function makeHistory(): Promise<TestSystem> {
  const of = await makeSystem()
  const now: Instant = deps.now()
  await deps.transact(
    'new',
    async (tx) => {
      const wren = await insertMember(tx, of.id, { name: 'Wren' })
      const switches = Array.from({ length: 3000 }, (_, at) => ({
        uuid: crypto.randomUUID(),
        system_id: of.id,
        timestamp: now - (at + 1) * MINUTE,
      }))
      await insertAll(tx, 'switches', switches)
      await change(
        tx,
        `insert into switch_members (switch_id, position, member_id)
         select id, 0, :wren from switches where system_id = :system and cast(id as integer) % 2 = 0`,
        { wren: wren.id, system: of.id },
      )
    },
    'long',
  )
  return of
}
