import { asc } from 'drizzle-orm'
import { openDeps } from '../../src/app/app'
import { events, members, switches, systems } from '../../src/db/tables'
import { parseConfig } from '../../src/runtime/config/config'
import { drizzleOn } from '../tools/drizzle'
import { createSystem } from '../tools/operatorActions'
import { execute } from '../tools/rawSql'
import { commandLine, emptyFolder, type Server } from '../tools/serverProcess'
import { expect, test } from '../tools/test'
import { newDatabaseAddress } from '../tools/testApp'
import { until } from '../tools/until'
import { type Reading, readStream } from './readStream'
import { receivers, TOKEN } from './receiver'

const WRITERS = 12
const ACKNOWLEDGED = 200

/** Changes that the server acknowledged. */
interface Acknowledged {
  members: string[]
  switches: string[]
  names: string[]
}

const CONNECTION_LOST = expect.stringMatching(/^E?CONN|^Connection/)

const { startServer } = commandLine()
const receive = receivers()

test('keeps changes and events consistent when the server is killed during writes, twice', async () => {
  const cwd = emptyFolder()
  const env = {
    DATABASE_URL: newDatabaseAddress(cwd),
    DISPATCH_ALLOW: '127.0.0.1',
    // Loses nothing either, unless the machine itself crashes.
    DURABILITY: 'normal',
    // A lease that expires on a busy machine would let events be sent again.
    LEASE_SECONDS: '60',
  }
  const options = { cwd, env }
  const { deps, storage } = openDeps(parseConfig(env))
  const { token } = await createSystem(deps, { name: '' }, { account: null, tokenName: 'test' })
  const receiver = receive()
  const done: Acknowledged = { members: [], switches: [], names: [] }
  const readings: Reading[] = []

  let server = await startServer([], options)
  await call(server, token, 'PUT /v2/systems/@me/webhook', { url: receiver.url, token: TOKEN })
  await call(server, token, 'POST /v2/systems/@me/webhook/verify')
  // All later ones are older, because a new current switch without fronters would be rejected.
  const latest = { members: [], timestamp: '2021-01-01T00:00:00Z' }
  const { id } = await call(server, token, 'POST /v2/systems/@me/switches', latest)
  done.switches.push(String(id))
  for (let round = 0; round < 2; round++) {
    readings.push(await openStream(server, token, readings.at(-1)))
    await writeConcurrently(server, token, done, (round + 1) * ACKNOWLEDGED)
    await readings.at(-1)?.ended
    await server.end()
    await deps.transact('new', (tx) => execute(tx, 'delete from leases'))
    server = await startServer([], options)
  }
  readings.push(await openStream(server, token, readings.at(-1)))

  const outbox = await drizzleOn(deps.db).select().from(events).orderBy(asc(events.id)).all()
  const recorded = (type: string) => outbox.filter((event) => event.type === type)
  const created = recorded('CREATE_MEMBER').map(({ subject }) => subject ?? '')
  const switched = recorded('CREATE_SWITCH').map(({ subject }) => subject ?? '')
  const named = recorded('UPDATE_SYSTEM').map(({ data }) => String(data?.name))

  // Every event has its change, and every change exactly one event.
  expect(created.toSorted()).toEqual(uuids(await drizzleOn(deps.db).select().from(members)))
  expect(switched.toSorted()).toEqual(uuids(await drizzleOn(deps.db).select().from(switches)))
  expect(new Set(named).size).toBe(named.length)
  expect((await drizzleOn(deps.db).select().from(systems)).map(({ name }) => name)).toEqual(
    named.slice(-1),
  )
  expect(created.length + switched.length + named.length).toBe(outbox.length)

  // All acknowledged changes are among them.
  expect(missing(done.members, created)).toEqual([])
  expect(missing(done.switches, switched)).toEqual([])
  expect(missing(done.names, named)).toEqual([])
  expect(outbox.length).toBeGreaterThanOrEqual(2 * ACKNOWLEDGED)

  // A stream that resumes gets each event once; a webhook gets each at least once, in order.
  const ids = outbox.map(({ id }) => String(id))
  const streamed = () => readings.flatMap(({ messages }) => messages.map(({ id }) => id))
  await until(() => streamed().length >= ids.length)
  expect(streamed()).toEqual(ids)
  const sent = () => receiver.events.map(({ headers }) => headers.get('x-event-id') ?? '')
  await until(() => sent().at(-1) === ids.at(-1))
  expect(sent().filter((id, at, all) => id !== all[at - 1])).toEqual(ids)
  expect(sent().length - ids.length).toBeLessThanOrEqual(2)

  await readings.at(-1)?.leave()
  await storage.close()
  server.kill('SIGTERM')
  expect((await server.end()).code).toBe(0)
})

/** Writes concurrently until enough changes are acknowledged, then kills the server. */
async function writeConcurrently(
  server: Server,
  token: string,
  done: Acknowledged,
  enough: number,
) {
  const count = () => done.members.length + done.switches.length + done.names.length
  let turn = count()
  const write = async () => {
    const number = turn++
    const name = `writeConcurrently ${enough} ${number}`
    // Ever older, because a new current switch without fronters would be rejected.
    const timestamp = new Date(Date.UTC(2020, 0, 1) - enough * 1e8 - number * 1e3).toISOString()
    if (number % 3 === 0) {
      const { uuid } = await call(server, token, 'POST /v2/members', { name })
      done.members.push(String(uuid))
    } else if (number % 3 === 1) {
      const body = { members: [], timestamp }
      const { id } = await call(server, token, 'POST /v2/systems/@me/switches', body)
      done.switches.push(String(id))
    } else {
      await call(server, token, 'PATCH /v2/systems/@me', { name })
      done.names.push(name)
    }
    if (count() >= enough) server.kill('SIGKILL')
  }
  const keepWriting = async () => {
    for (let n = 0; n < 2 * ACKNOWLEDGED; n++) await write()
  }
  const ends = await Promise.allSettled(Array.from({ length: WRITERS }, keepWriting))
  // Each writer ends when the connection is lost, and for no other reason.
  for (const end of ends) expect(end).toMatchObject({ reason: { code: CONNECTION_LOST } })
}

/** Opens a stream after the last event of the previous one. */
async function openStream(server: Server, token: string, before?: Reading): Promise<Reading> {
  const url = `${server.address}/v2/systems/@me/events`
  return readStream(url, { token, since: before?.messages.at(-1)?.id ?? 0 })
}

async function call(server: Server, token: string, line: string, body?: unknown) {
  const [method = '', path] = line.split(' ')
  const response = await fetch(`${server.address}${path}`, {
    method,
    headers: { authorization: token },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${line}: ${response.status} ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

function uuids(rows: { uuid: string }[]): string[] {
  return rows.map(({ uuid }) => uuid).toSorted()
}

function missing(some: string[], all: string[]): string[] {
  return some.filter((one) => !all.includes(one))
}
