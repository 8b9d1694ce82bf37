import { openDeps } from '../../src/app/app'
import type { JsonObject } from '../../src/model/core/entity'
import {
  createBot,
  createToken,
  forgetAccount,
  linkAccount,
  revokeBot,
  revokeToken,
} from '../tools/operatorActions'
import { afterAll, describe, expect, test } from '../tools/test'
import { createTestApp, isSqlite, type TestSystem } from '../tools/testApp'
import { until } from '../tools/until'
import { type Reading, readStream } from './readStream'

// No heartbeats or checks during these tests, so that only events end streams.
const at = createTestApp({
  HOST: '127.0.0.1',
  PORT: '0',
  events: { heartbeatMs: 600_000, checkMs: 600_000 },
})
const { ask, deps, makeSystem } = at
const address = at.app.listen()

/** An application that checks authorization often. */
const checkingApp = createTestApp({
  HOST: '127.0.0.1',
  PORT: '0',
  events: { heartbeatMs: 600_000, checkMs: 30 },
})
const checkingAddress = checkingApp.app.listen()

/** The same database, opened again as another process would. */
const elsewhere = openDeps(at.config)
afterAll(elsewhere.storage.close)

const revokers = [
  ['in this process', deps],
  ['by another process', elsewhere.deps],
] as const

describe.each(revokers)('streams after access is revoked %s', (where, by) => {
  /** On PostgreSQL another node is notified by the next heartbeat of the database. */
  const propagate = async (headers: Record<string, string>) => {
    if (isSqlite || by === deps) return
    await until(async () => (await ask('GET /v2/systems/@me', { headers })).status !== 200)
  }

  test.each(['events', 'fronters/stream'])(
    `ends the stream %s of a token that is revoked ${where}`,
    async (path) => {
      const as = await makeSystem()
      const lost = await createToken(deps, as.id, 'lost')
      const [reading, kept] = [await follow(path, lost), await follow(path, as.token)]
      await revokeToken(by, as.id, 'lost')
      await propagate({ authorization: lost })
      await expectEnd(as, reading)
      await until(() => kept.messages.length > 0)
      expect(kept.isOpen).toBe(true)
      await kept.leave()
    },
  )

  test(`ends the stream of friends of a token that is revoked ${where}`, async () => {
    const [as, friend] = [await makeSystem(), await makeSystem()]
    const send = async (of: TestSystem, line: string, body: JsonObject) =>
      (await ask(line, { as: of, body })).json
    const bucket = { name: 'Close', default_for: ['members'] }
    const { id } = await send(friend, 'POST /ext/v1/buckets', bucket)
    const share = { buckets: [id] }
    const { code } = await send(friend, 'POST /ext/v1/friends/invites', { share })
    await send(as, 'POST /ext/v1/friends', { code })
    const url = `${address}/ext/v1/friends/stream`
    const readings: Reading[] = []
    const lost = await createToken(deps, as.id, 'lost')
    for (const token of [lost, as.token]) readings.push(await readStream(url, { token }))
    const [reading, kept] = readings as [Reading, Reading]
    await until(() => readings.every(({ messages }) => messages.length === 1))
    reading.messages.length = 0
    await revokeToken(by, as.id, 'lost')
    await propagate({ authorization: lost })
    await expectEnd(friend, reading)
    await until(() => kept.messages.length === 2)
    await kept.leave()
  })

  test(`stops replaying events to a token that is revoked ${where}`, async () => {
    const as = await makeSystem()
    const lost = await createToken(deps, as.id, 'lost')
    await changeFront(as)
    const reading = await readStream(`${address}/v2/systems/@me/events`, { token: lost, since: 0 })
    await until(() => reading.messages.length > 0)
    reading.messages.length = 0
    await revokeToken(by, as.id, 'lost')
    await propagate({ authorization: lost })
    await expectEnd(as, reading)
  })

  test(`ends the stream of a bot whose key is revoked ${where}`, async () => {
    const as = await makeSystem()
    const key = await createBot(deps, `lost ${as.id}`)
    const headers = { authorization: `Bot ${key}`, 'x-system': as.hid }
    const reading = await readStream(`${address}/v2/systems/@me/events`, { headers })
    await until(() => reading.heartbeats > 0)
    await revokeBot(by, `lost ${as.id}`)
    await propagate(headers)
    await expectEnd(as, reading)
  })

  test(`ends the stream of a bot when the account on its platform is unlinked ${where}`, async () => {
    const as = await makeSystem()
    const account = `matrix:@lost${as.id}:example.org`
    await linkAccount(deps, as.id, account)
    const key = await createBot(deps, `left ${as.id}`, 'matrix')
    const headers = { authorization: `Bot ${key}`, 'x-system': as.hid }
    const reading = await readStream(`${address}/v2/systems/@me/events`, { headers })
    await until(() => reading.heartbeats > 0)
    await forgetAccount(by, account)
    await propagate(headers)
    await expectEnd(as, reading)
  })
})

test.each([
  '/v2/systems/@me/events',
  '/v2/systems/@me/fronters/stream',
  '/ext/v1/systems/@me/front/stream',
  '/ext/v1/friends/stream',
])('ends the stream %s of a revoked token soon, even without events', async (path) => {
  const as = await checkingApp.makeSystem()
  const reading = await readStream(`${checkingAddress}${path}`, { token: as.token })
  await until(() => reading.heartbeats > 0)
  await revokeToken(checkingApp.deps, as.id, 'test')
  expect(await reading.ended).toBe('ended')
})

async function follow(path: string, token: string): Promise<Reading> {
  const reading = await readStream(`${address}/v2/systems/@me/${path}`, { token })
  await until(() => reading.heartbeats > 0 && (path === 'events' || reading.messages.length > 0))
  reading.messages.length = 0
  return reading
}

/** Expects that the next event ends the stream and is not sent. */
async function expectEnd(as: TestSystem, reading: Reading): Promise<void> {
  await changeFront(as)
  expect(await reading.ended).toBe('ended')
  expect(reading.messages).toEqual([])
}

/** Changes the fronters, which every stream of the system would send. */
async function changeFront(as: TestSystem): Promise<void> {
  const { json } = await ask<{ id: string }>('POST /v2/members', { as, body: { name: 'Ash' } })
  const body = { members: [json.id] }
  expect((await ask('POST /v2/systems/@me/switches', { as, body })).status).toBe(200)
}
