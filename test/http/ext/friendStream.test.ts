import type { Db } from '../../../src/db/types'
import { createHandler } from '../../../src/http/handler'
import { createLog } from '../../../src/runtime/log'
import type { Deps } from '../../../src/service/core/deps'
import { readStream } from '../../events/readStream'
import type { Json } from '../../tools/scenarios'
import { afterAll, describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { createTestClock, runEventLoop } from '../../tools/testClock'
import { until } from '../../tools/until'

const testApp = createTestApp({ RATE_LIMIT: 'off', STREAMS_PER_CLIENT: '100' })
const { app, config, deps, ask, makeSystem } = testApp
const clock = createTestClock()

/** Statements that read fronts, and what each waits for before its rows arrive. */
let reads = 0
let gate: Promise<void> = Promise.resolve()

const watched: Deps = { ...deps, clock, db: watchReads(deps.db) }
const handle = createHandler({
  deps: watched,
  events: app.events,
  config,
  log: createLog('error', 'json', () => {}),
  checkHealth: app.storage.checkHealth,
  toUnavailable: app.storage.toUnavailable,
  shutdown: {},
})
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  fetch: (request) => handle(request, () => '127.0.0.1'),
})
afterAll(() => server.stop(true))
const url = `http://127.0.0.1:${server.port}/ext/v1/friends/stream`

/** Returns a handle that counts the reads of fronts, and holds back their rows at the gate. */
function watchReads(db: Db): Db {
  const { driver } = db
  return {
    ...db,
    driver: {
      ...driver,
      query<Row>(text: string) {
        const query = driver.query<Row>(text)
        if (!text.includes('friend_sides') || !text.includes('announce_front')) return query
        return {
          get: query.get.bind(query),
          run: query.run.bind(query),
          async all(values) {
            reads++
            const rows = await query.all(values)
            await gate
            return rows
          },
        }
      },
    },
  }
}

interface Friends {
  owner: TestSystem
  guest: TestSystem
  friendship: string
  /** Short IDs of members that the friend sees. */
  members: string[]
}

const must = async (as: TestSystem, line: string, body?: unknown) => {
  const { status, json, text } = await ask<Json>(line, { as, body })
  expect(status, `${line}: ${text}`).toBeLessThan(300)
  return json
}

/** Makes two systems friends, of which one shows its members to the other. */
async function befriend(): Promise<Friends> {
  const [owner, guest] = [await makeSystem('Harbour'), await makeSystem('Lantern')]
  const { code } = await must(owner, 'POST /ext/v1/friends/invites', {})
  const { id } = await must(guest, 'POST /ext/v1/friends', { code })
  const [bucket] = (await must(owner, 'GET /ext/v1/buckets')) as unknown as Json[]
  const members: string[] = []
  for (const name of ['Wren', 'Finch', 'Heron']) {
    const shared = { member: { name }, buckets: [bucket?.id] }
    const created = await must(owner, 'POST /ext/v1/members', shared)
    members.push(String((created.member as Json).id))
  }
  return { owner, guest, friendship: String(id), members }
}

const switchTo = (as: TestSystem, ...members: (string | undefined)[]) =>
  must(as, 'POST /v2/systems/@me/switches', { members })

/** Waits until the streams were told of all events so far. */
async function untilEmitted({ owner }: Friends, change: () => Promise<unknown>): Promise<void> {
  let emitted = 0
  const stop = app.events.hub.listen(owner.id, () => emitted++)
  await change()
  await until(() => emitted > 0)
  stop()
  await runEventLoop()
}

const namesOf = ({ data }: { data: unknown }) => {
  const { front } = data as { front: { fronters: { member: Json }[] } | null }
  return front?.fronters.map(({ member }) => member.name) ?? null
}

describe('streams of the fronts of friends', () => {
  test('read a front once for all streams of a system', async () => {
    const friends = await befriend()
    const { owner, guest, members } = friends
    const streams = await Promise.all(
      Array.from({ length: 5 }, () => readStream(url, { token: guest.token })),
    )
    await until(() => streams.every(({ messages }) => messages.length >= 1))
    await clock.advance(1000)
    reads = 0
    await switchTo(owner, members[0])
    await until(() => streams.every(({ messages }) => messages.length >= 2))
    expect(reads).toBe(1)
    for (const { messages, leave } of streams) {
      expect(messages.map(namesOf)).toEqual([[], ['Wren']])
      await leave()
    }
  })

  test('send a change at once, and join those of the next 100 ms', async () => {
    const friends = await befriend()
    const { owner, guest, members } = friends
    const { messages, leave } = await readStream(url, { token: guest.token })
    await until(() => messages.length >= 1)
    await clock.advance(1000)
    await switchTo(owner, members[0])
    await until(() => messages.length >= 2)
    for (const member of members.slice(1))
      await untilEmitted(friends, () => switchTo(owner, member))
    await clock.advance(100)
    await until(() => messages.length >= 3)
    expect(messages.map(namesOf)).toEqual([[], ['Wren'], ['Heron']])
    await leave()
  })

  test('send nothing that was read before a change', async () => {
    const friends = await befriend()
    const { owner, guest, members, friendship } = friends
    const { messages, leave } = await readStream(url, { token: guest.token })
    await until(() => messages.length >= 1)
    await clock.advance(1000)
    const held = Promise.withResolvers<void>()
    gate = held.promise
    reads = 0
    await switchTo(owner, members[0])
    await until(() => reads === 1)
    await untilEmitted(friends, () =>
      must(owner, `PATCH /ext/v1/friends/${friendship}`, { share: { see_front: false } }),
    )
    gate = Promise.resolve()
    held.resolve()
    await runEventLoop()
    await clock.advance(100)
    await until(() => messages.length >= 2)
    expect(messages.map(namesOf)).toEqual([[], null])
    await leave()
  })

  test('send nothing that was read before they opened', async () => {
    const friends = await befriend()
    const { owner, guest, members, friendship } = friends
    const early = await readStream(url, { token: guest.token })
    await until(() => early.messages.length >= 1)
    await clock.advance(1000)
    const held = Promise.withResolvers<void>()
    gate = held.promise
    reads = 0
    await switchTo(owner, members[0])
    await until(() => reads === 1)
    gate = Promise.resolve()
    await must(owner, `PATCH /ext/v1/friends/${friendship}`, { share: { see_front: false } })
    const late = await readStream(url, { token: guest.token })
    await until(() => late.messages.length >= 1)
    expect(late.messages.map(namesOf)).toEqual([null])
    held.resolve()
    await early.leave()
    await late.leave()
  })

  test('send nothing that was read before the end of a friendship', async () => {
    const friends = await befriend()
    const { owner, guest, members, friendship } = friends
    const { messages, leave } = await readStream(url, { token: guest.token })
    await until(() => messages.length >= 1)
    await clock.advance(1000)
    const held = Promise.withResolvers<void>()
    gate = held.promise
    reads = 0
    await switchTo(owner, members[0])
    await until(() => reads === 1)
    await untilEmitted(friends, () => must(guest, `DELETE /ext/v1/friends/${friendship}`))
    gate = Promise.resolve()
    held.resolve()
    await until(() => messages.length >= 2)
    expect(messages.map(({ event }) => event)).toEqual(['front', 'end'])
    await leave()
  })
})
