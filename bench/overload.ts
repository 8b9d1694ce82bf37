import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { hashSecret } from '../src/store/access/secrets'
import { makeEngine, onServer } from '../test/postgres/engine'
import { copyData, folder, known, type Size, small } from './data'
import { atFixedRate, percentileOf, print, type Running, startProduct } from './measure'
import { fillToLimits, makeFriends } from './overloadData'
import { loads, runLoad } from './overloadLoads'
import { memoryOf, program } from './serverProcess'

/**
 * Measures how long readers, writers, lists and `/health` wait while a client overloads the server,
 * and its memory meanwhile. Each load gets a new server. Exits with 1 when a p99 is above 200 ms and
 * above three times the value without the load, when the memory is above 250 MiB, or when a request
 * of the others fails.
 */
const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    only: { type: 'string', default: '' },
    postgres: { type: 'boolean', default: false },
    /** Puts all loads on one server, one after the other, for so many minutes. */
    soak: { type: 'string', default: '0' },
    /** Another executable, such as one of an earlier release. */
    program: { type: 'string', default: '' },
    /** Load that the child process generates until it is stopped. */
    load: { type: 'string' },
    port: { type: 'string' },
  },
})

const LIMIT_MS = 200
const LIMIT_RATIO = 3
const LIMIT_MIB = 250
/** Time that a load runs before and after the measurement. */
const SETTLE_MS = 3000

const size: Size = { ...small, systems: 100, bigMembers: 1000, bigSwitches: 100_000 }

/** Systems of the writers: enough that none of them reaches the rate limit. */
const WRITERS = 40
const FIRST_WRITER = 3

/** Milliseconds between requests, regardless of the responses. */
const PAUSE_MS = { readers: 25, writers: 25, lists: 50, '/health': 50 }

type ClientKind = keyof typeof PAUSE_MS

/** Number of the next write, which is also the value that it stores. */
let nextNumber = 1
/** Number of acknowledged writes, and the highest acknowledged number of each member. */
let written = 0
const acknowledged = new Map<string, number>()

if (flags.load !== undefined) await runLoad(flags.load, `http://127.0.0.1:${flags.port}`)
else await compare()

async function compare(): Promise<void> {
  console.log('creating the data set, unless it exists …')
  const file = await copyData(size, 'overload.db')
  const members = addTokens(file)
  fillToLimits(file)
  const engine = flags.postgres ? await makeEngine() : null
  try {
    await onNewServer(`file:${file}`, ({ port }) => makeFriends(`http://127.0.0.1:${port}`, file))
    const database = engine ? await copyTo(engine, file) : `file:${file}`
    if (flags.soak === '0') await measureAll(database, members)
    else await onNewServer(database, (server) => soak(server, members))
  } finally {
    await engine?.stop('immediate')
    engine?.remove()
  }
}

async function onNewServer<T>(database: string, work: (server: Running) => Promise<T>): Promise<T> {
  const settings = {
    DATABASE_URL: database,
    RATE_LIMIT: 'generic_get=10,message=10,generic_update=3',
    REQUESTS_IN_FLIGHT: '100',
  }
  const command = flags.program === '' ? program : [flags.program]
  const server = await startProduct(join(folder, 'overload.log'), settings, command)
  try {
    return await work(server)
  } finally {
    server.process.kill('SIGTERM')
    await server.process.exited
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

async function measureAll(database: string, members: string[]): Promise<void> {
  const kinds = Object.keys(PAUSE_MS) as ClientKind[]
  const baseline = await onNewServer(database, (server) => measureDuring(null, server, members))
  const rows = [['p99 in ms', ...kinds, 'MiB', 'failures', 'answers to the load']]
  const names = Object.keys(loads).filter((load) => load.includes(flags.only))
  for (const name of [null, ...names]) {
    const measured =
      name === null
        ? baseline
        : await onNewServer(database, (server) => measureDuring(name, server, members))
    const mark = (text: string, isWithinLimit: boolean) => {
      if (!isWithinLimit) process.exitCode = 1
      return `${text} ${isWithinLimit ? '✓' : '✗'}`
    }
    const { p99, mebibytes, failures, output } = measured
    const row = [
      name ?? 'without load',
      ...kinds.map((kind) => {
        const limit = Math.max(LIMIT_MS, LIMIT_RATIO * baseline.p99[kind])
        return mark(p99[kind].toFixed(0), p99[kind] <= limit)
      }),
      mark(mebibytes.toFixed(0), mebibytes <= LIMIT_MIB),
      mark(String(failures), failures === 0),
      output,
    ]
    console.log(row.join('  '))
    rows.push(row)
  }
  console.log()
  print(rows)
}

interface Measured {
  readonly p99: Record<ClientKind, number>
  /** Highest resident memory of the server. */
  readonly mebibytes: number
  readonly failures: number
  /** Answers to the load, by status. */
  readonly output: string
}

async function measureDuring(
  name: string | null,
  { pid, port }: Running,
  members: string[],
): Promise<Measured> {
  const address = `http://127.0.0.1:${port}`
  // Warm up, while the code is compiled.
  await measure(address, members, 3)
  const load = name === null ? null : startLoad(name, port)
  await Bun.sleep(SETTLE_MS)
  const { times, failures } = await measure(address, members, Number(flags.seconds))
  load?.kill('SIGTERM')
  const output = (await load?.stdout.text())?.trim() ?? ''
  const mebibytes = (memoryOf(pid, 'VmHWM') * 1e6) / 2 ** 20
  return { p99: percentilesOf(times), failures, mebibytes, output }
}

function startLoad(name: string, port: number) {
  const command = [process.execPath, import.meta.path, '--load', name, '--port', String(port)]
  return Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
}

type Times = Record<ClientKind, number[]>

/** Puts each load on the same server again and again, and checks that no write is lost. */
async function soak(server: Running, members: string[]): Promise<void> {
  const address = `http://127.0.0.1:${server.port}`
  const all: Times = { readers: [], writers: [], lists: [], '/health': [] }
  const names = Object.keys(loads).filter((load) => load.includes(flags.only))
  const end = performance.now() + Number(flags.soak) * 60_000
  let failures = 0
  const memory: number[] = []
  for (let at = 0; performance.now() < end; at++) {
    const name = names[at % names.length] ?? ''
    const load = startLoad(name, server.port)
    const measured = await measure(address, members, Number(flags.seconds))
    load.kill('SIGTERM')
    await load.exited
    failures += measured.failures
    memory.push((memoryOf(server.pid) * 1e6) / 2 ** 20)
    for (const kind of Object.keys(all) as ClientKind[]) all[kind].push(...measured.times[kind])
    const p99 = Object.entries(percentilesOf(measured.times)).map((pair) => pair.join(' '))
    console.log(`${name}: p99 ${p99.join(', ')}, ${memory.at(-1)?.toFixed(0)} MiB`)
  }
  const lost = await findLostWrites(address, members)
  console.log(
    `\nall: p99 ${JSON.stringify(percentilesOf(all))} of ${Object.values(all).flat().length} requests`,
  )
  console.log(`failures ${failures}, lost writes ${lost}, acknowledged ${written}`)
  console.log(`memory by round, MiB: ${memory.map((size) => size.toFixed(0)).join(' ')}`)
  if (failures + lost > 0) process.exitCode = 1
}

async function findLostWrites(address: string, members: string[]): Promise<number> {
  let lost = 0
  for (const [at, member] of members.entries()) {
    const headers = { authorization: tokenOf(at), 'x-forwarded-for': `203.0.113.${at}` }
    const response = await fetch(`${address}/v2/members/${member}`, { headers })
    const { description } = (await response.json()) as { description: string }
    if (Number(description) < (acknowledged.get(member) ?? 0)) lost++
  }
  return lost
}

function percentilesOf(times: Times): Record<ClientKind, number> {
  const p99 = Object.entries(times).map(([kind, all]) => [
    kind,
    Math.round(percentileOf(all, 0.99)),
  ])
  return Object.fromEntries(p99)
}

/** Sends the requests of the other clients. */
async function measure(address: string, members: string[], seconds: number) {
  const times: Times = { readers: [], writers: [], lists: [], '/health': [] }
  let failures = 0
  const repeat = (kind: ClientKind, request: (at: number) => Promise<Response>) =>
    atFixedRate({ seconds, pauseMs: PAUSE_MS[kind] }, async (at) => {
      const sent = performance.now()
      try {
        const response = await request(at)
        await response.bytes()
        if (!response.ok) failures++
      } catch {
        failures++
      }
      times[kind].push(performance.now() - sent)
    })
  // New connections: the server may close a kept one while a request is on its way.
  const ask = (path: string, init: RequestInit) =>
    fetch(`${address}${path}`, { ...init, keepalive: false })
  const forwardedFor = (at: number) => ({ 'x-forwarded-for': `203.0.113.${at % 200}` })
  await Promise.all([
    repeat('readers', (at) =>
      ask(`/v2/members/${members[at % WRITERS]}`, { headers: forwardedFor(at) }),
    ),
    repeat('writers', async (at) => {
      const member = members[at % WRITERS] ?? ''
      const number = nextNumber++
      const response = await ask(`/v2/members/${member}`, {
        method: 'PATCH',
        headers: { authorization: tokenOf(at % WRITERS), 'x-forwarded-for': '203.0.113.250' },
        body: JSON.stringify({ description: `${number}` }),
      })
      if (response.ok) {
        written++
        acknowledged.set(member, Math.max(number, acknowledged.get(member) ?? 0))
      }
      return response
    }),
    repeat('lists', (at) =>
      ask(`/v2/systems/${known.typical}/members`, { headers: forwardedFor(at) }),
    ),
    repeat('/health', () => ask('/health', {})),
  ])
  return { times, failures }
}
