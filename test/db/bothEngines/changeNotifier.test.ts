import { openDeps } from '../../../src/app/app'
import { createHub } from '../../../src/events/hub'
import type { StoredEvent } from '../../../src/events/outbox'
import { parseConfig } from '../../../src/runtime/config/config'
import { findBot, findToken } from '../../../src/service/access/credentials'
import { createMember } from '../../../src/service/members/members'
import { createBot, createSystem, revokeBot, revokeToken } from '../../tools/operatorActions'
import { emptyFolder } from '../../tools/serverProcess'
import { afterAll, describe, expect, test } from '../../tools/test'
import { isSqlite, newDatabaseAddress } from '../../tools/testApp'
import { until } from '../../tools/until'

/** One database, opened twice as by two processes, which cannot notify each other. */
const config = parseConfig({
  DATABASE_URL: newDatabaseAddress(emptyFolder()),
  DURABILITY: 'normal',
})
const here = openDeps(config)
const there = openDeps(config)
const hub = createHub({ ...here.deps, changes: here.storage.changes, warn: () => {} })
await hub.start()

afterAll(async () => {
  hub.stop()
  await Promise.all([here.storage.close(), there.storage.close()])
})

describe('changes by another process', () => {
  test('delivers events of another process once and in order to listeners of their system', async () => {
    const [one, other] = [await addSystem(), await addSystem()]
    const received: StoredEvent[] = []
    const receivedByOther: StoredEvent[] = []
    const stopListening = hub.listen(one.id, (event) => received.push(event))
    hub.listen(other.id, (event) => receivedByOther.push(event))
    const names = ['Wren', 'Finch', 'Heron']
    for (const [at, name] of names.entries()) {
      await createMember(there.deps, { system: one.id, platform: null }, { name })
      // Each event arrives alone, after polls without events.
      await until(() => received.length > at)
    }
    expect(received).toMatchObject(names.map((name) => ({ type: 'CREATE_MEMBER', data: { name } })))
    stopListening()
    for (const { id } of [one, other])
      await createMember(there.deps, { system: id, platform: null }, { name: 'Robin' })
    await until(() => receivedByOther.length > 0)
    expect(receivedByOther).toMatchObject([{ system_id: other.id, data: { name: 'Robin' } }])
    expect(received).toHaveLength(names.length)
  })

  test('reports a change by another process in one tick, and no change in the others', async () => {
    const { id } = await addSystem()
    const ticks: boolean[] = []
    here.storage.changes.onTick((isNew) => ticks.push(isNew))
    await until(() => ticks.at(-1) === false)
    const before = ticks.length
    await createMember(there.deps, { system: id, platform: null }, { name: 'Wren' })
    await until(() => ticks.length > before + 3)
    expect(ticks.slice(before).filter((isNew) => isNew)).toEqual([true])
  })
})

describe('revocation by another process', () => {
  /** SQLite detects it at once, a node on PostgreSQL by its next heartbeat. */
  const untilDetected = async (find: () => object | null | Promise<object | null>) => {
    if (!isSqlite) await until(() => !isCached(find()))
  }

  test('rejects a cached token that another process revoked', async () => {
    const { id, token } = await addSystem()
    expect(await findToken(here.deps, token)).toMatchObject({ system: { id } })
    // The token is cached after the time of its use was recorded.
    await until(async () => {
      await findToken(here.deps, token)
      return isCached(findToken(here.deps, token))
    })
    expect(await revokeToken(there.deps, id, 'test')).toBe(true)
    await untilDetected(() => findToken(here.deps, token))
    const found = findToken(here.deps, token)
    expect(isCached(found)).toBe(false)
    expect(await found).toBeNull()
  })

  test('rejects a cached bot key that another process revoked', async () => {
    const key = await createBot(here.deps, 'one')
    expect(await findBot(here.deps, key)).not.toBeNull()
    expect(isCached(findBot(here.deps, key))).toBe(true)
    await revokeBot(there.deps, 'one')
    await untilDetected(() => findBot(here.deps, key))
    const found = findBot(here.deps, key)
    expect(isCached(found)).toBe(false)
    expect(await found).toBeNull()
  })
})

/** Only a lookup in the database returns a promise. */
function isCached(found: object | null): boolean {
  return !(found instanceof Promise)
}

async function addSystem(): Promise<{ id: number; token: string }> {
  const link = { account: null, tokenName: 'test' }
  const { system, token } = await createSystem(there.deps, {}, link)
  return { id: system.id, token }
}
