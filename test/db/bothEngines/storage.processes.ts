import { join } from 'node:path'
import { openStorage, type Storage } from '../../../src/db/open'
import { bots } from '../../../src/db/tables'
import { drizzleOn } from '../../tools/drizzle'
import { emptyFolder } from '../../tools/serverProcess'
import { afterAll, describe, expect, test } from '../../tools/test'
import { newDatabaseAddress } from '../../tools/testApp'

const opened: Storage[] = []
afterAll(async () => {
  for (const storage of opened) await storage.close()
})

describe('transaction', () => {
  test('loses no update when several processes write at once', async () => {
    const address = newDatabaseAddress(emptyFolder())
    const [writers, each] = [3, 40]
    const modulePath = (file: string) => JSON.stringify(join(import.meta.dir, '../../..', file))
    const script = `
      const { openStorage } = await import(${modulePath('src/db/open')})
      const { insert, rows } = await import(${modulePath('test/tools/rawSql')})
      const storage = openStorage('${address}', { durability: 'normal' })
      for (let at = 0; at < ${each}; at++)
        await storage.transact({ guild: '1' }, async (tx) => {
          const all = await rows(tx, 'select created from bots')
          const next = Math.max(0, ...all.map(({ created }) => created)) + 1
          await insert(tx, 'bots', { name: process.pid + '.' + at, hash: String(next), created: next })
        })
      await storage.close()`
    const processes = Array.from({ length: writers }, () =>
      Bun.spawn([process.execPath, '-e', script], { stderr: 'inherit' }),
    )
    expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual(Array(writers).fill(0))
    const rowsAfter = await drizzleOn(open(address).db).select().from(bots).all()
    expect(rowsAfter).toHaveLength(writers * each)
    expect(Math.max(...rowsAfter.map(({ created }) => created))).toBe(writers * each)
  })
})

function open(address = newDatabaseAddress(emptyFolder())): Storage {
  const storage = openStorage(address, { durability: 'normal' })
  opened.push(storage)
  return storage
}
