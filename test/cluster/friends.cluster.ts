import { until } from '../events/receiver'
import { makeEngine, onServer } from '../postgres/engine'
import { expect, withTimeout } from '../test'
import { ask, must, nodesOn } from './nodes'

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

test('a notification that is due is recorded once when the holder of the lease is killed', async () => {
  const { owner, guest, id } = await createFriends()
  const first = nodeAt(0)
  const bucket = await must(first, 'POST /ext/v1/buckets', owner.token, { name: 'Close' })
  const body = { member: { name: 'Wren' }, buckets: [bucket.json.id] }
  const created = await must(first, 'POST /ext/v1/members', owner.token, body)
  const { uuid } = created.json.member as { uuid: string }
  const share = { buckets: [bucket.json.id] }
  await must(first, `PATCH /ext/v1/friends/${id}`, owner.token, { share })
  await until(async () => (await database.unsafe('select 1 from friend_notify_due')).length === 0)

  const findHolder = async () => {
    const leases: { holder: string }[] = await database.unsafe(
      "select holder from leases where name = 'dispatch'",
    )
    return nodes.alive.find(({ pid }) => leases[0]?.holder.split(':')[1] === String(pid))
  }
  await until(async () => (await findHolder()) !== undefined)
  const holder = await findHolder()
  await must(first, 'POST /v2/systems/@me/switches', owner.token, { members: [uuid] })
  // The pause of ten seconds has begun; the process that waits for its end is killed.
  if (holder) await nodes.kill(holder)
  expect(nodes.alive).toHaveLength(1)
  const recorded = (): Promise<{ data: string }[]> =>
    database.unsafe(`select data from events where type = 'FRIEND_FRONT' and subject = '${id}'`)
  await until(async () => (await recorded()).length > 0)
  await until(async () => (await database.unsafe('select 1 from friend_notify_due')).length === 0)
  expect((await recorded()).map(({ data }) => JSON.parse(String(data)))).toEqual([
    { fronters: [uuid] },
  ])
  const list = await must(nodeAt(0), `GET /ext/v1/friends/${id}/front`, guest.token)
  expect(JSON.stringify(list.json)).toContain(uuid)
})
