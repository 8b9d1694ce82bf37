import { Database } from 'bun:sqlite'
import { readFileSync, statSync } from 'node:fs'
import { incrementCounter } from '../../src/db/changeCounters'
import { yieldToEventLoop } from '../../src/db/yieldToEventLoop'
import { execute, rows } from '../tools/rawSql'
import { afterAll, describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'

const { app, deps, makeSystem } = createTestApp()
const busy = createTestApp()
const { sharedRead } = app.storage
const other = new Database(app.storage.location)
afterAll(() => other.close())

const REVOKE = `INSERT INTO change_counters (name, value) VALUES ('credentials', 1)
  ON CONFLICT (name) DO UPDATE SET value = value + 1`

describe('shared read', () => {
  test('reads one snapshot per turn of the event loop while another process writes', async () => {
    await yieldToEventLoop()
    sharedRead.begin()
    const before = sharedRead.credentialsVersion()
    const counts = [await countSystems()]
    other.run("INSERT INTO systems (uuid, hid, created) VALUES ('moment', 'moment', 1)")
    other.run(REVOKE)
    counts.push(await countSystems())
    expect(sharedRead.credentialsVersion()).toBe(before)
    await yieldToEventLoop()
    expect(sharedRead.credentialsVersion()).not.toBe(before)
    counts.push(await countSystems())
    expect(counts.map((count) => count - (counts[0] ?? 0))).toEqual([0, 0, 1])
  })

  test('ends the shared read with a commit of this process, so that the next read sees it', async () => {
    sharedRead.begin()
    const before = sharedRead.credentialsVersion()
    const count = await countSystems()
    await makeSystem()
    expect(await countSystems()).toBe(count + 1)
    expect(sharedRead.credentialsVersion()).toBe(before)
    await deps.transact('new', (tx) => incrementCounter(tx, 'credentials'))
    expect(sharedRead.credentialsVersion()).not.toBe(before)
  })

  test('does not begin a read when its version is asked for', async () => {
    await yieldToEventLoop()
    const before = sharedRead.credentialsVersion()
    const count = await countSystems()
    other.run("INSERT INTO systems (uuid, hid, created) VALUES ('asked', 'asked', 1)")
    other.run(REVOKE)
    expect(await countSystems()).toBe(count + 1)
    expect(sharedRead.credentialsVersion()).not.toBe(before)
  })

  test('begins a new shared read after SQLite ended the last one, as on a disk error', async () => {
    sharedRead.begin()
    await execute(deps.db, 'ROLLBACK')
    const count = await countSystems()
    await makeSystem()
    await yieldToEventLoop()
    sharedRead.begin()
    expect(await countSystems()).toBe(count + 1)
  })

  test('does not prevent checkpoints of the write-ahead log', async () => {
    const { location } = app.storage
    for (let at = 0; at < 1500; at++)
      await deps.transact('new', async (tx) => {
        await execute(tx, 'UPDATE systems SET name = :name', { name: 'x'.repeat(at) })
        // A read is open during every write.
        sharedRead.begin()
        await countSystems()
      })
    const pages = (statSync(`${location}-wal`).size - 32) / 4120
    // SQLite checkpoints at 1,000 pages.
    expect(pages).toBeLessThan(1200)
  })
})

test('commits writes that arrive together in few commits', async () => {
  const system = await busy.makeSystem()
  const { port } = new URL(busy.app.listen())
  const received = Array.from({ length: 20 }, () => Promise.withResolvers<string>())
  const sockets = await Promise.all(
    received.map(({ resolve }) =>
      Bun.connect({
        hostname: '127.0.0.1',
        port: Number(port),
        socket: { data: (_, chunk) => resolve(chunk.toString()) },
      }),
    ),
  )
  const before = commitsOf(busy.app.storage.location)
  for (const [at, socket] of sockets.entries()) {
    const body = JSON.stringify({ tag: `together ${at}` })
    const head = `PATCH /v2/systems/@me HTTP/1.1\r\nhost: test\r\nauthorization: ${system.token}\r\n`
    socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`)
  }
  const responses = await Promise.all(received.map(({ promise }) => promise))
  for (const socket of sockets) socket.end()
  expect(responses.filter((head) => head.startsWith('HTTP/1.1 200 '))).toHaveLength(20)
  expect(commitsOf(busy.app.storage.location) - before).toBeOneOf([1, 2, 3, 4, 5])
})

async function countSystems(): Promise<number> {
  const [found] = await rows<{ all: number }>(deps.db, 'SELECT count(*) AS "all" FROM systems')
  return found?.all ?? 0
}

/** Counts commits: in the write-ahead log, the last page of each has the size of the database. */
function commitsOf(path: string): number {
  const log = readFileSync(`${path}-wal`)
  let commits = 0
  for (let at = 32; at < log.length; at += 4120) if (log.readUInt32BE(at + 4) > 0) commits++
  return commits
}
