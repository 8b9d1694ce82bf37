import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSamples, quantileBound, sumOf } from '../../src/metrics/parse'
import { createRegistry } from '../../src/metrics/registry'
import { commandLine, emptyFolder } from '../serverProcess'

const { run, runJson, startServer } = await commandLine()

describe('the status', () => {
  test('is told of a server that does not run, from what lies there', async () => {
    const cwd = emptyFolder()
    await runJson(['system', 'create'], { cwd })
    const { code, out, err } = await run(['status', '--port', '1'], { cwd })
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^Program +Multitude \d/)
    expect(out).toMatch(/^Server +http:\/\/127\.0\.0\.1:1 does not answer: /m)
    expect(out).toMatch(/^Database +\S+multitude\.db, \d+ KiB, and \S+ \S+ of log$/m)
    expect(out).toMatch(/^Systems +1$/m)
    expect(out).toMatch(/^Outbox +nothing waits$/m)
    expect(out).toMatch(/^Backups +none are made/m)
    expect(out).toMatch(/^Metrics +off; with METRICS=on there is more to see$/m)
  })

  test('of a server says whether it is well, and more with metrics', async () => {
    const cwd = emptyFolder()
    const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const env = { METRICS: 'on', METRICS_ADDRESS: `127.0.0.1:${probe.port}`, BACKUP_DIR: 'backups' }
    probe.stop(true)
    const server = await startServer([], { cwd, env })
    for (let n = 0; n < 3; n++) await fetch(`${server.address}/v2/systems/abcde`)
    const asked = ['status', '--url', server.address]
    const { out } = await run(asked, { cwd, env })
    expect(out).toMatch(/^Server +http:\/\/127\.0\.0\.1:\d+ is well, Multitude \d+\.\d+\.\d+ \(/m)
    expect(out).toMatch(/^Deliveries +0, 0 refused, 0 unanswered$/m)
    expect(out).toMatch(/^ +up for \d+ s, \d+ MiB of memory$/m)
    expect(out).toMatch(
      /^Requests +3, 0 of them failed; half within \S+ ms, 99 of 100 within \S+ /m,
    )
    expect(out).toMatch(/^Streams +0$/m)
    const told = await runJson<Record<string, unknown>>(asked, { cwd, env })
    expect(told).toMatchObject({
      server: { ok: true, version: expect.stringMatching(/^\d/) },
      systems: 0,
      outbox: { waiting: 0, oldest: null },
      metrics: { failed: 0, streams: 0, deliveries: { delivered: 0, refused: 0, unanswered: 0 } },
    })
    server.kill('SIGTERM')
    await server.end()
  })

  const broken: [says: string, make: (file: string) => void, problem: RegExp][] = [
    ['is none', () => {}, /^Database +CANNOT BE USED: .*there is no database/im],
    [
      'is not one',
      (file) => writeFileSync(file, 'this is no database, but long enough to be looked at'),
      /^Database +CANNOT BE USED: ./m,
    ],
  ]

  test.each(broken)('where the database %s is all the rest', async (_, make, problem) => {
    const cwd = emptyFolder()
    mkdirSync(join(cwd, 'data'))
    mkdirSync(join(cwd, 'backups'))
    make(join(cwd, 'data/multitude.db'))
    writeFileSync(join(cwd, 'backups/multitude-20260101T000000Z.db'), 'kept')
    const words = ['status', '--port', '1', '--backup-dir', 'backups']
    const { code, out, err } = await run(words, { cwd })
    expect([code, err]).toEqual([1, expect.stringMatching(/^multitude: ./)])
    expect(out).toMatch(problem)
    expect(out).toMatch(/^Server +http:\/\/127\.0\.0\.1:1 does not answer: /m)
    expect(out).toMatch(/^Backups +backups\/multitude-20260101T000000Z\.db, 4 B, /m)
    const { code: failed, out: json } = await run([...words, '--json'], { cwd })
    expect([failed, JSON.parse(json)]).toMatchObject([
      1,
      { systems: null, backup: { bytes: 4 }, database: { problem: expect.any(String) } },
    ])
  })

  test('of what is no address is a mistake', async () => {
    const cwd = emptyFolder()
    await runJson(['system', 'create'], { cwd })
    expect((await run(['status', '--url', 'nowhere'], { cwd })).code).toBe(2)
    expect((await run(['status'], { cwd: emptyFolder() })).code).toBe(1)
  })
})

test('metrics that cannot be served keep the server from starting, in one line', async () => {
  const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const where = `127.0.0.1:${taken.port}`
  const words = ['serve', '--port', '0', '--json', '--metrics', 'on', '--metrics-address', where]
  const { code, err } = await run(words, { cwd: emptyFolder() })
  taken.stop(true)
  expect(code).toBe(1)
  expect(err.trim().split('\n').at(-1)).toBe(
    `multitude: Cannot listen on ${where}: the address is in use, not ours, or not allowed.`,
  )
})

describe('numbers that are read back', () => {
  const registry = createRegistry()
  const requests = registry.counter('requests_total', 'Requests.', ['route', 'status'])
  requests('/a "quoted" \\ path\n', '200').value = 3
  requests('/b', '500').value = 1
  const took = registry.histogram('took_seconds', 'Time.', [1, 2, 4], ['route'])
  for (const seconds of [0.5, 1, 1.5, 3]) took('/a').observe(seconds)
  took('/b').observe(9)
  const samples = parseSamples(registry.render())

  test('are those that were counted', () => {
    expect(sumOf(samples, 'requests_total')).toBe(4)
    expect(sumOf(samples, 'requests_total', ({ status }) => status === '500')).toBe(1)
    expect(sumOf(samples, 'took_seconds_sum')).toBe(15)
  })

  const bounds: [part: number, bound: number][] = [
    [0.4, 1],
    [0.5, 2],
    [0.8, 4],
    [0.99, Number.POSITIVE_INFINITY],
  ]

  test.each(bounds)('%d of a histogram lies below %d', (part, bound) => {
    expect(quantileBound(samples, 'took_seconds', part)).toBe(bound)
    expect(quantileBound(samples, 'nothing', part)).toBeNull()
  })
})
