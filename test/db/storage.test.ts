import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { count, eq, sql } from 'drizzle-orm'
import { openStorage, type Storage } from '../../src/db/open'
import { bots, systems, tokens } from '../../src/db/tables'

const root = mkdtempSync(join(tmpdir(), 'multitude-storage-'))
const opened: Storage[] = []
let made = 0

afterAll(async () => {
  for (const storage of opened) await storage.close()
  rmSync(root, { recursive: true })
})

describe('a database', () => {
  test('is made with its folders, from every way to write its address', () => {
    const ways = ['file:PATH', 'file://PATH', `file:${relative('.', root)}/RELATIVE`]
    for (const way of ways) {
      const path = join(fresh(), 'deep', 'data.db')
      const address = way.replace('PATH', path).replace('RELATIVE', relative(root, path))
      const storage = openStorage(address)
      opened.push(storage)
      expect(storage.name).toBe(path)
      expect(existsSync(path)).toBe(true)
    }
  })

  test('may begin as an empty file', async () => {
    const path = fresh()
    writeFileSync(path, '')
    expect(await open(path).findTrouble()).toBeNull()
  })

  test.each([
    ['full', 2],
    ['normal', 1],
  ] as const)('keeps what it promises for durability %s', async (durability, synchronous) => {
    const storage = openStorage(`file:${fresh()}`, durability)
    opened.push(storage)
    expect(await storage.db.values(sql`PRAGMA journal_mode`)).toEqual([['wal']])
    await storage.transact('new', async (tx) => {
      expect(await tx.values(sql`PRAGMA synchronous`)).toEqual([[synchronous]])
      expect(await tx.values(sql`PRAGMA foreign_keys`)).toEqual([[1]])
    })
  })

  test('holds references: no token without a system, none left behind', async () => {
    const { db, transact } = open(fresh())
    const token = { name: 'a', hash: 'h', created: 1 }
    const orphan = transact('new', async (tx) =>
      tx
        .insert(tokens)
        .values({ ...token, system_id: 7 })
        .run(),
    )
    await expect(orphan).rejects.toThrow()
    expect(await db.select().from(tokens).all()).toEqual([])
    await transact('new', async (tx) => {
      const { id } = await tx.insert(systems).values({ uuid: 'u', hid: 'h' }).returning().get()
      await tx
        .insert(tokens)
        .values({ ...token, system_id: id })
        .run()
    })
    await transact('new', async (tx) => tx.delete(systems).where(eq(systems.hid, 'h')).run())
    expect(await db.select().from(tokens).all()).toEqual([])
  })

  test('is only read where it should only be read', () => {
    const { db } = open(fresh())
    expect(() => db.insert(bots).values(bot('a')).run()).toThrow(/readonly/)
  })

  test('lies whole in one file when it was closed', async () => {
    const path = fresh()
    const storage = openStorage(`file:${path}`)
    await storage.transact('new', async (tx) => tx.insert(bots).values(bot('kept')).run())
    await storage.close()
    expect(existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0).toBe(0)
    const copy = fresh()
    copyFileSync(path, copy)
    expect(await namesIn(open(copy))).toEqual(['kept'])
  })

  test('can be opened, read and closed while another program writes for long', async () => {
    const path = fresh()
    await openStorage(`file:${path}`).close()
    const other = new Database(path)
    other.run('BEGIN IMMEDIATE')
    other.run("INSERT INTO bots (name, hash, created) VALUES ('half-done', 'h', 1)")
    const started = performance.now()
    const storage = openStorage(`file:${path}`)
    expect(await namesIn(storage)).toEqual([])
    await storage.close()
    expect(performance.now() - started).toBeLessThan(4000)
    other.run('COMMIT')
    other.close()
    expect(await namesIn(open(path))).toEqual(['half-done'])
  })
})

describe('a snapshot', () => {
  const storage = open(fresh())
  const { transact, snapshot } = storage

  test('shows one moment, whatever is written meanwhile', async () => {
    const hasLater = async (db: Storage['db']) => (await namesIn({ db })).includes('later')
    const seen = await snapshot(1, async (db) => {
      const before = await hasLater(db)
      await transact('new', async (tx) => tx.insert(bots).values(bot('later')).run())
      return [before, await hasLater(db)]
    })
    expect(seen).toEqual([false, false])
    expect(await snapshot(1, async (db) => hasLater(db))).toBe(true)
  })

  test.each([{ fails: false }, { fails: true }])('ends with its work: %j', async ({ fails }) => {
    const kept: unknown[] = []
    const looked = snapshot(1, async (db) => {
      const query = db.select().from(bots).prepare()
      kept.push(await query.all(), query)
      if (fails) throw new Error('no more')
    })
    await looked.catch(() => {})
    await transact('new', async (tx) =>
      tx
        .insert(bots)
        .values(bot(`after ${fails}`))
        .run(),
    )
    const other = new Database(storage.name)
    const [state] = other.query('PRAGMA wal_checkpoint(TRUNCATE)').all()
    other.close()
    expect(state).toMatchObject({ busy: 0 })
    expect(kept).toHaveLength(2)
  })

  test('waits for those before it of the same, also for one that fails', async () => {
    const order: string[] = []
    const work = (of: number, wait: Promise<unknown>) => (at: number) =>
      snapshot(of, async () => {
        order.push(`${of}.${at} begins`)
        await wait
        order.push(`${of}.${at} ends`)
        if (at === 1) throw new Error('no more')
      })
    const three = [0, 1, 2]
    const linesOf = (of: number) =>
      three.flatMap((at) => [`${of}.${at} begins`, `${of}.${at} ends`])
    const other = Promise.withResolvers<void>()
    const slow = Promise.allSettled(three.map(work(1, other.promise)))
    const quick = await Promise.allSettled(three.map(work(2, Bun.sleep(1))))
    expect(order.toSorted()).toEqual(['1.0 begins', ...linesOf(2)])
    other.resolve()
    for (const results of [quick, await slow])
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(order.filter((line) => line.startsWith('1.'))).toEqual(linesOf(1))
    expect(order.filter((line) => line.startsWith('2.'))).toEqual(linesOf(2))
  })
})

describe('a transaction', () => {
  const storage = open(fresh())
  const { transact } = storage

  test('gives what its work gives, and keeps it', async () => {
    expect(
      await transact('new', async (tx) => tx.insert(bots).values(bot('one')).returning().get()),
    ).toMatchObject({ name: 'one' })
    expect(await namesIn(storage)).toContain('one')
  })

  test('that fails in the end keeps nothing, and the next one works', async () => {
    const failing = transact('new', async (tx) => {
      await tx.insert(bots).values(bot('never')).run()
      await Bun.sleep(1)
      throw new RangeError('no')
    })
    const next = transact('new', async (tx) => tx.insert(bots).values(bot('next')).run())
    await expect(failing).rejects.toThrow(new RangeError('no'))
    await Promise.allSettled([failing, next])
    expect(await namesIn(storage)).not.toContain('never')
    expect(await namesIn(storage)).toContain('next')
  })

  test('that fails on a rule of the table keeps nothing of what went before', async () => {
    const twice = transact('new', async (tx) => {
      await tx.insert(bots).values(bot('twice')).run()
      await tx.insert(bots).values(bot('twice')).run()
    })
    await expect(twice).rejects.toThrow(/UNIQUE/)
    await Promise.allSettled([twice])
    expect(await namesIn(storage)).not.toContain('twice')
  })

  test('waits for those that were asked before it, however long they take', async () => {
    const order: string[] = []
    await Promise.all(
      [15, 1, 8, 0].map((ms, at) =>
        transact('new', async () => {
          order.push(`${at} begins`)
          await Bun.sleep(ms)
          order.push(`${at} ends`)
        }),
      ),
    )
    expect(order).toEqual([0, 1, 2, 3].flatMap((at) => [`${at} begins`, `${at} ends`]))
  })

  test('shares its commit with those that queued up, and is answered only after it', async () => {
    const work = (name: string) =>
      transact('new', async (tx) => {
        await tx.insert(bots).values(bot(name)).run()
        await Bun.sleep(1)
      }).then(async () => (await namesIn(storage)).filter((known) => known.startsWith('shared')))
    const [first, second, third] = await Promise.all(['shared a', 'shared b', 'shared c'].map(work))
    expect(first).toEqual(['shared a', 'shared b', 'shared c'])
    expect([second, third]).toEqual([first, first])
  })

  test('that is long keeps its commit to itself, and nobody waits for it who came before', async () => {
    const seen: string[] = []
    const short = transact('new', async (tx) => tx.insert(bots).values(bot('quick')).run())
    const long = transact(
      'new',
      async (tx) => {
        seen.push(...(await namesIn(storage)).filter((name) => name === 'quick'))
        await tx.insert(bots).values(bot('slow')).run()
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
      await tx.insert(bots).values(bot('half a')).run()
      await look()
      await Bun.sleep(2)
      await look()
      await tx.insert(bots).values(bot('half b')).run()
      await look()
    })
    await look()
    expect(seen).toEqual([[], [], [], ['half a', 'half b']])
  })

  test('of many programs at once loses nothing', async () => {
    const path = fresh()
    const [writers, each] = [3, 40]
    const script = `
      const { openStorage } = await import(${JSON.stringify(join(import.meta.dir, '../../src/db/open'))})
      const { bots } = await import(${JSON.stringify(join(import.meta.dir, '../../src/db/tables'))})
      const storage = openStorage('file:${path}', 'normal')
      for (let at = 0; at < ${each}; at++)
        await storage.transact('new', async (tx) => {
          const all = await tx.select().from(bots).all()
          const next = Math.max(0, ...all.map(({ created }) => created)) + 1
          await tx.insert(bots).values({ name: process.pid + '.' + at, hash: String(next), created: next }).run()
        })
      await storage.close()`
    const programs = Array.from({ length: writers }, () =>
      Bun.spawn([process.execPath, '-e', script], { stderr: 'inherit' }),
    )
    expect(await Promise.all(programs.map(({ exited }) => exited))).toEqual(Array(writers).fill(0))
    const { db } = open(path)
    const row = await db
      .select({ all: count(), last: sql<number>`max(${bots.created})` })
      .from(bots)
      .get()
    expect(row).toEqual({ all: writers * each, last: writers * each })
  })
})

function fresh(): string {
  return join(root, `${++made}.db`)
}

function open(path: string): Storage {
  const storage = openStorage(`file:${path}`, 'normal')
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
