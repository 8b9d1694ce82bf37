import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, createApp } from '../src/app'
import { type Config, parseConfig } from '../src/config'
import type { EventOptions } from '../src/events/events'
import { createLog } from '../src/log'
import type { JsonObject } from '../src/model/entity'
import { DISCORD } from '../src/model/platform'
import type { Instant } from '../src/model/time'
import { insertToken } from '../src/service/access/insertToken'
import { insertSystem } from '../src/service/systems'
import { expectDocumented } from './openapiDocument'
import { acquireDatabase, releaseDatabase } from './postgres/templateDatabases'
import { change } from './rawSql'

/** Whether these tests run on a file. What is about the file itself is for nobody else. */
export const isOnFile = !process.env.TEST_POSTGRES

/** A system of a test, with what its owner knows. */
export interface TestSystem {
  id: number
  hid: string
  uuid: string
  token: string
}

export interface Answer<T = JsonObject> {
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

/** The real app on a real file of its own, which goes when the tests of the file are done. */
export function createTestApp({
  now,
  events,
  ...settings
}: Partial<Record<keyof Config, string>> & { now?: () => Instant; events?: EventOptions } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'multitude-test-'))
  const config = parseConfig({
    DATABASE_URL: addressIn(folder),
    DURABILITY: 'normal',
    ...settings,
  })
  const lines: string[] = []
  const log = createLog(config.LOG_LEVEL, 'json', (text) => lines.push(text))
  // No lease is renewed meanwhile: that is a write, and tests ask whether anything was written.
  const app: App = createApp(config, log, now, { leaseMs: 60 * 60 * 1000, ...events })
  afterAll(async () => {
    await app.stop()
    rmSync(folder, { recursive: true })
    if (!isOnFile) releaseDatabase(process.env.TEST_POSTGRES ?? '', config.DATABASE_URL)
  })

  return {
    app,
    config,
    folder,
    deps: app.deps,
    /** Everything that was logged so far. */
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
        // As if it had been used just now: tests ask whether anything was written.
        const used = 'update tokens set last_used = :now where system_id = :id'
        await change(tx, used, { now: app.deps.now(), id })
        return { id, hid, uuid, token }
      }),
    /** Asks "METHOD /path" and holds the answer against the API documentation. */
    async ask<T = JsonObject>(
      line: string,
      { as, body, headers = {}, peer = '127.0.0.1' }: RequestOptions = {},
    ) {
      const [method = 'GET', path = '/'] = line.split(' ')
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: { ...(as && { authorization: as.token }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const response = await app.handle(request, () => peer)
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      const json = isJson && text !== '' ? JSON.parse(text) : null
      await expectDocumented(method, path, response.status, json)
      return { status: response.status, headers: response.headers, text, json } as Answer<T>
    },
  }
}

/** Of a new file there, or of a new database of the server that the tests run on. */
export function addressIn(folder: string): string {
  const { TEST_POSTGRES } = process.env
  return TEST_POSTGRES ? acquireDatabase(TEST_POSTGRES) : `file:${join(folder, 'test.db')}`
}

export type TestApp = ReturnType<typeof createTestApp>
