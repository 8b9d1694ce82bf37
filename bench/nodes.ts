import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDeps } from '../src/app'
import { parseConfig } from '../src/config'
import { operator } from '../src/model/privacy'
import { createMember } from '../src/service/members'
import { createSystem } from '../src/service/systems'
import { makeEngine, onServer } from '../test/postgres/engine'
import { print, startProduct } from './measure'

/** Two nodes on one PostgreSQL: how late a stream on one hears what was written on the other. */
const { values: flags } = parseArgs({
  options: { writes: { type: 'string', default: '300' } },
})

const GOALS = { p50: 80, p99: 250 }

const folder = mkdtempSync(join(tmpdir(), 'multitude-nodes-'))
const engine = await makeEngine()
await engine.start()
await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database bench'))
const DATABASE_URL = engine.addressOf('bench')
const { token, member } = await makeSystem()
const start = (name: string) => startProduct(join(folder, `${name}.log`), { DATABASE_URL })
const nodes = [await start('writing'), await start('hearing')] as const
const [writing, hearing] = nodes.map(({ port }) => `http://127.0.0.1:${port}/v2/`)
try {
  const heard = await listen(`${hearing}systems/@me/events`)
  const late: number[] = []
  for (let at = 0; at < Number(flags.writes); at++) {
    const color = at.toString(16).padStart(6, '0')
    const response = await fetch(`${writing}members/${member}`, {
      method: 'PATCH',
      headers: { authorization: token },
      body: JSON.stringify({ color }),
    })
    if (!response.ok) throw new Error(await response.text())
    const answered = performance.now()
    late.push((await heard(color)) - answered)
    // Not in step with the beat.
    await Bun.sleep(Math.random() * 100)
  }
  late.sort((a, b) => a - b)
  const part = (share: number) => late[Math.floor((late.length - 1) * share)] ?? Number.NaN
  print([
    ['ms from the answer to the stream on another node', 'p50', 'goal', 'p99', 'goal', 'most'],
    [
      `${late.length} writes`,
      ...[part(0.5).toFixed(0), verdict(part(0.5), GOALS.p50)],
      ...[part(0.99).toFixed(0), verdict(part(0.99), GOALS.p99)],
      part(1).toFixed(0),
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

async function makeSystem(): Promise<{ token: string; member: string }> {
  const { deps, storage } = openDeps(parseConfig({ DATABASE_URL }))
  const { system, token } = await createSystem(
    deps,
    operator,
    { name: 'Lantern' },
    { account: '700000000000000001', tokenName: 'bench' },
  )
  const { hid } = await createMember(deps, { ...operator, system: system.id }, { name: 'Wren' })
  await storage.close()
  return { token, member: hid }
}

/** When something was told by a stream, which stays open. */
async function listen(address: string): Promise<(what: string) => Promise<number>> {
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
  // Ends with the node.
  read().catch(() => {})
  return async (what) => times.get(what) ?? new Promise((tell) => waiting.set(what, tell))
}
