import { connect } from 'node:net'
import { createHandler } from '../../../src/http/handler'
import { type Instant, MINUTE } from '../../../src/model/core/time'
import { createLog } from '../../../src/runtime/log'
import type { Deps } from '../../../src/service/core/deps'
import { insertMember } from '../../../src/service/members/members'
import { createBot } from '../../tools/operatorActions'
import { execute, insertAll } from '../../tools/rawSql'
import { afterAll, afterEach, describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { until } from '../../tools/until'

const { app, config, deps, makeSystem } = createTestApp({ TRUST_PROXY: '1', RATE_LIMIT: 'off' })
const lines: string[] = []

/** Blocks every long read at its beginning until a test resolves it. */
let gate = Promise.withResolvers<void>()
let requested = 0
let begun = 0
let disconnected = 0
const ends: ('done' | 'stopped')[] = []
const watched: Deps = {
  ...deps,
  longReads: (read, work) => {
    requested++
    return deps.longReads(read, work)
  },
  snapshot: (work) =>
    deps.snapshot(async (db) => {
      begun++
      await gate.promise
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
  shutdown: {},
})
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request, from) {
    request.signal.addEventListener('abort', () => disconnected++)
    return handle(request, () => from.requestIP(request)?.address ?? '')
  },
})
afterAll(() => server.stop(true))

afterEach(async () => {
  gate.resolve()
  await until(() => handle.inFlight() === 0)
  expect(lines.join('')).not.toMatch(/"level":"(warn|error)"|"status":5/)
  gate = Promise.withResolvers()
  requested = 0
  begun = 0
  disconnected = 0
  ends.length = 0
})

const aggregates = ['stints', 'totals', 'days', 'hours', 'pairs'].map((read) => `fronting/${read}`)
const publicReads = [...aggregates, 'fronting.ics']
const ownerReads = [...publicReads, 'export', 'export/front-history?format=csv']

const [A, B, C] = ['203.0.113.1', '203.0.113.2', '203.0.113.3']

describe('queue of long reads', () => {
  test('queues two long reads per address and four in total, and answers more with 429', async () => {
    const system = await makeHistory()
    const running = await begin(system, 'fronting/totals', { from: A })
    const waiting = [
      await wait(system, 'fronting/days', { from: A }),
      await wait(system, 'fronting/stints', { from: A }),
    ]
    for (const read of publicReads) await expectRefused(system, read, { from: A })
    waiting.push(await wait(system, 'fronting/hours', { from: B }))
    waiting.push(await wait(system, 'fronting.ics', { from: B }))
    for (const read of publicReads) await expectRefused(system, read, { from: C })
    gate.resolve()
    for (const { response } of [running, ...waiting]) expect((await response).status).toBe(200)
  })

  test('long reads of other callers do not take the owner’s slots in the queue', async () => {
    const system = await makeHistory()
    await begin(system, 'fronting/totals', { from: A })
    for (const from of [A, A, B, B]) await wait(system, 'fronting/pairs', { from })
    await expectRefused(system, 'fronting/pairs', { from: C })
    for (const read of ownerReads.slice(-4)) await wait(system, read, { as: system })
    for (const read of ownerReads) await expectRefused(system, read, { as: system })
  })

  test('long reads do not delay other requests or long reads of other systems', async () => {
    const [system, other] = [await makeHistory(), await makeHistory()]
    await begin(system, 'fronting/totals', { from: A })
    for (const from of [A, A, B, B]) await wait(system, 'fronting/totals', { from })
    expect((await send(`/v2/systems/${system.hid}`, { from: A }).response).status).toBe(200)
    await begin(other, 'fronting/totals', { from: C })
  })

  test('long reads of local programs and bots are not counted by address', async () => {
    const system = await makeHistory()
    const bot = `Bot ${await createBot(deps, 'reads')}`
    await begin(system, 'fronting/totals')
    for (let n = 0; n < 2; n++) await wait(system, 'fronting/totals')
    for (let n = 0; n < 2; n++) await wait(system, 'fronting/totals', { from: A, bot })
    await expectRefused(system, 'fronting/totals')
    await expectRefused(system, 'fronting/totals', { from: A, bot })
    // A bot that acts for the system uses the owner's slots.
    for (let n = 0; n < 4; n++) await wait(system, 'fronting/totals', { from: A, bot, for: system })
    await expectRefused(system, 'fronting/totals', { from: A, bot, for: system })
  })
})

test.each(publicReads)(
  'refuses a queued read when the history was made private meanwhile: %s',
  async (read) => {
    const system = await makeHistory()
    await begin(system, 'fronting/totals', { as: system })
    const waiting = await wait(system, read, { from: A })
    await deps.transact({ system: system.id }, (tx) =>
      execute(tx, "update systems set front_history_privacy = 'private' where id = :id", {
        id: system.id,
      }),
    )
    gate.resolve()
    expect((await waiting.response).status).toBe(403)
  },
)

describe('closed connections', () => {
  test('a client that closes its connection frees its slot in the queue at once', async () => {
    const system = await makeHistory()
    await begin(system, 'fronting/totals', { from: A })
    const [first] = [
      await wait(system, 'fronting/totals', { from: A }),
      await wait(system, 'fronting/totals', { from: A }),
    ]
    await expectRefused(system, 'fronting/totals', { from: A })
    first?.close()
    await until(() => handle.inFlight() === 2)
    await wait(system, 'fronting/totals', { from: A })
  })

  test.each(ownerReads)(
    'a queued read is dropped when its client closes the connection: %s',
    async (read) => {
      const system = await makeHistory()
      const running = await begin(system, 'fronting/totals', { from: A })
      const waiting = await wait(system, read, { as: system })
      waiting.close()
      await until(() => handle.inFlight() === 1)
      gate.resolve()
      expect((await running.response).status).toBe(200)
      expect({ begun, ends }).toEqual({ begun: 1, ends: ['done'] })
    },
  )

  test.each(ownerReads)(
    'a running read stops between pages when its client closes the connection: %s',
    async (read) => {
      const system = await makeHistory()
      const running = await begin(system, read, { as: system })
      const next = await wait(system, 'fronting/totals', { from: A })
      running.close()
      await until(() => disconnected === 1)
      gate.resolve()
      expect((await next.response).status).toBe(200)
      expect(ends).toEqual(['stopped', 'done'])
    },
  )

  test('logs a closed connection with status 499', async () => {
    const system = await makeHistory()
    await begin(system, 'fronting/totals', { from: A })
    const waiting = await wait(system, 'fronting/pairs', { from: A })
    waiting.close()
    const line = `"path":"/v2/systems/${system.hid}/fronting/pairs","status":499`
    await until(() => lines.join('').includes(line))
  })
})

interface Client {
  /** Address in X-Forwarded-For; without it the client is local. */
  from?: string | undefined
  as?: TestSystem
  bot?: string
  /** The system that the bot acts for. */
  for?: TestSystem
}

/** Sends a request on a new connection. */
function send(path: string, { from, as, bot, for: actingFor }: Client) {
  const headers = [
    'Host: x',
    ...(from ? [`X-Forwarded-For: ${from}`] : []),
    ...(as ? [`Authorization: ${as.token}`] : []),
    ...(bot ? [`Authorization: ${bot}`] : []),
    ...(actingFor ? [`X-System: ${actingFor.hid}`] : []),
  ]
  const { promise: response, resolve } = Promise.withResolvers<{ status: number; head: string }>()
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
  return { response, close: () => socket.destroy() }
}

function sendTo(system: TestSystem, read: string, client: Client = {}) {
  const ref = client.as ? '@me' : system.hid
  return send(`/v2/systems/${ref}/${read}`, client)
}

/** Sends a request whose long read begins at once. */
async function begin(system: TestSystem, read: string, client?: Client) {
  const before = begun
  const sent = sendTo(system, read, client)
  await until(() => begun === before + 1)
  return sent
}

/** Sends a request whose long read is queued. */
async function wait(system: TestSystem, read: string, client?: Client) {
  const [before, running] = [requested, begun]
  const sent = sendTo(system, read, client)
  await until(() => requested === before + 1)
  let isAnswered = false
  sent.response.then(() => {
    isAnswered = true
  })
  // A later request is answered first.
  await send('/health', {}).response
  expect([read, isAnswered, begun]).toEqual([read, false, running])
  return sent
}

async function expectRefused(system: TestSystem, read: string, client?: Client) {
  const { status, head } = await sendTo(system, read, client).response
  expect([read, status]).toEqual([read, 429])
  expect(head).toMatch(/^retry-after: 2$/im)
}

/** Creates a system with a public history that is read in pages. */
async function makeHistory(): Promise<TestSystem> {
  const system = await makeSystem()
  const now: Instant = deps.now()
  await deps.transact(
    'new',
    async (tx) => {
      const wren = await insertMember(tx, system.id, { name: 'Wren' })
      const switches = Array.from({ length: 3000 }, (_, at) => ({
        uuid: crypto.randomUUID(),
        system_id: system.id,
        timestamp: now - (at + 1) * MINUTE,
      }))
      await insertAll(tx, 'switches', switches)
      await execute(
        tx,
        `insert into switch_members (switch_id, position, member_id)
         select id, 0, :wren from switches where system_id = :system and cast(id as integer) % 2 = 0`,
        { wren: wren.id, system: system.id },
      )
    },
    'long',
  )
  return system
}
