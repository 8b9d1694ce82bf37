import { type App, createApp } from '../../src/app'
import { parseConfig } from '../../src/config'
import { openStorage } from '../../src/db/open'
import { createLog } from '../../src/log'
import { readStream } from '../events/readStream'
import { receivers, TOKEN, until } from '../events/receiver'
import { makeEngine, onServer } from '../postgres/engine'
import type { Server } from '../serverProcess'
import { expect, withTimeout } from '../test'
import { ask, must, type NodeResponse, nodesOn } from './nodes'

const { afterAll, test } = withTimeout(240_000)

const engine = await makeEngine()
await engine.start()
await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database multitude'))
const nodes = await nodesOn(engine.addressOf('multitude'))
const [first, other] = await Promise.all([nodes.start(), nodes.start()])
const { token } = await nodes.makeSystem('Lantern Hill')

afterAll(async () => {
  for (const node of [...nodes.alive]) await nodes.kill(node)
  await engine.kill().catch(() => {})
  engine.remove()
})

const receive = receivers()

/** Less than the timeout of the client, also on a busy machine. */
const MAX_ANSWER_MS = 8000

/** Expects a 503 with Retry-After, soon. */
function expectUnavailable(response: NodeResponse | null): void {
  expect(response?.status).toBe(503)
  expect(Number(response?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(response?.ms).toBeLessThan(MAX_ANSWER_MS)
}

async function askAll(node: Server): Promise<(NodeResponse | null)[]> {
  return Promise.all([
    ask(node, 'GET /v2/systems/@me', token),
    ask(node, 'GET /v2/systems/@me/members', token),
    ask(node, 'PATCH /v2/systems/@me', token, { description: String(Math.random()) }),
    ask(node, 'POST /v2/members', token, { name: 'Fern' }),
  ])
}

async function expectRecovery(node: Server): Promise<void> {
  await until(async () => (await ask(node, 'GET /health', ''))?.status === 200)
  for (const response of await askAll(node)) expect(response?.status).toBe(200)
}

test('nodes answer 503 within 3 s when the primary is killed, and recover when it starts', async () => {
  const stream = await readStream(`${first.address}/v2/systems/@me/events`, { token })
  await must(first, 'GET /v2/systems/@me', token)
  await engine.kill()
  for (let round = 0; round < 3; round++)
    for (const node of [first, other]) {
      for (const response of await askAll(node)) expectUnavailable(response)
      expectUnavailable(await ask(node, 'GET /health', ''))
      expect((await ask(node, 'GET /health/live', ''))?.status).toBe(200)
    }
  // Longer than a stream stays open after its token was revoked.
  await Bun.sleep(6_000)
  expect(stream.isOpen).toBe(true)
  await engine.start()
  await expectRecovery(first)
  await expectRecovery(other)
  // The open stream continues without a gap.
  await must(other, 'POST /v2/members', token, { name: 'Reed' })
  await until(() => stream.messages.some(({ event }) => event === 'CREATE_MEMBER'))
  await stream.leave()
})

test('nodes answer 503 within 5 s when PostgreSQL hangs, and recover when it resumes', async () => {
  engine.freeze()
  try {
    for (const response of await askAll(first)) expectUnavailable(response)
    // From then on requests are refused without waiting.
    for (const response of await askAll(first)) expectUnavailable(response)
    expectUnavailable(await ask(first, 'GET /health', ''))
  } finally {
    engine.thaw()
  }
  await expectRecovery(first)
  await expectRecovery(other)
})

test('opening a database fails when PostgreSQL hangs during the creation of tables', async () => {
  await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database fresh'))
  await onServer(engine.addressOf('fresh'), async (sql) => {
    // Like another node that takes long to create them.
    await sql.unsafe('select pg_advisory_lock(1297435732)')
    const { ready, close } = openStorage(engine.addressOf('fresh'))
    const result = ready.then(
      () => 'opened',
      (cause: Error) => cause.message,
    )
    await Bun.sleep(2500)
    engine.freeze()
    try {
      expect(await Promise.race([result, Bun.sleep(15_000)])).toMatch(
        /^The database .* cannot be used: nothing answers at /,
      )
    } finally {
      engine.thaw()
    }
    await close()
  })
  await expectRecovery(first)
  await expectRecovery(other)
})

test('a write that waits for a missing standby gets 503 with an unknown outcome', async () => {
  const set = (names: string) =>
    onServer(engine.addressOf('postgres'), async (sql) => {
      await sql.unsafe(`alter system set synchronous_standby_names = '${names}'`)
      await sql.unsafe('select pg_reload_conf()')
      await Bun.sleep(200)
    })
  await set('nobody')
  try {
    const response = await ask(first, 'POST /v2/members', token, { name: 'Sedge' })
    expectUnavailable(response)
    expect(response?.json.message).toContain('outcome of the change is unknown')
    // Reads are not affected.
    await must(first, 'GET /v2/systems/@me/members', token)
  } finally {
    await set('')
  }
  await expectRecovery(first)
})

test('another node sends webhooks while the sender is suspended, and events arrive at most twice', async () => {
  const receiver = receive()
  await must(first, 'PUT /v2/systems/@me/webhook', token, { url: receiver.url, token: TOKEN })
  await must(first, 'POST /v2/systems/@me/webhook/verify', token)
  await must(first, 'POST /v2/members', token, { name: 'Rush' })
  await until(() => receiver.events.length === 1)
  const sender = await senderOf()
  const running = sender === first ? other : first
  sender.kill('SIGSTOP')
  try {
    await must(running, 'POST /v2/members', token, { name: 'Moss' })
    await until(() => receiver.events.length >= 2)
    expect(await senderOf()).toBe(running)
  } finally {
    sender.kill('SIGCONT')
  }
  await must(sender, 'POST /v2/members', token, { name: 'Heath' })
  await until(() => receiver.events.length >= 3)
  await Bun.sleep(1000)
  const ids = receiver.events.map(({ headers }) => headers.get('x-event-id'))
  expect(new Set(ids).size).toBe(3)
  expect(ids.length).toBeLessThanOrEqual(4)
})

test('another node sends webhooks soon after the sender was stopped', async () => {
  const receiver = receive()
  await must(first, 'PUT /v2/systems/@me/webhook', token, { url: receiver.url, token: TOKEN })
  await must(first, 'POST /v2/systems/@me/webhook/verify', token)
  const third = await nodes.start()
  // Stops the node that sends webhooks.
  for (const node of [first, other]) {
    if ((await senderOf()) !== node) continue
    node.kill('SIGTERM')
    await node.end()
    nodes.alive.splice(nodes.alive.indexOf(node), 1)
    break
  }
  const stoppedAt = performance.now()
  await must(third, 'POST /v2/members', token, { name: 'Teasel' })
  await until(() => receiver.events.length >= 1)
  expect(performance.now() - stoppedAt).toBeLessThan(8000)
})

test('a node whose clock is behind logs a switch after the previous one', async () => {
  const apps: App[] = []
  const start = (behindMs: number) => {
    const config = parseConfig({ DATABASE_URL: engine.addressOf('multitude'), RATE_LIMIT: 'off' })
    let last = 0
    const now = () => {
      last = Math.max(last + 1, (Date.now() - behindMs) * 1000)
      return last
    }
    const app = createApp(config, { log: createLog('error', 'json'), now })
    apps.push(app)
    return app
  }
  const [onTime, behind] = [start(0), start(3000)]
  const logSwitch = async (app: App, members: string[]) => {
    const response = await app.handle(
      new Request('http://localhost/v2/systems/@me/switches', {
        method: 'POST',
        headers: { authorization: token },
        body: JSON.stringify({ members }),
      }),
      () => '127.0.0.1',
    )
    expect(response.status).toBe(200)
    const { timestamp } = (await response.json()) as { timestamp: string }
    return Date.parse(timestamp)
  }
  const [node] = nodes.alive as [Server]
  const { json } = await must(node, 'POST /v2/members', token, { name: 'Alder' })
  const before = await logSwitch(onTime, [String(json.id)])
  const after = await logSwitch(behind, [])
  expect(after).toBeGreaterThanOrEqual(before)
  const { json: front } = await must(node, 'GET /v2/systems/@me/fronters', token)
  expect(front.members).toEqual([])
  for (const app of apps) await app.stop()
})

test('200 concurrent requests succeed with a pool of 2 connections', async () => {
  const config = parseConfig({
    DATABASE_URL: engine.addressOf('multitude'),
    DATABASE_POOL: '2',
    RATE_LIMIT: 'off',
  })
  const app = createApp(config, { log: createLog('error', 'json') })
  const responses = await Promise.all(
    Array.from({ length: 200 }, (_, at) =>
      app.handle(
        new Request(`http://localhost/v2/${at % 2 === 0 ? 'members' : 'systems/@me'}`, {
          method: at % 2 === 0 ? 'POST' : 'GET',
          headers: { authorization: token },
          ...(at % 2 === 0 && { body: JSON.stringify({ name: `Crowd ${at}` }) }),
        }),
        () => '127.0.0.1',
      ),
    ),
  )
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => 200))
  await app.stop()
})

/** Node that sends webhooks, because it holds the lease. */
async function senderOf(): Promise<Server> {
  const [row] = await onServer(engine.addressOf('multitude'), (sql) =>
    sql.unsafe(`select holder from leases where name = 'dispatch'`),
  )
  const found = nodes.alive.find((node) => String(row?.holder).includes(`:${node.pid}:`))
  expect(found).toBeDefined()
  return found as Server
}
