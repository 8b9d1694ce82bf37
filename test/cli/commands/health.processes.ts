import { run } from '../../tools/runInProcess'
import { commandLine, emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'

const FAILED = 1
const { startServer } = commandLine()
const cwd = emptyFolder()

describe('health of a running server', () => {
  test('health checks the server at the address of the settings, flags or --url', async () => {
    const server = await startServer(['--host', '0.0.0.0'], { cwd })
    const { port } = new URL(server.address)
    const url = `http://127.0.0.1:${port}`
    const checks = await Promise.all([
      run(['health'], { cwd, env: { PORT: port } }),
      run(['health', '--port', port, '--host', '0.0.0.0'], { cwd }),
      run(['health', '--url', `${url}/`], { cwd, env: { http_proxy: 'http://127.0.0.1:1' } }),
    ])
    for (const ended of checks)
      expect(ended).toEqual({ code: 0, out: `${url} is healthy.\n`, err: '' })
    const { out } = await run(['health', '--port', port, '--json'], { cwd })
    expect(JSON.parse(out)).toEqual({ ok: true, url })
    server.kill('SIGTERM')
    await server.end()
    expect(await run(['health', '--port', port], { cwd })).toEqual({
      code: FAILED,
      out: '',
      err: `multitude: ${url} does not answer: connection refused.\n`,
    })
    const json = await run(['health', '--port', port, '--json'], { cwd })
    expect([json.code, JSON.parse(json.out)]).toEqual([
      FAILED,
      { ok: false, url, problem: 'does not answer: connection refused' },
    ])
  })

  test('health checks a server over IPv6', async () => {
    const server = await startServer(['--host', '::'], { cwd })
    const { port } = new URL(server.address)
    const [every, one] = await Promise.all(
      ['::', '::1'].map((host) => run(['health', '--port', port, '--host', host], { cwd })),
    )
    expect([every?.out, one?.out]).toEqual(Array(2).fill(`http://[::1]:${port} is healthy.\n`))
    server.kill('SIGTERM')
    await server.end()
  })
})
