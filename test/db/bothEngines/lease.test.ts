import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createLeases, findAnnounced, type Leases } from '../../../src/db/lease'
import { openStorage } from '../../../src/db/open'
import { until } from '../../events/receiver'
import { insert } from '../../rawSql'
import { emptyFolder } from '../../serverProcess'
import { addressIn } from '../../testApp'

const folder = emptyFolder()
const addresses = new Map<string, string>()
const ends: (() => void | Promise<void>)[] = []
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

describe('a lease', () => {
  test('is held by one, and by the next when it is given back', async () => {
    const [one, two] = [await enter('given'), await enter('given')]
    expect([one.holds('dispatch'), one.holds('care')]).toEqual([true, true])
    expect([two.holds('dispatch'), two.holds('care')]).toEqual([false, false])
    let began = 0
    two.onTaken('care', () => began++)
    await one.stop()
    expect(one.holds('dispatch')).toBe(false)
    await until(() => two.holds('dispatch') && two.holds('care'))
    expect(began).toBe(1)
  })

  test('stays with its holder for as long as that lives', async () => {
    const [one, two] = [await enter('kept', 1_500), await enter('kept', 1_500)]
    let began = 0
    two.onTaken('dispatch', () => began++)
    await Bun.sleep(1_900)
    expect([one.holds('dispatch'), began]).toEqual([true, 0])
  })

  test('names the address of the server that holds it, for as long as it does', async () => {
    const storage = openStorage(addressOf('address'))
    ends.push(storage.close)
    const [one, two] = [await enter('address'), await enter('address')]
    expect(await findAnnounced(storage.db)).toBeNull()
    await one.announce('http://[::1]:9000')
    expect(await findAnnounced(storage.db)).toBe('http://[::1]:9000')
    await two.announce('http://127.0.0.1:9001')
    expect(await findAnnounced(storage.db)).toBe('http://[::1]:9000')
    expect([one.holds('care'), two.holds('care')]).toEqual([true, false])
    await one.stop()
    await until(() => two.holds('dispatch') && two.holds('care'))
    expect(await findAnnounced(storage.db)).toBe('http://127.0.0.1:9001')
    await two.stop()
    expect(await findAnnounced(storage.db)).toBeNull()
  })

  test('does not name a server of another machine', async () => {
    const storage = openStorage(addressOf('elsewhere'))
    ends.push(storage.close)
    const lease = {
      name: 'care',
      holder: 'elsewhere:1:u http://127.0.0.1:1',
      until: Date.now() + 9_000,
    }
    await storage.transact('new', (tx) => insert(tx, 'leases', lease))
    expect(await findAnnounced(storage.db)).toBeNull()
  })

  const strays: [what: string, untilMs: (now: number) => number, isFree: boolean][] = [
    ['that ended', (now) => now - 1, true],
    [
      'that would last longer than any, from before the clock was set back',
      (now) => now + 1e8,
      true,
    ],
    ['of somebody else', (now) => now + 30_000, false],
  ]

  test.each(strays)('%s', async (what, untilMs, isFree) => {
    const name = what.slice(0, 10)
    const storage = openStorage(addressOf(name))
    const lease = { name: 'care', holder: 'x', until: untilMs(Date.now()) }
    await storage.transact('new', (tx) => insert(tx, 'leases', lease))
    await storage.close()
    const one = await enter(name)
    expect([one.holds('dispatch'), one.holds('care')]).toEqual([true, isFree])
  })
})

/** A process more on the database of that name, as far as leases are concerned. */
async function enter(name: string, lengthMs?: number): Promise<Leases> {
  const storage = openStorage(addressOf(name))
  ends.push(storage.close)
  const leases = createLeases({ ...storage, warn: () => {} }, lengthMs)
  ends.push(leases.stop)
  await leases.start()
  return leases
}

function addressOf(name: string): string {
  const address = addresses.get(name) ?? addressIn(join(folder, name))
  addresses.set(name, address)
  return address
}
