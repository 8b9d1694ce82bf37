import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { openStorage, type Storage } from '../../src/db/open'
import type { WriteObserver } from '../../src/db/storage'
import { bots } from '../../src/db/tables'
import { drizzleOn } from '../tools/drizzle'
import { outcomeOf } from '../tools/outcomeOf'
import { insert, rows } from '../tools/rawSql'
import { afterAll, describe, expect, test } from '../tools/test'

const root = mkdtempSync(join(tmpdir(), 'multitude-storage-'))
const opened: Storage[] = []
let created = 0

afterAll(async () => {
  for (const storage of opened) await storage.close()
  rmSync(root, { recursive: true })
})

/** Tests of SQLite only; `bothEngines` has those of both engines. */
describe('SQLite file', () => {
  test('creates the file with its folders from every form of its address', () => {
    const forms = ['file:PATH', 'file://PATH', `file:${relative('.', root)}/RELATIVE`]
    for (const form of forms) {
      const path = join(newPath(), 'deep', 'data.db')
      const address = form.replace('PATH', path).replace('RELATIVE', relative(root, path))
      const storage = openStorage(address)
      opened.push(storage)
      expect(storage.location).toBe(path)
      expect(existsSync(path)).toBe(true)
    }
  })

  test('opens an empty file', async () => {
    const path = newPath()
    writeFileSync(path, '')
    expect(await open(path).checkHealth()).toBeNull()
  })

  test.each([
    ['full', 2],
    ['normal', 1],
  ] as const)(
    'sets WAL mode, synchronous and foreign keys for durability %s',
    async (durability, synchronous) => {
      const storage = openStorage(`file:${newPath()}`, { durability })
      opened.push(storage)
      expect(await rows(storage.db, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
      await storage.transact('new', async (tx) => {
        expect(await rows(tx, 'PRAGMA synchronous')).toEqual([{ synchronous }])
        expect(await rows(tx, 'PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }])
      })
    },
  )

  test('cannot write through the handle for reads', async () => {
    const { db } = open(newPath())
    expect(await outcomeOf(insert(db, 'bots', bot('a')))).toThrow(/readonly/)
  })

  test('has all data in one file after closing', async () => {
    const path = newPath()
    const storage = openStorage(`file:${path}`)
    await storage.transact('new', async (tx) =>
      drizzleOn(tx).insert(bots).values(bot('kept')).run(),
    )
    await storage.close()
    expect(existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0).toBe(0)
    const copy = newPath()
    copyFileSync(path, copy)
    expect(await namesIn(open(copy))).toEqual(['kept'])
  })

  test('opens, reads and closes while another process holds a write transaction', async () => {
    const path = newPath()
    await openStorage(`file:${path}`).close()
    const other = new Database(path)
    other.run('BEGIN IMMEDIATE')
    other.run("INSERT INTO bots (name, hash, created) VALUES ('half-done', 'h', 1)")
    const storage = openStorage(`file:${path}`, { busyLimit: 0 })
    expect(await namesIn(storage)).toEqual([])
    await storage.close()
    // Opened, read and closed before the other transaction ends.
    expect(other.inTransaction).toBe(true)
    other.run('COMMIT')
    other.close()
    expect(await namesIn(open(path))).toEqual(['half-done'])
  })
})

describe('snapshot', () => {
  const storage = open(newPath())
  const { transact, snapshot } = storage

  test.each([{ fails: false }, { fails: true }])(
    'ends the snapshot with its work: %j',
    async ({ fails }) => {
      const kept: unknown[] = []
      const reading = snapshot(async (db) => {
        const query = drizzleOn(db).select().from(bots).prepare()
        kept.push(await query.all(), query)
        if (fails) throw new Error('no more')
      })
      await reading.catch(() => {})
      await transact('new', async (tx) =>
        drizzleOn(tx)
          .insert(bots)
          .values(bot(`after ${fails}`))
          .run(),
      )
      const other = new Database(storage.location)
      const [state] = other.query('PRAGMA wal_checkpoint(TRUNCATE)').all()
      other.close()
      expect(state).toMatchObject({ busy: 0 })
      expect(kept).toHaveLength(2)
    },
  )
})

describe('transaction', () => {
  const counts: number[] = []
  const storage = open(newPath(), {
    countCommit: (writes) => void counts.push(writes),
    countFailedCommit: () => {},
  })
  const { transact } = storage

  test.each([
    { title: 'does not wait for a further write after a lone one', turns: [1, 1], commits: [1, 1] },
    { title: 'commits the writes of two turns together', turns: [2, 1], commits: [3] },
    { title: 'commits after a turn without a write', turns: [2, 0, 1], commits: [2, 1] },
    {
      title: 'commits although each turn brings a write',
      turns: [2, 1, 1, 1, 1, 1],
      commits: [5, 1, 1],
    },
  ])('$title', async ({ turns, commits }) => {
    counts.length = 0
    const writes: Promise<void>[] = []
    for (const count of turns) {
      for (let at = 0; at < count; at++) writes.push(transact('new', async () => {}))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(writes)
    expect(counts).toEqual([...commits])
  })

  test('commits queued transactions together and settles each after the commit', async () => {
    const work = (name: string) =>
      transact('new', async (tx) => {
        await drizzleOn(tx).insert(bots).values(bot(name)).run()
        await new Promise((resolve) => setImmediate(resolve))
      }).then(async () => (await namesIn(storage)).filter((found) => found.startsWith('shared')))
    const [first, second, third] = await Promise.all(['shared a', 'shared b', 'shared c'].map(work))
    expect(first).toEqual(['shared a', 'shared b', 'shared c'])
    expect([second, third]).toEqual([first, first])
  })
})

function newPath(): string {
  return join(root, `${++created}.db`)
}

function open(path: string, observer?: WriteObserver): Storage {
  const storage = openStorage(`file:${path}`, { durability: 'normal', observer })
  opened.push(storage)
  return storage
}

function bot(name: string) {
  return { name, hash: name, created: 1 }
}

async function namesIn({ db }: Pick<Storage, 'db'>): Promise<string[]> {
  const found = await drizzleOn(db).select({ name: bots.name }).from(bots).all()
  return found.map(({ name }) => name)
}
