import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeEngine, onServer } from '../test/postgres/engine'
import { copyData, dataFile, folder, full, removeData, type Size } from './data'
import { type Endpoint, endpointsOf } from './endpoints'
import {
  measureEndpoint,
  percentileOf,
  pinned,
  print,
  type Running,
  startLoad,
  startProduct,
} from './measure'
import { program } from './serverProcess'

/**
 * Compares the cost of a request on a large server and on a small one, in turns, on a file and on
 * PostgreSQL. The requested systems are the same; the large one has a hundred times as many others.
 * Exits with 1 if an endpoint misses the goal.
 */
const { values: flags } = parseArgs({
  options: {
    systems: { type: 'string', default: '100000' },
    messages: { type: 'string', default: '5000000' },
    rounds: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '0.2' },
    warmup: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
  },
})

/** Most CPU time of a request on the large server, compared with the small one. */
const GOAL = 1.15
const few: Size = { ...full, systems: 1000, messages: 200_000 }
const many: Size = { ...full, systems: Number(flags.systems), messages: Number(flags.messages) }
const loadLevel = { connections: 16, seconds: Number(flags.seconds), members: full.bigMembers }
const SETTLE_MS = 15_000
const load = startLoad(pinned(1, [process.execPath, 'bench/loadGenerator.ts']))
// One list for all runs: each endpoint continues to count, or a switch would be logged twice.
const endpoints = endpointsOf(full).filter(({ name }) => name.includes(flags.only))

const engine = await makeEngine({ shared_buffers: '1GB', max_wal_size: '8GB', fsync: 'off' })
const files: string[] = []
try {
  const isSmallEnough = await compareFiles()
  await engine.start()
  Bun.spawnSync(['taskset', '-acp', '0', String(engine.pid())])
  for (const name of ['few', 'many']) await copyToEngine(name)
  await inflate()
  const isSmallEnoughOnEngine = await compare('PostgreSQL', [
    await startOn(engine.addressOf('few'), engine.pid()),
    await startOn(engine.addressOf('many'), engine.pid()),
  ])
  await printSizes()
  if (!isSmallEnough || !isSmallEnoughOnEngine) process.exitCode = 1
} finally {
  load.process.kill('SIGTERM')
  files.forEach(removeData)
  await engine.stop('immediate')
  engine.remove()
}

async function compareFiles(): Promise<boolean> {
  console.log('creating the data sets, unless they exist …')
  files.push(await copyData(few, 'few.db'), await copyData(many, 'many.db'))
  const [small = '', large = ''] = files
  const result = await compare('file', [
    await startOn(`file:${small}`),
    await startOn(`file:${large}`),
  ])
  console.log(`${(Bun.file(dataFile(many)).size / 1e9).toFixed(2)} GB\n`)
  files.forEach(removeData)
  return result
}

async function startOn(address: string, databasePid?: number): Promise<Running> {
  const command = pinned(0, [resolve(program[0] ?? ''), ...program.slice(1)])
  const running = await startProduct(join(folder, 'scale.log'), { DATABASE_URL: address }, command)
  return databasePid === undefined ? running : { ...running, databasePid }
}

/** Prints the CPU time of each endpoint on both servers; returns whether all reach the goal. */
async function compare(
  engine: string,
  servers: readonly [small: Running, large: Running],
): Promise<boolean> {
  const rows = [[`CPU µs, ${engine}`, 'few', 'many', 'ratio', 'quartiles', 'goal']]
  let isReached = true
  try {
    // After a start, a server scans all tables once for rows to clean up.
    await Bun.sleep(SETTLE_MS)
    const warmup = Number(flags.warmup) / endpoints.length
    for (const endpoint of endpoints) await measureTurn(endpoint, servers, warmup)
    for (const endpoint of endpoints) {
      const turns: (readonly [number, number])[] = []
      for (let round = 0; round < Number(flags.rounds); round++)
        turns.push(await measureTurn(endpoint, servers, loadLevel.seconds))
      const ratios = turns.map(([small, large]) => large / small)
      const [low, ratio, high] = [0.25, 0.5, 0.75].map((share) => percentileOf(ratios, share))
      isReached &&= (ratio ?? Infinity) <= GOAL
      rows.push([
        endpoint.name,
        ...[0, 1].map((at) =>
          percentileOf(
            turns.map((turn) => turn[at] ?? 0),
            0.5,
          ).toFixed(0),
        ),
        (ratio ?? 0).toFixed(2),
        `${low?.toFixed(2)}–${high?.toFixed(2)}`,
        `${GOAL} ${(ratio ?? Infinity) <= GOAL ? '✓' : '✗'}`,
      ])
    }
  } finally {
    for (const { process } of servers) {
      process.kill('SIGTERM')
      await process.exited
    }
  }
  print(rows)
  return isReached
}

/** Measures the CPU time per request in microseconds, of the server and of its PostgreSQL. */
async function measureTurn(
  endpoint: Endpoint,
  [small, large]: readonly [Running, Running],
  seconds: number,
): Promise<readonly [small: number, large: number]> {
  const level = { ...loadLevel, seconds }
  const { cpu } = await measureEndpoint(load, level, endpoint, small)
  return [cpu, (await measureEndpoint(load, level, endpoint, large)).cpu]
}

/** Prints the sizes of the tables with their indexes. */
async function printSizes(): Promise<void> {
  const sizes: { name: string; rows: number; bytes: number }[] = await onServer(
    engine.addressOf('many'),
    (sql) =>
      sql.unsafe(`
        select regexp_replace(relname, '_[0-9]+$', '') as name, sum(reltuples)::float8 as rows,
          sum(pg_total_relation_size(oid))::float8 as bytes
        from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
        group by 1 having sum(pg_total_relation_size(oid)) > 1e7 order by bytes desc`),
  )
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  print([
    ['table', 'rows', 'GB', 'bytes a row'],
    ...sizes.map(({ name, rows, bytes }) => [
      ...[name, rows.toFixed(0), (bytes / 1e9).toFixed(2), (bytes / rows).toFixed(0)],
    ]),
    ['all', '', (total / 1e9).toFixed(2), ''],
  ])
}

async function copyToEngine(name: string): Promise<void> {
  console.log(`copying the small data set to the database ${name} …`)
  await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe(`create database ${name}`))
  const address = engine.addressOf(name)
  const copied = Bun.spawnSync(
    [...program, 'copy', address, '--database', `file:${dataFile(few)}`],
    {
      stderr: 'inherit',
    },
  )
  if (!copied.success) throw new Error('the data could not be copied')
  await onServer(address, (sql) => sql.unsafe('vacuum analyze'))
}

/** Adds the other systems and messages with SQL. */
async function inflate(): Promise<void> {
  console.log(`adding up to ${many.systems} systems and ${many.messages} messages to PostgreSQL …`)
  await onServer(engine.addressOf('many'), async (sql) => {
    const [{ member }] = await sql.unsafe('select max(id) as member from members')
    const last = Number(member)
    const others = many.systems - few.systems
    for (const step of [
      // Skip 60 million foreign key checks; all rows refer to existing ones.
      'set session_replication_role = replica',
      `insert into systems (id, uuid, hid, name, created)
       select n, '1-' || n, '0' || n, 'System ' || n, 1577836800000000
       from generate_series(${few.systems + 1}, ${many.systems}) n`,
      `insert into settings (system_id) select id from systems where id > ${few.systems}`,
      `insert into accounts (id, system_id)
       select '2' || id, id from systems where id > ${few.systems}`,
      `insert into members (id, uuid, hid, system_id, name, description, created, proxy_tags)
       select ${last} + n, '2-' || n, '0' || n, ${few.systems + 1} + (n - 1) / 20, 'Member ' || n,
         repeat('Keeps the lamps burning. ', 4), 1577836800000000, '[]'
       from generate_series(1, ${others * 20}) n`,
      `insert into rendered_members (id, schema_hash, owner_json, public_json)
       select id, 1, repeat('x', 700), repeat('x', 500) from members where id > ${last}`,
      `insert into proxy_tag_index (member_id, index_id, position, prefix, suffix, prefix_key,
         suffix_key, trimmed_key, trimmed_spaces, bracket_flags)
       select id, system_id, t, 'm' || id || 't' || t || ':', '', 'm' || id || 't' || t || ':', '',
         'm' || id || 't' || t || ':', 0, 0
       from members, generate_series(0, 1) t where id > ${last}`,
      `insert into messages (id, original, sender, channel, guild, system_id, member_id, timestamp)
       select (800000000000000000 + n)::text, (900000000000000000 + n)::text, '1', '2', '3',
         ${few.systems + 1} + n % ${others}, ${last} + 1 + (n % ${others}) * 20, 1577836800000000 + n
       from generate_series(1, ${many.messages - few.messages}) n`,
      'set session_replication_role = origin',
      'vacuum analyze',
    ]) {
      const began = performance.now()
      await sql.unsafe(step)
      console.log(
        `  ${step.slice(0, 40).trim()} … ${((performance.now() - began) / 1000).toFixed(0)} s`,
      )
    }
  })
}
