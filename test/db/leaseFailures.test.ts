import { createLeases } from '../../src/db/lease'
import { openStorage, type Storage } from '../../src/db/open'
import { emptyFolder } from '../serverProcess'
import { afterAll, expect, test } from '../test'
import { newDatabaseAddress } from '../testApp'
import { createTestClock } from '../testClock'

test('a renewal that fails again and again is logged once, and again after a success', async () => {
  const storage = openStorage(newDatabaseAddress(emptyFolder()), { durability: 'normal' })
  afterAll(() => storage.close())
  await storage.ready
  let isFull = false
  let attempts = 0
  let successes = 0
  const transact: Storage['transact'] = async (...args) => {
    attempts++
    if (isFull) throw new Error('the disk is full')
    const result = await storage.transact(...args)
    successes++
    return result
  }
  const warnings: string[] = []
  const clock = createTestClock()
  const leases = createLeases({
    ...{ db: storage.db, transact, clock },
    warn: (message) => warnings.push(message),
  })
  await leases.start()
  for (const times of [1, 2]) {
    isFull = true
    const before = attempts
    while (attempts < before + 3) await clock.advance(1000)
    expect(warnings).toEqual(Array(times).fill('lease renewal failed'))
    isFull = false
    const succeeded = successes
    while (successes === succeeded) await clock.advance(1000)
  }
  await leases.stop()
})
