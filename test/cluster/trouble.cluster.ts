import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type App, createApp } from '../../src/app'
import { parseConfig } from '../../src/config'
import { openStorage } from '../../src/db/open'
import { createLog } from '../../src/log'
import { readStream } from '../events/readStream'
import { receivers, TOKEN, until } from '../events/receiver'
import { makeEngine, onServer } from '../postgres/engine'
import type { Server } from '../serverProcess'
import { ask, must, nodesOn, type Told } from './nodes'

setDefaultTimeout(120_000)

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

/** Never a hang, never a 500: refused for a while, and told when to come again. */
function expectRefused(told: Told | null, withinMs: number): void {
  expect(told?.status).toBe(503)
  expect(Number(told?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(told?.ms).toBeLessThan(withinMs)
}

async function askAll(node: Server): Promise<(Told | null)[]> {
  return Promise.all([
    ask(node, 'GET /v2/systems/@me', token),
    ask(node, 'GET /v2/systems/@me/members', token),
    ask(node, 'PATCH /v2/systems/@me', token, { description: String(Math.random()) }),
    ask(node, 'POST /v2/members', token, { name: 'Fern' }),
  ])
}

async function isBack(node: Server): Promise<void> {
  await until(async () => (await ask(node, 'GET /health', ''))?.status === 200)
  for (const told of await askAll(node)) expect(told?.status).toBe(200)
}

test('with nobody to promote, all is refused within 3 s, and it comes back by itself', async () => {
  const stream = await readStream(`${first.address}/v2/systems/@me/events`, { token })
  await must(first, 'GET /v2/systems/@me', token)
  await engine.kill()
  for (let round = 0; round < 3; round++)
    for (const node of [first, other]) {
      for (const told of await askAll(node)) expectRefused(told, 3000)
      expectRefused(await ask(node, 'GET /health', ''), 1000)
      expect((await ask(node, 'GET /health/live', ''))?.status).toBe(200)
    }
  // Longer than a stream stays whose token was ended.
  await Bun.sleep(6_000)
  expect(stream.isOpen).toBe(true)
  await engine.start()
  await isBack(first)
  await isBack(other)
  // An open stream went on without a gap.
  await must(other, 'POST /v2/members', token, { name: 'Reed' })
  await until(() => stream.messages.some(({ event }) => event === 'CREATE_MEMBER'))
  await stream.leave()
})

test('a server that is silent counts as lost: all is refused within 5 s, and it comes back', async () => {
  engine.freeze()
  try {
    for (const told of await askAll(first)) expectRefused(told, 5000)
    // From then on nobody waits.
    for (const told of await askAll(first)) expectRefused(told, 3000)
    expectRefused(await ask(first, 'GET /health', ''), 1500)
  } finally {
    engine.thaw()
  }
  await isBack(first)
  await isBack(other)
})

test('a server that falls silent while its tables are made is told of, and not waited for', async () => {
  await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database fresh'))
  await onServer(engine.addressOf('fresh'), async (sql) => {
    // As another node that makes them, and takes long.
    await sql.unsafe('select pg_advisory_lock(1297435732)')
    const { ready, close } = openStorage(engine.addressOf('fresh'))
    const told = ready.then(
      () => 'opened',
      (cause: Error) => cause.message,
    )
    await Bun.sleep(2500)
    engine.freeze()
    try {
      expect(await Promise.race([told, Bun.sleep(15_000)])).toMatch(
        /^The database .* cannot be used: nothing answers at /,
      )
    } finally {
      engine.thaw()
    }
    await close()
  })
  await isBack(first)
  await isBack(other)
})

test('a commit that waits for a standby that is not there is refused, and its outcome is not known', async () => {
  const set = (names: string) =>
    onServer(engine.addressOf('postgres'), async (sql) => {
      await sql.unsafe(`alter system set synchronous_standby_names = '${names}'`)
      await sql.unsafe('select pg_reload_conf()')
      await Bun.sleep(200)
    })
  await set('nobody')
  try {
    const told = await ask(first, 'POST /v2/members', token, { name: 'Sedge' })
    expectRefused(told, 5000)
    expect(told?.json.message).toContain('not known')
    // Whoever only reads is not concerned.
    await must(first, 'GET /v2/systems/@me/members', token)
  } finally {
    await set('')
  }
  await isBack(first)
})

test('who sends webhooks and falls asleep is followed by another, and wakes without harm', async () => {
  const receiver = receive()
  await must(first, 'PUT /v2/systems/@me/webhook', token, { url: receiver.url, token: TOKEN })
  await must(first, 'POST /v2/systems/@me/webhook/verify', token)
  await must(first, 'POST /v2/members', token, { name: 'Rush' })
  await until(() => receiver.events.length === 1)
  const sender = await senderOf()
  const awake = sender === first ? other : first
  sender.kill('SIGSTOP')
  try {
    await must(awake, 'POST /v2/members', token, { name: 'Moss' })
    await until(() => receiver.events.length >= 2)
    expect(await senderOf()).toBe(awake)
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

test('one that stops in good order gives back what it holds: another sends within 2 s', async () => {
  const receiver = receive()
  await must(first, 'PUT /v2/systems/@me/webhook', token, { url: receiver.url, token: TOKEN })
  await must(first, 'POST /v2/systems/@me/webhook/verify', token)
  const third = await nodes.start()
  // Until it is the new one's turn.
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
  expect(performance.now() - stoppedAt).toBeLessThan(2000)
})

test('a node whose clock is behind logs a switch after the one that it follows', async () => {
  const apps: App[] = []
  const start = (behindMs: number) => {
    const config = parseConfig({ DATABASE_URL: engine.addressOf('multitude'), RATE_LIMIT: 'off' })
    let last = 0
    const now = () => {
      last = Math.max(last + 1, (Date.now() - behindMs) * 1000)
      return last
    }
    const app = createApp(config, createLog('error', 'json'), now)
    apps.push(app)
    return app
  }
  const [right, behind] = [start(0), start(3000)]
  const tell = async (app: App, members: string[]) => {
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
  const before = await tell(right, [String(json.id)])
  const after = await tell(behind, [])
  expect(after).toBeGreaterThanOrEqual(before)
  const { json: front } = await must(node, 'GET /v2/systems/@me/fronters', token)
  expect(front.members).toEqual([])
  for (const app of apps) await app.stop()
})

test('more at once than there are connections all come to their turn', async () => {
  const config = parseConfig({
    DATABASE_URL: engine.addressOf('multitude'),
    DATABASE_POOL: '2',
    RATE_LIMIT: 'off',
  })
  const app = createApp(config, createLog('error', 'json'))
  const answers = await Promise.all(
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
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => 200))
  await app.stop()
})

/** The node that holds the lease. */
async function senderOf(): Promise<Server> {
  const [row] = await onServer(engine.addressOf('multitude'), (sql) =>
    sql.unsafe(`select holder from leases where name = 'dispatch'`),
  )
  const found = nodes.alive.find((node) => String(row?.holder).includes(`:${node.pid}:`))
  expect(found).toBeDefined()
  return found as Server
}
