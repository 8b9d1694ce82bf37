import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeEngine, onServer } from '../test/postgres/engine'
import { copyData, dataFile, folder, full, removeData, type Size } from './data'
import { endpointsOf } from './endpoints'
import { cpuOfFamily, measureEndpoint, medianOf, print, startLoad, startProduct } from './measure'
import { program } from './serverProcess'

/**
 * Compares the cost of a request on a large server and on a small one, on a file and on PostgreSQL.
 * The requested systems are the same; the large one has a hundred times as many others.
 */
const { values: flags } = parseArgs({
  options: {
    systems: { type: 'string', default: '100000' },
    messages: { type: 'string', default: '20000000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
  },
})

const few: Size = { ...full, systems: 1000, messages: 200_000 }
const many: Size = { ...full, systems: Number(flags.systems), messages: Number(flags.messages) }
const loadLevel = { connections: 16, seconds: Number(flags.seconds), members: full.bigMembers }
const SETTLE_MS = 15_000
const load = startLoad()
// One list for all runs: each endpoint continues to count, or a switch would be logged twice.
const endpoints = endpointsOf(full)

const engine = await makeEngine({ shared_buffers: '1GB', max_wal_size: '8GB', fsync: 'off' })
try {
  printCosts('file', await costOnFile(few), await costOnFile(many))
  console.log(`${(Bun.file(dataFile(many)).size / 1e9).toFixed(2)} GB\n`)
  await engine.start()
  await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database bench'))
  copy(dataFile(few), engine.addressOf('bench'))
  await onServer(engine.addressOf('bench'), (sql) => sql.unsafe('vacuum analyze'))
  const small = await costOnServer()
  await inflate()
  printCosts('PostgreSQL', small, await costOnServer())
  await printSizes()
} finally {
  load.process.kill('SIGTERM')
  await engine.stop('immediate')
  engine.remove()
}

type Costs = ReadonlyMap<string, number>

function printCosts(engine: string, small: Costs, large: Costs): void {
  const rows = [...small].map(([name, cost]) => {
    const largeCost = large.get(name) ?? Number.NaN
    return [name, cost.toFixed(0), largeCost.toFixed(0), (largeCost / cost).toFixed(2)]
  })
  print([[`CPU µs, ${engine}`, 'few', 'many', 'ratio'], ...rows])
}

/** Prints the sizes of the tables with their indexes. */
async function printSizes(): Promise<void> {
  const sizes: { name: string; rows: number; bytes: number }[] = await onServer(
    engine.addressOf('bench'),
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

async function costOnFile(size: Size): Promise<Costs> {
  console.log(`measuring a file with ${size.systems} systems …`)
  const file = await copyData(size, 'scale.db')
  return measureCosts(`file:${file}`, () => 0).finally(() => removeData(file))
}

function costOnServer(): Promise<Costs> {
  return measureCosts(engine.addressOf('bench'), () => cpuOfFamily(engine.pid()))
}

/** Measures the CPU time per request in microseconds, of the node and of the database server. */
async function measureCosts(address: string, databaseCpu: () => number): Promise<Costs> {
  const running = await startProduct(join(folder, 'scale.log'), { DATABASE_URL: address })
  const costs = new Map<string, number>()
  // After a start, the server scans all tables once for rows to clean up.
  await Bun.sleep(SETTLE_MS)
  try {
    for (const endpoint of endpoints) {
      await measureEndpoint(load, loadLevel, endpoint, running)
      const turns: { cpu: number }[] = []
      for (let round = 0; round < Number(flags.rounds); round++) {
        const before = databaseCpu()
        const turn = await measureEndpoint(load, loadLevel, endpoint, running)
        const served = ((databaseCpu() - before) / (turn.perSecond * loadLevel.seconds)) * 1e6
        turns.push({ ...turn, cpu: turn.cpu + served })
      }
      costs.set(endpoint.name, medianOf(turns as Parameters<typeof medianOf>[0]).cpu)
    }
  } finally {
    running.process.kill('SIGTERM')
    await running.process.exited
  }
  return costs
}

function copy(from: string, to: string): void {
  console.log('copying the small data set to PostgreSQL …')
  const copied = Bun.spawnSync([...program, 'copy', to, '--database', `file:${from}`], {
    stderr: 'inherit',
  })
  if (!copied.success) throw new Error('the data could not be copied')
}

/** Adds the other systems and messages with SQL. */
async function inflate(): Promise<void> {
  console.log(`adding up to ${many.systems} systems and ${many.messages} messages to PostgreSQL …`)
  await onServer(engine.addressOf('bench'), async (sql) => {
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
