import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { openStorage, type Storage } from '../../../src/db/open'
import type { LockKey } from '../../../src/db/storage'
import { bots, systems, tokens } from '../../../src/db/tables'
import { insert, rows } from '../../rawSql'
import { emptyFolder } from '../../serverProcess'
import { addressIn } from '../../testApp'

const opened: Storage[] = []
afterAll(async () => {
  for (const storage of opened) await storage.close()
})

/** Work for the same one is done one after the other. */
const OF: LockKey = { guild: '1' }

test('a database holds references: no token without a system, none left behind', async () => {
  const { db, transact } = open()
  const token = { name: 'a', hash: 'h', created: 1 }
  await expect(
    transact('new', (tx) => insert(tx, 'tokens', { ...token, system_id: 7 })),
  ).rejects.toThrow()
  expect(await db.select().from(tokens).all()).toEqual([])
  await transact('new', async (tx) => {
    await insert(tx, 'systems', { uuid: 'u', hid: 'h' })
    const [system] = await tx.select().from(systems).all()
    await insert(tx, 'tokens', { ...token, system_id: system?.id ?? 0 })
  })
  expect(await db.select().from(tokens).all()).toHaveLength(1)
  await transact('new', async (tx) => tx.delete(systems).where(eq(systems.hid, 'h')).run())
  expect(await db.select().from(tokens).all()).toEqual([])
})

describe('a snapshot', () => {
  const { transact, snapshot } = open()

  test('shows one moment, whatever is written meanwhile', async () => {
    const hasLater = async (db: Storage['db']) => (await namesIn({ db })).includes('later')
    const seen = await snapshot(async (db) => {
      const before = await hasLater(db)
      await transact('new', (tx) => insert(tx, 'bots', bot('later')))
      return [before, await hasLater(db)]
    })
    expect(seen).toEqual([false, false])
    expect(await snapshot(async (db) => hasLater(db))).toBe(true)
  })

  test('does not wait for a slow one', async () => {
    const slow = Promise.withResolvers<void>()
    const held = snapshot(() => slow.promise)
    // More than may be at work at the same time.
    for (let at = 0; at < 12; at++) await snapshot(async (db) => namesIn({ db }))
    slow.resolve()
    await held
  })
})

describe('a transaction', () => {
  const storage = open()
  const { transact } = storage

  test('gives what its work gives, and keeps it', async () => {
    const work = transact('new', async (tx) => {
      await insert(tx, 'bots', bot('one'))
      return rows(tx, 'select name from bots where hash = :hash', { hash: 'one' })
    })
    expect(await work).toEqual([{ name: 'one' }])
    expect(await namesIn(storage)).toContain('one')
  })

  test('that fails in the end keeps nothing, and the next one works', async () => {
    const failing = transact('new', async (tx) => {
      await insert(tx, 'bots', bot('never'))
      await Bun.sleep(1)
      throw new RangeError('no')
    })
    const next = transact('new', (tx) => insert(tx, 'bots', bot('next')))
    await expect(failing).rejects.toThrow(new RangeError('no'))
    await Promise.allSettled([failing, next])
    expect(await namesIn(storage)).not.toContain('never')
    expect(await namesIn(storage)).toContain('next')
  })

  test('that fails on a rule of the table keeps nothing of what went before', async () => {
    const twice = transact('new', async (tx) => {
      await insert(tx, 'bots', bot('twice'))
      await insert(tx, 'bots', bot('twice'))
    })
    await expect(twice).rejects.toThrow(/UNIQUE|others wrote the same/)
    expect(await namesIn(storage)).not.toContain('twice')
  })

  test('waits for those of the same that were asked before it, however long they take', async () => {
    const order: string[] = []
    await Promise.all(
      [15, 1, 8, 0].map((ms, at) =>
        transact(OF, async () => {
          order.push(`${at} begins`)
          await Bun.sleep(ms)
          order.push(`${at} ends`)
        }),
      ),
    )
    expect(order).toEqual([0, 1, 2, 3].flatMap((at) => [`${at} begins`, `${at} ends`]))
  })

  test('that is long keeps its commit to itself, and nobody waits for it who came before', async () => {
    const seen: string[] = []
    const short = transact(OF, (tx) => insert(tx, 'bots', bot('quick')))
    const long = transact(
      OF,
      async (tx) => {
        seen.push(...(await namesIn(storage)).filter((name) => name === 'quick'))
        await insert(tx, 'bots', bot('slow'))
      },
      'long',
    )
    await Promise.all([short, long])
    expect(seen).toEqual(['quick'])
    expect(await namesIn(storage)).toContain('slow')
  })

  test('is not seen by a reader until it is whole', async () => {
    const seen: string[][] = []
    const look = async () =>
      seen.push((await namesIn(storage)).filter((name) => name.startsWith('half')))
    await transact('new', async (tx) => {
      await insert(tx, 'bots', bot('half a'))
      await look()
      await Bun.sleep(2)
      await look()
      await insert(tx, 'bots', bot('half b'))
      await look()
    })
    await look()
    expect(seen.map((names) => names.toSorted())).toEqual([[], [], [], ['half a', 'half b']])
  })

  test('of many programs at once loses nothing', async () => {
    const address = addressIn(emptyFolder())
    const [writers, each] = [3, 40]
    const place = (file: string) => JSON.stringify(join(import.meta.dir, '../../..', file))
    const script = `
      const { openStorage } = await import(${place('src/db/open')})
      const { bots } = await import(${place('src/db/tables')})
      const { insert } = await import(${place('test/rawSql')})
      const storage = openStorage('${address}', 'normal')
      for (let at = 0; at < ${each}; at++)
        await storage.transact({ guild: '1' }, async (tx) => {
          const all = await tx.select().from(bots).all()
          const next = Math.max(0, ...all.map(({ created }) => created)) + 1
          await insert(tx, 'bots', { name: process.pid + '.' + at, hash: String(next), created: next })
        })
      await storage.close()`
    const programs = Array.from({ length: writers }, () =>
      Bun.spawn([process.execPath, '-e', script], { stderr: 'inherit' }),
    )
    expect(await Promise.all(programs.map(({ exited }) => exited))).toEqual(Array(writers).fill(0))
    const made = await open(address).db.select().from(bots).all()
    expect(made).toHaveLength(writers * each)
    expect(Math.max(...made.map(({ created }) => created))).toBe(writers * each)
  })
})

function open(address = addressIn(emptyFolder())): Storage {
  const storage = openStorage(address, 'normal')
  opened.push(storage)
  return storage
}

function bot(name: string) {
  return { name, hash: name, created: 1 }
}

async function namesIn({ db }: Pick<Storage, 'db'>): Promise<string[]> {
  const found = await db.select({ name: bots.name }).from(bots).all()
  return found.map(({ name }) => name)
}
