import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { copyData, folder, full, small } from './data'
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

/** Compares the server with two reference servers on the same file, in turns, by their ratio. */

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
  'cached',
  'ratio',
  'goal',
  'p50 ms',
  'p99',
  'p99.9',
  'CPU µs',
  'built',
  'cached',
]

const size = flags.small ? small : full
const endpoints = endpointsOf(size)

console.log('creating the data set, unless it exists …')
const file = await copyData(size, 'work.db')

const product = await startProduct(join(folder, 'product.log'), {
  DATABASE_URL: `file:${file}`,
  DURABILITY: flags.durability,
})
const built = await startReference('built')
const cached = await startReference('cached')
const load = startLoad()
const loadLevel = {
  connections: Number(flags.connections),
  seconds: Number(flags.seconds),
  members: size.bigMembers,
}
try {
  for (const endpoint of selected()) await expectSame(endpoint)
  const before = [memoryOf(product.pid), memoryOf(built.pid)] as const
  const rows = [HEAD]
  for (const endpoint of selected()) rows.push(await compare(endpoint))
  print(rows)
  console.log()
  print([
    ['memory (MB)', 'server', 'reference', 'ratio', 'goal'],
    memoryRow('before the load', ...before),
    memoryRow('after the load', memoryOf(product.pid), memoryOf(built.pid)),
    memoryRow('most at any time', memoryOf(product.pid, 'VmHWM'), memoryOf(built.pid, 'VmHWM'), 85),
  ])
} finally {
  for (const { process } of [product, built, cached, load]) {
    process.kill('SIGTERM')
    await process.exited
  }
}

function selected(): Endpoint[] {
  return endpoints.filter(({ name }) => name.includes(flags.only))
}

async function startReference(kind: 'built' | 'cached'): Promise<Running> {
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
  throw new Error('the reference server did not start')
}

/** Throws unless all servers give the same response, without which the ratio means nothing. */
async function expectSame(endpoint: Endpoint): Promise<void> {
  const ours = await requestOnce(endpoint, product)
  for (const reference of referencesFor(endpoint)) {
    const theirs = await requestOnce(endpoint, reference)
    if (ours !== theirs)
      throw new Error(
        `${endpoint.name}: the responses differ\n${ours.slice(0, 2000)}\n${theirs.slice(0, 2000)}`,
      )
  }
}

function referencesFor({ cachedGoal }: Endpoint): Running[] {
  return cachedGoal ? [built, cached] : [built]
}

async function requestOnce(endpoint: Endpoint, { port }: Running): Promise<string> {
  const { method, path, as, body } = endpoint
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: as },
    ...(body && { body: fill(body, endpoint.next++, size.bigMembers) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  // The rows that the two servers create differ in ID, time and count, so these are not compared.
  return method === 'GET'
    ? text
    : text
        .replaceAll(/"(id|original|timestamp|color|message_count)":("[^"]*"|\d+)/g, '"$1":…')
        .replaceAll(/"members":\[.*/g, '')
}

async function compare(endpoint: Endpoint): Promise<string[]> {
  const all = [product, ...referencesFor(endpoint)]
  const results = new Map<Running, Measurement[]>(all.map((running) => [running, []]))
  // Warm up, while the code is compiled.
  for (const running of all) await measureEndpoint(load, loadLevel, endpoint, running)
  for (let round = 0; round < Number(flags.rounds); round++)
    // Alternate the order of the servers.
    for (const running of round % 2 === 0 ? all : all.toReversed())
      results.get(running)?.push(await measureEndpoint(load, loadLevel, endpoint, running))
  const ours = medianOf(results.get(product) ?? [])
  const against = (reference: Running, goal: number | undefined) => {
    const turns = results.get(reference)
    if (!turns) return { cells: ['', '', ''], cpu: '' }
    const theirs = medianOf(turns)
    const ratio = ours.perSecond / theirs.perSecond
    const reached = goal ? `${goal.toFixed(2)} ${ratio >= goal ? '✓' : '✗'}` : ''
    return {
      cells: [theirs.perSecond.toFixed(0), ratio.toFixed(2), reached],
      cpu: theirs.cpu.toFixed(0),
    }
  }
  const toBuilt = against(built, endpoint.goal)
  const toCached = against(cached, endpoint.cachedGoal)
  return [
    endpoint.name,
    ours.perSecond.toFixed(0),
    ...toBuilt.cells,
    ...toCached.cells,
    ours.p50.toFixed(2),
    ours.p99.toFixed(2),
    ours.p999.toFixed(2),
    ours.cpu.toFixed(0),
    toBuilt.cpu,
    toCached.cpu,
  ]
}

function memoryRow(name: string, ours: number, theirs: number, goal?: number): string[] {
  const ratio = ours / theirs
  const isReached = goal === undefined ? '' : `${goal} ${ours <= goal ? '✓' : '✗'}`
  return [name, ours.toFixed(0), theirs.toFixed(0), ratio.toFixed(2), isReached]
}
