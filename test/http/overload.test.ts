import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { readStream } from '../events/readStream'
import { until } from '../events/receiver'
import { createBot } from '../operatorActions'
import { emptyFolder, program, runCommand, startServer } from '../serverProcess'
import { createTestApp, type TestApp, type TestSystem } from '../testApp'

const GUEST = '203.0.113.7'
const OTHER = '203.0.113.8'

describe('too many requests at once', () => {
  const { app, ask, makeSystem } = createTestApp({ REQUESTS_IN_FLIGHT: '10', RATE_LIMIT: 'off' })

  test('are refused, all but those for health, and welcome again a moment later', async () => {
    const { hid } = await makeSystem('Lantern Hill')
    // What is answered in the very call is never in flight; this one waits for storage.
    const asked = Array.from({ length: 30 }, () => ask(`GET /v2/systems/${hid}/settings`))
    const checks = ['GET /health', 'GET /health/live'].map((line) => ask(line))
    const answers = await Promise.all(asked)
    for (const check of checks) expect((await check).status).toBe(200)
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array<number>(10).fill(200),
      ...Array<number>(20).fill(503),
    ])
    const { headers, json } = answers[29] ?? fail()
    expect(json).toEqual({
      message: '503: Service Unavailable (too many requests at once)',
      code: 0,
      retry_after: 1000,
    })
    expect(headers.get('retry-after')).toBe('1')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect((await ask(`GET /v2/systems/${hid}`)).status).toBe(200)
  })

  test('do not count open streams among them', async () => {
    const { hid } = await makeSystem()
    const path = `http://localhost/v2/systems/${hid}/fronters/stream`
    const open: Response[] = []
    for (let n = 0; n < 16; n++) open.push(await app.handle(new Request(path), '127.0.0.1'))
    expect((await ask(`GET /v2/systems/${hid}`)).status).toBe(200)
    for (const response of open) await response.body?.cancel()
  })
})

test('health is told before all that waits, however much that is', async () => {
  const cwd = emptyFolder()
  const server = await startServer(program, ['--rate-limit', 'off', '--log-level', 'debug'], {
    cwd,
    env: { DURABILITY: 'normal' },
  })
  const { id, token } = await makeSystemOf(cwd)
  const made = Array.from({ length: 300 }, async (_, n) => {
    const body = JSON.stringify({ name: `Member ${n}`, description: 'x'.repeat(1000) })
    const asked = { method: 'POST', headers: { authorization: token }, body }
    return (await fetch(`${server.address}/v2/members`, asked)).status
  })
  expect(new Set(await Promise.all(made))).toEqual(new Set([200]))
  const lists = Array.from({ length: 200 }, () => connectTo(server.address))
  const probe = connectTo(server.address)
  const everyone = [...lists, probe]
  // Each is asked something before, so that none still waits to be let in.
  for (const { ask } of everyone) ask('/health')
  await until(() => everyone.every(({ answer }) => answer !== ''))
  for (const caller of everyone) caller.answer = ''
  // While it stands still, everybody asks, and health last of all.
  server.kill('SIGSTOP')
  for (const { ask } of lists) ask(`/v2/systems/${id}/members`)
  await Bun.sleep(100)
  probe.ask('/health')
  await Bun.sleep(100)
  server.kill('SIGCONT')
  const HEAD = 'HTTP/1.1 200 OK'
  // The first line of a long answer may come in pieces.
  await until(() => everyone.every(({ answer }) => answer.length >= HEAD.length))
  expect(probe.answer).toStartWith('HTTP/1.1 200')
  const heads = new Set(lists.map(({ answer }) => answer.slice(0, HEAD.length)))
  expect([...heads]).toEqual([HEAD])
  for (const { socket } of everyone) socket.destroy()
  server.kill('SIGTERM')
  const { code, err } = await server.end()
  expect(code).toBe(0)
  // Its log has the order: here all answers may be seen at once, by a process that had to wait.
  const told = [...err.matchAll(/"path":"([^"]+)"/g)].map(([, path = '']) => path)
  const before = told
    .slice(0, told.lastIndexOf('/health'))
    .filter((path) => path.endsWith('/members'))
  expect(told).toContain('/health')
  expect(told.filter((path) => path.endsWith('/members')).length).toBe(500)
  expect(before.length - 300).toBeLessThan(150)
})

describe('a stream too many', () => {
  const at = createTestApp({ STREAMS_PER_CLIENT: '2', STREAMS_IN_ALL: '7', RATE_LIMIT: 'off' })

  test('is refused to an address, to a system with its tokens, and to all together', async () => {
    const [as, other] = [await at.makeSystem(), await at.makeSystem()]
    const bot = await createBot(at.deps, 'streams')
    const front = `/v2/systems/${as.hid}/fronters/stream`
    const open = opener(at)

    await open(front, { peer: GUEST }, 200)
    const second = await open(front, { peer: GUEST }, 200)
    const refused = await open(front, { peer: GUEST }, 503)
    expect(await refused.json()).toMatchObject({ code: 0, retry_after: expect.any(Number) })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    // Who is refused takes up no connection either.
    expect(refused.headers.get('connection')).toBe('close')

    // Who leaves makes room.
    await second.body?.cancel()
    await open(front, { peer: GUEST }, 200)
    await open(front, { peer: GUEST }, 503)

    // A system is counted wherever it calls from, and with all its streams.
    await open('/v2/systems/@me/events', { peer: GUEST, as }, 200)
    await open(front, { peer: OTHER, as }, 200)
    await open('/v2/systems/@me/events', { peer: OTHER, as }, 503)
    await open('/v2/systems/@me/events', { peer: OTHER, as: other }, 200)

    // A proxy’s callers are not this machine’s own.
    const forwarded = { 'x-forwarded-for': GUEST }
    await open(front, { peer: '127.0.0.1', headers: forwarded }, 200)

    const key = { authorization: `Bot ${bot}`, 'x-system': other.hid }
    await open('/v2/systems/@me/events', { peer: OTHER, headers: key }, 200)
    for (const who of [{ peer: '127.0.0.1' }, { peer: OTHER }, { peer: OTHER, headers: key }])
      await open(front, who, 503)
    await open.close()
  })

  test('is none for this machine’s own callers and for bots', async () => {
    await until(() => at.app.events.streams.count === 0)
    const as = await at.makeSystem()
    const key = { authorization: `Bot ${await createBot(at.deps, 'many')}` }
    const front = `/v2/systems/${as.hid}/fronters/stream`
    const open = opener(at)
    for (let n = 0; n < 3; n++) await open(front, { peer: '127.0.0.1' }, 200)
    for (let n = 0; n < 3; n++) await open(front, { peer: OTHER, headers: key }, 200)
    await open.close()
  })
})

const brief = createTestApp({
  HOST: '127.0.0.1',
  PORT: '0',
  events: { heartbeatMs: 40, streamMs: 300 },
})

test('a stream ends when it is old, so that its reader comes again', async () => {
  const { token } = await brief.makeSystem()
  const reading = await readStream(`${brief.app.listen()}/v2/systems/@me/events`, { token })
  expect(await reading.ended).toBe('ended')
  expect(reading.heartbeats).toBeGreaterThan(2)
})

test('with few files to open, streams leave room for everybody else', async () => {
  const cwd = emptyFolder()
  const limited = ['sh', '-c', 'ulimit -n 200 && exec "$0" "$@"', ...program]
  const server = await startServer(limited, [], { cwd, env: { DURABILITY: 'normal' } })
  const { id: hid } = await makeSystemOf(cwd)
  const path = `/v2/systems/${hid}/fronters/stream`
  // None of which would hang up by itself.
  const callers = Array.from({ length: 260 }, () => connectTo(server.address))
  for (const { ask } of callers) ask(path)
  await until(() => callers.every(({ answer }) => answer.includes('\r\n\r\n')))
  const refused = callers.filter(({ answer }) => answer.startsWith('HTTP/1.1 503'))
  const open = callers.filter(({ answer }) => answer.startsWith('HTTP/1.1 200'))
  expect(open.length + refused.length).toBe(260)
  expect(open.length).toBeGreaterThan(50)
  expect(open.length).toBeLessThan(150)
  expect(refused.every(({ answer }) => /^retry-after: \d+\r$/im.test(answer))).toBe(true)
  expect((await fetch(`${server.address}/health`)).status).toBe(200)
  expect((await fetch(`${server.address}/v2/systems/${hid}`)).status).toBe(200)
  expect(server.said()).toMatch(/"level":"warn","message":"stream limit reduced/)
  for (const { socket } of callers) socket.destroy()
  server.kill('SIGTERM')
  expect((await server.end()).code).toBe(0)
})

interface Who {
  peer: string
  as?: TestSystem
  headers?: Record<string, string>
}

/** Opens streams as the edge gets them, and closes them all in the end. */
function opener({ app }: TestApp) {
  const opened: Response[] = []
  const open = async (path: string, { peer, as, headers }: Who, status: number) => {
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

async function makeSystemOf(cwd: string): Promise<{ id: string; token: string }> {
  const words = [...program, 'system', 'create', '--name', 'x', '--json']
  const { out } = await runCommand(words, { cwd })
  return JSON.parse(out)
}

/** A connection of one's own, which is kept open. */
function connectTo(address: string) {
  const { port, hostname } = new URL(address)
  const socket = connect(Number(port), hostname)
  const caller = {
    socket,
    /** The beginning of what was answered. */
    answer: '',
    ask: (path: string) => void socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`),
  }
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    if (caller.answer.length < 1000) caller.answer += chunk.toString('latin1', 0, 1000)
  })
  return caller
}

function fail(): never {
  throw new Error('there is none')
}
