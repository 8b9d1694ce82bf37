import { connect } from 'node:net'
import { commandLine, emptyFolder, startServer as startServerBy } from '../../tools/serverProcess'
import { expect, test } from '../../tools/test'
import { until } from '../../tools/until'

const { words, runJson, startServer } = commandLine()

test('answers a health check before most of the requests that wait', async () => {
  const cwd = emptyFolder()
  const server = await startServer(['--rate-limit', 'off', '--log-level', 'debug'], {
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
  await Promise.all(connections.map(({ ask }) => ask('/health')))
  await until(() => connections.every(({ response }) => response !== ''))
  for (const caller of connections) caller.response = ''
  // Send all requests while the process is stopped, and the health check last.
  server.kill('SIGSTOP')
  await Promise.all(lists.map(({ ask }) => ask(`/v2/systems/${id}/members`)))
  await probe.ask('/health')
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

test('streams leave file descriptors for other requests when few are allowed', async () => {
  const cwd = emptyFolder()
  const limited = ['sh', '-c', 'ulimit -n 200 && exec "$0" "$@"', ...words]
  const server = await startServerBy(limited, [], { cwd, env: { DURABILITY: 'normal' } })
  const { id: hid } = await createSystemIn(cwd)
  const path = `/v2/systems/${hid}/fronters/stream`
  // These clients never close their connections.
  const callers = Array.from({ length: 260 }, () => connectTo(server.address))
  await Promise.all(callers.map(({ ask }) => ask(path)))
  await until(() => callers.every(({ response }) => response.includes('\r\n\r\n')))
  const refused = callers.filter(({ response }) => response.startsWith('HTTP/1.1 503'))
  const open = callers.filter(({ response }) => response.startsWith('HTTP/1.1 200'))
  expect(open.length + refused.length).toBe(260)
  expect(open.length).toBeGreaterThan(50)
  expect(open.length).toBeLessThan(150)
  expect(refused.every(({ response }) => /^retry-after: \d+\r$/im.test(response))).toBe(true)
  expect((await fetch(`${server.address}/health`)).status).toBe(200)
  expect((await fetch(`${server.address}/v2/systems/${hid}`)).status).toBe(200)
  await until(() => server.output().includes('"level":"warn","message":"stream limit reduced'))
  for (const { socket } of callers) socket.destroy()
  server.kill('SIGTERM')
  expect((await server.end()).code).toBe(0)
})

async function createSystemIn(cwd: string): Promise<{ id: string; token: string }> {
  return runJson(['system', 'create', '--name', 'x'], { cwd })
}

/** Opens a connection and keeps it open. */
function connectTo(address: string) {
  const { port, hostname } = new URL(address)
  const socket = connect(Number(port), hostname)
  const caller = {
    socket,
    /** Beginning of the response. */
    response: '',
    /** Resolves when the socket has accepted the request. */
    ask: (path: string) =>
      new Promise<void>((resolve) => {
        socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`, () => resolve())
      }),
  }
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    if (caller.response.length < 1000) caller.response += chunk.toString('latin1', 0, 1000)
  })
  return caller
}
