import { readStream } from '../events/readStream'
import { makeEngine, onServer } from '../postgres/engine'
import { ME } from '../tools/me'
import { gifOfSize } from '../tools/pictures'
import type { Server } from '../tools/serverProcess'
import { expect, withTimeout } from '../tools/test'
import { until } from '../tools/until'
import { ask, must, type NodeResponse, nodesOn } from './nodes'

const { afterAll, test } = withTimeout(240_000)

const QUOTA = 10_000

const engine = await makeEngine()
await engine.start()
await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database multitude'))
const nodes = await nodesOn(engine.addressOf('multitude'), {
  EXT_TEXT_QUOTA: String(QUOTA),
  PICTURE_LIMIT: '1MiB',
  PUBLIC_URL: 'https://plural.example',
})
const [first, second] = await Promise.all([nodes.start(), nodes.start()])
const both = [first, second] as const

afterAll(async () => {
  for (const node of [...nodes.alive]) await nodes.kill(node)
  await engine.stop('immediate')
  engine.remove()
})

/** Sends one request to each node at once. */
function atOnce(token: string, ...requests: [line: string, body: unknown][]) {
  return Promise.all(requests.map(([line, body], at) => ask(nodeAt(at), line, token, body)))
}

function nodeAt(at: number): Server {
  return both[at % both.length] ?? first
}

function statusesOf(responses: readonly (NodeResponse | null)[]) {
  return responses.map((response) => response?.status).toSorted()
}

test('two nodes make no loop of groups', async () => {
  const { token } = await nodes.makeSystem('Loops')
  const create = async (name: string) =>
    String((await must(first, 'POST /v2/groups', token, { name })).json.uuid)
  const [a, b] = [await create('a'), await create('b')]
  for (let round = 0; round < 20; round++) {
    const moved = await atOnce(
      token,
      [`PATCH /ext/v1/groups/${a}`, { parent: b }],
      [`PATCH /ext/v1/groups/${b}`, { parent: a }],
    )
    expect(statusesOf(moved)).toEqual([200, 400])
    expect(moved.find((one) => one?.status === 400)?.json.code).toBe(49003)
    for (const id of [a, b])
      await must(second, `PATCH /ext/v1/groups/${id}`, token, { parent: null })
  }
})

test('two nodes make no loop by a group and a tree', async () => {
  const { token } = await nodes.makeSystem('Trees')
  const create = async (name: string) =>
    String((await must(first, 'POST /v2/groups', token, { name })).json.uuid)
  const [a, b] = [await create('a'), await create('b')]
  const flat = [a, b].map((id) => ({ id, parent: null }))
  const tree = [
    { id: a, parent: null },
    { id: b, parent: a },
  ]
  for (let round = 0; round < 20; round++) {
    const moved = await atOnce(
      token,
      [`PATCH /ext/v1/groups/${a}`, { parent: b }],
      [`PUT ${ME}/groups/tree`, tree],
    )
    // The tree replaces all parents, so it never makes a loop; the group may come too late.
    expect(moved[1]?.status).toBe(200)
    expect([200, 400]).toContain(moved[0]?.status ?? 0)
    await must(second, `PUT ${ME}/groups/tree`, token, flat)
  }
})

test('a change at one node reaches the streams of the other', async () => {
  const { token } = await nodes.makeSystem('Streams')
  const wren = String((await must(first, 'POST /v2/members', token, { name: 'Wren' })).json.id)
  await must(first, `PUT ${ME}/switches/${crypto.randomUUID()}`, token, { members: [wren] })
  for (const [writer, reader] of [both, both.toReversed()] as [Server, Server][]) {
    const front = await readStream(`${reader.address}${ME}/front/stream`, { token })
    const events = await readStream(`${reader.address}/v2/systems/@me/events`, { token })
    await until(() => front.messages.length === 1)
    const shown = () => statusesIn(front.messages.at(-1)?.data)
    const types = () => events.messages.map(({ event }) => event)
    await must(writer, `PUT ${ME}/switches/${crypto.randomUUID()}`, token, {
      members: [{ id: wren, status: 'at work' }],
    })
    await until(() => shown() === 'at work')
    await until(() => types().includes('CREATE_FRONT_NOTE'))
    await must(writer, `POST ${ME}/front/notes`, token, {
      kind: 'status',
      member: wren,
      text: `at home ${writer.pid}`,
    })
    await until(() => shown() === `at home ${writer.pid}`)
    await must(writer, `POST ${ME}/notes`, token, { text: 'Tuesday' })
    await must(writer, `POST ${ME}/posts`, token, { text: 'Hello' })
    await until(() => types().includes('CREATE_NOTE') && types().includes('CREATE_POST'))
    await front.leave()
    await events.leave()
  }
})

test('the same switch sent to two nodes is logged once', async () => {
  const { id, token } = await nodes.makeSystem('Switches')
  const wren = String((await must(first, 'POST /v2/members', token, { name: 'Wren' })).json.id)
  const rounds = 20
  for (let minute = 0; minute < rounds; minute++) {
    const line = `PUT ${ME}/switches/${crypto.randomUUID()}`
    const timestamp = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
    const body = { members: [{ id: wren, status: 'here' }], timestamp, comment: 'Rain.' }
    const put = await atOnce(token, [line, body], [line, body])
    expect(statusesOf(put)).toEqual([200, 201])
    expect(put[0]?.json).toEqual(put[1]?.json ?? {})
    expect((await ask(second, line, token, body))?.status).toBe(200)
  }
  expect(await eventCounts(id)).toEqual({
    CREATE_MEMBER: 1,
    CREATE_SWITCH: rounds,
    CREATE_FRONT_NOTE: 2 * rounds,
  })
})

/** Requests to both nodes at once, and how many of them a limit allows. */
const limits: [
  title: string,
  path: string,
  body: object,
  requests: number,
  allowed: number,
  used?: string,
][] = [
  ['the number of fields', 'fields', { name: 'Role', type: 'text' }, 120, 100],
  ['the text quota', 'notes', { text: 'ä'.repeat(150) }, 60, Math.floor(QUOTA / 300)],
  ['the number of notes', 'notes', { text: 'x' }, 60, 10, 'notes = 19990'],
  ['the number of posts', 'posts', { text: 'x' }, 60, 10, 'posts = 199990'],
  [
    'the number of front notes',
    'front/notes',
    { kind: 'comment', text: 'x' },
    60,
    10,
    'front_notes = 199990',
  ],
]

for (const [title, path, body, requests, allowed, used] of limits)
  test(`two nodes do not exceed ${title} together`, async () => {
    const { id, token } = await nodes.makeSystem('Limits')
    if (used) {
      await must(first, `POST ${ME}/rooms`, token, { name: 'General' })
      await onServer(engine.addressOf('multitude'), (sql) =>
        sql.unsafe(`update ext_usage set ${used} where system_id = ${idOfSystem(id)}`),
      )
    }
    const line = `POST ${ME}/${path}`
    const sent = await Promise.all(
      Array.from({ length: requests }, (_, at) => ask(nodeAt(at), line, token, body)),
    )
    const refused = sent.filter((response) => response?.status !== 201)
    expect(sent.length - refused.length).toBe(allowed)
    for (const response of refused) expect(response?.json.code).toBe(49001)
  })

test('two nodes do not exceed the limit of pictures together', async () => {
  const { id, token } = await nodes.makeSystem('Pictures')
  const requests = 12
  const members = await Promise.all(
    Array.from({ length: requests }, async (_, at) =>
      String((await must(nodeAt(at), 'POST /v2/members', token, { name: `m${at}` })).json.id),
    ),
  )
  const picture = new Blob([gifOfSize(256 * 1024)])
  const sent = await Promise.all(
    members.map((member, at) =>
      ask(nodeAt(at), `PUT /ext/v1/members/${member}/picture`, token, picture),
    ),
  )
  const refused = sent.filter((response) => response?.status !== 200)
  expect(refused.map((response) => response?.json.code)).toEqual(Array(requests - 4).fill(49001))
  const stored: { size: number }[] = await onServer(engine.addressOf('multitude'), (sql) =>
    sql.unsafe(`select size from pictures where system_id = ${idOfSystem(id)}`),
  )
  expect(stored).toHaveLength(4)
})

test('a picture that one node stores is served by the other, until it is replaced or its system deleted', async () => {
  const { id, token } = await nodes.makeSystem('Shown')
  const { json } = await must(first, 'POST /v2/members', token, { name: 'Wren' })
  const line = `PUT /ext/v1/members/${json.id}/picture`
  const pictures = [gifOfSize(1000), gifOfSize(2000)] as const
  const sent = await Promise.all(
    pictures.map((bytes, at) => must(nodeAt(at), line, token, new Blob([bytes]))),
  )
  const urls = sent.map((one) => String(one.json.url))
  const fetchFrom = (node: { address: string }, url: string) =>
    fetch(`${node.address}${new URL(url).pathname}`)
  // The node that was last decides.
  const shown = await must(second, `GET /v2/members/${json.id}`, token)
  const last = urls.indexOf(String(shown.json.avatar_url))
  expect(last).toBeOneOf([0, 1])
  for (const node of both)
    for (const [at, url] of urls.entries()) {
      const response = await fetchFrom(node, url)
      expect([at, response.status]).toEqual([at, at === last ? 200 : 404])
      if (at === last) expect(await response.bytes()).toEqual(pictures[at] as never)
    }
  await nodes.deleteSystem(id)
  for (const node of both)
    for (const url of urls) expect((await fetchFrom(node, url)).status).toBe(404)
})

function statusesIn(data: unknown): string {
  const { fronters } = data as { fronters: { status: string | null }[] }
  return fronters.map(({ status }) => status).join()
}

function idOfSystem(hid: string): string {
  return `(select id from systems where hid = '${hid}')`
}

async function eventCounts(hid: string): Promise<Record<string, number>> {
  const rows: { type: string; size: number }[] = await onServer(
    engine.addressOf('multitude'),
    (sql) =>
      sql.unsafe(
        `select type, count(*)::int as size from events where system_id = ${idOfSystem(hid)} group by type`,
      ),
  )
  return Object.fromEntries(rows.map(({ type, size }) => [type, size]))
}
