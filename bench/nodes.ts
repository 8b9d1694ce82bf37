import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDeps } from '../src/app/app'
import { operator } from '../src/model/core/privacy'
import { parseConfig } from '../src/runtime/config/config'
import { createSystem } from '../src/service/access/registration'
import { createMember } from '../src/service/members/members'
import { makeEngine, onServer } from '../test/postgres/engine'
import { print, startProduct } from './measure'

/** Measures the delay from a write on one node to the event in a stream on another node. */
const { values: flags } = parseArgs({
  options: { writes: { type: 'string', default: '300' } },
})

const GOALS = { p50: 80, p99: 250 }

const folder = mkdtempSync(join(tmpdir(), 'multitude-nodes-'))
const engine = await makeEngine()
await engine.start()
await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database bench'))
const DATABASE_URL = engine.addressOf('bench')
const { token, member } = await createBenchSystem()
const start = (name: string) => startProduct(join(folder, `${name}.log`), { DATABASE_URL })
const nodes = [await start('writing'), await start('streaming')] as const
const [writing, streaming] = nodes.map(({ port }) => `http://127.0.0.1:${port}/v2/`)
try {
  const arrivalOf = await listen(`${streaming}systems/@me/events`)
  const delays: number[] = []
  for (let at = 0; at < Number(flags.writes); at++) {
    const color = at.toString(16).padStart(6, '0')
    const response = await fetch(`${writing}members/${member}`, {
      method: 'PATCH',
      headers: { authorization: token },
      body: JSON.stringify({ color }),
    })
    if (!response.ok) throw new Error(await response.text())
    const answeredAt = performance.now()
    delays.push((await arrivalOf(color)) - answeredAt)
    // Vary the phase relative to the heartbeat.
    await Bun.sleep(Math.random() * 100)
  }
  delays.sort((a, b) => a - b)
  const percentile = (share: number) =>
    delays[Math.floor((delays.length - 1) * share)] ?? Number.NaN
  print([
    ['ms from the answer to the stream on another node', 'p50', 'goal', 'p99', 'goal', 'most'],
    [
      `${delays.length} writes`,
      ...[percentile(0.5).toFixed(0), verdict(percentile(0.5), GOALS.p50)],
      ...[percentile(0.99).toFixed(0), verdict(percentile(0.99), GOALS.p99)],
      percentile(1).toFixed(0),
    ],
  ])
} finally {
  for (const { process } of nodes) {
    process.kill('SIGTERM')
    await process.exited
  }
  await engine.stop('immediate')
  engine.remove()
  rmSync(folder, { recursive: true })
}

function verdict(time: number, goal: number): string {
  return `${goal} ${time <= goal ? '✓' : '✗'}`
}

async function createBenchSystem(): Promise<{ token: string; member: string }> {
  const { deps, storage } = openDeps(parseConfig({ DATABASE_URL }))
  const { system, token } = await createSystem(
    deps,
    operator,
    { name: 'Lantern' },
    { account: '700000000000000001', tokenName: 'bench' },
  )
  const {
    row: { hid },
  } = await createMember(deps, { ...operator, system: system.id }, { name: 'Wren' })
  await storage.close()
  return { token, member: hid }
}

/** Opens a stream and returns a function that resolves to the time at which a color arrived. */
async function listen(address: string): Promise<(color: string) => Promise<number>> {
  const { body } = await fetch(address, { headers: { authorization: token } })
  const times = new Map<string, number>()
  const waiting = new Map<string, (time: number) => void>()
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of body ?? [])
      for (const [, color = ''] of decoder.decode(chunk).matchAll(/"color":"(\w{6})"/g)) {
        times.set(color, performance.now())
        waiting.get(color)?.(performance.now())
      }
  }
  // Fails when the node stops.
  read().catch(() => {})
  return async (color) => times.get(color) ?? new Promise((resolve) => waiting.set(color, resolve))
}
