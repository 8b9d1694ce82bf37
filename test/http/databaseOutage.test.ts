import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openStorage } from '../../src/db/open'
import { createHandler } from '../../src/http/handler'
import { createLog } from '../../src/log'
import { createCredentialCache } from '../../src/service/access/credentialCache'
import { insertToken } from '../../src/service/access/insertToken'
import { createClock, type Deps } from '../../src/service/deps'
import { insertSystem } from '../../src/service/systems'
import { change } from '../rawSql'
import { canMount, onSmallDisk } from '../restrictedEnvironment'
import { commandLine, emptyFolder, startServer } from '../serverProcess'
import { createTestApp, isOnFile, type TestApp } from '../testApp'

// Processes take their time on a busy machine.
setDefaultTimeout(60_000)

const { words, run } = await commandLine()

interface Refusal {
  message: string
  code: number
  retry_after: number
}

async function expectRefused(answer: Response, reason: string): Promise<void> {
  const body = (await answer.json()) as Refusal
  expect([answer.status, body]).toEqual([
    503,
    {
      message: `503: Service Unavailable (${reason})`,
      code: 0,
      retry_after: expect.any(Number),
    },
  ])
  expect(Number(answer.headers.get('retry-after'))).toBe(Math.ceil(body.retry_after / 1000))
  expect(answer.headers.get('content-type')).toStartWith('application/json')
}

/** The lines of a log that are a warning or worse. */
function problemsIn(logged: string): [level: string, message: string, cause: string][] {
  return logged
    .split('\n')
    .filter((line) => /"level":"(warn|error)"/.test(line))
    .map((line) => JSON.parse(line))
    .map(({ level, message, cause }) => [level, message, cause])
}

async function until(isSo: () => Promise<boolean>, longest = 20_000): Promise<void> {
  const giveUpAt = Date.now() + longest
  while (!(await isSo())) {
    if (Date.now() > giveUpAt) throw new Error('it did not happen in time')
    await Bun.sleep(50)
  }
}

function visitorOf(ask: (request: Request) => Promise<Response>) {
  const send = (path: string, token = '', body?: object) =>
    ask(
      new Request(`http://localhost${path}`, {
        headers: { authorization: token },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }),
    )
  return {
    health: () => send('/health'),
    write: (token: string) =>
      send('/v2/members', token, { name: 'Drop', description: 'x'.repeat(900) }),
    read: (hid: string) => send(`/v2/systems/${hid}`),
  }
}

function visit({ app }: TestApp) {
  return visitorOf((request) => app.handle(request, '127.0.0.1'))
}

// Disks, locks and places are the file's own; what a server is lost by is tried beside its driver.
describe.if(isOnFile)('a disk that is full', () => {
  test('is a condition that passes: 503, and the words go to the log', async () => {
    const at = createTestApp()
    const { health, write, read } = visit(at)
    const someone = await at.makeSystem('Attic')
    const limit = (pages: number) =>
      at.deps.transact('new', (tx) => change(tx, `PRAGMA max_page_count = ${pages}`))
    expect((await health()).status).toBe(200)
    // SQLite takes the size the file has for the least.
    await limit(1)
    let answer = await write(someone.token)
    for (let turn = 0; answer.status === 200 && turn < 500; turn++)
      answer = await write(someone.token)
    await expectRefused(answer, 'the disk is full')
    await expectRefused(await health(), 'the disk is full')
    expect((await read(someone.hid)).status).toBe(200)
    for (let turn = 0; turn < 5; turn++) await write(someone.token)
    expect(problemsIn(at.logged())).toEqual([
      ['error', 'request failed', expect.stringMatching(/^[^\n]+ the disk is full\.$/)],
    ])
    await limit(100_000)
    await until(async () => (await health()).status === 200)
    expect((await write(someone.token)).status).toBe(200)
  })

  test.if(canMount)('is seen by a server, which is well again when there is room', async () => {
    const cwd = emptyFolder()
    const env = { DATABASE_URL: `file:${join(cwd, 'data.db')}` }
    const made = join(emptyFolder(), 'made.json')
    const create = [...words, 'system', 'create', '--json'].map((word) => `'${word}'`).join(' ')
    const command = onSmallDisk('8m', cwd, `${create} > '${made}'`, words)
    const server = await startServer(command, [], { cwd, env })
    const disk = `/proc/${server.pid}/root${cwd}`
    const { token } = JSON.parse(readFileSync(made, 'utf8')) as { token: string }
    const write = () =>
      fetch(`${server.address}/v2/members`, {
        method: 'POST',
        headers: { authorization: token },
        body: JSON.stringify({ name: 'Drop', description: 'x'.repeat(900) }),
      })
    const health = () => fetch(`${server.address}/health`)
    expect([(await write()).status, (await health()).status]).toEqual([200, 200])
    Bun.spawnSync(['/bin/sh', '-c', 'cat /dev/zero > "$0"', join(disk, 'filler')])
    // Nobody has to write first: it is found by whoever asks.
    await until(async () => (await health()).status === 503)
    await expectRefused(await health(), 'the disk is full')
    let answer = await write()
    for (let turn = 0; answer.status === 200 && turn < 1000; turn++) answer = await write()
    await expectRefused(answer, 'the disk is full')
    for (const command of ['health', 'status']) {
      const { out, err } = await run([command, '--url', server.address], { cwd: emptyFolder() })
      expect(out + err).toContain(`${server.address} is not well: the disk is full`)
    }
    // A lease is to be renewed meanwhile, and that fails too.
    await until(async () => server.said().includes('lease renewal failed'))
    for (let second = 0; second < 3; second++) {
      expect((await write()).status).toBe(503)
      await Bun.sleep(1000)
    }
    expect(problemsIn(server.said())).toEqual([
      ['error', 'request failed', expect.stringMatching(/^[^\n]+ the disk is full\.$/)],
      ['warn', 'lease renewal failed', expect.any(String)],
    ])
    rmSync(join(disk, 'filler'))
    await until(async () => (await health()).status === 200)
    expect((await write()).status).toBe(200)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  })
})

test.if(isOnFile && canMount)('a file that would fill the disk is refused with 503', async () => {
  const cwd = emptyFolder()
  const env = { DATABASE_URL: `file:${join(cwd, 'data.db')}` }
  const made = join(emptyFolder(), 'made.json')
  const create = [...words, 'system', 'create', '--json'].map((word) => `'${word}'`).join(' ')
  const command = onSmallDisk('32m', cwd, `${create} > '${made}'`, words)
  const server = await startServer(command, [], { cwd, env })
  const { token } = JSON.parse(readFileSync(made, 'utf8')) as { token: string }
  const send = (path: string, body: string) =>
    fetch(`${server.address}${path}`, { method: 'POST', headers: { authorization: token }, body })
  const noteOf = (bytes: number) =>
    JSON.stringify({ switches: [], multitude: { kept: { notes: ['x'.repeat(bytes)] } } })
  const refused = await send('/v2/systems/@me/import', noteOf(30 * 1024 * 1024))
  await expectRefused(refused, 'the disk is full')
  expect((await send('/v2/members', '{"name":"Wren"}')).status).toBe(200)
  expect((await fetch(`${server.address}/health`)).status).toBe(200)
  expect((await send('/v2/systems/@me/import', noteOf(500_000))).status).toBe(200)
  server.kill('SIGTERM')
  expect((await server.end()).code).toBe(0)
})

describe.if(isOnFile)('a database that another program keeps locked', () => {
  test('is waited for, then a 503; nobody else waits as long, and reads go on', async () => {
    const { storage, makeSystem, health, write, read } = await impatient(400)
    const someone = await makeSystem()
    const other = new Database(storage.location)
    other.run('BEGIN IMMEDIATE')
    // Found by whoever asks for its health, though nobody writes.
    expect((await health()).status).toBe(200)
    await until(async () => (await health()).status === 503)
    await expectRefused(await health(), 'the database is locked')
    await expectRefused(await write(someone.token), 'the database is locked')
    expect((await read(someone.hid)).status).toBe(200)
    other.run('COMMIT')
    await until(async () => (await health()).status === 200)
    expect((await write(someone.token)).status).toBe(200)
    // A short wait is nobody's trouble.
    other.run('BEGIN IMMEDIATE')
    const waiting = write(someone.token)
    expect((await health()).status).toBe(200)
    other.run('COMMIT')
    other.close()
    expect((await waiting).status).toBe(200)
  })
})

/** The server's own parts, on a database that waits only so long for others. */
async function impatient(busyLimit: number) {
  const { app, config } = createTestApp()
  const storage = openStorage(`file:${join(emptyFolder(), 'data.db')}`, 'normal', busyLimit)
  afterAll(() => storage.close())
  const { db, sharedRead, transact, snapshot, checkHealth, toUnavailable } = storage
  const credentialCache = createCredentialCache(sharedRead)
  const own = { db, sharedRead, transact, snapshot, credentialCache, now: createClock() }
  const deps: Deps = { ...app.deps, ...own }
  const handle = createHandler({
    deps,
    events: app.events,
    config,
    log: createLog('error', 'json', () => {}),
    checkHealth: checkHealth,
    toUnavailable: toUnavailable,
    closing: () => undefined,
  })
  return {
    storage,
    makeSystem: () =>
      transact('new', async (tx) => {
        const { id, hid } = await insertSystem(tx, { created: deps.now() })
        return { hid, token: await insertToken(deps, tx, id, 'test') }
      }),
    ...visitorOf((request) => handle(request, '127.0.0.1')),
  }
}

describe.if(isOnFile)('a database that is gone', () => {
  const ways: [says: string, take: (path: string) => void][] = [
    ['deleted', (path) => rmSync(path)],
    ['moved away', (path) => renameSync(path, `${path}.old`)],
    [
      'replaced',
      (path) => {
        const other = `${path}.other`
        new Database(other).run('CREATE TABLE t (x)')
        renameSync(other, path)
      },
    ],
  ]

  test.each(ways)('%s: it is not well, and takes nothing that would be lost', async (_, take) => {
    const at = createTestApp()
    const { health, write } = visit(at)
    const someone = await at.makeSystem('Attic')
    expect((await write(someone.token)).status).toBe(200)
    take(at.app.storage.location)
    await expectRefused(await health(), 'the database is gone')
    await expectRefused(await write(someone.token), 'the database is gone')
    await expectRefused(await health(), 'the database is gone')
  })
})

describe('too many requests', () => {
  test('are told in seconds, too, when to come again', async () => {
    const at = createTestApp({ RATE_LIMIT: 'generic_get=1' })
    const peer = '203.0.113.7'
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => at.ask('GET /v2/systems/abcde', { peer })),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    for (const { headers } of refused) expect(headers.get('retry-after')).toBe('1')
  })
})
