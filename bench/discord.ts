import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeEngine, onServer } from '../test/postgres/engine'
import { buildExecutables, type Executable } from './discordExecutables'
import {
  createScene,
  EXECUTE,
  type Scene,
  type StandIn,
  sendTagged,
  sendTraffic,
  startStandIn,
  untilConnected,
  warmUp,
} from './discordScene'
import {
  atFixedRate,
  cpuOfProcess,
  type Figure,
  figure,
  percentileOf,
  printFigures,
  type Running,
  startProduct,
} from './measure'
import { isolated, memoryOf } from './serverProcess'

/**
 * Measures the Discord bot on a stand-in for Discord: latency, CPU, memory, size, files in flight,
 * delay of the API and takeover. `--postgres` measures latency, CPU, API and takeover on PostgreSQL.
 */
const { values: flags } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    /** Runs every part briefly, to check that it works. */
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})

const SYSTEMS = flags.short ? 20 : 100
const TRAFFIC_SECONDS = flags.short ? 3 : 30
const TRAFFIC = { seconds: TRAFFIC_SECONDS, perSecond: 150 }
const BUSY_TRAFFIC = { seconds: TRAFFIC_SECONDS, perSecond: 200 }
const ROUNDS = flags.short ? 1 : 5
const MANY_GUILDS = 1000
const LEASE_SECONDS = flags.short ? 2 : 5
/** Time for the background work after a start, and for garbage collections. */
const SETTLE_MS = flags.short ? 1000 : 5000
const MEBIBYTE = 1024 * 1024
/** Deletes a copy again, because its original is gone. */
const WITHDRAW = 'DELETE /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}'

const parts: Record<string, () => Promise<Figure[]>> = {
  traffic: measureTraffic,
  takeover: measureTakeover,
  ...(!flags.postgres && {
    memory: measureMemory,
    attachments: measureAttachments,
  }),
}

const folder = mkdtempSync(join(tmpdir(), 'multitude-discord-'))
const engine = flags.postgres ? await makeEngine() : null
await engine?.start()
let databases = 0
try {
  const figures: Figure[] = []
  for (const [name, measure] of Object.entries(parts).filter(([part]) =>
    part.includes(flags.only),
  )) {
    console.log(`measuring: ${name} …`)
    figures.push(...(await measure()))
  }
  printFigures(`Discord bot on ${flags.postgres ? 'PostgreSQL' : 'SQLite'}`, figures)
} finally {
  await engine?.stop('immediate')
  engine?.remove()
  rmSync(folder, { recursive: true })
}

async function createDatabase(): Promise<string> {
  const name = `bench${databases++}`
  if (!engine) return `file:${join(folder, `${name}.db`)}`
  await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe(`create database ${name}`))
  return engine.addressOf(name)
}

async function stopServer({ process }: Pick<Running, 'process'>): Promise<void> {
  process.kill('SIGTERM')
  await process.exited
}

/** A server with the bot, whose webhooks are known, and a stand-in for Discord. */
interface RunningBot {
  readonly standIn: StandIn
  readonly scene: Scene
  readonly server: Running
  /** Starts another server on the same database. */
  startServer(): Promise<Running>
}

async function withBot<T>(
  { systems, env = {} }: { readonly systems: number; readonly env?: Record<string, string> },
  work: (bot: RunningBot) => Promise<T>,
): Promise<T> {
  const standIn = await startStandIn()
  const servers: Running[] = []
  try {
    const DATABASE_URL = await createDatabase()
    const scene = await createScene(standIn, DATABASE_URL, systems)
    const startServer = async () => {
      const log = join(folder, `server${servers.length}.log`)
      const server = await startProduct(log, { DATABASE_URL, ...standIn.env, ...env })
      servers.push(server)
      return server
    }
    const server = await startServer()
    await untilConnected(standIn)
    await warmUp(standIn, scene)
    return await work({ standIn, scene, server, startServer })
  } finally {
    for (const server of servers) await stopServer(server)
    await standIn.stop()
  }
}

/** Latency and CPU of the bot, and latency of the API while the bot works. */
function measureTraffic(): Promise<Figure[]> {
  return withBot({ systems: SYSTEMS }, async ({ standIn, scene, server }) => {
    // Warm up, while the code is compiled.
    await sendTraffic(standIn, scene, { ...TRAFFIC, seconds: TRAFFIC.seconds / 3 })
    const latencies = await sendTraffic(standIn, scene, TRAFFIC)
    const cpuBefore = cpuOfProcess(server.pid)
    await sendTraffic(standIn, scene, BUSY_TRAFFIC)
    const cpu = cpuOfProcess(server.pid) - cpuBefore
    const name = `frame to webhook request, ${TRAFFIC.perSecond} messages/s`
    const targets = engine ? { p50: 8, p95: 80, p99: null } : { p50: 1, p95: null, p99: 10 }
    const api = await measureApi(standIn, scene, server)
    const withdrawn = await standIn.users.requests({ route: WITHDRAW })
    return [
      figure(`${name}, p50`, percentileOf(latencies, 0.5), targets.p50, 'ms', 2),
      figure(`${name}, p95`, percentileOf(latencies, 0.95), targets.p95, 'ms', 2),
      figure(`${name}, p99`, percentileOf(latencies, 0.99), targets.p99, 'ms', 2),
      figure(
        `CPU, ${BUSY_TRAFFIC.perSecond} messages/s, ${BUSY_TRAFFIC.perSecond / 4} proxied/s`,
        (cpu / BUSY_TRAFFIC.seconds) * 100,
        20,
        '%',
      ),
      ...api,
      figure('proxied messages that the bot deleted again', withdrawn.length, 0, '', 0),
    ]
  })
}

/** Compares the API with and without messages, in turns. */
async function measureApi(standIn: StandIn, scene: Scene, { port }: Running): Promise<Figure[]> {
  const times = { alone: newTimes(), busy: newTimes() }
  const seconds = BUSY_TRAFFIC.seconds / 3
  const measure = (into: RequestTimes) => requestApi(port, scene, seconds, into)
  await measure(newTimes())
  for (let round = 0; round < 3; round++) {
    await measure(times.alone)
    await Promise.all([
      measure(times.busy),
      sendTraffic(standIn, scene, { ...BUSY_TRAFFIC, seconds }),
    ])
  }
  return (['reads', 'writes'] as const).map((kind) => {
    const [alone, busy] = [times.alone, times.busy].map((all) => percentileOf(all[kind], 0.99))
    const ratio = (busy ?? 0) / (alone ?? 0)
    const name = `API while ${BUSY_TRAFFIC.perSecond} messages/s: p99 of ${kind}`
    return {
      ...figure(name, ratio, 1.5, '×', 2),
      measured: `${ratio.toFixed(2)} × (${busy?.toFixed(1)} / ${alone?.toFixed(1)} ms)`,
    }
  })
}

interface RequestTimes {
  readonly reads: number[]
  readonly writes: number[]
}

function newTimes(): RequestTimes {
  return { reads: [], writes: [] }
}

/** Reads a member 80 times and changes it 20 times a second. */
async function requestApi(
  port: number,
  { token, member }: Scene,
  seconds: number,
  { reads, writes }: RequestTimes,
): Promise<void> {
  const url = `http://127.0.0.1:${port}/v2/members/${member}`
  await atFixedRate({ seconds, pauseMs: 10 }, async (at) => {
    const isWrite = at % 5 === 0
    const began = performance.now()
    const response = await fetch(url, {
      headers: { authorization: token },
      ...(isWrite && { method: 'PATCH', body: JSON.stringify({ description: String(began) }) }),
    })
    await response.bytes()
    if (!response.ok) throw new Error(`the API answered ${response.status}`)
    const list = isWrite ? writes : reads
    list.push(performance.now() - began)
  })
}

/** Time from `kill -9` of the active process to the webhook request of a message sent right after. */
function measureTakeover(): Promise<Figure[]> {
  const env = { LEASE_SECONDS: String(LEASE_SECONDS) }
  return withBot({ systems: 1, env }, async ({ standIn, scene, server, startServer }) => {
    const times: number[] = []
    let active = server
    for (let round = 0; round < ROUNDS; round++) {
      const standby = await startServer()
      await Bun.sleep(1000)
      const before = await listExecutions(standIn)
      const killedAt = Date.now()
      active.process.kill('SIGKILL')
      await sendTagged(standIn, scene.people[0], 'hello')
      const executions = await standIn.users.until(
        () => listExecutions(standIn),
        (all) => all.length > before.length,
      )
      times.push(((executions.at(-1)?.at ?? Number.NaN) - killedAt) / 1000)
      active = standby
    }
    const name = `takeover after kill -9, LEASE_SECONDS=${LEASE_SECONDS}, longest of ${ROUNDS}`
    return [figure(name, Math.max(...times), LEASE_SECONDS + 3, 's')]
  })
}

function listExecutions({ users }: StandIn) {
  return users.requests({ route: EXECUTE })
}

/** Size of the executable, and idle memory without a token, with one, and with many guilds. */
async function measureMemory(): Promise<Figure[]> {
  const executables = await buildExecutables(folder)
  const [empty, full] = [await startStandIn(), await startStandIn()]
  const names = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${prefix}-${at}`)
  const guild = { channels: names('channel', 50), roles: names('role', 29) }
  const withoutBot: number[] = []
  const none: number[] = []
  const withToken: number[] = []
  const withGuilds: number[] = []
  try {
    const { id: ownerId } = await full.users.createUser({ username: 'owner' })
    for (let at = 0; at < MANY_GUILDS; at++) await full.users.createGuild({ ...guild, ownerId })
    for (let round = 0; round < ROUNDS; round++) {
      withoutBot.push(await measureIdle(executables.withoutBot, null))
      none.push(await measureIdle(executables.withBot, null))
      withToken.push(await measureIdle(executables.withBot, empty))
      withGuilds.push(await measureIdle(executables.withBot, full))
    }
  } finally {
    await empty.stop()
    await full.stop()
  }
  const more = (all: number[], than: number[]) => percentileOf(all, 0.5) - percentileOf(than, 0.5)
  const perGuild = more(withGuilds, withToken) / MANY_GUILDS
  const sizes = executables.withBot.size - executables.withoutBot.size
  return [
    figure('executable, compared with one without the bot', sizes / MEBIBYTE, 3, 'MiB', 2),
    figure('memory without a token', percentileOf(none, 0.5), null, 'MB'),
    figure('… compared with an executable without the bot', more(none, withoutBot), 0, 'MB'),
    figure('memory with a token and no guild, in addition', more(withToken, none), 10, 'MB'),
    figure('… per 1,000 guilds × 50 channels × 30 roles', perGuild * 1000, 30, 'MB'),
  ]
}

async function measureIdle({ path }: Executable, standIn: StandIn | null): Promise<number> {
  const DATABASE_URL = await createDatabase()
  const migrated = Bun.spawnSync([path, 'migrate'], { env: { ...isolated, DATABASE_URL } })
  if (!migrated.success) throw new Error(migrated.stderr.toString())
  const log = join(folder, 'memory.log')
  const server = await startProduct(log, { DATABASE_URL, ...standIn?.env }, [path])
  try {
    const response = await fetch(`http://127.0.0.1:${server.port}/health`)
    await response.bytes()
    if (standIn) await untilConnected(standIn)
    await Bun.sleep(SETTLE_MS)
    return memoryOf(server.pid)
  } finally {
    await stopServer(server)
  }
}

/**
 * Bytes of files that the bot holds at once: while the webhooks do not answer, it downloads files up
 * to its limit, and those of further messages afterwards.
 */
function measureAttachments(): Promise<Figure[]> {
  const FILE_BYTES = 8 * MEBIBYTE
  const MESSAGES = 20
  const HOLD_MS = 4000
  return withBot({ systems: MESSAGES }, async ({ standIn, scene, server }) => {
    const { users } = standIn
    const memoryBefore = memoryOf(server.pid)
    const before = (await listExecutions(standIn)).length
    await users.failRequests({ route: EXECUTE, kind: 'delay', delayMs: HOLD_MS, times: MESSAGES })
    for (const person of scene.people)
      await sendTagged(standIn, person, 'picture', [{ filename: 'picture.png', size: FILE_BYTES }])
    const [first] = await users.until(
      async () => (await listExecutions(standIn)).slice(before),
      ([execution]) => execution?.status !== null && execution !== undefined,
    )
    const answeredAt = (first?.at ?? 0) + HOLD_MS
    await users.until(
      async () => (await listExecutions(standIn)).slice(before),
      (all) => all.filter(({ status }) => status === 200).length === MESSAGES,
    )
    const held = (await users.downloads()).filter(({ at }) => at < answeredAt).length
    const peak = memoryOf(server.pid, 'VmHWM') - memoryBefore
    const name = `files in flight, ${MESSAGES} messages with ${FILE_BYTES / MEBIBYTE} MiB each`
    return [
      {
        ...figure(name, (held * FILE_BYTES) / MEBIBYTE, 64, 'MiB', 0),
        measured: `${(held * FILE_BYTES) / MEBIBYTE} MiB (${peak.toFixed(0)} MB of memory)`,
      },
    ]
  })
}
