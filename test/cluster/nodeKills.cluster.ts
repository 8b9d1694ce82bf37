import { type Reading, readStream } from '../events/readStream'
import { receivers, TOKEN } from '../events/receiver'
import { type Engine, makeEngine, onServer } from '../postgres/engine'
import type { Server } from '../tools/serverProcess'
import { expect, withTimeout } from '../tools/test'
import { until } from '../tools/until'
import { addressOf, ask, must, nodesOn } from './nodes'

const { afterAll, test } = withTimeout(240_000)

const SYSTEMS = 3
const WRITERS_OF_EACH = 4
/** Number of acknowledged writes between two kills. */
const BETWEEN_KILLS = 150

const replicated = { max_wal_senders: '10', wal_keep_size: '64MB', hot_standby: 'on' }

const primary = await makeEngine({
  ...replicated,
  synchronous_standby_names: 'ANY 1 (b, c)',
})
await primary.start()
const second = await primary.makeStandby('b', replicated)
const third = await primary.makeStandby('c', replicated)
await second.start()
await third.start()
await onServer(primary.addressOf('postgres'), (sql) => sql.unsafe('create database multitude'))
const nodes = await nodesOn(addressOf([primary, second, third], 'multitude'))
// All at once, on an empty database.
await Promise.all([nodes.start(), nodes.start(), nodes.start()])

afterAll(async () => {
  for (const node of [...nodes.alive]) await nodes.kill(node)
  for (const engine of [primary, second, third]) {
    await engine?.kill().catch(() => {})
    engine?.remove()
  }
})

const receive = receivers()

interface TestSystem {
  token: string
  /** UUIDs of acknowledged rows. */
  members: Set<string>
  switches: Set<string>
  readers: Reader[]
}

/** Reads the event stream of a system, at one node after the other. */
interface Reader {
  /** IDs of the events so far. */
  received(): string[]
  stop(): Promise<void>
}

test('three nodes can start at once on an empty database', async () => {
  expect(nodes.alive).toHaveLength(3)
  for (const node of nodes.alive) expect((await ask(node, 'GET /health', ''))?.status).toBe(200)
})

test('all nodes reject a token after one node revoked it', async () => {
  const { token } = await nodes.makeSystem('Revoked')
  const [first] = nodes.alive as [Server]
  const { json } = await must(first, 'POST /v2/systems/@me/tokens', token, { name: 'lost' })
  const lost = String(json.token)
  for (const node of nodes.alive) await must(node, 'GET /v2/systems/@me', lost)
  await must(first, 'DELETE /v2/systems/@me/tokens/lost', token)
  for (const node of nodes.alive)
    await until(async () => (await ask(node, 'GET /v2/systems/@me', lost))?.status === 401)
})

test('no acknowledged write and no event is lost when nodes and the primary are killed under load', async () => {
  const receiver = receive()
  const systems: TestSystem[] = []
  for (let at = 0; at < SYSTEMS; at++) {
    const { token } = await nodes.makeSystem(`System ${at}`)
    const system = { token, members: new Set<string>(), switches: new Set<string>(), readers: [] }
    systems.push(system)
    const node = anyOf(nodes.alive)
    await must(node, 'PUT /v2/systems/@me/webhook', token, { url: receiver.url, token: TOKEN })
    await must(node, 'POST /v2/systems/@me/webhook/verify', token)
    // All other switches are older, so that consecutive ones are never equal.
    const latest = { members: [], timestamp: '2021-01-01T00:00:00Z' }
    const { json } = await must(node, 'POST /v2/systems/@me/switches', token, latest)
    system.switches.add(String(json.id))
  }
  // One stream per node for each system.
  for (const system of systems)
    for (let at = 0; at < 3; at++) system.readers.push(follow(system.token, at))

  let acknowledged = 0
  let isStopped = false
  const statuses = new Map<number, number>()
  const write = async (system: TestSystem, name: string, at: number) => {
    const node = anyOf(nodes.alive)
    const timestamp = new Date(Date.UTC(2020, 0, 1) - at * 1000).toISOString()
    const response =
      at % 2 === 0
        ? await ask(node, 'POST /v2/members', system.token, { name })
        : await ask(node, 'POST /v2/systems/@me/switches', system.token, { members: [], timestamp })
    statuses.set(response?.status ?? 0, (statuses.get(response?.status ?? 0) ?? 0) + 1)
    if (response?.status !== 200) return
    acknowledged++
    if (at % 2 === 0) system.members.add(String(response.json.uuid))
    else system.switches.add(String(response.json.id))
  }
  const keepWriting = async (system: TestSystem, writer: number) => {
    for (let at = 0; !isStopped; at++) {
      const before = acknowledged
      await write(system, `writer ${writer} ${at}`, at * WRITERS_OF_EACH + writer)
      // Back off while the database is not available.
      if (acknowledged === before) await until(async () => isStopped || (await isHealthy()))
    }
  }
  const writers = systems.flatMap((system) =>
    Array.from({ length: WRITERS_OF_EACH }, (_, writer) => keepWriting(system, writer)),
  )
  const awaitWrites = async () => {
    const enough = acknowledged + BETWEEN_KILLS
    await until(
      () => ({ acknowledged, statuses }),
      (sent) => sent.acknowledged >= enough,
    )
  }

  /** Waits until the receiver has new events of all systems. */
  const awaitDeliveries = async () => {
    const from = receiver.events.length
    const systemsSince = () =>
      new Set(receiver.events.slice(from).map(({ body }) => body.system_id)).size
    await until(() => systemsSince() === SYSTEMS)
  }
  /** Suspends the node that sends webhooks until another one sends, and resumes it. */
  const hangSender = async () => {
    const hung = await senderOf()
    nodes.hang(hung)
    const from = receiver.events.length
    await awaitWrites()
    expect(await senderOf()).not.toBe(hung)
    await awaitDeliveries()
    nodes.resume(hung)
    const [{ token }] = systems as [TestSystem]
    const writeThere = () => ask(hung, 'POST /v2/members', token, { name: 'after the hang' })
    await until(async () => (await ask(hung, 'GET /health', ''))?.status === 200)
    await until(async () => (await writeThere())?.status === 200)
    await awaitWrites()
    await awaitDeliveries()
    // At most one repeated event per system: the one in delivery when the process was suspended.
    const ids = receiver.events.map(({ headers }) => headers.get('x-event-id'))
    const repeated = receiver.events.filter(
      (_, at) => at >= from && ids.indexOf(ids[at] ?? '') < at,
    )
    const repeatedSystems = repeated.map(({ body }) => body.system_id)
    expect(repeatedSystems.toSorted()).toEqual([...new Set(repeatedSystems)].toSorted())
  }

  await awaitWrites()
  // Any node.
  await nodes.kill(nodes.alive[1] as Server)
  await awaitWrites()
  await nodes.start()
  // The node that sends webhooks.
  await nodes.kill(await senderOf())
  await awaitWrites()
  await nodes.start()
  await awaitDeliveries()
  await hangSender()
  await third.kill()
  await awaitWrites()
  await primary.kill()
  const refused = statuses.get(503) ?? 0
  await until(() => (statuses.get(503) ?? 0) > refused)
  await second.promote()
  await awaitWrites()
  isStopped = true
  await Promise.all(writers)

  // Every write succeeded, was refused for a while, or lost its connection with its node.
  expect([...statuses.keys()].filter((status) => ![200, 503, 0].includes(status))).toEqual([])

  for (const system of systems) {
    const { members, switches, events } = await rowsOf(second, system)
    // No acknowledged write is lost or doubled.
    expect([...system.members].filter((uuid) => !members.includes(uuid))).toEqual([])
    expect([...system.switches].filter((uuid) => !switches.includes(uuid))).toEqual([])
    const subjectsOf = (type: string) =>
      events.filter((one) => one.type === type).map(({ subject }) => subject)
    expect(subjectsOf('CREATE_MEMBER').toSorted()).toEqual(members.toSorted())
    expect(subjectsOf('CREATE_SWITCH').toSorted()).toEqual(switches.toSorted())
    // Every stream gets each event once and in order.
    const ids = events.map(({ id }) => String(id))
    for (const reader of system.readers) {
      await until(() => reader.received().length >= ids.length)
      expect(reader.received()).toEqual(ids)
      await reader.stop()
    }
    // The receiver gets each event at least once and in order, twice only around a kill or a hang.
    const uuid = await uuidOf(second, system)
    const sent = () =>
      receiver.events
        .filter(({ body }) => body.system_id === uuid)
        .map(({ headers }) => headers.get('x-event-id') ?? '')
    await until(
      () => [sent().at(-1), ids.at(-1)],
      ([newest, last]) => newest === last,
    )
    expect(sent().filter((id, at, all) => all.indexOf(id) === at)).toEqual(ids)
    expect(sent().length - ids.length).toBeLessThanOrEqual(5)
  }
})

/** Reads a stream and resumes it at a running node after the last received event. */
function follow(token: string, first: number): Reader {
  const before: string[] = []
  const stopping = Promise.withResolvers<'stopped'>()
  let reading: Reading | undefined
  const received = () => [...before, ...(reading?.messages ?? []).map(({ id }) => id)]
  const read = async () => {
    for (let at = first; ; at++) {
      const node = nodes.alive[at % nodes.alive.length]
      const since = before.at(-1) ?? 0
      const url = `${node?.address}/v2/systems/@me/events`
      reading = await readStream(url, { token, since }).catch(() => undefined)
      const end = await Promise.race([reading?.ended, stopping.promise])
      if (end === 'stopped') return
      before.push(...received().slice(before.length))
      const isRefused = reading?.status !== 200
      reading = undefined
      if (isRefused) await until(isHealthy)
    }
  }
  const reads = read()
  return {
    received,
    async stop() {
      stopping.resolve('stopped')
      await reads
      await reading?.leave()
    },
  }
}

/** Returns true if a node answers that it and its database work. */
async function isHealthy(): Promise<boolean> {
  return (await ask(anyOf(nodes.alive), 'GET /health', ''))?.status === 200
}

/** Node that sends webhooks, because it holds the lease. */
async function senderOf(): Promise<Server> {
  const address = primary.addressOf('multitude')
  let found: Server | undefined
  await until(async () => {
    const [row] = await onServer(address, (sql) =>
      sql.unsafe(`select holder from leases where name = 'dispatch'`),
    )
    // Until its lease expires, the holder may be a node that was killed.
    found = nodes.alive.find((node) => String(row?.holder).includes(`:${node.pid}:`))
    return found
  })
  return found as Server
}

async function rowsOf(engine: Engine, { token }: TestSystem) {
  return onServer(engine.addressOf('multitude'), async (sql) => {
    const id = await systemOf(sql, token)
    const uuids = async (table: string): Promise<string[]> =>
      (await sql.unsafe(`select uuid from ${table} where system_id = ${id}`)).map(
        ({ uuid }: { uuid: string }) => uuid,
      )
    const events: { id: number; type: string; subject: string }[] = await sql.unsafe(
      `select id, type, subject from events where system_id = ${id} order by id`,
    )
    return { members: await uuids('members'), switches: await uuids('switches'), events }
  })
}

async function uuidOf(engine: Engine, { token }: TestSystem): Promise<string> {
  return onServer(engine.addressOf('multitude'), async (sql) => {
    const id = await systemOf(sql, token)
    return (await sql.unsafe(`select uuid from systems where id = ${id}`))[0]?.uuid
  })
}

async function systemOf(sql: Bun.SQL, token: string): Promise<number> {
  const hash = new Bun.CryptoHasher('sha256').update(token).digest('hex')
  const [row] = await sql.unsafe('select system_id from tokens where hash = $1', [hash])
  return row?.system_id
}

function anyOf(all: readonly Server[]): Server {
  return all[Math.floor(Math.random() * all.length)] as Server
}
