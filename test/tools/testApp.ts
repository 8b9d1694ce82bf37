import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, createApp } from '../../src/app/app'
import type { EventOptions } from '../../src/events/events'
import type { JsonObject } from '../../src/model/core/entity'
import { DISCORD } from '../../src/model/core/platform'
import type { Instant } from '../../src/model/core/time'
import { type Config, parseConfig } from '../../src/runtime/config/config'
import { createLog } from '../../src/runtime/log'
import { type Clock, systemClock } from '../../src/runtime/timers/clock'
import { insertToken } from '../../src/store/access/tokenRows'
import { insertSystem } from '../../src/store/systems/systemRows'
import { acquireDatabase, releaseDatabase } from '../postgres/templateDatabases'
import { createEmptyDatabase } from './emptyDatabase'
import { expectDocumented } from './openapiDocument'
import { execute } from './rawSql'
import { afterAll } from './test'

/** True if these tests run on SQLite. Tests of the database file itself run only there. */
export const isSqlite = !process.env.TEST_POSTGRES

/** A system of a test, with its IDs and its token. */
export interface TestSystem {
  id: number
  hid: string
  uuid: string
  token: string
}

export interface TestResponse<T = JsonObject> {
  status: number
  headers: Headers
  text: string
  json: T
}

export interface RequestOptions {
  as?: TestSystem | null
  body?: unknown
  headers?: Record<string, string>
  peer?: string
}

/** Longer than a file of tests takes on idle cores. */
const LATER_MS = 5_000
/** Longest timer. */
const NEVER_MS = 2 ** 31 - 1
const postponeLater = (ms: number) => (ms < LATER_MS ? ms : NEVER_MS)

/** The real clock, but later work, such as cleanups, never runs: on busy cores it would change rows. */
const clockOfTests: Clock = {
  ...systemClock,
  setTimeout: (run, ms) => systemClock.setTimeout(run, postponeLater(ms)),
  setInterval: (run, ms) => systemClock.setInterval(run, postponeLater(ms)),
  sleep: (ms) => systemClock.sleep(postponeLater(ms)),
}

/** Creates the real app on a database of its own, which is deleted after the tests of the file. */
export function createTestApp({
  clock = clockOfTests,
  now,
  events,
  ...settings
}: Partial<Record<keyof Config, string>> & {
  clock?: Clock
  now?: () => Instant
  events?: EventOptions
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'multitude-test-'))
  const config = parseConfig({
    DATABASE_URL: newDatabaseAddress(folder),
    DURABILITY: 'normal',
    ...settings,
  })
  const lines: string[] = []
  const log = createLog(config.LOG_LEVEL, 'json', (text) => lines.push(text))
  // A long lease is not renewed during a test: that is a write, and tests check for writes.
  const app: App = createApp(config, {
    log,
    clock,
    now,
    events: { leaseMs: 60 * 60 * 1000, ...events },
  })
  afterAll(async () => {
    await app.stop()
    rmSync(folder, { recursive: true })
    if (!isSqlite) releaseDatabase(process.env.TEST_POSTGRES ?? '', config.DATABASE_URL)
  })

  return {
    app,
    config,
    folder,
    deps: app.deps,
    /** Returns everything that was logged so far. */
    logged: () => {
      log.flush()
      return lines.join('')
    },
    makeSystem: (name: string | null = null): Promise<TestSystem> =>
      app.deps.transact('new', async (tx) => {
        const { id, hid, uuid } = await insertSystem(
          tx,
          { name, created: app.deps.now() },
          {},
          DISCORD,
        )
        const token = await insertToken(app.deps, tx, id, 'test')
        // Recorded use prevents a write on the first use, because tests check for writes.
        const used = 'update tokens set last_used = :now where system_id = :id'
        await execute(tx, used, { now: app.deps.now(), id })
        return { id, hid, uuid, token }
      }),
    /** Sends "METHOD /path" and compares the response with the API document. */
    async ask<T = JsonObject>(
      line: string,
      { as, body, headers = {}, peer = '127.0.0.1' }: RequestOptions = {},
    ) {
      const [method = 'GET', path = '/'] = line.split(' ')
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: { ...(as && { authorization: as.token }), ...headers },
        ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
      })
      const response = await app.handle(request, () => peer)
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      const json = isJson && text !== '' ? JSON.parse(text) : null
      await expectDocumented(method, path, response.status, json)
      return { status: response.status, headers: response.headers, text, json } as TestResponse<T>
    },
  }
}

/** Returns true for a body that is sent as it is, not as JSON. */
function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}

/** Creates an empty database, in a file in the folder or on PostgreSQL, and returns its address. */
export function newDatabaseAddress(folder: string): string {
  const { TEST_POSTGRES } = process.env
  if (TEST_POSTGRES) return acquireDatabase(TEST_POSTGRES)
  const path = join(folder, 'test.db')
  createEmptyDatabase(path)
  return `file:${path}`
}

export type TestApp = ReturnType<typeof createTestApp>
