import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { openDeps } from '../../../src/app'
import { parseConfig } from '../../../src/config'
import { createHub } from '../../../src/events/hub'
import type { StoredEvent } from '../../../src/events/outbox'
import { findBot, findToken, getCachedToken } from '../../../src/service/access/credentials'
import { createMember } from '../../../src/service/members'
import { until } from '../../events/receiver'
import { createBot, createSystem, revokeBot, revokeToken } from '../../operatorActions'
import { emptyFolder } from '../../serverProcess'
import { addressIn, isOnFile } from '../../testApp'

// A busy machine may take its time.
setDefaultTimeout(60_000)

/** One database, opened twice, as two processes would: neither can wake the other. */
const config = parseConfig({
  DATABASE_URL: addressIn(emptyFolder()),
  DURABILITY: 'normal',
})
const here = openDeps(config)
const there = openDeps(config)
const hub = createHub({ ...here.deps, pulse: here.storage.changes, warn: () => {} })
await hub.start()

afterAll(async () => {
  hub.stop()
  await Promise.all([here.storage.close(), there.storage.close()])
})

describe('what another process writes', () => {
  test('is heard by whoever listens here, in order and once, and by nobody else', async () => {
    const [one, other] = [await makeSystem(), await makeSystem()]
    const heard: StoredEvent[] = []
    const ofOther: StoredEvent[] = []
    const leave = hub.listen(one.id, (event) => heard.push(event))
    hub.listen(other.id, (event) => ofOther.push(event))
    const names = ['Wren', 'Finch', 'Heron']
    for (const [at, name] of names.entries()) {
      await createMember(there.deps, { system: one.id, platform: null }, { name })
      // Each comes by itself, after some that brought nothing.
      await until(() => heard.length > at)
    }
    expect(heard).toMatchObject(names.map((name) => ({ type: 'CREATE_MEMBER', data: { name } })))
    leave()
    for (const { id } of [one, other])
      await createMember(there.deps, { system: id, platform: null }, { name: 'Robin' })
    await until(() => ofOther.length > 0)
    expect(ofOther).toMatchObject([{ system_id: other.id, data: { name: 'Robin' } }])
    expect(heard).toHaveLength(names.length)
  })

  test('is told by every beat once, and a beat without anything new says so', async () => {
    const { id } = await makeSystem()
    const beats: boolean[] = []
    here.storage.changes.onTick((isNew) => beats.push(isNew))
    await until(() => beats.at(-1) === false)
    const before = beats.length
    await createMember(there.deps, { system: id, platform: null }, { name: 'Wren' })
    await until(() => beats.length > before + 3)
    expect(beats.slice(before).filter((isNew) => isNew)).toEqual([true])
  })
})

describe('what another process revokes', () => {
  /** In a file it is seen at once; a server's other nodes are told by the next beat. */
  const known = () => Bun.sleep(isOnFile ? 0 : 600)

  test('is refused here, though it was remembered: a token', async () => {
    const { id, token } = await makeSystem()
    expect(await findToken(here.deps, token)).toMatchObject({ system: { id } })
    // That it was used is noted, and then it is remembered.
    await until(async () => (await findToken(here.deps, token)) && getCachedToken(here.deps, token))
    expect(await revokeToken(there.deps, id, 'test')).toBe(true)
    await known()
    expect(getCachedToken(here.deps, token)).toBeNull()
    expect(await findToken(here.deps, token)).toBeNull()
  })

  test('is refused here, though it was remembered: a bot', async () => {
    const key = await createBot(here.deps, 'one')
    expect(await findBot(here.deps, key)).not.toBeNull()
    expect(here.deps.credentialCache.bots.getCached(key)).toBeDefined()
    await revokeBot(there.deps, 'one')
    await known()
    expect(here.deps.credentialCache.bots.getCached(key)).toBeUndefined()
    expect(await findBot(here.deps, key)).toBeNull()
  })
})

async function makeSystem(): Promise<{ id: number; token: string }> {
  const link = { account: null, tokenName: 'test' }
  const { system, token } = await createSystem(there.deps, {}, link)
  return { id: system.id, token }
}
