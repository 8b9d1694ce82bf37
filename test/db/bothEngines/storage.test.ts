import { eq } from 'drizzle-orm'
import { openStorage, type Storage } from '../../../src/db/open'
import type { LockKey } from '../../../src/db/storage'
import { bots, systems, tokens } from '../../../src/db/tables'
import { yieldToEventLoop } from '../../../src/db/yieldToEventLoop'
import { drizzleOn } from '../../tools/drizzle'
import { outcomeOf } from '../../tools/outcomeOf'
import { insert, rows } from '../../tools/rawSql'
import { emptyFolder } from '../../tools/serverProcess'
import { afterAll, describe, expect, test } from '../../tools/test'
import { newDatabaseAddress } from '../../tools/testApp'

const opened: Storage[] = []
afterAll(async () => {
  for (const storage of opened) await storage.close()
})

/** Transactions with the same key run one after the other. */
const SAME_KEY: LockKey = { guild: '1' }

test('enforces foreign keys: rejects a token without a system, and deletes tokens with their system', async () => {
  const { db, transact } = open()
  const token = { name: 'a', hash: 'h', created: 1 }
  expect(
    await outcomeOf(transact('new', (tx) => insert(tx, 'tokens', { ...token, system_id: 7 }))),
  ).toThrow()
  expect(await drizzleOn(db).select().from(tokens).all()).toEqual([])
  await transact('new', async (tx) => {
    await insert(tx, 'systems', { uuid: 'u', hid: 'h' })
    const [system] = await drizzleOn(tx).select().from(systems).all()
    await insert(tx, 'tokens', { ...token, system_id: system?.id ?? 0 })
  })
  expect(await drizzleOn(db).select().from(tokens).all()).toHaveLength(1)
  await transact('new', async (tx) =>
    drizzleOn(tx).delete(systems).where(eq(systems.hid, 'h')).run(),
  )
  expect(await drizzleOn(db).select().from(tokens).all()).toEqual([])
})

describe('snapshot', () => {
  const { transact, snapshot } = open()

  test('reads one snapshot while another connection commits', async () => {
    const hasLater = async (db: Storage['db']) => (await namesIn({ db })).includes('later')
    const found = await snapshot(async (db) => {
      const before = await hasLater(db)
      await transact('new', (tx) => insert(tx, 'bots', bot('later')))
      return [before, await hasLater(db)]
    })
    expect(found).toEqual([false, false])
    expect(await snapshot(async (db) => hasLater(db))).toBe(true)
  })

  test('runs snapshots while another one is slow', async () => {
    const slow = Promise.withResolvers<void>()
    const held = snapshot(() => slow.promise)
    // More than may be open at the same time.
    for (let at = 0; at < 12; at++) await snapshot(async (db) => namesIn({ db }))
    slow.resolve()
    await held
  })
})

describe('transaction', () => {
  const storage = open()
  const { transact } = storage

  test('returns the result of the work and commits it', async () => {
    const work = transact('new', async (tx) => {
      await insert(tx, 'bots', bot('one'))
      return rows(tx, 'select name from bots where hash = :hash', { hash: 'one' })
    })
    expect(await work).toEqual([{ name: 'one' }])
    expect(await namesIn(storage)).toContain('one')
  })

  test('rolls back a transaction that throws, and runs the next one', async () => {
    const failing = transact('new', async (tx) => {
      await insert(tx, 'bots', bot('never'))
      await turns(1)
      throw new RangeError('no')
    })
    const next = transact('new', (tx) => insert(tx, 'bots', bot('next')))
    expect(await outcomeOf(failing)).toThrow(new RangeError('no'))
    await Promise.allSettled([failing, next])
    expect(await namesIn(storage)).not.toContain('never')
    expect(await namesIn(storage)).toContain('next')
  })

  test('rolls back a transaction that violates a unique index', async () => {
    const twice = transact('new', async (tx) => {
      await insert(tx, 'bots', bot('twice'))
      await insert(tx, 'bots', bot('twice'))
    })
    expect(await outcomeOf(twice)).toThrow(/UNIQUE|other requests wrote the same/)
    expect(await namesIn(storage)).not.toContain('twice')
  })

  test('runs transactions with the same lock key one after the other, in the order of the calls', async () => {
    const order: string[] = []
    await Promise.all(
      [15, 1, 8, 0].map((count, at) =>
        transact(SAME_KEY, async () => {
          order.push(`${at} begins`)
          await turns(count)
          order.push(`${at} ends`)
        }),
      ),
    )
    expect(order).toEqual([0, 1, 2, 3].flatMap((at) => [`${at} begins`, `${at} ends`]))
  })

  test('does not share the commit of a long transaction with those queued before it', async () => {
    const found: string[] = []
    const short = transact(SAME_KEY, (tx) => insert(tx, 'bots', bot('quick')))
    const long = transact(
      SAME_KEY,
      async (tx) => {
        found.push(...(await namesIn(storage)).filter((name) => name === 'quick'))
        await insert(tx, 'bots', bot('slow'))
      },
      'long',
    )
    await Promise.all([short, long])
    expect(found).toEqual(['quick'])
    expect(await namesIn(storage)).toContain('slow')
  })

  test('hides uncommitted rows from readers', async () => {
    const found: string[][] = []
    const read = async () =>
      found.push((await namesIn(storage)).filter((name) => name.startsWith('half')))
    await transact('new', async (tx) => {
      await insert(tx, 'bots', bot('half a'))
      await read()
      await turns(2)
      await read()
      await insert(tx, 'bots', bot('half b'))
      await read()
    })
    await read()
    expect(found.map((names) => names.toSorted())).toEqual([[], [], [], ['half a', 'half b']])
  })
})

function open(address = newDatabaseAddress(emptyFolder())): Storage {
  const storage = openStorage(address, { durability: 'normal' })
  opened.push(storage)
  return storage
}

function bot(name: string) {
  return { name, hash: name, created: 1 }
}

/** Waits for so many turns of the event loop, in which other transactions could run. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await yieldToEventLoop()
}

async function namesIn({ db }: Pick<Storage, 'db'>): Promise<string[]> {
  const found = await drizzleOn(db).select({ name: bots.name }).from(bots).all()
  return found.map(({ name }) => name)
}
