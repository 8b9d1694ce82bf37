import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../postgres/engine'
import { emptyFolder, program, runCommand, startServer } from '../program'

/** The server behind real proxies, set up as docs/operating.md says. Run by `npm run test:release`. */

setDefaultTimeout(2 * 60_000)

const docs = readFileSync(join(import.meta.dir, '../../docs/operating.md'), 'utf8')
const lacking = ['nginx', 'caddy', 'openssl'].filter((tool) => findTool(tool) === null)

afterAll(() => {
  for (const tool of lacking)
    process.stderr.write(`!!! NOT TESTED, for want of ${tool}: the server behind a proxy !!!\n`)
})

const cwd = emptyFolder('proxies')
const env = { TRUST_PROXY: '1', RATE_LIMIT: 'off' }
const server = await startServer(program, [], { cwd, env })
const made = await runCommand([...program, 'system', 'create', '--name', 'Hill', '--json'], { cwd })
const { token } = JSON.parse(made.out) as { token: string }
const behind = server.address.replace('http://', '')

function findTool(name: string): string | null {
  return Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` })
}

/** It never outlives the tests. */
function run(...words: string[]): void {
  const child = Bun.spawn(words, {
    cwd,
    stdout: 'ignore',
    stderr: Bun.file(join(cwd, 'proxy.log')),
  })
  afterAll(() => child.kill())
}

/** A browser logs in over TLS, and a stream hears at once what happens. */
async function expectServed(address: string): Promise<void> {
  const tls = { rejectUnauthorized: false }
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${address}${path}`, { ...init, tls, headers: { authorization: token, ...init.headers } })
  for (let tries = 0; ; tries++)
    try {
      expect((await ask('/v2/systems/@me')).status).toBe(200)
      break
    } catch (cause) {
      if (tries > 100) throw new Error(readFileSync(join(cwd, 'proxy.log'), 'utf8'), { cause })
      await Bun.sleep(50)
    }
  const session = await fetch(`${address}/web/session`, {
    method: 'POST',
    tls,
    headers: { origin: address, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  expect(session.status).toBe(200)
  expect(session.headers.get('set-cookie')).toMatch(/^__Host-multitude=[^;]+;.*; Secure/)
  const stream = await ask('/v2/systems/@me/events')
  const reader = stream.body?.getReader()
  const name = `Wren ${Math.random()}`
  expect(
    (await ask('/v2/members', { method: 'POST', body: JSON.stringify({ name }) })).status,
  ).toBe(200)
  let heard = ''
  while (!heard.includes('CREATE_MEMBER'))
    heard += new TextDecoder().decode((await reader?.read())?.value)
  await reader?.cancel()
}

test.skipIf(lacking.includes('nginx') || lacking.includes('openssl'))(
  'nginx, as the page says, serves over TLS, logs in and lets streams through',
  async () => {
    const [, snippet = ''] = /```nginx\n([\s\S]*?)```/.exec(docs) ?? []
    const port = await freePort()
    const [certificate, key] = [join(cwd, 'cert.pem'), join(cwd, 'key.pem')]
    Bun.spawnSync([
      ...['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost'],
      ...['-keyout', key, '-out', certificate, '-days', '2'],
    ])
    const site = snippet
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replace(/ssl_certificate {5}\S+;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`)
      .replace('127.0.0.1:8080', behind)
    const file = join(cwd, 'nginx.conf')
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((what) => `${what}_temp_path ${join(cwd, what)};`)
      .join('\n')
    writeFileSync(
      file,
      `daemon off; pid ${join(cwd, 'nginx.pid')}; error_log stderr; events {}
       http { access_log off; ${temporary} ${site} }`,
    )
    run(findTool('nginx') ?? '', '-c', file, '-p', cwd)
    await expectServed(`https://127.0.0.1:${port}`)
  },
)

test.skipIf(lacking.includes('caddy'))(
  'Caddy, as the page says, serves over TLS, logs in and lets streams through',
  async () => {
    const [, snippet = ''] = /printf '(plural\.example\.org \{.*?)' \|/.exec(docs) ?? []
    const port = await freePort()
    const site = snippet
      .replaceAll('\\n', '\n')
      .replaceAll('\\t', '\t')
      .replace('plural.example.org {', `https://127.0.0.1:${port} {\n\ttls internal`)
      .replace('127.0.0.1:8080', behind)
    expect(site).toContain('reverse_proxy')
    const file = join(cwd, 'Caddyfile')
    writeFileSync(
      file,
      `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n\tstorage file_system ${join(cwd, 'caddy')}\n}\n${site}`,
    )
    run('caddy', 'run', '--config', file, '--adapter', 'caddyfile')
    await expectServed(`https://127.0.0.1:${port}`)
  },
)
