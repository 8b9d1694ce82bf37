import { createLeases } from '../../src/db/lease'
import { openStorage, type Storage } from '../../src/db/open'
import { emptyFolder } from '../tools/serverProcess'
import { afterAll, expect, test } from '../tools/test'
import { newDatabaseAddress } from '../tools/testApp'
import { createTestClock } from '../tools/testClock'

/** Starts leases on a disk that can be full. */
async function startLeases() {
  const storage = openStorage(newDatabaseAddress(emptyFolder()), { durability: 'normal' })
  afterAll(() => storage.close())
  await storage.ready
  const disk = { isFull: false, attempts: 0, successes: 0 }
  const transact: Storage['transact'] = async (...args) => {
    disk.attempts++
    if (disk.isFull) throw new Error('the disk is full')
    const result = await storage.transact(...args)
    disk.successes++
    return result
  }
  const warnings: string[] = []
  const clock = createTestClock()
  const leases = createLeases({
    ...{ db: storage.db, transact, clock },
    warn: (message) => warnings.push(message),
  })
  await leases.start()
  return { leases, clock, disk, warnings }
}

test('a renewal that fails again and again is logged once, and again after a success', async () => {
  const { leases, clock, disk, warnings } = await startLeases()
  for (const times of [1, 2]) {
    disk.isFull = true
    const before = disk.attempts
    while (disk.attempts < before + 3) await clock.advance(1000)
    expect(warnings).toEqual(Array(times).fill('lease renewal failed'))
    disk.isFull = false
    const succeeded = disk.successes
    while (disk.successes === succeeded) await clock.advance(1000)
  }
  await leases.stop()
})

test('a lease that cannot be renewed is held until it expires, and no longer', async () => {
  const { leases, clock, disk } = await startLeases()
  disk.isFull = true
  await clock.advance(9_999)
  expect(leases.holds('dispatch')).toBe(true)
  await clock.advance(1)
  expect(leases.holds('dispatch')).toBe(false)
  disk.isFull = false
  await leases.stop()
})
