import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeOlder } from '../db/olderDatabase'
import { readStream } from '../events/readStream'
import { receivers, TOKEN, until } from '../events/receiver'
import { run, runJson } from '../runInProcess'
import { commandLine, emptyFolder } from '../serverProcess'
import { withRawDatabase } from '../service/transfer/importFixture'
import { describe, expect, test } from '../test'

const { startServer } = await commandLine()
const SKIPPED = 1_000_000

/** Creates a database with one system and a backup of it, with these counters of event IDs. */
async function prepare({ backup, replaced }: { backup: number; replaced: number }) {
  const cwd = emptyFolder()
  const path = join(cwd, 'data.db')
  const here = { cwd, path, env: { DATABASE_URL: `file:${path}` } }
  const { id } = await runJson<{ id: string }>(['system', 'create'], here)
  setCounter(path, backup)
  await runJson(['backup', 'then.db'], here)
  setCounter(path, replaced)
  return { ...here, id }
}

function setCounter(path: string, value: number): void {
  withRawDatabase(path, (database) => {
    database.run("DELETE FROM sqlite_sequence WHERE name = 'events'")
    database.run(`INSERT INTO sqlite_sequence VALUES ('events', ${value})`)
  })
}

/** Records an event and returns its ID. */
async function nextId(here: Awaited<ReturnType<typeof prepare>>): Promise<number> {
  await runJson(['account', 'link', here.id, '123456789012345678'], here)
  return withRawDatabase(here.path, (database) => {
    const newest = database.query<{ id: number }, []>('SELECT max(id) AS id FROM events').get()
    return newest?.id ?? 0
  })
}

describe('the IDs of events after a restore', () => {
  const cases: [
    title: string,
    counters: { backup: number; replaced: number },
    corrupt: (path: string) => void,
    largest: number,
  ][] = [
    ['the replaced database has assigned more', { backup: 7, replaced: 5000 }, () => {}, 5000],
    ['the backup has assigned more', { backup: 5000, replaced: 7 }, () => {}, 5000],
    ['there is no database', { backup: 7, replaced: 5000 }, (path) => rmSync(path), 7],
    [
      'the replaced database cannot be read',
      { backup: 7, replaced: 5000 },
      (path) => writeFileSync(path, 'garbage '.repeat(2000)),
      7,
    ],
    ['neither has assigned any', { backup: 0, replaced: 0 }, () => {}, 0],
  ]

  test.each(cases)(
    'event IDs continue 1,000,000 above the largest after a restore when %s',
    async (_, counters, corrupt, largest) => {
      const here = await prepare(counters)
      corrupt(here.path)
      await runJson(['restore', 'then.db', '--yes'], here)
      expect(await nextId(here)).toBe(largest + SKIPPED + 1)
    },
  )

  test('event IDs grow with every restore', async () => {
    const here = await prepare({ backup: 7, replaced: 7 })
    for (let round = 1; round <= 2; round++) {
      await runJson(['restore', 'then.db', '--yes'], here)
      expect(await nextId(here)).toBe(7 + round * (SKIPPED + 1))
    }
  })

  test('event IDs continue above those of the replaced database when the backup is of an older version', async () => {
    const here = await prepare({ backup: 7, replaced: 5000 })
    const older = makeOlder(join(here.cwd, 'older.db'), 6)
    older.close()
    await runJson(['restore', 'older.db', '--yes'], here)
    expect((await run(['migrate'], here)).code).toBe(0)
    const { id } = await runJson<{ id: string }>(['system', 'create'], here)
    expect(await nextId({ ...here, id })).toBe(5000 + SKIPPED + 1)
  })
})

describe('a client that resumes after a restore', () => {
  const receive = receivers()

  test('a stream that resumes after a restore gets a gap and then every new event, as does the webhook', async () => {
    const cwd = emptyFolder()
    const here = { cwd, env: { DISPATCH_ALLOW: '127.0.0.1' } }
    const { token } = await runJson<{ token: string }>(['system', 'create'], here)
    const receiver = receive()
    let server = await startServer([], here)
    const ask = async (line: string, body: unknown) => {
      const [method = '', path] = line.split(' ')
      const headers = { authorization: token }
      const init = { method, headers, body: JSON.stringify(body) }
      const { status } = await fetch(`${server.address}/v2/systems/@me${path}`, init)
      expect([line, status]).toEqual([line, 200])
    }
    const follow = (since?: number) =>
      readStream(`${server.address}/v2/systems/@me/events`, {
        token,
        ...(since !== undefined && { since }),
      })
    await ask('PUT /webhook', { url: receiver.url, token: TOKEN })
    await ask('POST /webhook/verify', {})
    const first = await follow()
    await ask('PATCH ', { name: 'one' })
    await until(() => first.messages.length === 1 && receiver.events.length === 1)
    await runJson(['backup', 'then.db'], here)
    await ask('PATCH ', { name: 'two' })
    await ask('PATCH ', { name: 'three' })
    await until(() => first.messages.length === 3 && receiver.events.length === 3)
    server.kill('SIGTERM')
    await server.end()
    await runJson(['restore', 'then.db', '--yes'], here)

    server = await startServer([], here)
    const [one, , three] = first.messages.map(({ id }) => Number(id)) as [number, number, number]
    const start = three + SKIPPED
    // One client resumes before the next event, two after it.
    const early = await follow(three)
    await until(() => early.messages.length === 1)
    await ask('PATCH ', { name: 'four' })
    for (const { messages, leave } of [early, await follow(three), await follow(one)]) {
      await until(() => messages.length === 2)
      expect(messages).toMatchObject([
        { event: 'gap', id: String(start), data: { before: start + 1 } },
        { event: 'UPDATE_SYSTEM', id: String(start + 1), data: { data: { name: 'four' } } },
      ])
      await leave()
    }
    const delivered = () => receiver.events.map(({ headers }) => headers.get('x-event-id'))
    await until(() => delivered().includes(String(start + 1)))
    expect(delivered().slice(0, 3)).toEqual(first.messages.map(({ id }) => id))
    // Only events that were not delivered before the backup may be repeated.
    expect(new Set(delivered())).toEqual(
      new Set([...first.messages.map(({ id }) => id), String(start + 1)]),
    )
    server.kill('SIGTERM')
    await server.end()
  })
})
