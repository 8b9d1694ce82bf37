import { createToken, deleteSystem, revokeToken } from '../tools/operatorActions'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'
import { createTestClock } from '../tools/testClock'
import { until } from '../tools/until'
import { type Reading, readStream } from './readStream'
import { openAndStop, recordMany } from './stuckClients'

const HEARTBEAT_MS = 15_000
const clock = createTestClock()
const at = createTestApp({ HOST: '127.0.0.1', PORT: '0', clock })
const { ask, deps, makeSystem } = at
const { streams } = at.app.events
const address = at.app.listen()
const EVENTS = `${address}/v2/systems/@me/events`

describe('the event stream', () => {
  test('sends only later events of the own system', async () => {
    const [as, other] = [await makeSystem(), await makeSystem()]
    await rename(as, 'before')
    const reading = await follow(as)
    expect(Object.fromEntries(reading.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    })
    await rename(other, 'other')
    await rename(as, 'one')
    await rename(as, 'two')
    await until(() => reading.messages.length === 2)
    expect(reading.messages).toMatchObject([
      {
        event: 'UPDATE_SYSTEM',
        data: { type: 'UPDATE_SYSTEM', system_id: as.uuid, id: null, data: { name: 'one' } },
      },
      { data: { data: { name: 'two' } } },
    ])
    expect(JSON.stringify(reading.messages)).not.toContain('signing_token')
    await reading.leave()
  })

  test('requires a valid token for the event stream', async () => {
    expect((await fetch(EVENTS)).status).toBe(401)
    expect((await fetch(EVENTS, { headers: { authorization: 'wrong' } })).status).toBe(401)
  })

  test.each(['x', '-1', '1.5', '9'.repeat(16)])('rejects the Last-Event-ID %j', async (since) => {
    const as = await makeSystem()
    const headers = { 'last-event-id': since }
    expect((await ask('GET /v2/systems/@me/events', { as, headers })).status).toBe(400)
  })

  test('replays events after the Last-Event-ID', async () => {
    const [as, other] = [await makeSystem(), await makeSystem()]
    for (const name of ['one', 'two', 'three']) {
      await rename(as, name)
      await rename(other, name)
    }
    const all = await follow(as, { since: 0 })
    await until(() => all.messages.length === 3)
    expect(namesOf(all)).toEqual(['one', 'two', 'three'])
    const rest = await follow(as, { since: all.messages[0]?.id ?? '' })
    await until(() => rest.messages.length === 2)
    await rename(as, 'four')
    await until(() => rest.messages.length === 3 && all.messages.length === 4)
    expect(namesOf(rest)).toEqual(['two', 'three', 'four'])
    await Promise.all([all.leave(), rest.leave()])
  })

  test('sends a gap first when the Last-Event-ID is above the newest ID', async () => {
    const as = await makeSystem()
    await rename(as, 'one')
    const before = await follow(as, { since: 0 })
    await until(() => before.messages.length === 1)
    const newest = Number(before.messages[0]?.id)
    const since = 999_999_999_999_999
    const reading = await follow(as, { since })
    // What is written before the server looks for the newest ID is part of the gap.
    await until(() => reading.messages.length === 1)
    await rename(as, 'two')
    await until(() => reading.messages.length === 2)
    expect(reading.messages).toMatchObject([
      { event: 'gap', id: String(newest), data: { after: since, before: newest + 1 } },
      { event: 'UPDATE_SYSTEM', data: { data: { name: 'two' } } },
    ])
    // A client that resumes with the ID of the gap gets the events after it.
    const next = await follow(as, { since: newest })
    await until(() => next.messages.length === 1)
    expect(namesOf(next)).toEqual(['two'])
    await Promise.all([before.leave(), reading.leave(), next.leave()])
  })

  test('sends each event once while it replays during writes', async () => {
    const as = await makeSystem()
    await recordMany(deps, as, 1500, 600)
    const readings: Reading[] = []
    for (let n = 0; n < 150; n++) {
      await rename(as, `name ${n}`)
      if (n % 30 === 0) readings.push(await follow(as, { since: 0 }))
    }
    for (const reading of readings) {
      await until(() => reading.messages.length >= 1650)
      const ids = reading.messages.map(({ id }) => Number(id))
      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
      expect(new Set(ids).size).toBe(1650)
      expect(namesOf(reading).slice(1500)).toEqual(
        Array.from({ length: 150 }, (_, n) => `name ${n}`),
      )
      await reading.leave()
    }
  })
})

describe('event and fronter streams', () => {
  test('sends heartbeats to streams and keeps them open while they are authorized', async () => {
    const as = await makeSystem()
    const [eventStream, front] = [await follow(as), await followFront(as)]
    for (let count = 1; count <= 4; count++) {
      await until(() => eventStream.heartbeats === count && front.heartbeats === count)
      await clock.advance(HEARTBEAT_MS)
    }
    expect([eventStream.isOpen, front.isOpen]).toEqual([true, true])
    await Promise.all([eventStream.leave(), front.leave()])
  })

  test('removes a stream when its client disconnects', async () => {
    const as = await makeSystem()
    await until(() => streams.count === 0)
    const readings = await Promise.all([follow(as), follow(as, { since: 0 }), followFront(as)])
    expect(streams.count).toBe(3)
    await Promise.all(readings.map((reading) => reading.leave()))
    await until(() => streams.count === 0)
  })

  test.each(['@me/events', '@me/fronters/stream'])(
    'HEAD of %s answers without opening a stream',
    async (path) => {
      const as = await makeSystem()
      await until(() => streams.count === 0)
      const { status, headers, text } = await ask(`HEAD /v2/systems/${path}`, { as })
      expect({ status, text }).toEqual({ status: 200, text: '' })
      expect(headers.get('content-type')).toStartWith('text/event-stream')
      expect(streams.count).toBe(0)
    },
  )

  test('ends streams when their token is revoked', async () => {
    const someone = await makeSystem()
    const as = { ...someone, token: await createToken(deps, someone.id, 'lost') }
    const eventStream = await follow(as)
    const front = await followFront(as)
    const kept = await follow(someone)
    await revokeToken(deps, someone.id, 'lost')
    await clock.advance(HEARTBEAT_MS)
    expect(await Promise.all([eventStream.ended, front.ended])).toEqual(['ended', 'ended'])
    expect(kept.isOpen).toBe(true)
    await kept.leave()
  })

  test('ends streams when their system is deleted', async () => {
    const as = await makeSystem()
    const readings = [await follow(as), await followFront(as), await followFront(as, null)]
    await deleteSystem(deps, as.id)
    await clock.advance(HEARTBEAT_MS)
    const ends = await Promise.all(readings.map(({ ended }) => ended))
    expect(ends).toEqual(['ended', 'ended', 'ended'])
  })
})

describe('clients that do not read', () => {
  test('disconnects clients that do not read, and does not delay other clients', async () => {
    const as = await makeSystem()
    const reading = await follow(as)
    const stuck = await Promise.all([openAndStop(EVENTS, as), openAndStop(EVENTS, as)])
    await until(() => streams.count === 3)
    // About 12 MB, which is more than the buffers of their sockets.
    for (let round = 0; round < 8; round++) await recordMany(deps, as, 150, 10_000)
    await until(() => reading.messages.length === 1200)
    // At the first of two heartbeats without capacity they may still read.
    await clock.advance(HEARTBEAT_MS)
    expect(streams.count).toBe(3)
    await clock.advance(HEARTBEAT_MS)
    expect(streams.count).toBe(1)
    await rename(as, 'after all')
    await until(() => reading.messages.length === 1201)
    for (const socket of stuck) socket.destroy()
    await reading.leave()
  })
})

describe('a server that stops', () => {
  test('ends streams normally, so that clients reconnect', async () => {
    const stoppingApp = createTestApp({ HOST: '127.0.0.1', PORT: '0' })
    const as = await stoppingApp.makeSystem()
    const url = `${stoppingApp.app.listen()}/v2/systems/@me/events`
    const early = await readStream(url, { token: as.token })
    await stoppingApp.ask('PATCH /v2/systems/@me', { as, body: { name: 'one' } })
    await until(() => early.messages.length === 1)
    await stoppingApp.app.events.stop()
    expect(await early.ended).toBe('ended')
    // A stream that is opened during the shutdown ends at once.
    const late = await readStream(url, { token: as.token })
    expect(await late.ended).toBe('ended')
    expect(late.messages).toEqual([])
  })
})

async function follow(as: TestSystem, more: { since?: number | string } = {}): Promise<Reading> {
  const reading = await readStream(EVENTS, { token: as.token, ...more })
  await until(() => reading.heartbeats > 0)
  return reading
}

/** Opens the stream of fronters, as the system itself or as an anonymous caller. */
async function followFront(of: TestSystem, as: TestSystem | null = of): Promise<Reading> {
  const url = `${address}/v2/systems/${of.hid}/fronters/stream`
  const reading = await readStream(url, as ? { token: as.token } : {})
  await until(() => reading.messages.length > 0)
  return reading
}

async function rename(as: TestSystem, name: string): Promise<void> {
  await ask('PATCH /v2/systems/@me', { as, body: { name } })
}

function namesOf({ messages }: Reading): unknown[] {
  return messages.map(({ data }) => (data as { data: { name?: string } }).data.name)
}
