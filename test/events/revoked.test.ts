import { afterAll, describe, expect, test } from 'bun:test'
import { openDeps } from '../../src/app'
import {
  createBot,
  createToken,
  forgetAccount,
  linkAccount,
  revokeBot,
  revokeToken,
} from '../operatorActions'
import { createTestApp, isOnFile, type TestSystem } from '../testApp'
import { type Reading, readStream } from './readStream'
import { until } from './receiver'

// No heart beats while these tests run: whoever is sent away is so because of what happens.
const at = createTestApp({
  HOST: '127.0.0.1',
  PORT: '0',
  events: { heartbeatMs: 600_000, checkMs: 600_000 },
})
const { ask, deps, makeSystem } = at
const address = at.app.listen()

/** Where it is often looked whether streams may still be read. */
const quick = createTestApp({
  HOST: '127.0.0.1',
  PORT: '0',
  events: { heartbeatMs: 600_000, checkMs: 30 },
})
const quickAddress = quick.app.listen()

/** The same database, opened once more as another process would. */
const elsewhere = openDeps(at.config)
afterAll(elsewhere.storage.close)

const places = [
  ['here', deps],
  ['by another process', elsewhere.deps],
] as const

describe.each(places)('once its right is taken away %s, a stream hears nothing more:', (_, by) => {
  /** On a server another node is told of it by the next beat. */
  const known = () => Bun.sleep(isOnFile || by === deps ? 0 : 600)

  test.each(['events', 'fronters/stream'])('a token’s %s', async (path) => {
    const as = await makeSystem()
    const lost = await createToken(deps, as.id, 'lost')
    const [reading, kept] = [await follow(path, lost), await follow(path, as.token)]
    await revokeToken(by, as.id, 'lost')
    await known()
    await expectSilence(as, reading)
    await until(() => kept.messages.length > 0)
    expect(kept.isOpen).toBe(true)
    await kept.leave()
  })

  test('what a token replays', async () => {
    const as = await makeSystem()
    const lost = await createToken(deps, as.id, 'lost')
    await happen(as)
    const reading = await readStream(`${address}/v2/systems/@me/events`, { token: lost, since: 0 })
    await until(() => reading.messages.length > 0)
    reading.messages.length = 0
    await revokeToken(by, as.id, 'lost')
    await known()
    await expectSilence(as, reading)
  })

  test('a bot’s', async () => {
    const as = await makeSystem()
    const key = await createBot(deps, `lost ${as.id}`)
    const headers = { authorization: `Bot ${key}`, 'x-system': as.hid }
    const reading = await readStream(`${address}/v2/systems/@me/events`, { headers })
    await until(() => reading.beats > 0)
    await revokeBot(by, `lost ${as.id}`)
    await known()
    await expectSilence(as, reading)
  })

  test('a bot’s, once the system has no account on its platform', async () => {
    const as = await makeSystem()
    const account = `matrix:@lost${as.id}:example.org`
    await linkAccount(deps, as.id, account)
    const key = await createBot(deps, `left ${as.id}`, 'matrix')
    const headers = { authorization: `Bot ${key}`, 'x-system': as.hid }
    const reading = await readStream(`${address}/v2/systems/@me/events`, { headers })
    await until(() => reading.beats > 0)
    await forgetAccount(by, account)
    await known()
    await expectSilence(as, reading)
  })
})

test.each(['events', 'fronters/stream'])(
  '%s ends soon after, also when nothing happens',
  async (path) => {
    const as = await quick.makeSystem()
    const reading = await readStream(`${quickAddress}/v2/systems/@me/${path}`, { token: as.token })
    await until(() => reading.beats > 0)
    await revokeToken(quick.deps, as.id, 'test')
    expect(await reading.ended).toBe('ended')
  },
)

async function follow(path: string, token: string): Promise<Reading> {
  const reading = await readStream(`${address}/v2/systems/@me/${path}`, { token })
  await until(() => reading.beats > 0 && (path === 'events' || reading.messages.length > 0))
  reading.messages.length = 0
  return reading
}

/** The next thing that happens ends the stream, and is not told. */
async function expectSilence(as: TestSystem, reading: Reading): Promise<void> {
  await happen(as)
  expect(await reading.ended).toBe('ended')
  expect(reading.messages).toEqual([])
}

/** Somebody else fronts, which every stream of the system tells. */
async function happen(as: TestSystem): Promise<void> {
  const { json } = await ask<{ id: string }>('POST /v2/members', { as, body: { name: 'Ash' } })
  const body = { members: [json.id] }
  expect((await ask('POST /v2/systems/@me/switches', { as, body })).status).toBe(200)
}
