import { createCachedProbe } from '../../src/app/cachedProbe'
import { hook, receivers } from '../events/receiver'
import { createBot } from '../tools/operatorActions'
import { gifOfSize } from '../tools/pictures'
import { execute } from '../tools/rawSql'
import { createFixture } from '../tools/scenarios'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestApp } from '../tools/testApp'
import { createTestClock } from '../tools/testClock'
import { until } from '../tools/until'

const here = createTestApp({
  METRICS: 'on',
  METRICS_ADDRESS: '127.0.0.1:0',
  RATE_LIMIT: 'generic_get=2',
})
const address = here.app.listenForMetrics() ?? ''

/** Value of a metric with these labels; undefined if there is none. */
function valueIn(text: string, name: string, labels: Record<string, string> = {}) {
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`)
  const line = text
    .split('\n')
    .find((one) => new RegExp(`^${name}[{ ]`).test(one) && wanted.every((w) => one.includes(w)))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

async function scrape(): Promise<string> {
  return (await fetch(address)).text()
}

describe('metrics', () => {
  test('the metrics listener is off by default', async () => {
    expect(createTestApp().app.listenForMetrics()).toBeNull()
  })

  test('metrics are served at /metrics of a separate listener', async () => {
    const found = await fetch(address)
    expect([found.status, found.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    expect((await fetch(new URL('/', address))).status).toBe(404)
    expect((await fetch(address, { method: 'POST' })).status).toBe(405)
    expect((await here.ask('GET /metrics')).status).toBe(404)
  })

  test('metrics count requests and durations by route, method and status', async () => {
    const { hid } = await here.makeSystem()
    const route = { route: '/v2/systems/:systemRef', method: 'GET' }
    const before = await scrape()
    await here.ask(`GET /v2/systems/${hid}`)
    await here.ask(`GET /v2/systems/${hid}/`)
    await here.ask('GET /v2/systems/zzzzzz')
    const after = await scrape()
    const more = (name: string, labels: Record<string, string>) =>
      (valueIn(after, name, labels) ?? 0) - (valueIn(before, name, labels) ?? 0)
    const name = 'multitude_http_requests_total'
    expect(more(name, { ...route, status: '200' })).toBe(2)
    expect(more(name, { ...route, status: '404' })).toBe(1)
    const duration = 'multitude_http_request_duration_seconds'
    expect(more(`${duration}_count`, route)).toBe(3)
    expect(more(`${duration}_bucket`, { ...route, le: '+Inf' })).toBe(3)
    expect(more(`${duration}_sum`, route)).toBeGreaterThan(0)
  })

  test('metrics of the Discord bot exist only once it is started', async () => {
    const { app } = createTestApp({ METRICS: 'on', METRICS_ADDRESS: '127.0.0.1:0' })
    const url = app.listenForMetrics() ?? ''
    const read = async () => (await fetch(url)).text()
    expect(await read()).not.toContain('discord')
    const discord = app.metrics?.addDiscord(() => ({
      isUp: true,
      hasLease: false,
      shards: { ready: 2, connecting: 1 },
      guilds: 12,
      gatewayLatency: null,
      restWaiting: 3,
    }))
    discord?.countEvent('MESSAGE_CREATE')
    discord?.countSession('resume')
    discord?.countMessage('proxied')
    discord?.countMessage('ignored', 'no_match')
    discord?.observeProxy('request', 0.002)
    discord?.countCommand('switch', 'done')
    discord?.countRestRequest('/webhooks/:id/:token', 200)
    discord?.countRateLimited('shared')
    discord?.countRecovered('found')
    const lines = (await read()).split('\n').filter((line) => /^multitude_discord/.test(line))
    const buckets = /_bucket|_sum/
    expect(lines.filter((line) => !buckets.test(line)).map((line) => line.slice(18))).toEqual([
      'up 1',
      'lease 0',
      'shards{state="ready"} 2',
      'shards{state="connecting"} 1',
      'guilds 12',
      'rest_waiting 3',
      'events_total{type="MESSAGE_CREATE"} 1',
      'sessions_total{kind="identify"} 0',
      'sessions_total{kind="resume"} 1',
      'messages_total{outcome="proxied",reason=""} 1',
      'messages_total{outcome="ignored",reason="no_match"} 1',
      'proxy_seconds_count{until="request"} 1',
      'commands_total{command="switch",result="done"} 1',
      'rest_requests_total{route="/webhooks/:id/:token",status="200"} 1',
      'rate_limited_total{scope="shared"} 1',
      'recovered_total{result="found"} 1',
    ])
  })

  const patterns: [line: string, route: string, method: string][] = [
    ['GET /v2/systems/@me', '/v2/systems/:systemRef', 'GET'],
    ['GET /systems/@me/members', '/systems/@me/members', 'GET'],
    ['GET /systems/zzzzz/members', '/systems/:systemRef/members', 'GET'],
    ['GET /v2/systems/@me/events/', '/v2/systems/@me/events', 'GET'],
    ['PATCH /v2/members/abcde', '/v2/members/:memberRef', 'PATCH'],
    ['POST /bot/proxy', '/bot/proxy', 'POST'],
    ['GET /v1/s/abcde', '/v1/s/:id', 'GET'],
    ['GET /health', '/health', 'GET'],
    ['GET /health/live', '/health/live', 'GET'],
    ['GET /', '/', 'GET'],
    ['GET /assets/nothing.js', '/assets/:file', 'GET'],
    ['OPTIONS /v2/members/abcde', '/v2/members/:memberRef', 'OPTIONS'],
    ['PROPFIND /v2/members/abcde', '/v2/members/:memberRef', 'other'],
    ['GET /wp-login.php', 'unknown', 'GET'],
    ['GET /v2/systems//members', 'unknown', 'GET'],
    ['DELETE /v2/nobody/knows/this', 'unknown', 'DELETE'],
  ]

  test.each(patterns)('metrics count %s under %s', async (line, route, method) => {
    const labels = { route, method }
    const name = 'multitude_http_request_duration_seconds_count'
    const before = valueIn(await scrape(), name, labels) ?? 0
    await here.ask(line)
    expect(valueIn(await scrape(), name, labels)).toBe(before + 1)
  })

  test('metrics include queues, commits, files and the process', async () => {
    const text = await scrape()
    for (const name of [
      'multitude_http_requests_in_flight',
      'multitude_http_unfinished_bodies',
      'multitude_streams',
      'multitude_outbox_events',
      'multitude_outbox_oldest_seconds',
      'multitude_commit_writes_count',
      'multitude_commit_duration_seconds_sum',
      'multitude_writers_waiting',
      'multitude_imports_under_way',
      'multitude_database_bytes',
      'multitude_database_log_bytes',
      'multitude_disk_free_bytes',
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      'process_start_time_seconds',
      'multitude_event_loop_delay_seconds_count',
    ])
      expect([name, valueIn(text, name)]).toEqual([name, expect.any(Number)])
    expect(valueIn(text, 'multitude_database_bytes')).toBeGreaterThanOrEqual(4096)
    expect(valueIn(text, 'multitude_build_info', { version: '0.1.0' })).toBe(1)
  })

  test('metrics add up rows, text and pictures of the extension API of all systems', async () => {
    const other = createTestApp({
      METRICS: 'on',
      METRICS_ADDRESS: '127.0.0.1:0',
      PUBLIC_URL: 'https://plural.example',
    })
    const url = other.app.listenForMetrics() ?? ''
    const notes = '/ext/v1/systems/@me/notes'
    for (const [text, size] of [
      ['ä', 30],
      ['bcd', 40],
    ] as const) {
      const as = await other.makeSystem()
      await other.ask(`POST ${notes}`, { as, body: { text } })
      await other.ask('POST /ext/v1/systems/@me/posts', { as, body: { text: 'Hello' } })
      await other.ask('PUT /ext/v1/systems/@me/picture', { as, body: gifOfSize(size) })
    }
    const found = await (await fetch(url)).text()
    const rows = (kind: string) => valueIn(found, 'multitude_ext_rows', { kind })
    expect([rows('notes'), rows('posts'), rows('front_notes')]).toEqual([2, 2, 0])
    expect(valueIn(found, 'multitude_ext_text_bytes')).toBe(15)
    expect(valueIn(found, 'multitude_picture_bytes')).toBe(70)
  })

  test('metrics count notifications of friends', async () => {
    let now = 1_700_000_000_000_000
    const clock = createTestClock()
    const other = createTestApp({
      METRICS: 'on',
      METRICS_ADDRESS: '127.0.0.1:0',
      now: () => now,
      clock,
    })
    const url = other.app.listenForMetrics() ?? ''
    const count = async () =>
      valueIn(await (await fetch(url)).text(), 'multitude_friend_notifications_total') ?? 0
    const [as, friend] = [await other.makeSystem('Hill'), await other.makeSystem('Lantern')]
    const create = async (line: string, body: unknown, caller = as) =>
      (await other.ask<{ code: string; member: { id: string } }>(line, { as: caller, body })).json
    const { code } = await create('POST /ext/v1/friends/invites', {})
    await create('POST /ext/v1/friends', { code, notify_me: true }, friend)
    const [bucket] = (await other.ask<{ id: string }[]>('GET /ext/v1/buckets', { as })).json
    const body = { member: { name: 'Wren' }, buckets: [bucket?.id] }
    const { member } = await create('POST /ext/v1/members', body)
    await create('POST /v2/systems/@me/switches', { members: [member.id] })
    expect(await count()).toBe(0)
    now += 11_000_000
    await until(async () => {
      await clock.advance(1_000)
      return (await count()) === 1
    })
  })

  test('metrics count commits and writes per commit', async () => {
    const before = await scrape()
    await Promise.all(['A', 'B', 'C'].map((name) => here.makeSystem(name)))
    const after = await scrape()
    const more = (name: string) => (valueIn(after, name) ?? 0) - (valueIn(before, name) ?? 0)
    // Other writes may have happened meanwhile, but these three share a commit.
    const writes = more('multitude_commit_writes_sum')
    expect(writes).toBeGreaterThanOrEqual(3)
    expect(more('multitude_commit_writes_count')).toBeLessThanOrEqual(writes - 2)
  })

  test('metrics count rate-limited requests', async () => {
    for (let n = 0; n < 5; n++) await here.ask('GET /v2/systems/zzzzzz', { peer: '203.0.113.9' })
    const text = await scrape()
    const name = 'multitude_http_rate_limited_total'
    expect(valueIn(text, name, { scope: 'generic_get' })).toBeGreaterThanOrEqual(2)
  })

  test('metrics count imports by result', async () => {
    const owner = await here.makeSystem()
    await here.ask('POST /v2/systems/@me/import', { as: owner, body: { tuppers: [], groups: [] } })
    await here.ask('POST /v2/systems/@me/import', { as: owner, body: 'no file at all' })
    const text = await scrape()
    expect(valueIn(text, 'multitude_imports_total', { result: 'done' })).toBe(1)
    expect(valueIn(text, 'multitude_imports_total', { result: 'failed' })).toBe(1)
  })
})

describe('metrics of webhooks', () => {
  const hooked = createTestApp({
    METRICS: 'on',
    METRICS_ADDRESS: '127.0.0.1:0',
    DISPATCH_ALLOW: '127.0.0.1',
    events: { pauses: [60_000_000] },
  })
  const metrics = hooked.app.listenForMetrics() ?? ''
  const receive = receivers()

  test('metrics count webhook deliveries by result and show the backlog and its age', async () => {
    const as = await hooked.makeSystem()
    const receiver = receive({ event: ({ body }) => (body.data?.name === 'bad' ? 500 : 200) })
    await hook(hooked, as, receiver.url)
    for (const name of ['good', 'bad', 'worse'])
      await hooked.ask('PATCH /v2/systems/@me', { as, body: { name } })
    await until(() => receiver.events.length === 2)
    const name = 'multitude_webhook_deliveries_total'
    let text = ''
    await until(async () => {
      text = await (await fetch(metrics)).text()
      return valueIn(text, name, { result: 'refused' }) === 1
    })
    expect(valueIn(text, name, { result: 'delivered' })).toBe(1)
    expect(valueIn(text, name, { result: 'unanswered' })).toBe(0)
    expect(valueIn(text, 'multitude_webhooks', { state: 'active' })).toBe(1)
    expect(valueIn(text, 'multitude_outbox_events')).toBe(2)
    expect(valueIn(text, 'multitude_outbox_oldest_seconds')).toBeGreaterThan(0)
  })
})

describe('metrics when the database fails', () => {
  test('metrics report a failing database and everything else', async () => {
    const failing = createTestApp({ METRICS: 'on', METRICS_ADDRESS: '127.0.0.1:0' })
    const url = failing.app.listenForMetrics() ?? ''
    const rename = (from: string, to: string) =>
      failing.deps.transact('new', (tx) => execute(tx, `alter table ${from} rename to ${to}`))
    await rename('task_runs', 'gone')
    const response = await fetch(url)
    const text = await response.text()
    expect([response.status, valueIn(text, 'multitude_database_ok')]).toEqual([200, 0])
    expect(valueIn(text, 'process_resident_memory_bytes')).toBeGreaterThan(0)
    await rename('gone', 'task_runs')
    expect(valueIn(await (await fetch(url)).text(), 'multitude_database_ok')).toBe(1)
  })

  test('a cached probe returns its last value when the database does not answer in time', async () => {
    const answers = [async () => 1, () => new Promise<number>(() => {})]
    const clock = createTestClock()
    const probe = createCachedProbe(
      () => answers.shift()?.() ?? Promise.reject(new Error()),
      0,
      0,
      50,
      clock,
    )
    expect([await probe.refresh(), probe.isOk()]).toEqual([1, true])
    const refreshLate = async () => {
      const refreshed = probe.refresh()
      await clock.advance(50)
      return refreshed
    }
    expect([await refreshLate(), probe.isOk()]).toEqual([1, false])
    // The query is still running, so no other one is started.
    expect([await refreshLate(), probe.isOk(), answers.length]).toEqual([1, false, 0])
  })
})

describe('secrets and metrics', () => {
  test('metrics never contain an ID, a name or a token of a request', async () => {
    const secret = 'tell-nobody-of-this'
    const fixture = await createFixture(here as TestApp)
    const { owner, wren, keepers, account, message, latest } = fixture
    const bot = await createBot(here.deps, secret)
    const key = typeof bot === 'string' ? bot : JSON.stringify(bot)
    const paths = [
      `/v2/systems/${owner.hid}`,
      `/v2/systems/${account}/members`,
      `/v2/members/${wren.uuid}`,
      `/v2/groups/${keepers.hid}/members`,
      `/v2/messages/${message}`,
      `/v2/systems/@me/switches/${latest.uuid}`,
      `/v2/systems/@me/guilds/${secret}`,
      `/${secret}`,
      `/v2/${secret}/${secret}`,
      `/v2/systems/${secret}?token=${secret}`,
      `/assets/${secret}`,
      `/calendar/${secret}.ics`,
    ]
    for (const path of paths)
      for (const method of [
        'GET',
        'PATCH',
        'DELETE',
        'PUT',
        secret.replaceAll('-', '').toUpperCase(),
      ])
        await here.ask(`${method === 'DELETE' ? 'HEAD' : method} ${path}`, {
          as: owner,
          headers: { 'user-agent': secret, 'x-forwarded-for': secret, 'x-request-id': secret },
          ...(method === 'PATCH' && { body: { name: secret } }),
        })
    const text = (await scrape()).toLowerCase()
    const known = [secret, secret.replaceAll('-', ''), owner.token, owner.uuid, wren.uuid]
    const names = [owner.hid, wren.hid, keepers.hid].map((hid) => `"${hid}`)
    for (const planted of [...known, ...names, account, message, latest.uuid, 'lantern', key])
      expect(text).not.toContain(planted.toLowerCase())
  })
})
