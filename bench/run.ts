import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { folder, freshData, small, whole } from './data'
import { type Endpoint, endpointsOf } from './endpoints'
import { fill } from './loadGenerator'
import {
  type Measurement,
  measureEndpoint,
  medianOf,
  print,
  type Running,
  startLoad,
  startProduct,
} from './measure'
import { memoryOf } from './serverProcess'

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
const endpoints = endpointsOf(size)

console.log('making the data, unless it is there …')
const file = await freshData(size, 'work.db')

const product = await startProduct(join(folder, 'product.log'), {
  DATABASE_URL: `file:${file}`,
  DURABILITY: flags.durability,
})
const built = await startLimit('built')
const faces = await startLimit('faces')
const load = startLoad()
const pressure = {
  connections: Number(flags.connections),
  seconds: Number(flags.seconds),
  members: size.bigMembers,
}
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

async function startLimit(kind: 'built' | 'faces'): Promise<Running> {
  const running = Bun.spawn(
    [process.execPath, 'bench/referenceServer.ts', file, flags.durability, kind],
    {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 2,
    },
  )
  const line = await firstLine(running.stdout)
  return { process: running, pid: running.pid, port: Number(new URL(line).port) }
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
  const results = new Map<Running, Measurement[]>(all.map((running) => [running, []]))
  // All compile while they run: what an endpoint costs shows once it is warm.
  for (const running of all) await measureEndpoint(load, pressure, endpoint, running)
  for (let round = 0; round < Number(flags.rounds); round++)
    // They take turns at going first, too.
    for (const running of round % 2 === 0 ? all : all.toReversed())
      results.get(running)?.push(await measureEndpoint(load, pressure, endpoint, running))
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

function memoryRow(name: string, ours: number, least: number, goal?: number): string[] {
  const ratio = ours / least
  const isReached = goal === undefined ? '' : `${goal} ${ours <= goal ? '✓' : '✗'}`
  return [name, ours.toFixed(0), least.toFixed(0), ratio.toFixed(2), isReached]
}
