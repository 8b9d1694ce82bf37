import { pruneEvents } from '../../src/events/prune'
import { operator } from '../../src/model/core/privacy'
import { DAY, type Instant } from '../../src/model/core/time'
import { removeOldMessages, startMessageRetention } from '../../src/service/proxy/messageRetention'
import { disableSystem } from '../../src/service/systems/disableSystem'
import { describeSystems, findUnused, pruneSystems } from '../../src/service/systems/systemActivity'
import { insertMessage } from '../../src/store/proxy/messageRows'
import { outcomeOf } from '../tools/outcomeOf'
import { execute, rows } from '../tools/rawSql'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'
import { createTestClock } from '../tools/testClock'
import { until } from '../tools/until'

let clock: Instant = Date.UTC(2026, 0, 1) * 1000
const testApp = createTestApp({ now: () => ++clock })
const { deps } = testApp

// Backdate the migrations, so that activity counts as recorded since before all systems.
await deps.transact('new', (tx) =>
  execute(tx, "update migrations set applied = '2020-01-01T00:00:00.000Z'"),
)

async function lastActive({ id }: TestSystem): Promise<Instant | null | undefined> {
  const all = await describeSystems(deps, operator)
  return all.find((one) => one.id === id)?.lastActive
}

/** Creates a system whose token was never used. */
async function makeUnused(): Promise<TestSystem> {
  const created = await testApp.makeSystem()
  await deps.transact('new', async (tx) => {
    await execute(tx, 'update tokens set last_used = null where system_id = :id', {
      id: created.id,
    })
  })
  return created
}

let messages = 0

function addMessage(of: TestSystem, timestamp: Instant) {
  const id = String(++messages).padStart(18, '0')
  return deps.transact('new', (tx) =>
    insertMessage(tx, {
      ...{ id, original: id, sender: '1', channel: '2', guild: null },
      ...{ system_id: of.id, member_id: null, timestamp },
    }),
  )
}

async function countMessages(): Promise<number> {
  return (await rows(deps.db, 'select id from messages')).length
}

describe('last activity of a system', () => {
  const activities: [title: string, act: (one: TestSystem) => Promise<unknown>][] = [
    ['a token is used', (as) => testApp.ask('GET /v2/systems/@me', { as })],
    ['a row changes', (as) => testApp.ask('POST /v2/members', { as, body: { name: 'A' } })],
    ['a message is recorded', (one) => addMessage(one, clock)],
  ]

  test.each(activities)('updates the last activity when %s', async (_, act) => {
    const one = await makeUnused()
    const before = (await lastActive(one)) ?? 0
    clock += 30 * DAY
    const moment = clock
    await act(one)
    await until(async () => ((await lastActive(one)) ?? 0) >= moment)
    expect(before).toBeLessThan(moment)
  })

  test('keeps the last activity when the events and messages behind it are deleted', async () => {
    const one = await makeUnused()
    await testApp.ask('POST /v2/members', { as: one, body: { name: 'A' } })
    await addMessage(one, clock)
    await deps.transact('new', async (tx) => {
      await execute(tx, 'update tokens set last_used = null where system_id = :id', { id: one.id })
    })
    const before = await lastActive(one)
    clock += 30 * DAY
    await pruneEvents({ ...testApp.app.events.deps, warn: () => {} })
    await removeOldMessages(deps, clock)
    const left = 'select id from events where system_id = :id'
    expect(await rows(deps.db, left, { id: one.id })).toEqual([])
    expect(Math.abs(((await lastActive(one)) ?? 0) - (before ?? 0))).toBeLessThan(1000)
  })

  test('reports no last activity after now when a message is in the future', async () => {
    const one = await makeUnused()
    await addMessage(one, clock + 400 * DAY)
    expect(await lastActive(one)).toBeLessThanOrEqual(clock)
  })

  test('counts a system as active until the upgrade when it is older than the records', async () => {
    const { deps: old, makeSystem } = createTestApp({ now: () => Date.UTC(2019, 0, 1) * 1000 })
    const { id } = await makeSystem()
    const [one] = await describeSystems({ ...old, now: () => clock + 9000 * DAY }, operator)
    expect(one?.id).toBe(id)
    expect(one?.lastActive).toBeGreaterThan(Date.UTC(2025, 0, 1) * 1000)
  })
})

describe('pruning systems', () => {
  test('deletes exactly the systems that were not used since a time', async () => {
    const [unused, used, disabled] = [await makeUnused(), await makeUnused(), await makeUnused()]
    await disableSystem(deps, { ...operator, system: disabled.id })
    clock += 100 * DAY
    const since = clock
    const recent = await makeUnused()
    await testApp.ask('PATCH /v2/systems/@me', { as: used, body: { name: 'Used' } })
    const found = (await findUnused(deps, operator, since)).map(({ hid }) => hid)
    expect(found).toContain(unused.hid)
    for (const { hid } of [used, disabled, recent]) expect(found).not.toContain(hid)
    const deleted = (await pruneSystems(deps, operator, since)).map(({ hid }) => hid)
    expect(deleted.toSorted()).toEqual(found.toSorted())
    const left = (await describeSystems(deps, operator)).map(({ hid }) => hid)
    expect(left).not.toContain(unused.hid)
    for (const { hid } of [used, disabled, recent]) expect(left).toContain(hid)
    expect(await findUnused(deps, operator, since)).toEqual([])
  })

  test('refuses to find, delete or list systems for callers other than the operator', async () => {
    const viewer = { system: 1, platform: null }
    expect(await outcomeOf(findUnused(deps, viewer, clock))).toThrow('403')
    expect(await outcomeOf(pruneSystems(deps, viewer, clock))).toThrow('403')
    expect(await outcomeOf(describeSystems(deps, viewer))).toThrow('403')
  })
})

describe('message retention', () => {
  test('deletes exactly the old messages, in batches between which other requests write', async () => {
    const one = await makeUnused()
    await removeOldMessages(deps, clock + 1000 * DAY)
    expect(await countMessages()).toBe(0)
    const old = clock
    await deps.transact('new', async (tx) => {
      for (let n = 0; n < 1300; n++)
        await insertMessage(tx, {
          ...{ id: `old${n}`, original: 'o', sender: '1', channel: '2', guild: null },
          ...{ system_id: one.id, member_id: null, timestamp: old },
        })
    })
    clock += 90 * DAY
    for (let n = 0; n < 3; n++) await addMessage(one, clock)
    const timers = createTestClock()
    let time = 0
    // Each batch takes a millisecond, so the pause after it is nine.
    const slowDeps = { ...deps, clock: { ...timers, monotonic: () => ++time } }
    const removing = removeOldMessages(slowDeps, clock - DAY)
    for (const left of [806, 306]) {
      await timers.untilTimer(9)
      expect(await countMessages()).toBe(left)
      await deps.transact('new', (tx) => execute(tx, 'update systems set tag = tag'))
      await timers.advance(9)
    }
    expect(await removing).toBe(1300)
    expect(await countMessages()).toBe(3)
  })

  test('deletes old messages only if a retention is set, and only in the leading process', async () => {
    const one = await makeUnused()
    await addMessage(one, clock - 100 * DAY)
    const before = await countMessages()
    const warnings: string[] = []
    const timers = createTestClock()
    const runOnce = async (keepMs: number | null, isLeader: boolean) => {
      const task = startMessageRetention(
        { ...deps, clock: timers },
        { keepMs, isLeader: () => isLeader, warn: (m) => warnings.push(m) },
      )
      await timers.advance(5_000)
      await task?.stop()
    }
    await runOnce(null, true)
    await runOnce(90 * 86_400_000, false)
    await runOnce(200 * 86_400_000, true)
    expect(await countMessages()).toBe(before)
    await runOnce(90 * 86_400_000, true)
    expect(await countMessages()).toBe(before - 1)
    expect(warnings).toEqual([])
  })
})
