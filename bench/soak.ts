import { Database } from 'bun:sqlite'
import { openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  createRandom,
  folder,
  freshData,
  hidOf,
  known,
  messageOf,
  removeData,
  small,
  uuidOf,
  whole,
} from './data'
import { everythingOn, freePort, memoryOf, program } from './serverProcess'

/** Mixed load on a server that is killed again and again: whatever it acknowledged must be there. */

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    small: { type: 'boolean', default: false },
    /** No kills: how the memory of one long life behaves. */
    calm: { type: 'boolean', default: false },
    connections: { type: 'string', default: '16' },
    durability: { type: 'string', default: 'full' },
    seed: { type: 'string', default: '1' },
  },
})

const WRITES = 0.05
const GIVE_UP_MS = 30_000
const size = flags.small ? small : whole
const duration = Number(flags.minutes) * 60_000
const workers = Number(flags.connections)
const random = createRandom(Number(flags.seed))
const bot = `Bot ${known.botKey}`

const file = await freshData(size, 'soak.db')
const logFile = join(folder, 'soak.log')
const port = freePort()
const address = `http://127.0.0.1:${port}`

/** From a start to the next kill. */
interface Life {
  startMs: number
  requests: number
  /** Resident megabytes, once a second. */
  memory: number[]
}

/** What a write promised: this field of that answer is one of these. */
interface Promised {
  kind: string
  path: string
  field: string
  accepted: string[]
  life: number
}

const lives: Life[] = []
const statuses = new Map<string, number>()
const written = new Map<string, number>()
const troubles: string[] = []
let isUp = false
let isOver = false
let made = Date.UTC(2025, 0, 1)
let checks = 0
/** The most bytes that the write-ahead log had: it grows for ever if a reader never ends. */
let largestLog = 0

console.log(
  `${program.join(' ')}, ${flags.minutes} min, ${workers} connections, seed ${flags.seed}`,
)
let server = await startServer()
process.on('exit', () => server.kill('SIGKILL'))
const killing = flags.calm ? Promise.resolve() : killNowAndThen()
const sampling = setInterval(sample, 1000)
const ledgers = Array.from({ length: workers }, () => new Map<string, Promised>())
const ended = Promise.all(ledgers.map(work))
await Bun.sleep(duration)
isOver = true
await Promise.all([ended, killing])
clearInterval(sampling)
await stopServer('SIGTERM')
server = await startServer()
for (const ledger of ledgers) for (const promised of ledger.values()) await check(promised)
await stopServer('SIGTERM')
checkFile()
report()
removeData(file)
rmSync(logFile, { force: true })
process.exit(troubles.length > 0 ? 1 : 0)

/** One connection: mostly reads, some writes, and after each new start a look at what was kept. */
async function work(ledger: Map<string, Promised>, worker: number): Promise<void> {
  let life = lives.length
  while (!isOver) {
    if (!isUp) await Bun.sleep(20)
    if (isUp && life !== lives.length) {
      for (const promised of ledger.values()) if (promised.life >= life) await check(promised)
      life = lives.length
    }
    if (random() < WRITES) await write(ledger, worker)
    else await ask('GET', pick(reads()), known.token)
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
  // The largest answers are the rarest.
  const large = [`${big}/members`, `${big}/groups?with_members=true`, '/v2/systems/@me/export']
  return random() < 0.02 ? large : each
}

/** Writes something that no other connection touches, and notes what the answer promises. */
async function write(ledger: Map<string, Promised>, worker: number): Promise<void> {
  const n = made++
  const kind = pick(['PATCH member', 'POST switch', 'POST member', 'POST message'])
  const note = (path: string, field: string, value: string) => {
    ledger.set(path, { kind, path, field, accepted: [value], life: lives.length })
    written.set(kind, (written.get(kind) ?? 0) + 1)
  }
  if (kind === 'PATCH member') {
    const path = `/v2/members/${hidOf(1 + worker + workers * Math.floor(random() * 4))}`
    const color = (n % 0xffffff).toString(16).padStart(6, '0')
    // Until it is answered, both the old and the new may be found.
    const before = ledger.get(path)
    if (before) ledger.set(path, { ...before, accepted: [...before.accepted, color] })
    if (await ask('PATCH', path, known.bigToken, { color })) note(path, 'color', color)
  } else if (kind === 'POST switch') {
    const path = `/v2/systems/${known.big}/switches`
    const timestamp = new Date(n).toISOString()
    const members = [hidOf(1 + (n % size.bigMembers))]
    const answer = await ask('POST', path, known.bigToken, { timestamp, members })
    if (answer) note(`${path}/${answer.id}`, 'timestamp', String(answer.timestamp))
  } else if (kind === 'POST member') {
    // Spread over all systems but the big one, for each takes a thousand.
    const system = uuidOf(1, 2 + (n % (size.systems - 1)))
    const answer = await ask('POST', '/v2/members', bot, { name: `Soak ${n}` }, system)
    if (answer) note(`/v2/members/${answer.uuid}`, 'name', `Soak ${n}`)
  } else {
    const ids = { id: String(n), original: `8${n}`, channel: known.channel, guild: known.guild }
    const body = { ...ids, sender: known.account, member: memberAt(worker % 20) }
    if (await ask('POST', '/bot/messages', bot, body))
      note(`/v2/messages/${n}`, 'original', `8${n}`)
  }
}

async function check(promised: Promised): Promise<void> {
  const { kind, path, field, accepted, life } = promised
  const current = lives.length
  const answer = await ask('GET', path, known.bigToken)
  // Killed again before it could tell: the next look will.
  if (!answer && (!isUp || lives.length !== current)) return
  checks += 1
  const found = String(answer?.[field])
  if (!accepted.includes(found))
    troubles.push(`lost: ${kind} of life ${life}, ${path} has ${field} ${found}, not ${accepted}`)
  // What a dead server did not do, nobody will.
  promised.accepted = [found]
}

/** The answer, or null if there was none. Only a server that is down may fail to answer well. */
async function ask(
  method: string,
  path: string,
  token: string,
  body?: object,
  system = '',
): Promise<Record<string, unknown> | null> {
  const [wasUp, life] = [isUp, lives.length]
  try {
    const response = await fetch(address + path, {
      method,
      headers: {
        authorization: token,
        'x-forwarded-for': '203.0.113.7',
        'x-system': system,
      },
      signal: AbortSignal.timeout(GIVE_UP_MS),
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Record<string, unknown>
    count(String(response.status))
    const current = lives.at(-1)
    if (current) current.requests += 1
    if (response.ok) return answer
    troubles.push(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
  } catch (cause) {
    const { code, name } = cause as NodeJS.ErrnoException
    count(code ?? name)
    if (wasUp && isUp && life === lives.length)
      troubles.push(`${method} ${path}: ${cause} while the server was up`)
  }
  return null
}

function count(status: string): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
}

async function killNowAndThen(): Promise<void> {
  const end = performance.now() + duration
  for (;;) {
    const life = Math.min(20_000 + 40_000 * random(), duration / 3)
    // The last one is left some time to show that it works.
    if (performance.now() + life + 2000 > end) return
    await Bun.sleep(life)
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
      ...everythingOn,
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: openSync(logFile, 'a'),
  })
  while (!(await fetch(`${address}/health`).catch(() => null))?.ok) {
    if (performance.now() - started > GIVE_UP_MS) {
      child.kill('SIGKILL')
      throw new Error(`no start, see ${logFile}`)
    }
    await Bun.sleep(1)
  }
  lives.push({ startMs: performance.now() - started, requests: 0, memory: [] })
  isUp = true
  return child
}

async function stopServer(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  isUp = false
  server.kill(signal)
  await server.exited
}

function sample(): void {
  const life = lives.at(-1)
  if (isUp) life?.memory.push(Math.round(memoryOf(server.pid)))
  largestLog = Math.max(largestLog, statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0)
}

/** The file itself is whole, and the log knows of no failure. */
function checkFile(): void {
  const database = new Database(file, { readonly: true })
  for (const pragma of ['integrity_check', 'foreign_key_check'])
    for (const row of database.query<object, []>(`PRAGMA ${pragma}`).all()) {
      const text = JSON.stringify(row)
      if (text !== '{"integrity_check":"ok"}') troubles.push(text)
    }
  database.close()
  const errors = readFileSync(logFile, 'utf8').match(/^.*"level":"error".*$/gm) ?? []
  troubles.push(...errors.slice(0, 10))
}

function report(): void {
  const lived = lives.slice(0, -1)
  console.log('\nlife  start ms  seconds  requests  MB after 5 s  highest   end')
  for (const [at, { startMs, requests, memory }] of lived.entries()) {
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
  const ends = lived.map(({ memory }) => memory.at(-1) ?? 0)
  console.log(`
answers              ${list(statuses)}
acknowledged writes  ${list(written)}
read back            ${checks} times
memory               ${lived[0]?.memory[0]} MB at first, ${Math.max(...lived.flatMap(({ memory }) => memory))} at most, lives end with ${Math.min(...ends)} to ${Math.max(...ends)}
write-ahead log      ${(largestLog / 1e6).toFixed(0)} MB at most
troubles             ${troubles.length}`)
  for (const trouble of troubles.slice(0, 20)) console.log(`  ${trouble}`)
}

function memberAt(at: number): string {
  return hidOf(size.bigMembers + 1 + at)
}

function pick<T>(all: readonly T[]): T {
  return all[Math.floor(random() * all.length)] as T
}
