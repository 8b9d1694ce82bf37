import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { hashSecret } from '../src/service/access/secrets'
import { makeEngine, onServer } from '../test/postgres/engine'
import { copyData, folder, hidOf, known, type Size, small } from './data'
import { atFixedRate, percentileOf, print, startProduct } from './measure'
import { program } from './serverProcess'

/**
 * Measures how long readers, writers and `/health` wait while a client overloads the server. Exits
 * with 1 when their p99 is above 200 ms and above three times the value without the load.
 */
const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    only: { type: 'string', default: '' },
    postgres: { type: 'boolean', default: false },
    /** Load that the child process generates until it is stopped. */
    load: { type: 'string' },
    port: { type: 'string' },
  },
})

const LIMIT_MS = 200
const LIMIT_RATIO = 3
/** Time that a load runs before and after the measurement. */
const SETTLE_MS = 3000

const size: Size = { ...small, systems: 100, bigMembers: 1000, bigSwitches: 100_000 }

/** Systems of the writers: enough that none of them reaches the rate limit. */
const WRITERS = 40
const FIRST_WRITER = 3

/** Milliseconds between requests, regardless of the responses. */
const PAUSE_MS = { readers: 25, writers: 25, '/health': 50 }

type ClientKind = keyof typeof PAUSE_MS

interface Measured {
  p99: number
  failures: number
}

/** Loads by name. All send X-Forwarded-For, so that they are limited like remote clients. */
const loads: Record<string, (address: string) => Promise<never>> = {
  'fronting sums': requestSums,
  '118,000 keys': postKeys,
  'bulk changes': changeMembers,
}

/** Number of responses that the load of this process got, by status. */
const statusCounts: Record<string, number> = {}

if (flags.load !== undefined) await runLoad(flags.load, `http://127.0.0.1:${flags.port}`)
else await compare()

async function compare(): Promise<void> {
  console.log('creating the data set, unless it exists …')
  const file = await copyData(size, 'overload.db')
  const members = addTokens(file)
  const engine = flags.postgres ? await makeEngine() : null
  try {
    const database = engine ? await copyTo(engine, file) : `file:${file}`
    const server = await startProduct(join(folder, 'overload.log'), {
      DATABASE_URL: database,
      RATE_LIMIT: 'generic_get=10,message=10,generic_update=3',
    })
    try {
      await measureAll(server.port, members)
    } finally {
      server.process.kill('SIGTERM')
      await server.process.exited
    }
  } finally {
    await engine?.stop('immediate')
    engine?.remove()
  }
}

async function copyTo(engine: Awaited<ReturnType<typeof makeEngine>>, file: string) {
  await engine.start()
  await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database bench'))
  const address = engine.addressOf('bench')
  const command = [...program, 'copy', address, '--database', `file:${file}`]
  if (!Bun.spawnSync(command, { stderr: 'inherit' }).success) throw new Error('copy failed')
  return address
}

/** Creates a token for each system of the writers, and returns one member of each. */
function addTokens(file: string): string[] {
  const db = new Database(file)
  const add = db.prepare('INSERT INTO tokens (system_id, name, hash, created) VALUES (?, ?, ?, 0)')
  const find = db.prepare<{ hid: string }, [number]>(
    'SELECT hid FROM members WHERE system_id = ? ORDER BY id LIMIT 1',
  )
  const members = Array.from({ length: WRITERS }, (_, at) => {
    const system = FIRST_WRITER + at
    add.run(system, 'overload', hashSecret(tokenOf(at)))
    return find.get(system)?.hid ?? ''
  })
  db.close()
  return members
}

function tokenOf(at: number): string {
  return `bench-other-${at}`
}

async function measureAll(port: number, members: string[]): Promise<void> {
  const seconds = Number(flags.seconds)
  const address = `http://127.0.0.1:${port}`
  // Warm up, while the code is compiled.
  await measure(address, members, 3)
  const baseline = await measure(address, members, seconds)
  const kinds = Object.keys(PAUSE_MS) as ClientKind[]
  const rows = [
    ['p99 in ms', ...kinds, 'failures', 'answers to the load'],
    [
      'without load',
      ...kinds.map((kind) => baseline[kind].p99.toFixed(0)),
      failuresIn(baseline),
      '',
    ],
  ]
  let hasMissed = failuresIn(baseline) !== '0'
  for (const name of Object.keys(loads).filter((load) => load.includes(flags.only))) {
    const load = startLoad(name, port)
    await Bun.sleep(SETTLE_MS)
    const measured = await measure(address, members, seconds)
    load.kill('SIGTERM')
    const output = await load.stdout.text()
    const cells = kinds.map((kind) => {
      const { p99 } = measured[kind]
      const isWithinLimit = p99 <= Math.max(LIMIT_MS, LIMIT_RATIO * baseline[kind].p99)
      if (!isWithinLimit) hasMissed = true
      return `${p99.toFixed(0)} ${isWithinLimit ? '✓' : '✗'}`
    })
    if (failuresIn(measured) !== '0') hasMissed = true
    rows.push([name, ...cells, failuresIn(measured), output.trim()])
    await Bun.sleep(SETTLE_MS)
  }
  print(rows)
  if (hasMissed) process.exitCode = 1
}

function failuresIn(measured: Record<ClientKind, Measured>): string {
  return String(Object.values(measured).reduce((sum, { failures }) => sum + failures, 0))
}

function startLoad(name: string, port: number) {
  const command = [process.execPath, import.meta.path, '--load', name, '--port', String(port)]
  return Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
}

async function measure(
  address: string,
  members: string[],
  seconds: number,
): Promise<Record<ClientKind, Measured>> {
  const [readers, writers, health] = await Promise.all([
    repeat(seconds, PAUSE_MS.readers, (at) =>
      fetch(`${address}/v2/members/${members[at % WRITERS]}`, {
        headers: { 'x-forwarded-for': `203.0.113.${at % 200}` },
      }),
    ),
    repeat(seconds, PAUSE_MS.writers, (at) =>
      fetch(`${address}/v2/members/${members[at % WRITERS]}`, {
        method: 'PATCH',
        headers: { authorization: tokenOf(at % WRITERS), 'x-forwarded-for': '203.0.113.250' },
        body: JSON.stringify({ description: `${performance.now()}` }),
      }),
    ),
    repeat(seconds, PAUSE_MS['/health'], () => fetch(`${address}/health`)),
  ])
  return { readers, writers, '/health': health }
}

/** Sends requests at a fixed rate and measures each. */
async function repeat(
  seconds: number,
  pause: number,
  request: (at: number) => Promise<Response>,
): Promise<Measured> {
  const times: number[] = []
  let failures = 0
  const time = async (at: number) => {
    const sent = performance.now()
    const response = await request(at)
    await response.bytes()
    times.push(performance.now() - sent)
    if (!response.ok) failures++
  }
  await atFixedRate({ seconds, pauseMs: pause }, time)
  return { p99: percentileOf(times, 0.99), failures }
}

async function runLoad(name: string, address: string): Promise<void> {
  process.on('SIGTERM', () => {
    console.log(JSON.stringify(statusCounts))
    process.exit()
  })
  await loads[name]?.(address)
}

/** Sends a request, counts its response and returns Retry-After in milliseconds, or 0. */
async function send(address: string, init: RequestInit): Promise<number> {
  try {
    const response = await fetch(address, init)
    await response.bytes()
    statusCounts[response.status] = (statusCounts[response.status] ?? 0) + 1
    return Number(response.headers.get('retry-after') ?? 0) * 1000
  } catch {
    statusCounts.none = (statusCounts.none ?? 0) + 1
    return 0
  }
}

/** Five clients request sums of a long history at their rate limit and disconnect after 50 ms. */
async function requestSums(address: string): Promise<never> {
  const since = Date.UTC(2020, 0, 1)
  const until = new Date(since + 2 * 86_400_000).toISOString()
  for (let at = 0; ; at++) {
    const sum = ['pairs', 'totals', 'hours'][at % 3]
    // Each requests another span, so that no two of them share a computation.
    const from = new Date(since + at * 1000).toISOString()
    void send(`${address}/v2/systems/${known.big}/fronting/${sum}?since=${from}&until=${until}`, {
      headers: { 'x-forwarded-for': `198.51.100.${at % 5}` },
      keepalive: false,
      signal: AbortSignal.timeout(50),
    })
    await Bun.sleep(1000 / 10 / 5)
  }
}

/** Four clients post objects of very many keys, each as soon as its last request is answered. */
async function postKeys(address: string): Promise<never> {
  const keys = Array.from({ length: 118_000 }, (_, at) => `"${at.toString(36)}":0`)
  const body = `{${keys.join()}}`
  return inParallel(4, (client) =>
    send(`${address}/web/session`, {
      method: 'POST',
      headers: { 'x-forwarded-for': `198.51.100.${client}` },
      body,
    }),
  )
}

/** One token changes 1,000 members per request, again as soon as a request is answered. */
async function changeMembers(address: string): Promise<never> {
  const patches: ((round: number) => object)[] = [
    (round) => ({ description: `${round} `.repeat(900).slice(0, 900) }),
    (round) => ({
      proxy_tags: Array.from({ length: 40 }, (_, tag) => ({ prefix: `${round}.${tag}:` })),
    }),
    (round) => ({ privacy: { visibility: round % 2 === 0 ? 'public' : 'private' } }),
  ]
  let round = 0
  return inParallel(3, () => {
    const patch = patches[round % patches.length]?.(round)
    const changes = Array.from({ length: 1000 }, (_, at) => ({ id: hidOf(at + 1), ...patch }))
    round++
    return send(`${address}/v2/systems/@me/members`, {
      method: 'PATCH',
      headers: { authorization: known.bigToken, 'x-forwarded-for': '198.51.100.250' },
      body: JSON.stringify(changes),
    })
  })
}

/** Repeats the request on several connections, and waits as long as Retry-After says. */
async function inParallel(
  count: number,
  request: (client: number) => Promise<number>,
): Promise<never> {
  const repeatRequest = async (_: unknown, client: number): Promise<never> => {
    for (;;) await Bun.sleep(await request(client))
  }
  return Promise.race(Array.from({ length: count }, repeatRequest))
}
