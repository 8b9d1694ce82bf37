import { Database } from 'bun:sqlite'
import { openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  copyData,
  createRandom,
  folder,
  full,
  hidOf,
  known,
  messageOf,
  removeData,
  small,
  uuidOf,
} from './data'
import { allFeatures, freePort, memoryOf, program } from './serverProcess'

/** Runs a mixed load on a server that is killed repeatedly, and checks that no acknowledged write is lost. */

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    small: { type: 'boolean', default: false },
    /** Without kills, to observe the memory of one long run. */
    calm: { type: 'boolean', default: false },
    connections: { type: 'string', default: '16' },
    durability: { type: 'string', default: 'full' },
    seed: { type: 'string', default: '1' },
  },
})

const WRITES = 0.05
const TIMEOUT_MS = 30_000
const size = flags.small ? small : full
const duration = Number(flags.minutes) * 60_000
const workers = Number(flags.connections)
const random = createRandom(Number(flags.seed))
const bot = `Bot ${known.botKey}`

const file = await copyData(size, 'soak.db')
const logFile = join(folder, 'soak.log')
const port = freePort()
const address = `http://127.0.0.1:${port}`

/** Time of the server from a start to the next kill. */
interface ServerRun {
  startMs: number
  requests: number
  /** Resident megabytes, once a second. */
  memory: number[]
}

/** Acknowledged write: this field of that response must have one of these values. */
interface Acknowledged {
  kind: string
  path: string
  field: string
  accepted: string[]
  run: number
}

const runs: ServerRun[] = []
const statuses = new Map<string, number>()
const written = new Map<string, number>()
const problems: string[] = []
let isUp = false
let isOver = false
let nextNumber = Date.UTC(2025, 0, 1)
let checks = 0
/** Largest size of the write-ahead log in bytes; it would grow forever if a reader never ended. */
let largestLog = 0

console.log(
  `${program.join(' ')}, ${flags.minutes} min, ${workers} connections, seed ${flags.seed}`,
)
let server = await startServer()
process.on('exit', () => server.kill('SIGKILL'))
const killing = flags.calm ? Promise.resolve() : killRepeatedly()
const sampling = setInterval(sample, 1000)
const ledgers = Array.from({ length: workers }, () => new Map<string, Acknowledged>())
const ended = Promise.all(ledgers.map(work))
await Bun.sleep(duration)
isOver = true
await Promise.all([ended, killing])
clearInterval(sampling)
await stopServer('SIGTERM')
server = await startServer()
for (const ledger of ledgers) for (const acknowledged of ledger.values()) await check(acknowledged)
await stopServer('SIGTERM')
checkFile()
report()
removeData(file)
rmSync(logFile, { force: true })
process.exit(problems.length > 0 ? 1 : 0)

/** Simulates a client: mostly reads, some writes, and checks of its writes after each restart. */
async function work(ledger: Map<string, Acknowledged>, worker: number): Promise<void> {
  let run = runs.length
  while (!isOver) {
    if (!isUp) await Bun.sleep(20)
    if (isUp && run !== runs.length) {
      for (const acknowledged of ledger.values())
        if (acknowledged.run >= run) await check(acknowledged)
      run = runs.length
    }
    if (random() < WRITES) await write(ledger, worker)
    else await send('GET', pick(reads()), known.token)
  }
}

function reads(): string[] {
  const system = `/v2/systems/${hidOf(1 + Math.floor(random() * size.systems))}`
  const typical = `/v2/systems/${known.typical}`
  const big = `/v2/systems/${known.big}`
  const each = [
    system,
    typical,
    `${typical}/fronters`,
    `${typical}/members`,
    `/v2/members/${memberAt(Math.floor(random() * 20))}`,
    `/v2/messages/${messageOf(Math.floor(random() * size.messages))}`,
    `${big}/switches?before=${new Date(Date.UTC(2020, 0, 2) + random() * 6e7).toISOString()}`,
  ]
  // The largest responses are the rarest.
  const large = [`${big}/members`, `${big}/groups?with_members=true`, '/v2/systems/@me/export']
  return random() < 0.02 ? large : each
}

/** Writes rows that no other worker changes, and records the acknowledged value. */
async function write(ledger: Map<string, Acknowledged>, worker: number): Promise<void> {
  const n = nextNumber++
  const kind = pick(['PATCH member', 'POST switch', 'POST member', 'POST message'])
  const record = (path: string, field: string, value: string) => {
    ledger.set(path, { kind, path, field, accepted: [value], run: runs.length })
    written.set(kind, (written.get(kind) ?? 0) + 1)
  }
  if (kind === 'PATCH member') {
    const path = `/v2/members/${hidOf(1 + worker + workers * Math.floor(random() * 4))}`
    const color = (n % 0xffffff).toString(16).padStart(6, '0')
    // Until the response arrives, both the old and the new value are acceptable.
    const before = ledger.get(path)
    if (before) ledger.set(path, { ...before, accepted: [...before.accepted, color] })
    if (await send('PATCH', path, known.bigToken, { color })) record(path, 'color', color)
  } else if (kind === 'POST switch') {
    const path = `/v2/systems/${known.big}/switches`
    const timestamp = new Date(n).toISOString()
    const members = [hidOf(1 + (n % size.bigMembers))]
    const json = await send('POST', path, known.bigToken, { timestamp, members })
    if (json) record(`${path}/${json.id}`, 'timestamp', String(json.timestamp))
  } else if (kind === 'POST member') {
    // Spread over all systems except the big one, because each allows a thousand members.
    const system = uuidOf(1, 2 + (n % (size.systems - 1)))
    const json = await send('POST', '/v2/members', bot, { name: `Soak ${n}` }, system)
    if (json) record(`/v2/members/${json.uuid}`, 'name', `Soak ${n}`)
  } else {
    const ids = { id: String(n), original: `8${n}`, channel: known.channel, guild: known.guild }
    const body = { ...ids, sender: known.account, member: memberAt(worker % 20) }
    if (await send('POST', '/bot/messages', bot, body))
      record(`/v2/messages/${n}`, 'original', `8${n}`)
  }
}

async function check(acknowledged: Acknowledged): Promise<void> {
  const { kind, path, field, accepted, run } = acknowledged
  const current = runs.length
  const json = await send('GET', path, known.bigToken)
  // The server was killed again; the next check will decide.
  if (!json && (!isUp || runs.length !== current)) return
  checks += 1
  const found = String(json?.[field])
  if (!accepted.includes(found))
    problems.push(`lost: ${kind} of run ${run}, ${path} has ${field} ${found}, not ${accepted}`)
  // A write that a killed server has not stored will not appear later.
  acknowledged.accepted = [found]
}

/** Sends a request and returns its JSON, or null on failure. A failure is a problem unless the server is down. */
async function send(
  method: string,
  path: string,
  token: string,
  body?: object,
  system = '',
): Promise<Record<string, unknown> | null> {
  const [wasUp, run] = [isUp, runs.length]
  try {
    const response = await fetch(address + path, {
      method,
      headers: {
        authorization: token,
        'x-forwarded-for': '203.0.113.7',
        'x-system': system,
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body && { body: JSON.stringify(body) }),
    })
    const json = (await response.json()) as Record<string, unknown>
    count(String(response.status))
    const current = runs.at(-1)
    if (current) current.requests += 1
    if (response.ok) return json
    problems.push(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`)
  } catch (cause) {
    const { code, name } = cause as NodeJS.ErrnoException
    count(code ?? name)
    if (wasUp && isUp && run === runs.length)
      problems.push(`${method} ${path}: ${cause} while the server was up`)
  }
  return null
}

function count(status: string): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
}

async function killRepeatedly(): Promise<void> {
  const end = performance.now() + duration
  for (;;) {
    const runMs = Math.min(20_000 + 40_000 * random(), duration / 3)
    // Let the last run continue for some time.
    if (performance.now() + runMs + 2000 > end) return
    await Bun.sleep(runMs)
    await stopServer('SIGKILL')
    await Bun.sleep(500 * random())
    server = await startServer()
  }
}

async function startServer() {
  const started = performance.now()
  const child = Bun.spawn([...program, 'serve'], {
    env: {
      PORT: String(port),
      DATABASE_URL: `file:${file}`,
      DURABILITY: flags.durability,
      ...allFeatures,
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: openSync(logFile, 'a'),
  })
  while (!(await fetch(`${address}/health`).catch(() => null))?.ok) {
    if (performance.now() - started > TIMEOUT_MS) {
      child.kill('SIGKILL')
      throw new Error(`the server did not start, see ${logFile}`)
    }
    await Bun.sleep(1)
  }
  runs.push({ startMs: performance.now() - started, requests: 0, memory: [] })
  isUp = true
  return child
}

async function stopServer(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  isUp = false
  server.kill(signal)
  await server.exited
}

function sample(): void {
  const run = runs.at(-1)
  if (isUp) run?.memory.push(Math.round(memoryOf(server.pid)))
  largestLog = Math.max(largestLog, statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0)
}

/** Checks the integrity of the database file, and the log for errors. */
function checkFile(): void {
  const database = new Database(file, { readonly: true })
  for (const pragma of ['integrity_check', 'foreign_key_check'])
    for (const row of database.query<object, []>(`PRAGMA ${pragma}`).all()) {
      const text = JSON.stringify(row)
      if (text !== '{"integrity_check":"ok"}') problems.push(text)
    }
  database.close()
  const errors = readFileSync(logFile, 'utf8').match(/^.*"level":"error".*$/gm) ?? []
  problems.push(...errors.slice(0, 10))
}

function report(): void {
  const finished = runs.slice(0, -1)
  console.log('\nrun   start ms  seconds  requests  MB after 5 s  highest   end')
  for (const [at, { startMs, requests, memory }] of finished.entries()) {
    const sizes = [memory[4] ?? memory[0], Math.max(...memory), memory.at(-1)]
    const cells = [at + 1, startMs.toFixed(0), memory.length, requests, ...sizes]
    const widths = [4, 10, 9, 10, 14, 9, 6]
    console.log(cells.map((cell, n) => String(cell).padStart(widths[n] ?? 0)).join(''))
  }
  const list = (counts: Map<string, number>) =>
    [...counts.keys()]
      .toSorted()
      .map((name) => `${name} ${counts.get(name)}`)
      .join(', ')
  const ends = finished.map(({ memory }) => memory.at(-1) ?? 0)
  console.log(`
responses            ${list(statuses)}
acknowledged writes  ${list(written)}
read back            ${checks} times
memory               ${finished[0]?.memory[0]} MB at the start, ${Math.max(...finished.flatMap(({ memory }) => memory))} at most, runs end with ${Math.min(...ends)} to ${Math.max(...ends)}
write-ahead log      ${(largestLog / 1e6).toFixed(0)} MB at most
problems             ${problems.length}`)
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`)
}

function memberAt(at: number): string {
  return hidOf(size.bigMembers + 1 + at)
}

function pick<T>(all: readonly T[]): T {
  return all[Math.floor(random() * all.length)] as T
}
