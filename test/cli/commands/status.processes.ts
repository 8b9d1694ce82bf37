import { createRegistry } from '../../../src/runtime/metrics/registry'
import { freePort } from '../../postgres/engine'
import { run, runJson } from '../../tools/runInProcess'
import { commandLine, emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'

const { startServer } = commandLine()

describe('the status', () => {
  test('status shows the health of the server, and more with metrics', async () => {
    const cwd = emptyFolder()
    const METRICS_ADDRESS = `127.0.0.1:${await freePort()}`
    const env = { METRICS: 'on', METRICS_ADDRESS, BACKUP_DIR: 'backups' }
    const server = await startServer([], { cwd, env })
    for (let n = 0; n < 3; n++) await fetch(`${server.address}/v2/systems/abcde`)
    const words = ['status', '--url', server.address]
    const { out } = await run(words, { cwd, env })
    expect(out).toMatch(
      /^Server +http:\/\/127\.0\.0\.1:\d+ is healthy, Multitude \d+\.\d+\.\d+ \(/m,
    )
    expect(out).toMatch(/^Deliveries +0 delivered, 0 refused, 0 unanswered$/m)
    expect(out).toMatch(/^ +up for \d.*, \d+ MiB of memory$/m)
    expect(out).toMatch(/^Requests +3, 0 failed; median up to \S+ \S.*, p99 up to \S+ /m)
    expect(out).toMatch(/^Streams +0$/m)
    const status = await runJson<Record<string, unknown>>(words, { cwd, env })
    expect(status).toMatchObject({
      server: { ok: true, version: expect.stringMatching(/^\d/) },
      systems: 0,
      outbox: { waiting: 0, oldest: null },
      reminders: { overdue: 0, oldest: null },
      extensions: { notes: 0, posts: 0, front_notes: 0, text_bytes: 0 },
      pictures: { count: 0, bytes: 0 },
      metrics: { failed: 0, streams: 0, deliveries: { delivered: 0, refused: 0, unanswered: 0 } },
    })
    server.kill('SIGTERM')
    await server.end()
  })
})

describe('parsed metrics', () => {
  const registry = createRegistry()
  const requests = registry.counter('requests_total', 'Requests.', ['route', 'status'])
  requests('/a "quoted" \\ path\n', '200').value = 3
  requests('/b', '500').value = 1
  const durations = registry.histogram('took_seconds', 'Time.', [1, 2, 4], ['route'])
  for (const seconds of [0.5, 1, 1.5, 3]) durations('/a').observe(seconds)
  durations('/b').observe(9)
})
