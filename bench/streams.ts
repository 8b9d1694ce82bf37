import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDeps } from '../src/app/app'
import { parseConfig } from '../src/runtime/config/config'
import { createMember } from '../src/service/members/members'
import { createSystem } from '../test/tools/operatorActions'

/** Measures the delay of switches in a thousand open streams, and the memory of the server. */

const { values: flags } = parseArgs({
  options: {
    streams: { type: 'string', default: '1000' },
    switches: { type: 'string', default: '50' },
    pause: { type: 'string', default: '100' },
  },
})
const STREAMS = Number(flags.streams)
const SWITCHES = Number(flags.switches)
const PAUSE_MS = Number(flags.pause)

/** Number of systems that share the streams, and path of the stream. */
const scenarios = [
  { name: 'fronters of one system', systems: 1, path: (hid: string) => `${hid}/fronters/stream` },
  {
    name: 'fronters of 100 systems',
    systems: 100,
    path: (hid: string) => `${hid}/fronters/stream`,
  },
  { name: 'own events of 100 systems', systems: 100, path: () => '@me/events' },
]

interface Owner {
  hid: string
  token: string
  members: string[]
  switches: number
}

const folder = mkdtempSync(join(tmpdir(), 'multitude-streams-'))
const env = { DATABASE_URL: `file:${join(folder, 'bench.db')}` }
const owners = await createOwners(Math.max(...scenarios.map(({ systems }) => systems)))
const server = await startServer()
try {
  console.log(`${STREAMS} streams, ${SWITCHES} switches, one each ${PAUSE_MS} ms`)
  for (const scenario of scenarios) await run(scenario)
} finally {
  server.child.kill('SIGTERM')
  await server.child.exited
  rmSync(folder, { recursive: true })
}

async function run({ name, systems, path }: (typeof scenarios)[number]): Promise<void> {
  const before = memory()
  const shared = owners.slice(0, systems)
  const arrivals = new Map<string, number[]>()
  const recordArrival = (uuid: string) => {
    const times = arrivals.get(uuid) ?? []
    times.push(performance.now())
    arrivals.set(uuid, times)
  }
  const readers = await Promise.all(
    Array.from({ length: STREAMS }, (_, n) => {
      const { hid, token } = shared[n % systems] as Owner
      return read(path(hid), token, recordArrival)
    }),
  )
  const open = memory()
  const delays: number[] = []
  const responseTimes: number[] = []
  let missing = 0
  for (let n = 0; n < SWITCHES; n++) {
    const started = performance.now()
    const uuid = await logSwitch(shared[n % systems] as Owner)
    responseTimes.push(performance.now() - started)
    const expected = STREAMS / systems
    const giveUpAt = started + 5000
    while ((arrivals.get(uuid)?.length ?? 0) < expected && performance.now() < giveUpAt)
      await Bun.sleep(2)
    const times = arrivals.get(uuid) ?? []
    delays.push(...times.map((time) => time - started))
    missing += expected - times.length
    await Bun.sleep(Math.max(0, PAUSE_MS - (performance.now() - started)))
  }
  const underLoad = memory()
  for (const reader of readers) reader.end()
  await Bun.sleep(2000)
  console.log(`
${name}
  received ${delays.length} times, missing ${missing}
  sent to received   p50 ${percentile(delays, 0.5)}  p99 ${percentile(delays, 0.99)}  worst ${percentile(delays, 1)}
  sent to answered   p50 ${percentile(responseTimes, 0.5)}  p99 ${percentile(responseTimes, 0.99)}
  server's memory    before ${before} MB  open ${open} MB  under load ${underLoad} MB  after ${memory()} MB`)
}

/** Opens a stream on a raw socket, because fetch limits the number of connections. */
async function read(path: string, token: string, recordArrival: (uuid: string) => void) {
  const { hostname, port } = new URL(server.address)
  const opened = Promise.withResolvers<void>()
  let rest = ''
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        const blocks = (rest + chunk.toString()).split('\n\n')
        rest = blocks.pop() ?? ''
        if (blocks.length > 0) opened.resolve()
        for (const block of blocks) {
          // The first "id" in the data of a switch is its own UUID.
          const [, uuid] = /data: .*?"id":"([0-9a-f-]{36})"/.exec(block) ?? []
          if (uuid) recordArrival(uuid)
        }
      },
      error: (_, cause) => opened.reject(cause),
    },
  })
  const request = `GET /v2/systems/${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${token}\r\n\r\n`
  socket.write(request)
  await opened.promise
  return socket
}

async function logSwitch(owner: Owner): Promise<string> {
  const { token, members } = owner
  const fronter = members[owner.switches++ % members.length]
  const response = await fetch(`${server.address}/v2/systems/@me/switches`, {
    method: 'POST',
    headers: { authorization: token },
    body: JSON.stringify({ members: [fronter] }),
  })
  if (!response.ok) throw new Error(await response.text())
  const { id } = (await response.json()) as { id: string }
  return id
}

async function createOwners(count: number): Promise<Owner[]> {
  const { deps, storage } = openDeps(parseConfig(env))
  const created: Owner[] = []
  for (let n = 0; n < count; n++) {
    const link = { account: null, tokenName: 'bench' }
    const { system, token } = await createSystem(deps, { name: `system ${n}` }, link)
    const members: string[] = []
    for (const name of ['Wren', 'Finch', 'Heron'])
      members.push(
        (await createMember(deps, { system: system.id, platform: null }, { name })).row.hid,
      )
    created.push({ hid: system.hid, token, members, switches: 0 })
  }
  await storage.close()
  return created
}

async function startServer() {
  const main = join(import.meta.dir, '../src/main.ts')
  const command = [process.execPath, main, 'serve', '--port', '0', '--log-format', 'json']
  const child = Bun.spawn(command, { env, stdout: 'ignore', stderr: 'pipe' })
  const listening = Promise.withResolvers<string>()
  const listen = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) {
      const [, address] = /"address":"([^"]+)"/.exec(decoder.decode(chunk)) ?? []
      if (address) listening.resolve(address)
    }
    listening.reject(new Error('the server did not start'))
  }
  listen()
  return { child, address: await listening.promise }
}

function memory(): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}

function percentile(values: number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = Math.min(sorted.length - 1, Math.floor(sorted.length * share))
  return `${(sorted[at] ?? 0).toFixed(1)} ms`
}
