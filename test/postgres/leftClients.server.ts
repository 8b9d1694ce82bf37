import { afterAll, describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'
import { until } from '../tools/until'
import { onServer } from './engine'

const { app, ask, config, logged, makeSystem } = createTestApp({ RATE_LIMIT: 'off' })
let disconnected = 0
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    request.signal.addEventListener('abort', () => disconnected++)
    return app.handle(request, '127.0.0.1')
  },
})
afterAll(() => server.stop(true))

const system = await makeSystem('Lantern Hill')

/** Sends a request, whose connection `leave` closes. */
function send(line: string, body?: object) {
  const controller = new AbortController()
  const [method = '', path = ''] = line.split(' ')
  const response = fetch(`${server.url.origin}${path}`, {
    method,
    headers: { authorization: system.token },
    signal: controller.signal,
    ...(body && { body: JSON.stringify(body) }),
  })
  response.catch(() => {})
  return { leave: () => controller.abort() }
}

const BLOCKED = `select 1 from pg_locks
  where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`

/** Holds a lock while a request waits for it and its client leaves. */
async function leaveWhileLocked(
  lock: string,
  [line, body]: [line: string, body?: object],
  then: (countBlocked: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const before = disconnected
  await onServer(config.DATABASE_URL, async (sql) => {
    const countBlocked = async () => (await sql.unsafe(BLOCKED)).length
    await sql.unsafe('begin')
    await sql.unsafe(lock)
    const { leave } = send(line, body)
    await until(async () => (await countBlocked()) === 1)
    leave()
    await until(() => disconnected > before)
    await then(countBlocked)
    await sql.unsafe('rollback')
  })
}

describe('when a client closes its connection', () => {
  const reads: [line: string, table: string][] = [
    ['GET /v2/systems/@me/members', 'members'],
    ['HEAD /v2/systems/@me/members', 'members'],
    ['GET /v2/systems/@me/groups', 'groups'],
    ['GET /ext/v1/systems/@me/polls', 'polls'],
  ]

  test.each(reads)('%s ends its statement and is logged with status 499', async (line, table) => {
    const lock = `lock table ${table} in access exclusive mode`
    await leaveWhileLocked(lock, [line], async (countBlocked) => {
      await until(async () => (await countBlocked()) === 0)
      await until(() => app.handle.inFlight() === 0)
    })
    const [method, path] = line.split(' ')
    expect(logged()).toContain(`"method":"${method}","path":"${path}","status":499`)
    expect(logged()).not.toMatch(/"level":"(warn|error)"/)
  })

  test('a write that has begun ends', async () => {
    const lock = `select id from systems where id = ${system.id} for update`
    const request: [string, object] = ['PATCH /v2/systems/@me', { name: 'Harbour House' }]
    await leaveWhileLocked(lock, request, async (countBlocked) => {
      expect(await countBlocked()).toBe(1)
    })
    await until(
      async () => (await ask(`GET /v2/systems/${system.hid}`)).json.name === 'Harbour House',
    )
  })
})
