import type { SQL } from 'bun'
import { openStorage } from '../../src/db/open'
import { errorOf } from '../tools/outcomeOf'
import { rows } from '../tools/rawSql'
import { rounds } from '../tools/rounds'
import { emptyFolder } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'
import { newDatabaseAddress } from '../tools/testApp'
import { createTestClock, type TestClock } from '../tools/testClock'
import { until } from '../tools/until'
import { onServer } from './engine'

/** A statement that waits while a test holds the lock. */
const BLOCKED = 'select 1 as one from pg_advisory_xact_lock_shared(7)'
const QUICK = 'select 2 as two'

interface Scene {
  readonly clock: TestClock
  readonly storage: ReturnType<typeof openStorage>
  readonly read: (text: string) => Promise<object[]>
  readonly readFor: <T>(client: AbortController, work: () => Promise<T>) => Promise<T>
  readonly lock: () => Promise<unknown>
  readonly unlock: () => Promise<unknown>
  /** Waits until this many statements wait for the lock. */
  readonly untilBlocked: (count: number) => Promise<unknown>
  readonly sql: SQL
}

/** Opens a database with this number of connections, half of them for reads. */
async function withPool(pool: number, work: (scene: Scene) => Promise<void>): Promise<void> {
  const address = newDatabaseAddress(emptyFolder())
  const clock = createTestClock()
  const storage = openStorage(address, { durability: 'normal', clock, server: { pool } })
  await storage.ready
  await onServer(address, async (sql) => {
    await work({
      clock,
      storage,
      read: (text) => rows(storage.db, text),
      readFor: async (client, work) => storage.readFor(client, work),
      lock: () => sql.unsafe('select pg_advisory_lock(7)'),
      unlock: () => sql.unsafe('select pg_advisory_unlock(7)'),
      untilBlocked: (count) => until(async () => (await sql.unsafe(WAITING)).length === count),
      sql,
    })
  })
  await storage.close()
}

const WAITING = `select 1 from pg_locks
  where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`

/** Runs the statement that can be blocked, as often as it takes to be known as quick. */
async function learn({ read }: Scene): Promise<void> {
  for (let run = 0; run < 10; run++) await read(BLOCKED)
}

describe('a read is answered while another statement', () => {
  const slow: [what: string, before: (scene: Scene) => Promise<void>, afterMs: number][] = [
    ['runs for the first time', async () => {}, 0],
    [
      'runs that was slow the last time',
      async (scene) => {
        await learn(scene)
        await scene.lock()
        const blocked = scene.read(BLOCKED)
        await scene.untilBlocked(1)
        await scene.clock.advance(6)
        await scene.unlock()
        await blocked
      },
      0,
    ],
    ['that is quick otherwise has been running for 10 ms', learn, 10],
  ]

  test.each(slow)('%s', (_, before, afterMs) =>
    withPool(4, async (scene) => {
      const { clock, read, lock, unlock, untilBlocked } = scene
      await before(scene)
      await read(QUICK)
      await lock()
      const blocked = read(BLOCKED)
      await untilBlocked(1)
      await clock.advance(afterMs)
      expect(await read(QUICK)).toEqual([{ two: 2 }])
      await unlock()
      expect(await blocked).toEqual([{ one: 1 }])
    }),
  )

  test('runs on every connection that slow ones may take', () =>
    withPool(4, async ({ read, lock, unlock, untilBlocked }) => {
      await read(QUICK)
      await lock()
      const blocked = Array.from({ length: 20 }, () => read(BLOCKED))
      await untilBlocked(1)
      expect(await read(QUICK)).toEqual([{ two: 2 }])
      await unlock()
      expect(await Promise.all(blocked)).toEqual(Array(20).fill([{ one: 1 }]))
    }))
})

test('quick reads that arrive together share a connection', () =>
  withPool(16, async ({ read }) => {
    const PROCESS = 'select pg_backend_pid() as process'
    await read(PROCESS)
    const answers = await Promise.all(Array.from({ length: 10 }, () => read(PROCESS)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  }))

describe('the health check', () => {
  test('finds the server healthy while all connections of reads are busy', () =>
    withPool(2, async ({ storage, read, lock, unlock, untilBlocked }) => {
      await lock()
      const blocked = read(BLOCKED)
      await untilBlocked(1)
      expect(await storage.checkHealth()).toBeNull()
      await unlock()
      await blocked
    }))

  test('does not count the time in which this process was busy, and reports a silent server', () =>
    withPool(2, async ({ clock, storage, untilBlocked, sql }) => {
      /** Starts a check that is not answered until the transaction ends. */
      const checkWhileSilent = async () => {
        await sql.unsafe('begin')
        await sql.unsafe('lock table systems in access exclusive mode')
        const health = storage.checkHealth()
        await untilBlocked(1)
        return { health }
      }
      const busy = await checkWhileSilent()
      clock.skip(60_000)
      await clock.advance(0)
      await sql.unsafe('rollback')
      expect(await busy.health).toBeNull()

      const silent = await checkWhileSilent()
      await clock.advance(800)
      expect((await silent.health)?.message).toContain('the database does not answer')
      await sql.unsafe('rollback')
    }))
})

describe('a caller that leaves', () => {
  test('ends its statement, and begins no further one', () =>
    withPool(4, async ({ read, readFor, lock, unlock, untilBlocked }) => {
      const [left, gone] = [new AbortController(), new AbortController()]
      await lock()
      const blocked = readFor(left, () => read(BLOCKED))
      await untilBlocked(1)
      let hasContinued = false
      const continued = readFor(gone, async () => {
        await read(QUICK)
        gone.abort()
        await read(QUICK)
        hasContinued = true
      })
      left.abort()
      expect(await errorOf(blocked)).toBe(left.signal.reason)
      expect(await errorOf(continued)).toBe(gone.signal.reason)
      expect(hasContinued).toBe(false)
      await untilBlocked(0)
      await unlock()
      expect(await read(BLOCKED)).toEqual([{ one: 1 }])
    }))

  test('does not end what its read began for others', () =>
    withPool(4, async ({ read, readFor, lock, unlock, untilBlocked }) => {
      const left = new AbortController()
      await read(QUICK)
      await lock()
      let shared: Promise<object[]> = Promise.resolve([])
      await readFor(left, async () => {
        shared = read(BLOCKED)
      })
      await untilBlocked(1)
      left.abort()
      await read(QUICK)
      await unlock()
      expect(await shared).toEqual([{ one: 1 }])
    }))

  test('never ends the statement of another caller on the same connection', () =>
    withPool(2, async ({ read, readFor, lock, unlock, untilBlocked }) => {
      for (let round = 0; round < rounds(20); round++) {
        await lock()
        const callers = Array.from({ length: 8 }, () => {
          const controller = new AbortController()
          const leavesAt = (['locked', 'unlocked', 'never'] as const)[Math.floor(Math.random() * 3)]
          const outcome = readFor(controller, () => read(BLOCKED)).catch((cause: unknown) => cause)
          return { controller, leavesAt, outcome }
        })
        await untilBlocked(1)
        const leave = (time: 'locked' | 'unlocked') => {
          for (const { controller, leavesAt } of callers) if (leavesAt === time) controller.abort()
        }
        leave('locked')
        const unlocked = unlock()
        leave('unlocked')
        await unlocked
        for (const { controller, leavesAt, outcome } of callers) {
          const answers: unknown[] = [[{ one: 1 }]]
          if (leavesAt !== 'never') answers.push(controller.signal.reason)
          expect(answers).toContainEqual(await outcome)
        }
      }
    }))
})
