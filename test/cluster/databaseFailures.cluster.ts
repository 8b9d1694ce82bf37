import { type App, createApp } from '../../src/app/app'
import { openStorage } from '../../src/db/open'
import { parseConfig } from '../../src/runtime/config/config'
import { createLog } from '../../src/runtime/log'
import { readStream } from '../events/readStream'
import { receivers, TOKEN } from '../events/receiver'
import { makeEngine, onServer } from '../postgres/engine'
import type { Server } from '../tools/serverProcess'
import { expect, withTimeout } from '../tools/test'
import { createTestClock } from '../tools/testClock'
import { until } from '../tools/until'
import { ask, must, type NodeResponse, nodesOn } from './nodes'

const { afterAll, test } = withTimeout(240_000)

const engine = await makeEngine()
await engine.start()
await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database multitude'))
const nodes = await nodesOn(engine.addressOf('multitude'))
const [first, other] = await Promise.all([nodes.start(), nodes.start(), nodes.start()])
const { token } = await nodes.makeSystem('Lantern Hill')

afterAll(async () => {
  for (const node of [...nodes.alive]) await nodes.kill(node)
  await engine.kill().catch(() => {})
  engine.remove()
})

const receive = receivers()

/** Expects a 503 with Retry-After. */
function expectUnavailable(response: NodeResponse | null): void {
  expect(response?.status).toBe(503)
  expect(Number(response?.headers.get('retry-after'))).toBeGreaterThan(0)
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

test('nodes answer 503 when the primary is killed, and recover when it starts', async () => {
  const checked = await openCheckedStream()
  const stream = await readStream(`${first.address}/v2/systems/@me/events`, { token })
  await must(first, 'GET /v2/systems/@me', token)
  await engine.kill()
  for (let round = 0; round < 3; round++)
    for (const node of [first, other]) {
      for (const response of await askAll(node)) expectUnavailable(response)
      expectUnavailable(await ask(node, 'GET /health', ''))
      expect((await ask(node, 'GET /health/live', ''))?.status).toBe(200)
    }
  // The token is checked after each heartbeat.
  const heartbeats = checked.stream.heartbeats
  await until(() => checked.stream.heartbeats > heartbeats + 2)
  expect([stream.isOpen, checked.stream.isOpen]).toEqual([true, true])
  await engine.start()
  await expectRecovery(first)
  await expectRecovery(other)
  // The open stream continues without a gap.
  await must(other, 'POST /v2/members', token, { name: 'Reed' })
  for (const open of [stream, checked.stream])
    await until(() => open.messages.some(({ event }) => event === 'CREATE_MEMBER'))
  await stream.leave()
  await checked.leave()
})

/** Opens a stream at an app in this process, which checks the token very often. */
async function openCheckedStream() {
  const config = parseConfig({
    DATABASE_URL: engine.addressOf('multitude'),
    HOST: '127.0.0.1',
    PORT: '0',
  })
  const log = createLog('error', 'json')
  const app = createApp(config, { log, events: { heartbeatMs: 10, checkMs: 10, tasks: [] } })
  await app.started
  const stream = await readStream(`${app.listen()}/v2/systems/@me/events`, { token })
  return {
    stream,
    async leave() {
      await stream.leave()
      await app.stop()
    },
  }
}

test('nodes answer 503 while PostgreSQL hangs, and recover when it resumes', async () => {
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

/** Interval in which a connection is checked that works for long. */
const CHECK_MS = 1_000

test('opening a database fails when PostgreSQL hangs during the creation of tables', async () => {
  await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database fresh'))
  await onServer(engine.addressOf('fresh'), async (sql) => {
    // Like another node that takes long to create them.
    await sql.unsafe('select pg_advisory_lock(1297435732)')
    const clock = createTestClock()
    const { ready, close } = openStorage(engine.addressOf('fresh'), { clock })
    let result = ''
    void ready.then(
      () => {
        result = 'opened'
      },
      (cause: Error) => {
        result = cause.message
      },
    )
    const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`
    await until(async () => (await sql.unsafe(waiting)).length > 0)
    // The server answers a check of the connection, and the next one is due.
    await clock.advance(CHECK_MS)
    await clock.untilTimer(CHECK_MS)
    engine.freeze()
    try {
      await until(async () => {
        await clock.advance(CHECK_MS)
        return result !== ''
      })
      expect(result).toMatch(/^The database .* cannot be used: nothing answers at /)
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
    })
  await set('nobody')
  const waiting = await startWaitingCommit()
  try {
    const response = await ask(first, 'POST /v2/members', token, { name: 'Sedge' })
    expectUnavailable(response)
    expect(response?.json.message).toContain('outcome of the change is unknown')
    // Reads are not affected.
    await must(first, 'GET /v2/systems/@me/members', token)
  } finally {
    await set('')
  }
  await waiting.done
  await expectRecovery(first)
})

/** Starts commits until the server has applied the setting, so that one of them waits. */
async function startWaitingCommit(): Promise<{ done: Promise<unknown> }> {
  const commits: Promise<unknown>[] = []
  await onServer(engine.addressOf('postgres'), (sql) =>
    until(async () => {
      const text = `create table commit_${commits.length} ()`
      commits.push(onServer(engine.addressOf('postgres'), (other) => other.unsafe(text)))
      const isWaiting = `select 1 from pg_stat_activity where wait_event = 'SyncRep'`
      return (await sql.unsafe(isWaiting)).length > 0
    }),
  )
  return { done: Promise.all(commits) }
}

test('another node sends webhooks while the sender is suspended, and events arrive at most twice', async () => {
  const receiver = receive()
  await must(first, 'PUT /v2/systems/@me/webhook', token, { url: receiver.url, token: TOKEN })
  await must(first, 'POST /v2/systems/@me/webhook/verify', token)
  await must(first, 'POST /v2/members', token, { name: 'Rush' })
  await until(() => receiver.events.length === 1)
  const sender = await senderOf()
  const [running] = nodes.alive.filter((node) => node !== sender) as [Server]
  sender.kill('SIGSTOP')
  try {
    await must(running, 'POST /v2/members', token, { name: 'Moss' })
    await until(() => receiver.events.length >= 2)
    expect(await senderOf()).not.toBe(sender)
  } finally {
    sender.kill('SIGCONT')
  }
  await must(sender, 'POST /v2/members', token, { name: 'Heath' })
  const ids = () => receiver.events.map(({ headers }) => headers.get('x-event-id'))
  await until(() => new Set(ids()).size >= 3)
  // A node that has stopped sends nothing more.
  await stop(sender)
  expect(new Set(ids()).size).toBe(3)
  expect(ids().length).toBeLessThanOrEqual(4)
})

async function stop(node: Server): Promise<void> {
  node.kill('SIGTERM')
  await node.end()
  nodes.alive.splice(nodes.alive.indexOf(node), 1)
}

test('another node sends webhooks after the sender was stopped', async () => {
  const receiver = receive()
  const [running] = nodes.alive as [Server]
  await must(running, 'PUT /v2/systems/@me/webhook', token, { url: receiver.url, token: TOKEN })
  await must(running, 'POST /v2/systems/@me/webhook/verify', token)
  await stop(await senderOf())
  const [left] = nodes.alive as [Server]
  await must(left, 'POST /v2/members', token, { name: 'Teasel' })
  await until(() => receiver.events.length >= 1)
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
