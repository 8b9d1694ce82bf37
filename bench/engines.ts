import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDeps } from '../src/app/app'
import { operator } from '../src/model/core/privacy'
import { parseConfig } from '../src/runtime/config/config'
import { createSystem } from '../src/service/access/registration'
import { createMember } from '../src/service/members/members'
import { makeEngine, onServer } from '../test/postgres/engine'
import { copyData, folder, full, type Size, small } from './data'
import { type Endpoint, endpointsOf } from './endpoints'
import type { LoadOptions } from './loadGenerator'
import {
  cpuOfFamily,
  type Measurement,
  measureEndpoint,
  medianOf,
  print,
  startLoad,
  startProduct,
} from './measure'
import { program } from './serverProcess'

/**
 * Compares a file and PostgreSQL on the same data, in turns. Reports the CPU time per request of
 * the node alone and of node and PostgreSQL together, relative to the file.
 */
const { values: flags } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: '' },
    systems: { type: 'string' },
    messages: { type: 'string' },
  },
})

const goals: [name: RegExp, together: number][] = [
  [/^GET (system|member|fronters|message)$/, 3.5],
  [/^GET members \(20\)$/, 2.5],
  [/^GET switches/, 4.5],
  [/^PATCH member$/, 6.5],
  [/^POST \/bot\/messages$/, 8],
]

const SYSTEMS = 64

const size = sizeOf(flags)
console.log('creating the data set, unless it exists …')
const file = await copyData(size, 'engines.db')

const engine = await makeEngine({ shared_buffers: '512MB' })
await engine.start()
await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database bench'))
console.log('copying the data set to PostgreSQL …')
const copied = Bun.spawnSync(
  [...program, 'copy', engine.addressOf('bench'), '--database', `file:${file}`],
  { stderr: 'inherit' },
)
if (!copied.success) throw new Error('the data could not be copied')
await onServer(engine.addressOf('bench'), (sql) => sql.unsafe('vacuum analyze'))

const writers = {
  file: await createWriters(`file:${file}`),
  engine: await createWriters(engine.addressOf('bench')),
}
const onFile = await startProduct(join(folder, 'file.log'), { DATABASE_URL: `file:${file}` })
const onEngine = await startProduct(join(folder, 'postgres.log'), {
  DATABASE_URL: engine.addressOf('bench'),
})
const load = startLoad()
const loadLevel = {
  connections: Number(flags.connections),
  seconds: Number(flags.seconds),
  members: size.bigMembers,
}
try {
  const rows = [
    ['endpoint', 'file µs', 'node µs', 'engine µs', 'node', 'together', 'goal', 'req/s', 'req/s'],
  ]
  for (const endpoint of endpointsOf(size).filter(({ name }) => name.includes(flags.only)))
    rows.push(await compare(endpoint))
  print(rows)
} finally {
  for (const { process } of [onFile, onEngine, load]) {
    process.kill('SIGTERM')
    await process.exited
  }
  await engine.stop('immediate')
  engine.remove()
}

/** Creates many systems for concurrent writes, because writes of one system are serialized. */
async function createWriters(address: string) {
  const { deps, storage } = openDeps(parseConfig({ DATABASE_URL: address }))
  const created: { account: string; token: string; member: string }[] = []
  for (let at = 0; at < SYSTEMS; at++) {
    const account = String(700_000_000_000_000_000n + BigInt(at))
    const { system, token } = await createSystem(
      deps,
      operator,
      { name: `Crowd ${at}` },
      { account, tokenName: 'bench' },
    )
    const { row: member } = await createMember(
      deps,
      { ...operator, system: system.id },
      { name: 'Wren' },
    )
    created.push({ account, token, member: member.hid })
  }
  await storage.close()
  return ({ name, as, body = '' }: Endpoint): LoadOptions['variants'] => {
    if (name === 'PATCH member')
      return created.map(({ token, member }) => ({
        path: `/v2/members/${member}`,
        authorization: token,
        body,
      }))
    if (name !== 'POST /bot/messages') return undefined
    return created.map(({ account, member }) => ({
      path: '/bot/messages',
      authorization: as,
      body: body
        .replace(/"sender":"\d+"/, `"sender":"${account}"`)
        .replace(/"member":"\w+"/, `"member":"${member}"`),
    }))
  }
}

function sizeOf({ small: isSmall, systems, messages }: typeof flags): Size {
  const base = isSmall ? small : full
  return {
    ...base,
    systems: Number(systems ?? base.systems),
    messages: Number(messages ?? base.messages),
  }
}

async function compare(endpoint: Endpoint): Promise<string[]> {
  const turns = { file: [] as Measurement[], node: [] as Measurement[], engine: [] as number[] }
  const ofFile = writers.file(endpoint)
  const ofEngine = writers.engine(endpoint)
  await measureEndpoint(load, loadLevel, endpoint, onFile, ofFile)
  await measureEndpoint(load, loadLevel, endpoint, onEngine, ofEngine)
  for (let round = 0; round < Number(flags.rounds); round++) {
    turns.file.push(await measureEndpoint(load, loadLevel, endpoint, onFile, ofFile))
    const before = cpuOfFamily(engine.pid())
    const turn = await measureEndpoint(load, loadLevel, endpoint, onEngine, ofEngine)
    turns.node.push(turn)
    turns.engine.push(
      ((cpuOfFamily(engine.pid()) - before) / (turn.perSecond * loadLevel.seconds)) * 1e6,
    )
  }
  const embedded = medianOf(turns.file)
  const node = medianOf(turns.node)
  const served = turns.engine.toSorted((a, b) => a - b)[turns.engine.length >> 1] ?? 0
  const together = (node.cpu + served) / embedded.cpu
  const goal = goals.find(([name]) => name.test(endpoint.name))?.[1]
  return [
    endpoint.name,
    embedded.cpu.toFixed(0),
    node.cpu.toFixed(0),
    served.toFixed(0),
    (node.cpu / embedded.cpu).toFixed(2),
    together.toFixed(2),
    goal ? `${goal.toFixed(1)} ${together <= goal ? '✓' : '✗'}` : '',
    embedded.perSecond.toFixed(0),
    node.perSecond.toFixed(0),
  ]
}
