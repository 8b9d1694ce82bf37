import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { createTestApp } from '../testApp'

const { app, deps, makeSystem } = createTestApp()
const busy = createTestApp()
const { sharedRead } = app.storage
const other = new Database(app.storage.location)
afterAll(() => other.close())

describe('the reads of one turn', () => {
  test('see the same, whatever another program writes meanwhile; those of the next see it', async () => {
    await nextTurn()
    const before = sharedRead.begin()
    const seen = [await countSystems()]
    other.run("INSERT INTO systems (uuid, hid, created) VALUES ('moment', 'moment', 1)")
    seen.push(await countSystems())
    expect(sharedRead.begin()).toBe(before)
    await nextTurn()
    expect(sharedRead.begin()).not.toBe(before)
    seen.push(await countSystems())
    expect(seen.map((count) => count - (seen[0] ?? 0))).toEqual([0, 0, 1])
  })

  test('end with a write of our own, so that whoever was answered sees it', async () => {
    const before = sharedRead.begin()
    const count = await countSystems()
    await makeSystem()
    expect(await countSystems()).toBe(count + 1)
    expect(sharedRead.begin()).not.toBe(before)
  })

  test('may be cut off by SQLite itself, as when a disk fails, without harm to the next', async () => {
    sharedRead.begin()
    await deps.db.run(sql`ROLLBACK`)
    const count = await countSystems()
    await makeSystem()
    await nextTurn()
    sharedRead.begin()
    expect(await countSystems()).toBe(count + 1)
  })

  test('never keep the write-ahead log from being folded in', async () => {
    const { location } = app.storage
    for (let at = 0; at < 1500; at++)
      await deps.transact('new', async (tx) => {
        await tx.run(sql`UPDATE systems SET name = ${'x'.repeat(at)}`)
        // Somebody always reads while somebody writes.
        sharedRead.begin()
        await countSystems()
      })
    const pages = (statSync(`${location}-wal`).size - 32) / 4120
    // SQLite folds it in at 1,000 pages.
    expect(pages).toBeLessThan(1200)
  })
})

test('writes that arrive together share a commit', async () => {
  const someone = await busy.makeSystem()
  const { port } = new URL(busy.app.listen())
  const answers = Array.from({ length: 20 }, () => Promise.withResolvers<string>())
  const sockets = await Promise.all(
    answers.map(({ resolve }) =>
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
    const head = `PATCH /v2/systems/@me HTTP/1.1\r\nhost: test\r\nauthorization: ${someone.token}\r\n`
    socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`)
  }
  const heads = await Promise.all(answers.map(({ promise }) => promise))
  for (const socket of sockets) socket.end()
  expect(heads.filter((head) => head.startsWith('HTTP/1.1 200 '))).toHaveLength(20)
  expect(commitsOf(busy.app.storage.location) - before).toBeOneOf([1, 2, 3, 4, 5])
})

async function countSystems(): Promise<number> {
  const [[count = 0] = []] = await deps.db.values<[number]>(sql`SELECT count(*) FROM systems`)
  return count
}

/** The last page of each commit says in the write-ahead log how large the database is then. */
function commitsOf(path: string): number {
  const log = readFileSync(`${path}-wal`)
  let commits = 0
  for (let at = 32; at < log.length; at += 4120) if (log.readUInt32BE(at + 4) > 0) commits++
  return commits
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1))
}
