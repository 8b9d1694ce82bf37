import { join } from 'node:path'
import {
  createLeases,
  findAnnounced,
  type LeaseOptions,
  type Leases,
  serverTasks,
} from '../../../src/db/lease'
import { openStorage } from '../../../src/db/open'
import { until } from '../../events/receiver'
import { execute, insert } from '../../rawSql'
import { emptyFolder } from '../../serverProcess'
import { afterAll, describe, expect, test } from '../../test'
import { newDatabaseAddress } from '../../testApp'

const folder = emptyFolder()
const addresses = new Map<string, string>()
const cleanups: (() => void | Promise<void>)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup()
})

describe('lease', () => {
  test('gives the lease to one process, and to the next after its release', async () => {
    const [one, two] = [await startLeases('given'), await startLeases('given')]
    expect([one.holds('dispatch'), one.holds('maintenance')]).toEqual([true, true])
    expect([two.holds('dispatch'), two.holds('maintenance')]).toEqual([false, false])
    let calls = 0
    two.onAcquired('maintenance', () => calls++)
    await one.stop()
    expect(one.holds('dispatch')).toBe(false)
    await until(() => two.holds('dispatch') && two.holds('maintenance'))
    expect(calls).toBe(1)
  })

  test('keeps the lease with its holder while that renews it', async () => {
    const [one, two] = [
      await startLeases('kept', { durationMs: 6_000 }),
      await startLeases('kept', { durationMs: 6_000 }),
    ]
    let calls = 0
    two.onAcquired('dispatch', () => calls++)
    await Bun.sleep(7_500)
    expect([one.holds('dispatch'), calls]).toEqual([true, 0])
  })

  test('gives the lease of the Discord bot only to processes that request it', async () => {
    const withBot = { tasks: [...serverTasks, 'discord'] as const }
    const without = await startLeases('bot')
    expect([without.holds('dispatch'), without.holds('discord')]).toEqual([true, false])
    const one = await startLeases('bot', withBot)
    const two = await startLeases('bot', { tasks: ['discord'] })
    expect([one.holds('dispatch'), one.holds('discord'), two.holds('discord')]).toEqual([
      false,
      true,
      false,
    ])
    await one.stop()
    await until(() => two.holds('discord'))
    expect([without.holds('discord'), two.holds('dispatch')]).toEqual([false, false])
  })

  test('reports the loss of a lease that another process has taken', async () => {
    const storage = openStorage(addressOf('lost'))
    cleanups.push(storage.close)
    const one = await startLeases('lost', { durationMs: 500, tasks: ['discord'] })
    const changes: string[] = []
    one.onAcquired('discord', () => changes.push('acquired'))
    one.onLost('discord', () => changes.push('lost'))
    const take = (until: number) =>
      storage.transact('new', (tx) =>
        execute(tx, 'update leases set holder = :holder, until = :until', { holder: 'x', until }),
      )
    await take(Date.now() + 30_000)
    await until(() => changes.length === 1)
    expect([one.holds('discord'), changes]).toEqual([false, ['lost']])
    await take(0)
    await until(() => one.holds('discord'))
    expect(changes).toEqual(['lost', 'acquired'])
  })

  test('finds the address of the server that holds the lease until it is released', async () => {
    const storage = openStorage(addressOf('address'))
    cleanups.push(storage.close)
    const [one, two] = [await startLeases('address'), await startLeases('address')]
    expect(await findAnnounced(storage.db)).toBeNull()
    await one.announce('http://[::1]:9000')
    expect(await findAnnounced(storage.db)).toBe('http://[::1]:9000')
    await two.announce('http://127.0.0.1:9001')
    expect(await findAnnounced(storage.db)).toBe('http://[::1]:9000')
    expect([one.holds('maintenance'), two.holds('maintenance')]).toEqual([true, false])
    await one.stop()
    await until(() => two.holds('dispatch') && two.holds('maintenance'))
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

/** Starts the leases of one more process on the database of this name. */
async function startLeases(name: string, options?: LeaseOptions): Promise<Leases> {
  const storage = openStorage(addressOf(name))
  cleanups.push(storage.close)
  const leases = createLeases({ ...storage, warn: () => {} }, options)
  cleanups.push(leases.stop)
  await leases.start()
  return leases
}

function addressOf(name: string): string {
  const address = addresses.get(name) ?? newDatabaseAddress(join(folder, name))
  addresses.set(name, address)
  return address
}
