import { copyFileSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { dataFile, hidOf, known, makeData, messageOf, small, whole } from './data'
import { fill, type Measured, type Orders } from './load'
import { everythingOn, memoryOf, program } from './product'

/** Product and limit in turns on the same file: what is read off is the ratio, not the seconds. */

const { values: flags } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '16' },
    durability: { type: 'string', default: 'full' },
    only: { type: 'string', default: '' },
  },
})

interface Endpoint {
  name: string
  method: 'GET' | 'PATCH' | 'POST'
  path: string
  as: string
  body?: string
  /** What the product shall reach of what the limits do that build at each read, and read faces. */
  goal: number
  facesGoal?: number
  /** The number of its next request, counted by itself: the next switch never has the fronters of the last. */
  next: number
}

const HEAD = [
  'endpoint',
  'req/s',
  'built',
  'ratio',
  'goal',
  'faces',
  'ratio',
  'goal',
  'p50 ms',
  'p99',
  'p99.9',
  'CPU µs',
  'built',
  'faces',
]

const size = flags.small ? small : whole
const owner = { big: known.bigToken, typical: known.token, bot: `Bot ${known.botKey}` }
const typicalMember = hidOf(size.bigMembers + 1)
const deepest = '2020-01-02T00:00:00Z'
// Also the time of each switch in milliseconds, so it starts far behind all that are there.
const FIRST = Date.UTC(2025, 0, 1)

const endpoints: Endpoint[] = [
  get('GET system', `/v2/systems/${known.typical}`, owner.typical, 0.8, 0.7),
  get('GET member', `/v2/members/${typicalMember}`, owner.typical, 0.8, 0.7),
  get('GET fronters', `/v2/systems/${known.typical}/fronters`, owner.typical, 0.85, 0.7),
  get('GET message', `/v2/messages/${messageOf(77)}`, owner.typical, 0.8, 0.7),
  get('GET members (20)', `/v2/systems/${known.typical}/members`, owner.typical, 1.5, 0.8),
  get(`GET members (${size.bigMembers})`, `/v2/systems/${known.big}/members`, owner.big, 3, 0.9),
  get(
    `GET groups with members (${size.bigGroups})`,
    `/v2/systems/${known.big}/groups?with_members=true`,
    owner.big,
    1,
    0.85,
  ),
  get('GET switches (newest 100)', `/v2/systems/${known.big}/switches`, owner.big, 0.9),
  get(
    'GET switches (deepest 100)',
    `/v2/systems/${known.big}/switches?before=${deepest}`,
    owner.big,
    0.9,
  ),
  {
    ...write('PATCH member', 'PATCH', `/v2/members/${typicalMember}`, owner.typical),
    body: '{"color":"{hex}"}',
  },
  {
    ...write('POST switch', 'POST', `/v2/systems/${known.big}/switches`, owner.big),
    body: '{"timestamp":"{time}","members":["{member}"]}',
  },
  {
    ...write('POST /bot/proxy (20)', 'POST', '/bot/proxy', owner.bot),
    body: proxyBody(known.account, 'm7t1:hello there'),
    goal: 0.65,
  },
  {
    ...write(`POST /bot/proxy (${size.bigMembers})`, 'POST', '/bot/proxy', owner.bot),
    body: proxyBody(known.bigAccount, 'm77t7:hello there'),
    goal: 0.65,
  },
  {
    ...write('POST /bot/messages', 'POST', '/bot/messages', owner.bot),
    body: `{"id":"{n}","original":"8{n}","sender":"${known.account}","channel":"${known.channel}","guild":"${known.guild}","member":"${typicalMember}","timestamp":"2026-01-01T00:00:00Z"}`,
  },
]

const folder = join(tmpdir(), 'multitude-bench')
mkdirSync(folder, { recursive: true })
const pristine = dataFile(folder, flags.small)
const file = join(folder, 'work.db')
console.log('making the data, unless it is there …')
await makeData(pristine, size)
for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
copyFileSync(pristine, file)

const product = await startProduct()
const built = await startLimit('built')
const faces = await startLimit('faces')
const load = startLoad()
try {
  for (const endpoint of chosen()) await expectSame(endpoint)
  const before = [memoryOf(product.pid), memoryOf(built.pid)] as const
  const rows = [HEAD]
  for (const endpoint of chosen()) rows.push(await compare(endpoint))
  print(rows)
  console.log()
  print([
    ['memory (MB)', 'product', 'limit', 'ratio', 'goal'],
    memoryRow('before the load', ...before),
    memoryRow('after the load', memoryOf(product.pid), memoryOf(built.pid)),
    memoryRow('most at any time', memoryOf(product.pid, 'VmHWM'), memoryOf(built.pid, 'VmHWM'), 85),
  ])
} finally {
  for (const { process } of [product, built, faces, load]) {
    process.kill('SIGTERM')
    await process.exited
  }
}

function chosen(): Endpoint[] {
  return endpoints.filter(({ name }) => name.includes(flags.only))
}

function get(name: string, path: string, as: string, goal: number, facesGoal?: number): Endpoint {
  return { name, method: 'GET', path, as, goal, next: FIRST, ...(facesGoal && { facesGoal }) }
}

function write(name: string, method: 'PATCH' | 'POST', path: string, as: string): Endpoint {
  return { name, method, path, as, goal: 1.2, next: FIRST }
}

function proxyBody(account: string, content: string): string {
  return JSON.stringify({
    account_id: account,
    guild_id: known.guild,
    channel_id: known.channel,
    content,
  })
}

interface Running {
  process: Bun.Subprocess<'pipe' | 'ignore', 'pipe' | 'ignore', number>
  pid: number
  port: number
}

/** The product with everything on: token, limits behind a proxy, CORS, a log to a file. */
async function startProduct(): Promise<Running> {
  const log = join(folder, 'product.log')
  const running = Bun.spawn([...program, 'serve'], {
    env: {
      PORT: '0',
      DATABASE_URL: `file:${file}`,
      DURABILITY: flags.durability,
      ...everythingOn,
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: openSync(log, 'w'),
  })
  for (let tries = 0; tries < 200; tries++) {
    await Bun.sleep(25)
    const [, port] = /"address":"http:\/\/127.0.0.1:(\d+)/.exec(readFileSync(log, 'utf8')) ?? []
    if (port) return { process: running, pid: running.pid, port: Number(port) }
  }
  throw new Error(`the product did not start, see ${log}`)
}

async function startLimit(kind: 'built' | 'faces'): Promise<Running> {
  const running = Bun.spawn([process.execPath, 'bench/limit.ts', file, flags.durability, kind], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 2,
  })
  const line = await firstLine(running.stdout)
  return { process: running, pid: running.pid, port: Number(new URL(line).port) }
}

function startLoad() {
  const running = Bun.spawn([process.execPath, 'bench/load.ts'], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 2,
  })
  const reader = running.stdout.getReader()
  return {
    process: running,
    async press(orders: Orders): Promise<Measured> {
      running.stdin.write(`${JSON.stringify(orders)}\n`)
      running.stdin.flush()
      const { value } = await reader.read()
      return JSON.parse(Buffer.from(value ?? []).toString())
    },
  }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  for await (const chunk of stream) return Buffer.from(chunk).toString().split('\n')[0] ?? ''
  throw new Error('the limit server did not start')
}

/** The ratio means nothing unless all give the same answer. */
async function expectSame(endpoint: Endpoint): Promise<void> {
  const ours = await askOnce(endpoint, product)
  for (const limit of limitsFor(endpoint)) {
    const least = await askOnce(endpoint, limit)
    if (ours !== least)
      throw new Error(
        `${endpoint.name}: the answers differ\n${ours.slice(0, 2000)}\n${least.slice(0, 2000)}`,
      )
  }
}

function limitsFor({ facesGoal }: Endpoint): Running[] {
  return facesGoal ? [built, faces] : [built]
}

async function askOnce(endpoint: Endpoint, { port }: Running): Promise<string> {
  const { method, path, as, body } = endpoint
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: as },
    ...(body && { body: fill(body, endpoint.next++, size.bigMembers) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  // What each makes has an ID, a time or a count of its own.
  return method === 'GET'
    ? text
    : text
        .replaceAll(/"(id|original|timestamp|color|message_count)":("[^"]*"|\d+)/g, '"$1":…')
        .replaceAll(/"members":\[.*/g, '')
}

async function compare(endpoint: Endpoint): Promise<string[]> {
  const all = [product, ...limitsFor(endpoint)]
  const results = new Map<Running, Turn[]>(all.map((running) => [running, []]))
  // All compile while they run: what an endpoint costs shows once it is warm.
  for (const running of all) await take(endpoint, running)
  for (let round = 0; round < Number(flags.rounds); round++)
    // They take turns at going first, too.
    for (const running of round % 2 === 0 ? all : all.toReversed())
      results.get(running)?.push(await take(endpoint, running))
  const ours = medianOf(results.get(product) ?? [])
  const against = (limit: Running, goal: number | undefined) => {
    const turns = results.get(limit)
    if (!turns) return { cells: ['', '', ''], cpu: '' }
    const least = medianOf(turns)
    const ratio = ours.perSecond / least.perSecond
    const reached = goal ? `${goal.toFixed(2)} ${ratio >= goal ? '✓' : '✗'}` : ''
    return {
      cells: [least.perSecond.toFixed(0), ratio.toFixed(2), reached],
      cpu: least.cpu.toFixed(0),
    }
  }
  const toBuilt = against(built, endpoint.goal)
  const toFaces = against(faces, endpoint.facesGoal)
  return [
    endpoint.name,
    ours.perSecond.toFixed(0),
    ...toBuilt.cells,
    ...toFaces.cells,
    ours.p50.toFixed(2),
    ours.p99.toFixed(2),
    ours.p999.toFixed(2),
    ours.cpu.toFixed(0),
    toBuilt.cpu,
    toFaces.cpu,
  ]
}

interface Turn {
  perSecond: number
  p50: number
  p99: number
  p999: number
  /** Microseconds of CPU per request. */
  cpu: number
}

async function take(endpoint: Endpoint, { pid, port }: Running): Promise<Turn> {
  const before = cpuOf(pid)
  const measured = await load.press({
    port,
    connections: Number(flags.connections),
    seconds: Number(flags.seconds),
    method: endpoint.method,
    path: endpoint.path,
    headers: { authorization: endpoint.as, 'x-forwarded-for': '203.0.113.7' },
    body: endpoint.body ?? null,
    from: endpoint.next,
    members: size.bigMembers,
  })
  endpoint.next = measured.next
  const { failures, firstFailure } = measured
  if (failures > 0) throw new Error(`${endpoint.name}: ${failures} failures\n${firstFailure}`)
  const { p50, p99, p999, requests, seconds } = measured
  return {
    perSecond: requests / seconds,
    p50,
    p99,
    p999,
    cpu: ((cpuOf(pid) - before) / requests) * 1e6,
  }
}

function medianOf(turns: Turn[]): Turn {
  const middle = (key: keyof Turn) =>
    turns.map((turn) => turn[key]).toSorted((a, b) => a - b)[Math.floor(turns.length / 2)] ?? 0
  return {
    perSecond: middle('perSecond'),
    p50: middle('p50'),
    p99: middle('p99'),
    p999: middle('p999'),
    cpu: middle('cpu'),
  }
}

/** Seconds of CPU that a process has used; only Linux tells. */
function cpuOf(pid: number): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function memoryRow(name: string, ours: number, least: number, goal?: number): string[] {
  const ratio = ours / least
  const isReached = goal === undefined ? '' : `${goal} ${ours <= goal ? '✓' : '✗'}`
  return [name, ours.toFixed(0), least.toFixed(0), ratio.toFixed(2), isReached]
}

/** The first row is the head. */
function print(rows: string[][]): void {
  const widths =
    rows[0]?.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length))) ?? []
  for (const row of rows)
    console.log(
      row
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0),
        )
        .join('  '),
    )
}
