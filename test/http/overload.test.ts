import { connect } from 'node:net'
import { readStream } from '../events/readStream'
import { until } from '../events/receiver'
import { createBot } from '../operatorActions'
import { emptyFolder, program, runCommand, startServer } from '../serverProcess'
import { describe, expect, test } from '../test'
import { createTestApp, type TestApp, type TestSystem } from '../testApp'

const CLIENT = '203.0.113.7'
const OTHER_CLIENT = '203.0.113.8'

describe('limit on requests in flight', () => {
  const { app, ask, makeSystem } = createTestApp({ REQUESTS_IN_FLIGHT: '10', RATE_LIMIT: 'off' })

  test('refuses requests above the limit, except health checks, and accepts later ones', async () => {
    const { hid } = await makeSystem('Lantern Hill')
    // A request that is answered synchronously is never in flight; this one waits for storage.
    const requests = Array.from({ length: 30 }, () => ask(`GET /v2/systems/${hid}/settings`))
    const checks = ['GET /health', 'GET /health/live'].map((line) => ask(line))
    const responses = await Promise.all(requests)
    for (const check of checks) expect((await check).status).toBe(200)
    expect(responses.map(({ status }) => status)).toEqual([
      ...Array<number>(10).fill(200),
      ...Array<number>(20).fill(503),
    ])
    const { headers, json } = responses[29] ?? fail()
    expect(json).toEqual({
      message: '503: Service Unavailable (too many requests at once)',
      code: 0,
      retry_after: 1000,
    })
    expect(headers.get('retry-after')).toBe('1')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect((await ask(`GET /v2/systems/${hid}`)).status).toBe(200)
  })

  test('open streams do not count as requests in flight', async () => {
    const { hid } = await makeSystem()
    const path = `http://localhost/v2/systems/${hid}/fronters/stream`
    const open: Response[] = []
    for (let n = 0; n < 16; n++) open.push(await app.handle(new Request(path), '127.0.0.1'))
    expect((await ask(`GET /v2/systems/${hid}`)).status).toBe(200)
    for (const response of open) await response.body?.cancel()
  })
})

test('answers a health check before most of the requests that wait', async () => {
  const cwd = emptyFolder()
  const server = await startServer(program, ['--rate-limit', 'off', '--log-level', 'debug'], {
    cwd,
    env: { DURABILITY: 'normal' },
  })
  const { id, token } = await createSystemIn(cwd)
  const created = Array.from({ length: 300 }, async (_, n) => {
    const body = JSON.stringify({ name: `Member ${n}`, description: 'x'.repeat(1000) })
    const init = { method: 'POST', headers: { authorization: token }, body }
    return (await fetch(`${server.address}/v2/members`, init)).status
  })
  expect(new Set(await Promise.all(created))).toEqual(new Set([200]))
  const lists = Array.from({ length: 200 }, () => connectTo(server.address))
  const probe = connectTo(server.address)
  const connections = [...lists, probe]
  // Send a request on each connection first, so that the server has accepted all of them.
  for (const { ask } of connections) ask('/health')
  await until(() => connections.every(({ response }) => response !== ''))
  for (const caller of connections) caller.response = ''
  // Send all requests while the process is stopped, and the health check last.
  server.kill('SIGSTOP')
  for (const { ask } of lists) ask(`/v2/systems/${id}/members`)
  await Bun.sleep(100)
  probe.ask('/health')
  await Bun.sleep(100)
  server.kill('SIGCONT')
  const HEAD = 'HTTP/1.1 200 OK'
  // The status line of a long response may arrive in parts.
  await until(() => connections.every(({ response }) => response.length >= HEAD.length))
  expect(probe.response).toStartWith('HTTP/1.1 200')
  const heads = new Set(lists.map(({ response }) => response.slice(0, HEAD.length)))
  expect([...heads]).toEqual([HEAD])
  for (const { socket } of connections) socket.destroy()
  server.kill('SIGTERM')
  const { code, err } = await server.end()
  expect(code).toBe(0)
  // Take the order from the log: this process may be scheduled late and get all responses at once.
  const loggedPaths = [...err.matchAll(/"path":"([^"]+)"/g)].map(([, path = '']) => path)
  const before = loggedPaths
    .slice(0, loggedPaths.lastIndexOf('/health'))
    .filter((path) => path.endsWith('/members'))
  expect(loggedPaths).toContain('/health')
  expect(loggedPaths.filter((path) => path.endsWith('/members')).length).toBe(500)
  expect(before.length - 300).toBeLessThan(150)
})

describe('limit on streams', () => {
  const testApp = createTestApp({ STREAMS_PER_CLIENT: '2', STREAMS_IN_ALL: '7', RATE_LIMIT: 'off' })

  test('refuses streams above the limit of an address, of a system and of the server', async () => {
    const [as, other] = [await testApp.makeSystem(), await testApp.makeSystem()]
    const bot = await createBot(testApp.deps, 'streams')
    const front = `/v2/systems/${as.hid}/fronters/stream`
    const open = opener(testApp)

    await open(front, { peer: CLIENT }, 200)
    const second = await open(front, { peer: CLIENT }, 200)
    const refused = await open(front, { peer: CLIENT }, 503)
    expect(await refused.json()).toMatchObject({ code: 0, retry_after: expect.any(Number) })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    // A refused client does not keep its connection either.
    expect(refused.headers.get('connection')).toBe('close')

    // A closed stream no longer counts.
    await second.body?.cancel()
    await open(front, { peer: CLIENT }, 200)
    await open(front, { peer: CLIENT }, 503)

    // All streams of a system count together, whatever their address.
    await open('/v2/systems/@me/events', { peer: CLIENT, as }, 200)
    await open(front, { peer: OTHER_CLIENT, as }, 200)
    await open('/v2/systems/@me/events', { peer: OTHER_CLIENT, as }, 503)
    await open('/v2/systems/@me/events', { peer: OTHER_CLIENT, as: other }, 200)

    // A client behind a proxy is not local.
    const forwarded = { 'x-forwarded-for': CLIENT }
    await open(front, { peer: '127.0.0.1', headers: forwarded }, 200)

    const key = { authorization: `Bot ${bot}`, 'x-system': other.hid }
    await open('/v2/systems/@me/events', { peer: OTHER_CLIENT, headers: key }, 200)
    for (const client of [
      { peer: '127.0.0.1' },
      { peer: OTHER_CLIENT },
      { peer: OTHER_CLIENT, headers: key },
    ])
      await open(front, client, 503)
    await open.close()
  })

  test('local clients and bots have no stream limit of their own', async () => {
    await until(() => testApp.app.events.streams.count === 0)
    const as = await testApp.makeSystem()
    const key = { authorization: `Bot ${await createBot(testApp.deps, 'many')}` }
    const front = `/v2/systems/${as.hid}/fronters/stream`
    const open = opener(testApp)
    for (let n = 0; n < 3; n++) await open(front, { peer: '127.0.0.1' }, 200)
    for (let n = 0; n < 3; n++) await open(front, { peer: OTHER_CLIENT, headers: key }, 200)
    await open.close()
  })
})

const shortLived = createTestApp({
  HOST: '127.0.0.1',
  PORT: '0',
  events: { heartbeatMs: 40, streamMs: 300 },
})

test('ends a stream at its maximum age, so that the client reconnects', async () => {
  const { token } = await shortLived.makeSystem()
  const reading = await readStream(`${shortLived.app.listen()}/v2/systems/@me/events`, { token })
  expect(await reading.ended).toBe('ended')
  expect(reading.heartbeats).toBeGreaterThan(2)
})

test('streams leave file descriptors for other requests when few are allowed', async () => {
  const cwd = emptyFolder()
  const limited = ['sh', '-c', 'ulimit -n 200 && exec "$0" "$@"', ...program]
  const server = await startServer(limited, [], { cwd, env: { DURABILITY: 'normal' } })
  const { id: hid } = await createSystemIn(cwd)
  const path = `/v2/systems/${hid}/fronters/stream`
  // These clients never close their connections.
  const callers = Array.from({ length: 260 }, () => connectTo(server.address))
  for (const { ask } of callers) ask(path)
  await until(() => callers.every(({ response }) => response.includes('\r\n\r\n')))
  const refused = callers.filter(({ response }) => response.startsWith('HTTP/1.1 503'))
  const open = callers.filter(({ response }) => response.startsWith('HTTP/1.1 200'))
  expect(open.length + refused.length).toBe(260)
  expect(open.length).toBeGreaterThan(50)
  expect(open.length).toBeLessThan(150)
  expect(refused.every(({ response }) => /^retry-after: \d+\r$/im.test(response))).toBe(true)
  expect((await fetch(`${server.address}/health`)).status).toBe(200)
  expect((await fetch(`${server.address}/v2/systems/${hid}`)).status).toBe(200)
  expect(server.output()).toMatch(/"level":"warn","message":"stream limit reduced/)
  for (const { socket } of callers) socket.destroy()
  server.kill('SIGTERM')
  expect((await server.end()).code).toBe(0)
})

interface Client {
  peer: string
  as?: TestSystem
  headers?: Record<string, string>
}

/** Opens streams through the handler; `close` closes all of them. */
function opener({ app }: TestApp) {
  const opened: Response[] = []
  const open = async (path: string, { peer, as, headers }: Client, status: number) => {
    const request = new Request(`http://localhost${path}`, {
      headers: { ...(as && { authorization: as.token }), ...headers },
    })
    const response = await app.handle(request, peer)
    expect(response.status).toBe(status)
    if (status === 200) opened.push(response)
    return response
  }
  const close = async () => {
    for (const response of opened) await response.body?.cancel().catch(() => {})
  }
  return Object.assign(open, { close })
}

async function createSystemIn(cwd: string): Promise<{ id: string; token: string }> {
  const words = [...program, 'system', 'create', '--name', 'x', '--json']
  const { out } = await runCommand(words, { cwd })
  return JSON.parse(out)
}

/** Opens a connection and keeps it open. */
function connectTo(address: string) {
  const { port, hostname } = new URL(address)
  const socket = connect(Number(port), hostname)
  const caller = {
    socket,
    /** Beginning of the response. */
    response: '',
    ask: (path: string) => void socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`),
  }
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    if (caller.response.length < 1000) caller.response += chunk.toString('latin1', 0, 1000)
  })
  return caller
}

function fail(): never {
  throw new Error('missing response')
}
