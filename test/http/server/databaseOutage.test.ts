import { Database } from 'bun:sqlite'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInstants } from '../../../src/app/app'
import { openStorage } from '../../../src/db/open'
import { createHandler } from '../../../src/http/handler'
import { createLog } from '../../../src/runtime/log'
import { type Clock, systemClock } from '../../../src/runtime/timers/clock'
import { renderRowJson } from '../../../src/serializers/v2'
import { createCredentialCache } from '../../../src/service/access/credentials'
import type { Deps } from '../../../src/service/core/deps'
import { insertToken } from '../../../src/store/access/tokenRows'
import { insertSystem } from '../../../src/store/systems/systemRows'
import { execute } from '../../tools/rawSql'
import { emptyFolder } from '../../tools/serverProcess'
import { afterAll, describe, expect, test } from '../../tools/test'
import { createTestApp, isSqlite, type TestApp } from '../../tools/testApp'
import { createTestClock } from '../../tools/testClock'
import { until } from '../../tools/until'
import { expectRefused, problemsIn } from './refusals'

function createClient(ask: (request: Request) => Promise<Response>) {
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

function clientOf({ app }: TestApp) {
  return createClient(async (request) => app.handle(request, '127.0.0.1'))
}

// Full disks, locks and lost files concern SQLite; tests in test/postgres cover a lost server.
describe.if(isSqlite)('full disk', () => {
  test('answers writes with 503 and logs one error until the disk has space again', async () => {
    const testApp = createTestApp()
    const { health, write, read } = clientOf(testApp)
    const system = await testApp.makeSystem('Attic')
    const limit = (pages: number) =>
      testApp.deps.transact('new', (tx) => execute(tx, `PRAGMA max_page_count = ${pages}`))
    expect((await health()).status).toBe(200)
    // SQLite raises the limit to the current size of the file.
    await limit(1)
    let response = await write(system.token)
    for (let turn = 0; response.status === 200 && turn < 500; turn++)
      response = await write(system.token)
    await expectRefused(response, 'the disk is full')
    await expectRefused(await health(), 'the disk is full')
    expect((await read(system.hid)).status).toBe(200)
    for (let turn = 0; turn < 5; turn++) await write(system.token)
    expect(problemsIn(testApp.logged())).toEqual([
      ['error', 'request failed', expect.stringMatching(/^[^\n]+ the disk is full\.$/)],
    ])
    await limit(100_000)
    await until(async () => (await health()).status === 200)
    expect((await write(system.token)).status).toBe(200)
  })
})

describe.if(isSqlite)('locked database', () => {
  test('answers writes with 503 while another program locks the database, and answers reads', async () => {
    const clock = createTestClock()
    const { storage, makeSystem, health, write, read } = await createHandlerWithTimeout(20, clock)
    const system = await makeSystem()
    const lockHolder = new Database(storage.location)
    lockHolder.run('BEGIN IMMEDIATE')
    // The health check detects it without a preceding write.
    await until(async () => (await health()).status === 503)
    await expectRefused(await health(), 'the database is locked')
    await expectRefused(await write(system.token), 'the database is locked')
    expect((await read(system.hid)).status).toBe(200)
    lockHolder.run('COMMIT')
    await clock.advance(1_001)
    await until(async () => (await health()).status === 200)
    expect((await write(system.token)).status).toBe(200)
    lockHolder.close()
  })

  test('a short lock delays a write, but not the health check', async () => {
    const { storage, makeSystem, health, write } = await createHandlerWithTimeout(120_000)
    const system = await makeSystem()
    const lockHolder = new Database(storage.location)
    lockHolder.run('BEGIN IMMEDIATE')
    const waiting = write(system.token)
    expect((await health()).status).toBe(200)
    lockHolder.run('COMMIT')
    lockHolder.close()
    expect((await waiting).status).toBe(200)
  })
})

/** Creates a handler on a database that waits this many milliseconds for locks. */
async function createHandlerWithTimeout(busyLimit: number, clock: Clock = systemClock) {
  const { app, config } = createTestApp()
  const storage = openStorage(`file:${join(emptyFolder(), 'data.db')}`, {
    durability: 'normal',
    busyLimit,
    clock,
    renderJson: renderRowJson,
  })
  afterAll(() => storage.close())
  const { db, sharedRead, readFor, transact, snapshot, checkHealth, toUnavailable } = storage
  const credentialCache = createCredentialCache(sharedRead.credentialsVersion)
  const storageDeps = {
    db,
    sharedRead,
    readFor,
    transact,
    snapshot,
    credentialCache,
    now: createInstants(systemClock),
  }
  const deps: Deps = { ...app.deps, ...storageDeps }
  const handle = createHandler({
    deps,
    events: app.events,
    config,
    log: createLog('error', 'json', () => {}),
    checkHealth: checkHealth,
    toUnavailable: toUnavailable,
    shutdown: {},
  })
  return {
    storage,
    makeSystem: () =>
      transact('new', async (tx) => {
        const { id, hid } = await insertSystem(tx, { created: deps.now() })
        return { hid, token: await insertToken(deps, tx, id, 'test') }
      }),
    ...createClient(async (request) => handle(request, '127.0.0.1')),
  }
}

describe.if(isSqlite)('lost database file', () => {
  const losses: [title: string, lose: (path: string) => void][] = [
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

  test.each(losses)(
    'refuses writes and is unhealthy when the database file was %s',
    async (_, lose) => {
      const testApp = createTestApp()
      const { health, write } = clientOf(testApp)
      const system = await testApp.makeSystem('Attic')
      expect((await write(system.token)).status).toBe(200)
      lose(testApp.app.storage.location)
      await expectRefused(await health(), 'the database is gone')
      await expectRefused(await write(system.token), 'the database is gone')
      await expectRefused(await health(), 'the database is gone')
    },
  )
})

describe('rate limit', () => {
  test('a request over the rate limit gets Retry-After in seconds', async () => {
    const testApp = createTestApp({ RATE_LIMIT: 'generic_get=1', clock: createTestClock() })
    const peer = '203.0.113.7'
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => testApp.ask('GET /v2/systems/abcde', { peer })),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(3)
    for (const { headers } of refused) expect(headers.get('retry-after')).toBe('1')
  })
})
