import { freePort } from '../postgres/engine'
import { commandLine, emptyFolder, type Server } from '../tools/serverProcess'
import { expect, withTimeout } from '../tools/test'
import { findMissing, insecure, proxiesIn, readDocument } from './startProxies'

/** The server behind real proxies with the configurations of docs/operating.md. Run by `npm run test:release`. */

const { test } = withTimeout(4 * 60_000)

const missing = findMissing(['nginx', 'caddy', 'openssl'], 'the server behind a proxy')

const cwd = emptyFolder('proxies')
const { startCaddy, startNginx } = proxiesIn(cwd)
const env = { TRUST_PROXY: '1', RATE_LIMIT: 'off' }
const { runJson, startServer } = commandLine()
let server: Server = await startServer(['--port', String(await freePort())], { cwd, env })
const { token } = await runJson<{ token: string }>(['system', 'create', '--name', 'Hill'], { cwd })
const upstream = server.address.replace('http://', '')

function ask(address: string, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${address}${path}`, {
    ...init,
    ...insecure,
    headers: { authorization: token, ...init.headers },
  })
}

/** Expects that a browser can log in over TLS, and that a stream gets an event at once. */
async function expectServed(address: string): Promise<void> {
  expect((await ask(address, '/v2/systems/@me')).status).toBe(200)
  const session = await fetch(`${address}/web/session`, {
    ...insecure,
    method: 'POST',
    headers: { origin: address, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  expect(session.status).toBe(200)
  expect(session.headers.get('set-cookie')).toMatch(/^__Host-multitude=[^;]+;.*; Secure/)
  const stream = await ask(address, '/v2/systems/@me/events')
  const reader = stream.body?.getReader()
  expect((await addMember(address)).status).toBe(200)
  let received = ''
  while (!received.includes('CREATE_MEMBER'))
    received += new TextDecoder().decode((await reader?.read())?.value)
  await reader?.cancel()
}

function addMember(address: string): Promise<Response> {
  const body = JSON.stringify({ name: `Wren ${Math.random()}` })
  return ask(address, '/v2/members', { method: 'POST', body })
}

test.skipIf(missing.includes('nginx') || missing.includes('openssl'))(
  'the documented nginx configuration serves TLS, logins and streams',
  async () => {
    const site = readDocument('operating.md', /```nginx\n([\s\S]*?)```/)
    await expectServed(await startNginx(site.replace('127.0.0.1:8080', upstream)))
  },
)

test.skipIf(missing.includes('caddy'))(
  'the documented Caddy configuration serves TLS, logins and streams',
  async () => {
    const site = readDocument('operating.md', /printf '(plural\.example\.org \{.*?)' \|/)
      .replaceAll('\\n', '\n')
      .replaceAll('\\t', '\t')
    expect(site).toContain('reverse_proxy')
    await expectServed(await startCaddy(site.replace('127.0.0.1:8080', upstream)))
  },
)

test.skipIf(missing.includes('caddy'))(
  'the documented Caddy configuration retries reads while the server restarts',
  async () => {
    const lines = readDocument('operating.md', /```caddy\n(reverse_proxy [\s\S]*?)```/)
    const site = `plural.example.org {\n${lines.replace('127.0.0.1:8080', upstream)}\n}\n`
    const address = await startCaddy(site)
    server.kill('SIGTERM')
    await server.end()
    // First, on the connection that is open already, so that it arrives before the server starts.
    const write = addMember(address)
    const reads = Array.from({ length: 5 }, () => ask(address, '/v2/systems/@me'))
    server = await startServer(['--port', new URL(server.address).port], { cwd, env })
    for (const read of reads) expect((await read).status).toBe(200)
    expect((await write).status).toBe(502)
    expect((await addMember(address)).status).toBe(200)
  },
)
