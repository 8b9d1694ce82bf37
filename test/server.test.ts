import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openDeps } from '../src/app'
import { parseConfig } from '../src/config'
import type { JsonObject } from '../src/model/entity'
import { insertToken } from '../src/service/access/insertToken'
import { insertSystem } from '../src/service/systems'
import {
  commandLine,
  emptyFolder,
  program,
  runCommand,
  type Server,
  startServer as startSource,
} from './serverProcess'

interface Made {
  id: string
  token: string
}

// Processes take their time on a busy machine.
setDefaultTimeout(30_000)

const { run, runJson, startServer } = await commandLine()

describe('the first run', () => {
  test('greets with a command that makes a system, from any folder', async () => {
    const cwd = join(emptyFolder(), 'my data')
    mkdirSync(cwd)
    const server = await startSource(program, [], { cwd })
    expect(server.said()).toContain(`Listening on  ${server.address}\n`)
    expect(server.said()).toContain(`API page      ${server.address}/docs\n`)
    expect(server.said()).toContain(`Data (new)    ${join(cwd, 'data', 'multitude.db')}\n`)
    const [, command = ''] = /No system exists yet\..*\n\n +(.+)\n/.exec(server.said()) ?? []
    const made = await runCommand(['/bin/sh', '-c', command], { cwd: emptyFolder() })
    expect(made).toMatchObject({ code: 0, err: '' })
    const [, token = ''] = /^token +(\S+)$/m.exec(made.out) ?? []
    expect(await get(server, '/v2/systems/@me', token)).toMatchObject({ name: 'My system' })
    await stop(server)
    const again = await startServer([], { cwd })
    expect(again.said()).toContain('Listening on')
    expect(again.said()).toContain(`Data          ${join(cwd, 'data', 'multitude.db')}\n`)
    expect(again.said()).not.toContain('No system exists')
    await stop(again)
  })
})

describe('the first run from the source', () => {
  test('names the command as npm starts it, and not the file of the runtime', async () => {
    const cwd = join(import.meta.dir, '..')
    const database = `file:${join(emptyFolder(), 'a.db')}`
    const PATH = `${join(cwd, 'node_modules/.bin')}:${process.env.PATH}`
    const env = { PATH, HOME: emptyFolder() }
    // As the script "start" in package.json has it.
    const command = ['/bin/sh', '-c', 'exec bun --no-env-file src/main.ts "$@"', 'sh']
    const server = await startSource(command, ['--database', database], { cwd, env })
    const [, hint = ''] = /No system exists yet\..*\n\n +(.+)\n/.exec(server.said()) ?? []
    expect(hint).toBe(
      `npx bun --no-env-file src/main.ts system create --name 'My system' --database ${database}`,
    )
    const made = await runCommand(['/bin/sh', '-c', hint], { cwd, env })
    expect([made.code, made.out]).toEqual([0, expect.stringContaining('Keep the token')])
    await stop(server)
  })
})

describe('the program and the command line', () => {
  test('work on one file at the same time', async () => {
    const cwd = emptyFolder()
    const server = await startServer(['--json'], { cwd })
    const { id, token } = await runJson<Made>(['system', 'create', '--name', 'Hill'], { cwd })
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
    // With --json there is no greeting: every line is the log's.
    for (const line of err.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level')
  })
})

describe('an address in use', () => {
  test('is told in one line', async () => {
    const cwd = emptyFolder()
    const server = await startServer([], { cwd })
    const { port } = new URL(server.address)
    expect(await run(['serve', '--port', port], { cwd })).toEqual({
      code: 1,
      out: '',
      err: `multitude: Cannot listen on 127.0.0.1:${port}: the address is in use, not ours, or not allowed.\n`,
    })
    expect(await get(server, '/health')).toEqual({ status: 'ok' })
    await stop(server)
  })
})

describe('told to stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s under load, it loses no request',
    async (signal) => {
      const cwd = emptyFolder()
      const made = await makeSystems(cwd, 8)
      const server = await startServer([], { cwd })
      const load = makeLoad(server, made)
      await load.isUnderWay()
      server.kill(signal)
      const { code } = await server.end()
      const results = await load.results
      expect(code).toBe(0)
      // Whoever came too late could not connect; nobody was cut off.
      expect(results.map(({ end }) => end)).toEqual(results.map(() => 'ECONNREFUSED'))
      const kept = join(cwd, 'data', 'multitude.db')
      expect(existsSync(`${kept}-wal`) ? statSync(`${kept}-wal`).size : 0).toBe(0)
      for (const { id, answered } of results) expect(tagOf(kept, id)).toBe(String(answered))
    },
  )

  test('even more than once, it finishes a request whose body is still coming', async () => {
    const cwd = emptyFolder()
    const { token } = await runJson<Made>(['system', 'create'], { cwd })
    const server = await startServer([], { cwd })
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode('{"tag":'))
        await Bun.sleep(150)
        for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) {
          server.kill(signal)
          await Bun.sleep(100)
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

  test('it goes at once when nobody asks, even with connections open', async () => {
    const server = await startServer([], { cwd: emptyFolder() })
    await get(server, '/health')
    const started = performance.now()
    expect(await stop(server)).toBe(0)
    expect(performance.now() - started).toBeLessThan(3000)
    expect(server.said()).toContain('"message":"stopping","signal":"SIGTERM"')
  })
})

describe('killed in the middle of writing', () => {
  test('it has kept every change that it answered, with its event', async () => {
    const cwd = emptyFolder()
    const made = await makeSystems(cwd, 6)
    const server = await startServer([], { cwd })
    const load = makeLoad(server, made)
    await load.isUnderWay()
    server.kill('SIGKILL')
    const results = await load.results
    await server.end()

    const again = await startServer([], { cwd })
    const kept = join(cwd, 'data', 'multitude.db')
    for (const { id, token, answered } of results) {
      const { tag } = await get(again, '/v2/systems/@me', token)
      // The last one may have been written without a chance to answer it.
      expect([answered, answered + 1]).toContain(Number(tag))
      expect(eventsOf(kept, id)).toBe(Number(tag))
    }
    expect(ask(kept, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    await stop(again)
  })
})

async function makeSystems(cwd: string, many: number): Promise<Made[]> {
  const config = parseConfig({ DATABASE_URL: `file:${join(cwd, 'data', 'multitude.db')}` })
  const { storage, deps } = openDeps(config)
  const made = await storage.transact('new', async (tx) => {
    const all: Made[] = []
    for (let at = 0; at < many; at++) {
      const { id, hid } = await insertSystem(tx, { created: deps.now() })
      all.push({ id: hid, token: await insertToken(deps, tx, id, 'load') })
    }
    return all
  })
  await storage.close()
  return made
}

/** Each system counts its tag up, over kept-alive connections, and reads between, until it cannot. */
function makeLoad(server: Server, systems: Made[]) {
  const most = 5000
  const workers = systems.map((made) => ({ ...made, answered: 0, end: '' }))
  const work = async (worker: (typeof workers)[number]) => {
    try {
      while (worker.answered < most) {
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
    async isUnderWay() {
      for (let turn = 0; turn < 500; turn++) {
        if (workers.every(({ answered }) => answered >= 10)) return
        await Bun.sleep(10)
      }
      throw new Error('the load did not get under way')
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

function tagOf(path: string, id: string): unknown {
  return ask<{ tag: unknown }>(path, `SELECT tag FROM systems WHERE hid = '${id}'`)[0]?.tag
}

function eventsOf(path: string, id: string): number | undefined {
  const query = `SELECT count(*) AS n FROM events JOIN systems ON systems.id = system_id WHERE hid = '${id}'`
  return ask<{ n: number }>(path, query)[0]?.n
}

function ask<T>(path: string, query: string): T[] {
  const database = new Database(path, { readonly: true })
  const rows = database.query<T, []>(query).all()
  database.close()
  return rows
}
