import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readStream } from '../events/readStream'
import { receivers, TOKEN, until } from '../events/receiver'
import { type Engine, makeEngine, onServer } from '../postgres/engine'
import type { Server } from '../serverProcess'
import { addressOf, ask, must, nodesOn } from './nodes'

setDefaultTimeout(240_000)

const SYSTEMS = 3
const WRITERS_OF_EACH = 4
/** So many acknowledged writes lie between two kills. */
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
// At once, on a database that has nothing in it yet.
await Promise.all([nodes.start(), nodes.start(), nodes.start()])

afterAll(async () => {
  for (const node of [...nodes.alive]) await nodes.kill(node)
  for (const engine of [primary, second, third]) {
    await engine?.kill().catch(() => {})
    engine?.remove()
  }
})

const receive = receivers()

interface Family {
  token: string
  /** Names of what was acknowledged, and of what nobody can tell. */
  members: Set<string>
  switches: Set<string>
  readers: Reader[]
}

/** Follows a system's events, at one node after the other. */
interface Reader {
  readonly heard: string[]
  stop(): Promise<void>
}

test('three nodes that start at once on an empty database work', async () => {
  expect(nodes.alive).toHaveLength(3)
  for (const node of nodes.alive) expect((await ask(node, 'GET /health', ''))?.status).toBe(200)
})

test('a token that is revoked at one node is refused by all within a second', async () => {
  const { token } = await nodes.makeSystem('Revoked')
  const [first] = nodes.alive as [Server]
  const { json } = await must(first, 'POST /v2/systems/@me/tokens', token, { name: 'lost' })
  const lost = String(json.token)
  for (const node of nodes.alive) await must(node, 'GET /v2/systems/@me', lost)
  await must(first, 'DELETE /v2/systems/@me/tokens/lost', token)
  const revokedAt = performance.now()
  for (const node of nodes.alive)
    await until(async () => (await ask(node, 'GET /v2/systems/@me', lost))?.status === 401)
  expect(performance.now() - revokedAt).toBeLessThan(1000)
})

test('killed in a storm of writes, they lose nothing and tell everything', async () => {
  const receiver = receive()
  const families: Family[] = []
  for (let at = 0; at < SYSTEMS; at++) {
    const { token } = await nodes.makeSystem(`Family ${at}`)
    const family = { token, members: new Set<string>(), switches: new Set<string>(), readers: [] }
    families.push(family)
    const node = anyOf(nodes.alive)
    await must(node, 'PUT /v2/systems/@me/webhook', token, { url: receiver.url, token: TOKEN })
    await must(node, 'POST /v2/systems/@me/webhook/verify', token)
    // All others are older: nobody fronts again and again.
    const latest = { members: [], timestamp: '2021-01-01T00:00:00Z' }
    const { json } = await must(node, 'POST /v2/systems/@me/switches', token, latest)
    family.switches.add(String(json.id))
  }
  // Streams on all nodes, for each family.
  for (const family of families)
    for (let at = 0; at < 3; at++) family.readers.push(follow(family.token, at))

  let acknowledged = 0
  let isOver = false
  const statuses = new Map<number, number>()
  const write = async (family: Family, name: string, at: number) => {
    const node = anyOf(nodes.alive)
    const timestamp = new Date(Date.UTC(2020, 0, 1) - at * 1000).toISOString()
    const told =
      at % 2 === 0
        ? await ask(node, 'POST /v2/members', family.token, { name })
        : await ask(node, 'POST /v2/systems/@me/switches', family.token, { members: [], timestamp })
    statuses.set(told?.status ?? 0, (statuses.get(told?.status ?? 0) ?? 0) + 1)
    if (told?.status !== 200) return
    acknowledged++
    if (at % 2 === 0) family.members.add(String(told.json.uuid))
    else family.switches.add(String(told.json.id))
  }
  const keepWriting = async (family: Family, writer: number) => {
    for (let at = 0; !isOver; at++) {
      const before = acknowledged
      await write(family, `writer ${writer} ${at}`, at * WRITERS_OF_EACH + writer)
      // Nobody hammers a server that is not there.
      if (acknowledged === before) await Bun.sleep(20)
    }
  }
  const writers = families.flatMap((family) =>
    Array.from({ length: WRITERS_OF_EACH }, (_, writer) => keepWriting(family, writer)),
  )
  const more = async () => {
    const enough = acknowledged + BETWEEN_KILLS
    await until(
      () => acknowledged >= enough,
      () => JSON.stringify([...statuses]),
    )
  }

  /** Waits until the receiver has new events of all systems. */
  const sendMore = async () => {
    const from = receiver.events.length
    const systemsSince = () =>
      new Set(receiver.events.slice(from).map(({ body }) => body.system_id)).size
    await until(() => systemsSince() === SYSTEMS)
  }
  /** Stops the process of the node that sends webhooks, until another one sends; then it runs on. */
  const hangSender = async () => {
    const hung = await senderOf()
    nodes.hang(hung)
    const from = receiver.events.length
    await more()
    expect(await senderOf()).not.toBe(hung)
    await sendMore()
    nodes.resume(hung)
    const [{ token }] = families as [Family]
    const writeThere = () => ask(hung, 'POST /v2/members', token, { name: 'after the hang' })
    await until(async () => (await ask(hung, 'GET /health', ''))?.status === 200)
    await until(async () => (await writeThere())?.status === 200)
    await more()
    await sendMore()
    // Of each system at most the one event again that was under way when the process stopped.
    const ids = receiver.events.map(({ headers }) => headers.get('x-event-id'))
    const again = receiver.events.filter((_, at) => at >= from && ids.indexOf(ids[at] ?? '') < at)
    const systems = again.map(({ body }) => body.system_id)
    expect(systems.toSorted()).toEqual([...new Set(systems)].toSorted())
  }

  await more()
  // A node, whichever.
  await nodes.kill(nodes.alive[1] as Server)
  await more()
  await nodes.start()
  // The one that sends webhooks.
  await nodes.kill(await senderOf())
  await more()
  await nodes.start()
  await sendMore()
  await hangSender()
  await third.kill()
  await more()
  await primary.kill()
  await Bun.sleep(300)
  const promotedAt = performance.now()
  await second.promote()
  const before = acknowledged
  await until(() => acknowledged > before)
  const again = performance.now() - promotedAt
  await more()
  isOver = true
  await Promise.all(writers)

  // Never anything but done, refused for a while, or cut off with its node.
  expect([...statuses.keys()].filter((status) => ![200, 503, 0].includes(status))).toEqual([])
  process.stderr.write(
    `writes again ${again.toFixed(0)} ms after the promotion; ${acknowledged} acknowledged
`,
  )

  for (const family of families) {
    const { members, switches, events } = await rowsOf(second, family)
    // No acknowledged write lost or doubled.
    expect([...family.members].filter((uuid) => !members.includes(uuid))).toEqual([])
    expect([...family.switches].filter((uuid) => !switches.includes(uuid))).toEqual([])
    const told = (type: string) =>
      events.filter((one) => one.type === type).map(({ subject }) => subject)
    expect(told('CREATE_MEMBER').toSorted()).toEqual(members.toSorted())
    expect(told('CREATE_SWITCH').toSorted()).toEqual(switches.toSorted())
    // Every event at every stream once and in order.
    const ids = events.map(({ id }) => String(id))
    for (const reader of family.readers) {
      await until(() => reader.heard.length >= ids.length)
      expect(reader.heard).toEqual(ids)
      await reader.stop()
    }
    // At the receiver at least once and in order, twice only around a kill or a hang.
    const uuid = await uuidOf(second, family)
    const sent = () =>
      receiver.events
        .filter(({ body }) => body.system_id === uuid)
        .map(({ headers }) => headers.get('x-event-id') ?? '')
    await until(
      () => sent().at(-1) === ids.at(-1),
      () => `${sent().at(-1)} of ${ids.at(-1)}`,
    )
    expect(sent().filter((id, at, all) => all.indexOf(id) === at)).toEqual(ids)
    expect(sent().length - ids.length).toBeLessThanOrEqual(5)
  }
})

/** Reads on wherever there is a node, after the last that was heard. */
function follow(token: string, first: number): Reader {
  const heard: string[] = []
  let isStopped = false
  let reading: Awaited<ReturnType<typeof readStream>> | undefined
  const read = async () => {
    for (let at = first; !isStopped; at++) {
      const node = nodes.alive[at % nodes.alive.length]
      try {
        const since = heard.at(-1) ?? 0
        reading = await readStream(`${node?.address}/v2/systems/@me/events`, { token, since })
      } catch {
        await Bun.sleep(50)
        continue
      }
      if (reading.status !== 200) await Bun.sleep(50)
      const own = reading
      const ended = own.ended.then(() => true)
      for (let told = 0, isDone = false; !isDone; ) {
        isDone = (await Promise.race([ended, Bun.sleep(10)])) === true || isStopped
        for (; told < own.messages.length; told++) heard.push(own.messages[told]?.id ?? '')
      }
    }
  }
  const reads = read()
  return {
    heard,
    async stop() {
      isStopped = true
      await reading?.leave()
      await reads
    },
  }
}

/** The node that holds the lease: the one whose end makes another begin. */
async function senderOf(): Promise<Server> {
  const address = primary.addressOf('multitude')
  let found: Server | undefined
  await until(async () => {
    const [row] = await onServer(address, (sql) =>
      sql.unsafe(`select holder from leases where name = 'dispatch'`),
    )
    // Until its lease is over it may be one that was killed.
    found = nodes.alive.find((node) => String(row?.holder).includes(`:${node.pid}:`))
    return found
  })
  return found as Server
}

async function rowsOf(engine: Engine, { token }: Family) {
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

async function uuidOf(engine: Engine, { token }: Family): Promise<string> {
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
