import { copyFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Engine, makeEngine, onServer } from '../test/postgres/engine'
import { copyData, folder, full, removeData, type Size, small } from './data'
import { type Endpoint, endpointsOf } from './endpoints'
import { fill } from './loadGenerator'
import {
  type Measurement,
  measureEndpoint,
  percentileOf,
  pinned,
  print,
  type Running,
  startLoad,
  startProduct,
} from './measure'
import { buildRevision } from './revision'
import { memoryOf, program } from './serverProcess'

/**
 * Compares the server with a minimal one, the limit, and with another revision: CPU time per request
 * and requests per second, measured in short turns.
 */

const { values: flags } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    against: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '0.2' },
    warmup: { type: 'string' },
    connections: { type: 'string', default: '16' },
    durability: { type: 'string', default: 'full' },
    only: { type: 'string', default: '' },
  },
})

const SERVER_CORE = 0
const LOAD_CORE = 1
const LOADED_MB = 90
/** Time for the background work after a start. */
const SETTLE_MS = flags.small ? 0 : 2000

/** Measured server: the limit, this revision or the other one. */
interface Contestant {
  readonly name: string
  readonly server: Running
}

const size = sizeOf()
const endpoints = endpointsOf(size).filter(({ name }) => name.includes(flags.only))
const warmup = Number(flags.warmup ?? (flags.small ? 2 : 10))
const loadLevel = {
  connections: Number(flags.connections),
  seconds: Number(flags.seconds),
  members: size.bigMembers,
}

const revision = flags.against ? await buildRevision(flags.against, size) : null
console.log('creating the data set, unless it exists …')
const files: string[] = []
const engine = flags.postgres ? await startEngine() : null
const load = startLoad(pinned(LOAD_CORE, [process.execPath, 'bench/loadGenerator.ts']))
const contestants: Contestant[] = []
try {
  const limit = { name: 'limit', server: await startLimit(await copyOfData('limit.db')) }
  contestants.push(limit)
  const ours = {
    name: 'now',
    server: await startServer('now', program, await copyOfData('now.db')),
  }
  contestants.push(ours)
  if (revision) {
    const file = join(folder, 'against.db')
    removeData(file)
    copyFileSync(revision.file, file)
    files.push(file)
    const server = await startServer('against', [revision.program], file)
    contestants.push({ name: revision.name, server })
  }
  for (const endpoint of endpoints) await expectSame(endpoint)
  await Bun.sleep(SETTLE_MS)
  const idle = contestants.map(({ server }) => memoryOf(server.pid))
  await warmUp()
  const cpu = [cpuHead()]
  const throughput = [throughputHead()]
  for (const endpoint of endpoints) {
    const results = await measureInTurns(endpoint)
    cpu.push(cpuRow(endpoint, results))
    throughput.push(throughputRow(endpoint, results))
  }
  print(cpu)
  console.log()
  print(throughput)
  console.log()
  printMemory(idle)
} finally {
  for (const { process } of [...contestants.map(({ server }) => server), load]) {
    process.kill('SIGTERM')
    await process.exited
  }
  await engine?.stop('immediate')
  engine?.remove()
  files.forEach(removeData)
}

/** Returns the size of the data. Other revisions can only create systems of the full size. */
function sizeOf(): Size {
  if (!flags.small) return full
  const { systems, messages } = small
  return flags.against ? { ...full, systems, messages } : small
}

async function copyOfData(name: string): Promise<string> {
  const file = await copyData(size, name)
  files.push(file)
  return file
}

async function startEngine(): Promise<Engine> {
  const engine = await makeEngine({ shared_buffers: '512MB' })
  await engine.start()
  Bun.spawnSync(['taskset', '-acp', String(SERVER_CORE), String(engine.pid())])
  return engine
}

async function startLimit(file: string): Promise<Running> {
  const command = [process.execPath, 'bench/referenceServer.ts', file, flags.durability]
  const running = Bun.spawn(pinned(SERVER_CORE, command), {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 2,
  })
  const line = await firstLine(running.stdout)
  return { process: running, pid: running.pid, port: Number(new URL(line).port) }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  for await (const chunk of stream) return Buffer.from(chunk).toString().split('\n')[0] ?? ''
  throw new Error('the limit did not start')
}

/** Starts an executable on its file, or on a copy of it in PostgreSQL. */
async function startServer(
  name: string,
  command: readonly string[],
  file: string,
): Promise<Running> {
  const DATABASE_URL = engine ? await copyToEngine(engine, name, command, file) : `file:${file}`
  const running = await startProduct(
    join(folder, `${name}.log`),
    { DATABASE_URL, DURABILITY: flags.durability },
    pinned(SERVER_CORE, [resolve(command[0] ?? ''), ...command.slice(1)]),
  )
  return engine ? { ...running, databasePid: engine.pid() } : running
}

async function copyToEngine(
  engine: Engine,
  name: string,
  command: readonly string[],
  file: string,
): Promise<string> {
  console.log(`copying the data set of ${name} to PostgreSQL …`)
  await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe(`create database ${name}`))
  const address = engine.addressOf(name)
  const copied = Bun.spawnSync([...command, 'copy', address, '--database', `file:${file}`], {
    stderr: 'inherit',
  })
  if (!copied.success) throw new Error('the data could not be copied')
  await onServer(address, (sql) => sql.unsafe('vacuum analyze'))
  return address
}

/**
 * Throws unless the limit gives the same responses, without which the ratio means nothing. Those of
 * another revision may differ.
 */
async function expectSame(endpoint: Endpoint): Promise<void> {
  const [limit, ours, theirs] = await Promise.all(
    contestants.map(({ server }) => requestOnce(endpoint, server)),
  )
  if (ours !== limit)
    throw new Error(
      `${endpoint.name}: the responses differ\n${ours?.slice(0, 2000)}\n${limit?.slice(0, 2000)}`,
    )
  if (theirs !== undefined && theirs !== ours)
    console.log(`${endpoint.name}: ${flags.against} answers with other bytes`)
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
  // The rows that the servers create differ in ID, time and count, so these are not compared.
  return method === 'GET'
    ? text
    : text
        .replaceAll(/"(id|original|timestamp|color|message_count)":("[^"]*"|\d+)/g, '"$1":…')
        .replaceAll(/"members":\[.*/g, '')
}

/** Sends requests to each server, while its code is compiled. */
async function warmUp(): Promise<void> {
  const seconds = warmup / endpoints.length
  for (const endpoint of endpoints)
    for (const { server } of contestants)
      await measureEndpoint(load, { ...loadLevel, seconds }, endpoint, server)
}

/** Measures an endpoint of all servers in turns and returns the results of each, by round. */
async function measureInTurns(endpoint: Endpoint): Promise<Measurement[][]> {
  const results: Measurement[][] = contestants.map(() => [])
  const order = [...contestants.keys()]
  for (let round = 0; round < Number(flags.rounds); round++)
    for (const at of round % 2 === 0 ? order : order.toReversed()) {
      const server = contestants[at]?.server
      if (server) results[at]?.push(await measureEndpoint(load, loadLevel, endpoint, server))
    }
  return results
}

function cpuHead(): string[] {
  const others = contestants.slice(1)
  return [
    `CPU µs${engine ? ' with PostgreSQL' : ''}`,
    ...contestants.flatMap(({ name }) => [name, 'quartiles']),
    ...others.flatMap(({ name }) => [`limit/${name}`, 'quartiles']),
    'goal',
  ]
}

function cpuRow({ name, goal }: Endpoint, results: readonly Measurement[][]): string[] {
  const [limit = [], ...others] = results.map((turns) => turns.map(({ cpu }) => cpu))
  const digits = percentileOf(limit, 0.5) < 100 ? 1 : 0
  // The ratio of each round, because the speed of the machine changes between rounds.
  const ratios = others.map((turns) => turns.map((cpu, at) => (limit[at] ?? Number.NaN) / cpu))
  const [ours = []] = ratios
  return [
    name,
    ...[limit, ...others].flatMap((values) => quartilesOf(values, digits)),
    ...ratios.flatMap((values) => quartilesOf(values, 2)),
    // The goals are for SQLite: the limit is on a file, with and without --postgres.
    engine ? '' : isGoal(goal, percentileOf(ours, 0.5) >= goal),
  ]
}

function throughputHead(): string[] {
  return [
    'requests/s',
    ...contestants.map(({ name }) => name),
    ...contestants.slice(1).flatMap(({ name }) => [`${name}/limit`, 'quartiles']),
    'p50 ms',
    'p99 ms',
  ]
}

function throughputRow({ name }: Endpoint, results: readonly Measurement[][]): string[] {
  const [limit = [], ...others] = results.map((turns) => turns.map(({ perSecond }) => perSecond))
  const ours = results[1] ?? []
  return [
    name,
    ...[limit, ...others].map((values) => percentileOf(values, 0.5).toFixed(0)),
    ...others.flatMap((turns) =>
      quartilesOf(
        turns.map((perSecond, at) => perSecond / (limit[at] ?? Number.NaN)),
        2,
      ),
    ),
    ...(['p50', 'p99'] as const).map((key) =>
      percentileOf(
        ours.map((turn) => turn[key]),
        0.5,
      ).toFixed(2),
    ),
  ]
}

/** Returns the median, and the range from the lower to the upper quartile. */
function quartilesOf(values: readonly number[], digits: number): [median: string, range: string] {
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) =>
    percentileOf(values, share).toFixed(digits),
  )
  return [median ?? '', `${low}–${high}`]
}

function isGoal(goal: number, isReached: boolean): string {
  return `${goal} ${isReached ? '✓' : '✗'}`
}

function printMemory(idle: readonly number[]): void {
  const most = contestants.map(({ server }) => memoryOf(server.pid, 'VmHWM'))
  const after = contestants.map(({ server }) => memoryOf(server.pid))
  const row = (name: string, values: readonly number[], goal?: number) => [
    name,
    ...values.map((value) => value.toFixed(0)),
    goal ? isGoal(goal, (values[1] ?? 0) <= goal) : '',
  ]
  print([
    ['memory (MB)', ...contestants.map(({ name }) => name), 'goal'],
    row('before the load', idle),
    row('after the load', after),
    row('most under load', most, LOADED_MB),
  ])
}
