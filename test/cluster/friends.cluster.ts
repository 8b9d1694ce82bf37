import { readStream } from '../events/readStream'
import { makeEngine, onServer } from '../postgres/engine'
import type { Json } from '../tools/scenarios'
import type { Server } from '../tools/serverProcess'
import { expect, withTimeout } from '../tools/test'
import { until } from '../tools/until'
import { ask, must, type NodeResponse, nodesOn } from './nodes'

const { afterAll, test } = withTimeout(240_000)

const engine = await makeEngine()
await engine.start()
await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database multitude'))
const nodes = await nodesOn(engine.addressOf('multitude'))
const database = new Bun.SQL({ url: engine.addressOf('multitude'), max: 2 })

afterAll(async () => {
  for (const node of [...nodes.alive]) await nodes.kill(node)
  await database.close({ timeout: 1 })
  await engine.stop('immediate')
  engine.remove()
})

await Promise.all([nodes.start(), nodes.start()])

const nodeAt = (at: number) => {
  const node = nodes.alive[at % nodes.alive.length]
  if (!node) throw new Error('no node is running')
  return node
}

/** Creates an invitation of a system and returns its code. */
async function invite(token: string, share: object = {}): Promise<string> {
  const { json } = await must(nodeAt(0), 'POST /ext/v1/friends/invites', token, { share })
  return String(json.code)
}

/** Creates two systems that are friends. */
async function createFriends() {
  const owner = await nodes.makeSystem('Lantern Hill')
  const guest = await nodes.makeSystem('Harbour')
  const code = await invite(owner.token)
  const body = { code, notify_me: true }
  const { json } = await must(nodeAt(1), 'POST /ext/v1/friends', guest.token, body)
  return { owner, guest, id: String(json.id) }
}

const countSides = async () => {
  const rows: { sides: number; friendships: number }[] = await database.unsafe(
    `select (select count(*)::int from friend_sides) as sides,
            (select count(*)::int from friendships) as friendships`,
  )
  return rows[0]
}

test('an invitation that is accepted on two nodes at once gives one friendship', async () => {
  const before = await countSides()
  const owner = await nodes.makeSystem('Inviter')
  const others = await Promise.all(['A', 'B', 'C', 'D'].map((name) => nodes.makeSystem(name)))
  const code = await invite(owner.token)
  const results = await Promise.all(
    others.map(({ token }, at) => ask(nodeAt(at), 'POST /ext/v1/friends', token, { code })),
  )
  expect(results.map((one) => one?.status).toSorted()).toEqual([201, 404, 404, 404])
  expect(await countSides()).toEqual({
    sides: (before?.sides ?? 0) + 2,
    friendships: (before?.friendships ?? 0) + 1,
  })
})

test('two systems that accept invitations of each other at once become friends once', async () => {
  const [one, other] = [await nodes.makeSystem('One'), await nodes.makeSystem('Other')]
  const codes = [await invite(one.token), await invite(other.token)]
  const results = await Promise.all([
    ask(nodeAt(0), 'POST /ext/v1/friends', other.token, { code: codes[0] }),
    ask(nodeAt(1), 'POST /ext/v1/friends', one.token, { code: codes[1] }),
  ])
  expect(results.map((result) => result?.status).toSorted()).toEqual([201, 409])
})

test('both sides are changed and ended at once on two nodes without a deadlock', async () => {
  const before = await countSides()
  for (let round = 0; round < 5; round++) {
    const { owner, guest, id } = await createFriends()
    const path = `/ext/v1/friends/${id}`
    const change = (at: number, token: string) =>
      ask(nodeAt(at), `PATCH ${path}`, token, {
        name: `${round}-${at}`,
        share: { announce: at > 1 },
      })
    const changed = await Promise.all([
      change(0, owner.token),
      change(1, guest.token),
      change(2, owner.token),
      change(3, guest.token),
    ])
    expect(changed.map((one) => one?.status)).toEqual([200, 200, 200, 200])
    const results = await Promise.all([
      change(0, owner.token),
      ask(nodeAt(1), `DELETE ${path}`, owner.token),
      change(1, guest.token),
      ask(nodeAt(0), `DELETE ${path}`, guest.token),
    ])
    for (const [at, result] of results.entries())
      expect(result?.status).toBeOneOf(at % 2 === 0 ? [200, 404] : [204, 404])
    expect([results[1]?.status, results[3]?.status].toSorted()).toEqual([204, 404])
  }
  expect(await countSides()).toEqual(before as never)
})

/** Creates friends with a bucket that the guest is in, and a member in it. */
async function createSharing() {
  const { owner, guest, id } = await createFriends()
  const first = nodeAt(0)
  const bucket = String(
    (await must(first, 'POST /ext/v1/buckets', owner.token, { name: 'Close' })).json.id,
  )
  const addMember = async (name: string, buckets: string[]) => {
    const body = { member: { name }, buckets }
    const { json } = await must(first, 'POST /ext/v1/members', owner.token, body)
    return (json.member as { uuid: string }).uuid
  }
  const wren = await addMember('Wren', [bucket])
  const hidden = await addMember('Hidden', [])
  const share = { see_front: true, see_members: true, buckets: [bucket] }
  await must(first, `PATCH /ext/v1/friends/${id}`, owner.token, { share })
  return { owner, guest, id, bucket, wren, hidden }
}

test('a change at one node reaches the streams of friends at the other', async () => {
  for (const [writer, reader] of [
    [nodeAt(0), nodeAt(1)],
    [nodeAt(1), nodeAt(0)],
  ] as const) {
    const { owner, guest, id, wren, hidden } = await createSharing()
    const url = `${reader.address}/ext/v1/friends/stream`
    const { messages, leave } = await readStream(url, { token: guest.token })
    const front = () => (messages.at(-1)?.data as Json | undefined)?.front
    const switchTo = (...members: string[]) =>
      must(writer, 'POST /v2/systems/@me/switches', owner.token, { members })
    await until(() => messages.length === 1)
    expect(front()).toEqual({ fronters: [] })
    await switchTo(hidden)
    await switchTo(wren)
    await until(() => messages.length === 2)
    expect(front()).toMatchObject({ fronters: [{ member: { uuid: wren } }] })
    const path = `/ext/v1/friends/${id}`
    await must(writer, `PATCH ${path}`, owner.token, { share: { see_front: false } })
    await until(() => messages.length === 3)
    expect(front()).toBe(null)
    await must(writer, `DELETE ${path}`, owner.token)
    await until(() => messages.length === 4)
    expect(messages[3]).toMatchObject({ event: 'end', data: { friend: id } })
    await leave()
  }
})

test('a system that is deleted at one node leaves the friends at the other', async () => {
  const { owner, guest, id } = await createSharing()
  const invited = await invite(owner.token)
  const url = `${nodeAt(1).address}/ext/v1/friends/stream`
  const { messages, leave } = await readStream(url, { token: guest.token })
  await until(() => messages.length === 1)
  await nodes.deleteSystem(owner.id)
  await until(() => messages.at(-1)?.event === 'end')
  expect(messages.at(-1)?.data).toEqual({ friend: id })
  for (const node of nodes.alive) {
    expect((await ask(node, `GET /ext/v1/friends/${id}/members`, guest.token))?.status).toBe(404)
    const accepted = await ask(node, 'POST /ext/v1/friends', guest.token, { code: invited })
    expect([accepted?.status, accepted?.json.code]).toEqual([404, 29009])
  }
  await leave()
})

/** A file of Simply Plural whose members share a bucket, with a history that takes long to write. */
function fileOf(members: number, entries: number) {
  const START = Date.UTC(2020, 0, 1)
  return {
    privacyBuckets: [{ _id: 'k1', name: 'Close' }],
    members: Array.from({ length: members }, (_, at) => ({
      _id: `m${at}`,
      name: `Member ${at}`,
      buckets: ['k1'],
    })),
    frontStatuses: [],
    frontHistory: Array.from({ length: entries }, (_, at) => ({
      _id: `h${at}`,
      member: `m${at % members}`,
      custom: false,
      live: false,
      startTime: START + at * 60_000,
      endTime: START + (at + 1) * 60_000,
    })),
  }
}

test('an import of buckets at a node that is killed shares nothing at the other', async () => {
  const { owner, guest, id } = await createFriends()
  const IMPORT = 'POST /v2/systems/@me/import'
  await must(nodeAt(0), IMPORT, owner.token, fileOf(1, 1))
  const listBuckets = async (): Promise<Json[]> =>
    JSON.parse((await must(nodeAt(0), 'GET /ext/v1/buckets', owner.token)).text)
  const before = await listBuckets()
  const imported = before.find(({ name }) => name === 'Close')
  const share = { see_members: true, buckets: [imported?.id] }
  await must(nodeAt(0), `PATCH /ext/v1/friends/${id}`, owner.token, { share })
  const seen = async () =>
    (await must(nodeAt(0), `GET /ext/v1/friends/${id}/members`, guest.token)).text
  const shown = await seen()
  expect(shown).toContain('Member 0')

  const victim = await nodes.start()
  let answered: NodeResponse | null = null
  const pending = (): Promise<{ id: number }[]> => database.unsafe('select id from pending_imports')
  await database.begin(async (tx) => {
    // The import waits before its history, so that it cannot end before the node is killed.
    await tx.unsafe('lock table switches in exclusive mode')
    const importing = ask(victim, IMPORT, owner.token, fileOf(500, 60_000)).then((response) => {
      answered = response
    })
    await until(
      async () => ({ pending: await pending(), answered }),
      (seen) => seen.pending.length === 1,
    )
    await nodes.kill(victim)
    await importing
  })
  expect([answered, (await pending()).length]).toEqual([null, 1])
  expect(await seen()).toBe(shown)
  // Otherwise the other node would wait until the import has written nothing for a while.
  await database.unsafe('update pending_imports set expires_at = 0')
  await until(async () => (await pending()).length === 0)
  expect(await seen()).toBe(shown)
  expect((await listBuckets()).map(({ members }) => members)).toEqual(
    before.map(({ members }) => members),
  )
  await must(nodeAt(0), IMPORT, owner.token, fileOf(500, 1))
  expect(JSON.parse(await seen())).toHaveLength(500)
})

/** Finds the node that notifies friends: the holder of the lease, whose name has its process ID. */
async function findHolder() {
  const leases: { holder: string }[] = await database.unsafe(
    "select holder from leases where name = 'dispatch'",
  )
  return nodes.alive.find(({ pid }) => leases[0]?.holder.split(':')[1] === String(pid))
}

async function awaitHolder(): Promise<Server> {
  await until(async () => (await findHolder()) !== undefined)
  return (await findHolder()) ?? nodeAt(0)
}

/** Waits until all changes so far were compared with what friends saw before. */
const awaitComparison = () =>
  until(async () => (await database.unsafe('select 1 from friend_notify_due')).length === 0)

/** Returns the fronters of each notification of a friendship. */
async function notifiedOf(friendship: string): Promise<unknown[]> {
  const found: { data: string }[] = await database.unsafe(
    `select data from events where type = 'FRIEND_FRONT' and subject = '${friendship}' order by id`,
  )
  return found.map(({ data }) => JSON.parse(String(data)).fronters)
}

test('each notification is recorded once when the holder of the lease hangs for a while', async () => {
  const { owner, id, bucket, wren } = await createSharing()
  const body = { member: { name: 'Ash' }, buckets: [bucket] }
  const { json } = await must(nodeAt(0), 'POST /ext/v1/members', owner.token, body)
  const { uuid: ash } = json.member as { uuid: string }
  await awaitComparison()
  const holder = await awaitHolder()
  const switchTo = (member: string) =>
    must(nodeAt(0), 'POST /v2/systems/@me/switches', owner.token, { members: [member] })
  await switchTo(wren)
  nodes.hang(holder)
  expect(nodes.alive).toHaveLength(1)
  await until(async () => (await notifiedOf(id)).length > 0)
  nodes.resume(holder)
  await until(async () => (await ask(holder, 'GET /health', ''))?.status === 200)
  await switchTo(ash)
  await until(async () => (await notifiedOf(id)).length > 1)
  expect(await notifiedOf(id)).toEqual([[wren], [ash]])
})

test('a notification that is due is recorded once when the holder of the lease is killed', async () => {
  const { owner, guest, id, wren } = await createSharing()
  await awaitComparison()
  const holder = await awaitHolder()
  await must(nodeAt(0), 'POST /v2/systems/@me/switches', owner.token, { members: [wren] })
  // The pause of ten seconds has begun; the process that waits for its end is killed.
  await nodes.kill(holder)
  expect(nodes.alive).toHaveLength(1)
  await until(async () => (await notifiedOf(id)).length > 0)
  await awaitComparison()
  expect(await notifiedOf(id)).toEqual([[wren]])
  const front = await must(nodeAt(0), `GET /ext/v1/friends/${id}/front`, guest.token)
  expect(front.text).toContain(wren)
})
