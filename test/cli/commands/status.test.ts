import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDeps } from '../../../src/app/app'
import { discordBot } from '../../../src/model/core/privacy'
import { parseConfig } from '../../../src/runtime/config/config'
import { parseSamples, quantileBound, sumOf } from '../../../src/runtime/metrics/parse'
import { createRegistry } from '../../../src/runtime/metrics/registry'
import { storeBotStatus } from '../../../src/service/discord/botStatus'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { run, runJson } from '../../tools/runInProcess'
import { emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'

describe('the status', () => {
  test('status shows database and backups when the server does not run', async () => {
    const cwd = folderWithDatabase()
    await runJson(['system', 'create'], { cwd })
    const { code, out, err } = await run(['status', '--port', '1'], { cwd })
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^Program +Multitude \d/)
    expect(out).toMatch(/^Server +http:\/\/127\.0\.0\.1:1 does not answer: /m)
    expect(out).toMatch(/^Database +\S+multitude\.db, \d+ KiB, write-ahead log \S+ \S+$/m)
    expect(out).toMatch(/^Systems +1$/m)
    expect(out).toMatch(/^Extensions +0 notes, 0 posts, 0 front notes, 0 B of text$/m)
    expect(out).toMatch(/^Pictures +none$/m)
    expect(out).toMatch(/^Outbox +empty$/m)
    expect(out).toMatch(/^Backups +not scheduled/m)
    expect(out).toMatch(/^Metrics +off; set METRICS=on for more details$/m)
  })

  const running = {
    ...{ application: '500000000000000001', name: 'Lantern', node: 'attic:77' },
    ...{ shards: 2, shards_ready: 2, guilds: 12, disconnected_at: null, problem: null },
  }
  const bots: [title: string, change: object, ageSeconds: number, line: RegExp][] = [
    ['that runs', {}, 5, /^ +2 of 2 shards connected, 12 servers\n +last event \d+ s ago$/m],
    [
      'that lost a connection',
      { shards_ready: 1, disconnected_at: (Date.now() - 12_000) * 1000 },
      5,
      /^ +reconnecting for \d+ s, 1 of 2 shards connected, 12 servers$/m,
    ],
    ['without an event', { last_event: null }, 5, /^ +2 of 2 shards .*\n +no event yet$/m],
    [
      'whose process ended',
      {},
      600,
      /^ +not running, last seen 10 min ago\n +last event 10 min ago$/m,
    ],
    ['that stopped', { problem: 'No token.' }, 5, /^ +STOPPED \d+ s ago: No token\.$/m],
  ]

  test.each(bots)('status shows a Discord bot %s', async (_, change, ageSeconds, line) => {
    const cwd = folderWithDatabase()
    await runJson(['system', 'create'], { cwd })
    const before = await runJson<{ discord: unknown }>(['status', '--port', '1'], { cwd })
    expect(before.discord).toBeNull()
    const at = (Date.now() - ageSeconds * 1000) * 1000
    const config = parseConfig({ DATABASE_URL: `file:${join(cwd, 'data/multitude.db')}` })
    const { storage, deps } = openDeps(config)
    await storeBotStatus(deps, discordBot, { ...running, at, last_event: at, ...change })
    await storage.close()
    const { out } = await run(['status', '--port', '1'], { cwd })
    expect(out).toMatch(/^Discord bot +Lantern on attic:77$/m)
    expect(out).toMatch(line)
    const invite =
      'https://discord.com/oauth2/authorize?client_id=500000000000000001&scope=bot+applications.commands&permissions=633594112764992'
    expect(out).toContain(invite)
    const { discord } = await runJson<{ discord: object }>(['status', '--port', '1'], { cwd })
    expect(discord).toMatchObject({ name: 'Lantern', guilds: 12, invite_url: invite })
  })

  const broken: [title: string, make: (file: string) => void, problem: RegExp][] = [
    ['is missing', () => {}, /^Database +UNAVAILABLE: .*there is no database/im],
    [
      'is another file',
      (file) => writeFileSync(file, 'this is not a database, but long enough to be read'),
      /^Database +UNAVAILABLE: ./m,
    ],
  ]

  test.each(broken)(
    'status shows everything else when the database %s',
    async (_, make, problem) => {
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
    },
  )

  test('status rejects an invalid --url with exit code 2', async () => {
    const cwd = folderWithDatabase()
    await runJson(['system', 'create'], { cwd })
    expect((await run(['status', '--url', 'nowhere'], { cwd })).code).toBe(2)
    expect((await run(['status'], { cwd: emptyFolder() })).code).toBe(1)
  })
})

test('serve fails with one line when METRICS_ADDRESS is in use', async () => {
  const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const address = `127.0.0.1:${taken.port}`
  const words = ['serve', '--port', '0', '--json', '--metrics', 'on', '--metrics-address', address]
  const { code, err } = await run(words, { cwd: emptyFolder() })
  taken.stop(true)
  expect(code).toBe(1)
  expect(err.trim().split('\n').at(-1)).toBe(
    `multitude: Cannot listen on ${address}: the address is in use, not available on this machine, or not permitted.`,
  )
})

describe('parsed metrics', () => {
  const registry = createRegistry()
  const requests = registry.counter('requests_total', 'Requests.', ['route', 'status'])
  requests('/a "quoted" \\ path\n', '200').value = 3
  requests('/b', '500').value = 1
  const durations = registry.histogram('took_seconds', 'Time.', [1, 2, 4], ['route'])
  for (const seconds of [0.5, 1, 1.5, 3]) durations('/a').observe(seconds)
  durations('/b').observe(9)
  const samples = parseSamples(registry.render())

  test('parses the values that were counted', () => {
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

  test.each(bounds)('finds the bound of quantile %d of a histogram at %d', (part, bound) => {
    expect(quantileBound(samples, 'took_seconds', part)).toBe(bound)
    expect(quantileBound(samples, 'nothing', part)).toBeNull()
  })
})
