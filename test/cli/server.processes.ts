import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openDeps } from '../../src/app/app'
import type { JsonObject } from '../../src/model/core/entity'
import { parseConfig } from '../../src/runtime/config/config'
import { insertToken } from '../../src/store/access/tokenRows'
import { insertSystem } from '../../src/store/systems/systemRows'
import { folderWithDatabase } from '../tools/emptyDatabase'
import { run, runJson } from '../tools/runInProcess'
import {
  commandLine,
  emptyFolder,
  runCommand,
  type Server,
  startServer as startSource,
} from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'
import { until } from '../tools/until'

interface CreatedSystem {
  id: string
  token: string
}

const { startServer } = commandLine()

describe('first run', () => {
  test('the first run prints a command that creates a system from any folder', async () => {
    const cwd = join(emptyFolder(), 'my data')
    mkdirSync(cwd)
    const server = await startServer([], { cwd })
    expect(server.output()).toContain(`Listening on    ${server.address}\n`)
    expect(server.output()).toContain(`API page        ${server.address}/docs\n`)
    expect(server.output()).toContain(`Database (new)  ${join(cwd, 'data', 'multitude.db')}\n`)
    const [, command = ''] = /There are no systems yet\..*\n\n +(.+)\n/.exec(server.output()) ?? []
    const created = await runCommand(['/bin/sh', '-c', command], { cwd: emptyFolder() })
    expect(created).toMatchObject({ code: 0, err: '' })
    const [, token = ''] = /^token +(\S+)$/m.exec(created.out) ?? []
    expect(await get(server, '/v2/systems/@me', token)).toMatchObject({ name: 'My system' })
    await stop(server)
    const again = await startServer([], { cwd })
    expect(again.output()).toContain('Listening on')
    expect(again.output()).toContain(`Database      ${join(cwd, 'data', 'multitude.db')}\n`)
    expect(again.output()).not.toContain('There are no systems yet')
    await stop(again)
  })
})

describe('first run from the source', () => {
  test('the first run from the source prints a command for npx instead of the path of Bun', async () => {
    const cwd = join(import.meta.dir, '../..')
    const database = `file:${join(emptyFolder(), 'a.db')}`
    const PATH = `${join(cwd, 'node_modules/.bin')}:${process.env.PATH}`
    const env = { PATH, HOME: emptyFolder() }
    // Same as the script "start" in package.json.
    const command = ['/bin/sh', '-c', 'exec bun --no-env-file src/main.ts "$@"', 'sh']
    const server = await startSource(command, ['--database', database], { cwd, env })
    const [, hint = ''] = /There are no systems yet\..*\n\n +(.+)\n/.exec(server.output()) ?? []
    expect(hint).toBe(
      `npx bun --no-env-file src/main.ts system create --name 'My system' --database ${database}`,
    )
    const created = await runCommand(['/bin/sh', '-c', hint], { cwd, env })
    expect([created.code, created.out]).toEqual([0, expect.stringContaining('Keep the token')])
    await stop(server)
  })
})

describe('server and command line', () => {
  test('server and command line use one database file at the same time', async () => {
    const cwd = folderWithDatabase()
    const server = await startServer(['--json'], { cwd })
    const { id, token } = await runJson<CreatedSystem>(['system', 'create', '--name', 'Hill'], {
      cwd,
    })
    expect(await get(server, '/v2/systems/@me', token)).toMatchObject({ id, name: 'Hill' })
    await change(server, token, { tag: 'by the server' })
    expect(await runJson(['system', 'show', id], { cwd })).toMatchObject({ tag: 'by the server' })
    await runJson(['token', 'revoke', id, 'default', '--yes'], { cwd })
    expect(await get(server, '/v2/systems/@me', token)).toMatchObject({
      message: expect.stringMatching(/^401/),
    })
    await runJson(['system', 'delete', id, '--yes'], { cwd })
    expect(await get(server, `/v2/systems/${id}`)).toMatchObject({ code: 20001 })
    server.kill('SIGTERM')
    const { code, out, err } = await server.end()
    expect([code, JSON.parse(out)]).toEqual([0, { stopped: 'SIGTERM' }])
    // With --json there is no greeting, so every line is a log line.
    for (const line of err.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level')
  })
})

describe('address in use', () => {
  test('an address in use is reported in one line', async () => {
    const cwd = emptyFolder()
    const server = await startServer([], { cwd })
    const { port } = new URL(server.address)
    expect(await run(['serve', '--port', port], { cwd })).toEqual({
      code: 1,
      out: '',
      err: `multitude: Cannot listen on 127.0.0.1:${port}: the address is in use, not available on this machine, or not permitted.\n`,
    })
    expect(await get(server, '/health')).toEqual({ status: 'ok' })
    await stop(server)
  })
})

describe('stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'loses no request when stopped by %s under load',
    async (signal) => {
      const cwd = emptyFolder()
      const created = await createSystems(cwd, 8)
      const server = await startServer([], { cwd })
      const load = startLoad(server, created)
      await load.hasStarted()
      server.kill(signal)
      const { code } = await server.end()
      const results = await load.results
      expect(code).toBe(0)
      // Later requests could not connect, and no accepted request was aborted.
      expect(results.map(({ end }) => end)).toEqual(results.map(() => 'ECONNREFUSED'))
      const file = join(cwd, 'data', 'multitude.db')
      expect(existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0).toBe(0)
      for (const { id, answered } of results) expect(tagOf(file, id)).toBe(String(answered))
    },
  )

  test('finishes a request whose body is still arriving when stopped repeatedly', async () => {
    const cwd = folderWithDatabase()
    const { token } = await runJson<CreatedSystem>(['system', 'create'], { cwd })
    const metrics = ['--metrics', 'on', '--metrics-address', '127.0.0.1:0']
    const server = await startServer(metrics, { cwd })
    const [, metricsUrl = ''] = /"metrics":"([^"]+)"/.exec(server.output()) ?? []
    const isArriving = async () =>
      /^multitude_http_unfinished_bodies 1$/m.test(await (await fetch(metricsUrl)).text())
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode('{"tag":'))
        await until(isArriving)
        for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) {
          server.kill(signal)
          await until(() => server.output().includes('"message":"stopping"'))
          await until(() => !hasPendingSignal(server.pid))
        }
        controller.enqueue(new TextEncoder().encode('"in time"}'))
        controller.close()
      },
    })
    const response = await patch(server, token, body)
    expect([response.status, await response.json()]).toMatchObject([200, { tag: 'in time' }])
    expect(response.headers.get('connection')).toBe('close')
    expect((await server.end()).code).toBe(0)
  })

  test('stops at once when no request runs, with idle connections open', async () => {
    const server = await startServer([], { cwd: emptyFolder() })
    await get(server, '/health')
    expect(await stop(server)).toBe(0)
    expect(server.output()).toContain('"message":"stopping","signal":"SIGTERM"')
  })
})

describe('SIGKILL', () => {
  test('has stored every acknowledged change and its event when killed under load', async () => {
    const cwd = emptyFolder()
    const created = await createSystems(cwd, 6)
    const server = await startServer([], { cwd })
    const load = startLoad(server, created)
    await load.hasStarted()
    server.kill('SIGKILL')
    const results = await load.results
    await server.end()

    const again = await startServer([], { cwd })
    const file = join(cwd, 'data', 'multitude.db')
    for (const { id, token, answered } of results) {
      const { tag } = await get(again, '/v2/systems/@me', token)
      // The last change may have been written but not answered.
      expect([answered, answered + 1]).toContain(Number(tag))
      expect(eventsOf(file, id)).toBe(Number(tag))
    }
    expect(queryFile(file, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    await stop(again)
  })
})

async function createSystems(cwd: string, many: number): Promise<CreatedSystem[]> {
  const config = parseConfig({ DATABASE_URL: `file:${join(cwd, 'data', 'multitude.db')}` })
  const { storage, deps } = openDeps(config)
  const created = await storage.transact('new', async (tx) => {
    const all: CreatedSystem[] = []
    for (let at = 0; at < many; at++) {
      const { id, hid } = await insertSystem(tx, { created: deps.now() })
      all.push({ id: hid, token: await insertToken(deps, tx, id, 'load') })
    }
    return all
  })
  await storage.close()
  return created
}

/** For each system, increments its tag on a kept-alive connection and reads it, until a request fails. */
function startLoad(server: Server, systems: CreatedSystem[]) {
  const limit = 5000
  const workers = systems.map((created) => ({ ...created, answered: 0, end: '' }))
  const work = async (worker: (typeof workers)[number]) => {
    try {
      while (worker.answered < limit) {
        const body = JSON.stringify({ tag: `${worker.answered + 1}` })
        const response = await patch(server, worker.token, body)
        if (response.status !== 200) throw new Error(`answered ${response.status}`)
        worker.answered++
        await response.json()
        await get(server, `/systems/${worker.id}`)
      }
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException
      worker.end = code ?? message
    }
    return worker
  }
  return {
    results: Promise.all(workers.map(work)),
    async hasStarted() {
      await until(() => workers.every(({ answered }) => answered >= 10))
    },
  }
}

function patch(server: Server, token: string, body: string | ReadableStream): Promise<Response> {
  return fetch(`${server.address}/v2/systems/@me`, {
    method: 'PATCH',
    headers: { authorization: token },
    body,
  })
}

async function change(server: Server, token: string, body: JsonObject): Promise<void> {
  expect((await patch(server, token, JSON.stringify(body))).status).toBe(200)
}

async function get(server: Server, path: string, token = ''): Promise<JsonObject> {
  const response = await fetch(`${server.address}${path}`, { headers: { authorization: token } })
  return (await response.json()) as JsonObject
}

async function stop(server: Server): Promise<number> {
  server.kill('SIGTERM')
  return (await server.end()).code
}

/** Returns true until the process has taken every signal that was sent to it. */
function hasPendingSignal(pid: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return /^(?:Sig|Shd)Pnd:\t0*[1-9a-f]/m.test(status)
}

function tagOf(path: string, id: string): unknown {
  return queryFile<{ tag: unknown }>(path, `SELECT tag FROM systems WHERE hid = '${id}'`)[0]?.tag
}

function eventsOf(path: string, id: string): number | undefined {
  const query = `SELECT count(*) AS n FROM events JOIN systems ON systems.id = system_id WHERE hid = '${id}'`
  return queryFile<{ n: number }>(path, query)[0]?.n
}

function queryFile<T>(path: string, query: string): T[] {
  const database = new Database(path, { readonly: true })
  const rows = database.query<T, []>(query).all()
  database.close()
  return rows
}
