import { join } from 'node:path'
import {
  createLeases,
  findAnnounced,
  type LeaseOptions,
  type Leases,
  serverTasks,
} from '../../../src/db/lease'
import { openStorage } from '../../../src/db/open'
import { type Clock, systemClock } from '../../../src/runtime/timers/clock'
import { execute, insert, rows } from '../../tools/rawSql'
import { emptyFolder } from '../../tools/serverProcess'
import { afterAll, describe, expect, test } from '../../tools/test'
import { newDatabaseAddress } from '../../tools/testApp'
import { createTestClock, type TestClock } from '../../tools/testClock'
import { until } from '../../tools/until'

const folder = emptyFolder()
const addresses = new Map<string, string>()
const cleanups: (() => void | Promise<void>)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup()
})

/** Long, because the database answers in real time while a test advances the clock. */
const LONG_MS = 600_000

describe('lease', () => {
  test('gives the lease to one process, and to the next after its release', async () => {
    const clock = createTestClock()
    const one = await startLeases('given', {}, clock)
    const two = await startLeases('given', {}, clock)
    expect([one.holds('dispatch'), one.holds('maintenance')]).toEqual([true, true])
    expect([two.holds('dispatch'), two.holds('maintenance')]).toEqual([false, false])
    let calls = 0
    two.onAcquired('maintenance', () => calls++)
    await one.stop()
    expect(one.holds('dispatch')).toBe(false)
    await advanceUntil(clock, () => two.holds('dispatch') && two.holds('maintenance'))
    expect(calls).toBe(1)
  })

  test('keeps the lease with its holder while that renews it', async () => {
    const storage = openStorage(addressOf('kept'))
    cleanups.push(storage.close)
    const clocks = [createTestClock(), createTestClock()] as const
    const durationMs = 60_000
    const one = await startLeases('kept', { durationMs }, clocks[0])
    const two = await startLeases('kept', { durationMs }, clocks[1])
    let calls = 0
    two.onAcquired('dispatch', () => calls++)
    const expiry = async () => {
      const [lease] = await rows<{ until: number }>(
        storage.db,
        "select until from leases where name = 'dispatch'",
      )
      return Number(lease?.until)
    }
    const before = await expiry()
    // Renewed after a third of the duration, which each process checks every second.
    for (let second = 0; second < 70; second++) {
      await Promise.all(clocks.map((clock) => clock.untilTimer(1_000)))
      await Promise.all(clocks.map((clock) => clock.advance(1_000)))
    }
    await until(async () => (await expiry()) > before)
    expect([one.holds('dispatch'), calls]).toEqual([true, 0])
  })

  test('gives the lease of the Discord bot only to processes that request it', async () => {
    const withBot = { tasks: [...serverTasks, 'discord'] as const }
    const clock = createTestClock()
    const without = await startLeases('bot', {}, clock)
    expect([without.holds('dispatch'), without.holds('discord')]).toEqual([true, false])
    const one = await startLeases('bot', withBot, clock)
    const two = await startLeases('bot', { tasks: ['discord'] }, clock)
    expect([one.holds('dispatch'), one.holds('discord'), two.holds('discord')]).toEqual([
      false,
      true,
      false,
    ])
    await one.stop()
    await advanceUntil(clock, () => two.holds('discord'))
    expect([without.holds('discord'), two.holds('dispatch')]).toEqual([false, false])
  })

  test('reports the loss of a lease that another process has taken', async () => {
    const storage = openStorage(addressOf('lost'))
    cleanups.push(storage.close)
    const clock = createTestClock()
    const one = await startLeases('lost', { durationMs: LONG_MS, tasks: ['discord'] }, clock)
    const changes: string[] = []
    one.onAcquired('discord', () => changes.push('acquired'))
    one.onLost('discord', () => changes.push('lost'))
    const take = (until: number) =>
      storage.transact('new', (tx) =>
        execute(tx, 'update leases set holder = :holder, until = :until', { holder: 'x', until }),
      )
    await take(Date.now() + 30_000)
    await advanceUntil(clock, () => changes.length === 1, LONG_MS)
    expect([one.holds('discord'), changes]).toEqual([false, ['lost']])
    await take(0)
    await advanceUntil(clock, () => one.holds('discord'))
    expect(changes).toEqual(['lost', 'acquired'])
  })

  test('finds the address of the server that holds the lease until it is released', async () => {
    const storage = openStorage(addressOf('address'))
    cleanups.push(storage.close)
    const clock = createTestClock()
    const one = await startLeases('address', {}, clock)
    const two = await startLeases('address', {}, clock)
    expect(await findAnnounced(storage.db)).toBeNull()
    await one.announce('http://[::1]:9000')
    expect(await findAnnounced(storage.db)).toBe('http://[::1]:9000')
    await two.announce('http://127.0.0.1:9001')
    expect(await findAnnounced(storage.db)).toBe('http://[::1]:9000')
    expect([one.holds('maintenance'), two.holds('maintenance')]).toEqual([true, false])
    await one.stop()
    await advanceUntil(clock, () => two.holds('dispatch') && two.holds('maintenance'))
    expect(await findAnnounced(storage.db)).toBe('http://127.0.0.1:9001')
    await two.stop()
    expect(await findAnnounced(storage.db)).toBeNull()
  })

  test('does not find the address of a server on another machine', async () => {
    const storage = openStorage(addressOf('elsewhere'))
    cleanups.push(storage.close)
    const lease = {
      name: 'maintenance',
      holder: 'elsewhere:1:u http://127.0.0.1:1',
      until: Date.now() + 9_000,
    }
    await storage.transact('new', (tx) => insert(tx, 'leases', lease))
    expect(await findAnnounced(storage.db)).toBeNull()
  })

  const foreign: [what: string, untilMs: (now: number) => number, isFree: boolean][] = [
    ['acquires an expired lease', (now) => now - 1, true],
    [
      'replaces a lease beyond the longest duration, from before the clock was set back',
      (now) => now + 1e8,
      true,
    ],
    ['does not acquire the valid lease of another process', (now) => now + 30_000, false],
  ]

  test.each(foreign)('%s', async (what, untilMs, isFree) => {
    const name = what.slice(0, 10)
    const storage = openStorage(addressOf(name))
    const lease = { name: 'maintenance', holder: 'x', until: untilMs(Date.now()) }
    await storage.transact('new', (tx) => insert(tx, 'leases', lease))
    await storage.close()
    const one = await startLeases(name)
    expect([one.holds('dispatch'), one.holds('maintenance')]).toEqual([true, isFree])
  })
})

/** Advances the clock by a second at a time, until the leases have checked and the condition is met. */
async function advanceUntil(clock: TestClock, isMet: () => boolean, stepMs = 1_000): Promise<void> {
  await until(async () => {
    await clock.advance(stepMs)
    return isMet()
  })
}

/** Starts the leases of one more process on the database of this name. */
async function startLeases(
  name: string,
  options?: LeaseOptions,
  clock: Clock = systemClock,
): Promise<Leases> {
  const storage = openStorage(addressOf(name))
  cleanups.push(storage.close)
  const leases = createLeases({ ...storage, clock, warn: () => {} }, options)
  cleanups.push(leases.stop)
  await leases.start()
  return leases
}

function addressOf(name: string): string {
  const address = addresses.get(name) ?? newDatabaseAddress(join(folder, name))
  addresses.set(name, address)
  return address
}
