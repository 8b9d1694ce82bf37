import { runJson } from '../../tools/runInProcess'
import { commandLine, emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { until } from '../../tools/until'

const { startServer } = commandLine()
const BASE = 'http://127.0.0.1:8080'

describe('a login link', async () => {
  const here = { cwd: emptyFolder() }
  const { id } = await runJson<{ id: string }>(['system', 'create', '--name', 'Hill'], here)

  test.each([
    ['--host 127.0.0.1', 'http://127.0.0.1:PORT'],
    ['--host 0.0.0.0', 'http://127.0.0.1:PORT'],
    ['--host [::1]', 'http://[::1]:PORT'],
    ['--host ::', 'http://[::1]:PORT'],
  ])('a login link has the address of the running server with %s', async (flags, address) => {
    const server = await startServer(flags.split(' '), here)
    const { port } = new URL(server.address)
    const expected = address.replace('PORT', port)
    const linkOf = async (...words: string[]) => {
      const { url } = await runJson<{ url: string }>(['login', id, ...words], here)
      return url.split('/#/')[0]
    }
    // The server records its address shortly after it starts to listen.
    await until(async () => (await linkOf()) === expected)
    expect((await fetch(`${expected}/health`)).status).toBe(200)
    expect(await linkOf('--port', '9000')).toBe('http://127.0.0.1:9000')
    expect(await linkOf('--public-url', 'https://home.example')).toBe('https://home.example')
    server.kill('SIGTERM')
    await server.end()
    expect(await linkOf()).toBe(BASE)
  })
})
