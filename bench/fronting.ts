/**
 * How long stints and their sums take over a month, a year and everything, and how long everybody
 * else waits meanwhile. By hand: `bun bench/fronting.ts`. Counted is the processor's time, so that
 * other programs on the machine do not matter.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/app'
import { parseConfig } from '../src/config'
import { createInserter } from '../src/db/rows'
import type { Db } from '../src/db/types'
import { createLog } from '../src/log'
import { DAY, formatInstant, type Instant } from '../src/model/time'
import { insertMember } from '../src/service/members'
import { insertSystem } from '../src/service/systems'
import { createRandom } from './data'

const NOW: Instant = Date.UTC(2026, 0, 1) * 1000
const YEARS = 6

const histories = [
  { says: '100,000 switches, 1 to 3 of 30 members', members: 30, switches: 100_000, most: 3 },
  { says: '5,000 switches, 150 of 1,000 members', members: 1000, switches: 5_000, most: 150 },
  {
    says: '10,000 switches, all of 150 members and nobody',
    members: 150,
    switches: 10_000,
    most: 0,
  },
]

const spans: [says: string, days: number, goal: number][] = [
  ['month', 30, 10],
  ['year', 365, 60],
  ['everything', YEARS * 366, 1000],
]

const paths = [
  'fronting/totals',
  'fronting/days?by=month',
  'fronting/hours?zone=Europe/Berlin',
  'fronting/pairs',
  'fronting/stints?limit=1000',
  'fronting.ics',
]

const GOAL_WAIT = 20
const TIMES = 11

/** The first answers wait for their code to be compiled, too. */
const WARM = 5

const folder = mkdtempSync(join(tmpdir(), 'multitude-bench-'))
const config = parseConfig({ DATABASE_URL: `file:${join(folder, 'bench.db')}` })
const app = createApp(
  config,
  createLog('error', 'json', () => {}),
  () => NOW,
)

try {
  for (const { says, ...size } of histories) {
    const hid = await app.deps.transact('new', (tx) => makeHistory(tx, size), 'long')
    console.log(`\n${says}`)
    print(['', ...spans.map(([span]) => span), 'others wait', 'memory'])
    for (const path of paths) await measure(hid, path)
  }
} finally {
  await app.stop()
  rmSync(folder, { recursive: true })
}

async function measure(hid: string, path: string) {
  const waits: number[] = []
  const cells: string[] = []
  for (const [, days, goal] of spans) {
    const since = formatInstant(NOW - days * DAY)
    const url = `http://localhost/v2/systems/${hid}/${path}${path.includes('?') ? '&' : '?'}since=${since}`
    const took: number[] = []
    const isRefused = (await ask(url)) === 400
    for (let time = isRefused ? WARM : 1; time < WARM; time++) await ask(url)
    for (let time = 0; time < TIMES; time++) {
      const wait = watchWaits()
      const began = spent()
      await ask(url)
      took.push(spent() - began)
      waits.push(await wait())
    }
    cells.push(`${told(middle(took), goal)}${isRefused ? ' refused' : ''}`)
  }
  Bun.gc(true)
  const memory = `${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`
  print([path, ...cells, told(Math.max(...waits), GOAL_WAIT), memory])
}

/** Too many stints are refused, and that too may not take long. */
async function ask(url: string): Promise<number> {
  const response = await app.handle(new Request(url), () => '127.0.0.1')
  await response.arrayBuffer()
  if (response.status !== 200 && response.status !== 400)
    throw new Error(`${url} was answered ${response.status}`)
  return response.status
}

/** Milliseconds of the processor's time. */
function spent(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** The longest that anybody else would have waited for their turn. */
function watchWaits(): () => Promise<number> {
  let [last, longest, isOver] = [spent(), 0, false]
  const watching = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve))
      const now = spent()
      longest = Math.max(longest, now - last)
      last = now
    }
  })()
  return async () => {
    isOver = true
    await watching
    return longest
  }
}

async function makeHistory(
  tx: Db,
  size: { members: number; switches: number; most: number },
): Promise<string> {
  const random = createRandom(size.members)
  const { id, hid } = await insertSystem(tx, { name: 'Bench' })
  const ids: number[] = []
  for (let at = 0; at < size.members; at++)
    ids.push((await insertMember(tx, id, { name: `Member ${at}` })).id)
  const addSwitch = createInserter('switches', ['uuid', 'system_id', 'timestamp'])
  const addMember = tx.driver.query('insert into switch_members values (?, ?, ?)')
  const step = (YEARS * 365 * DAY) / size.switches
  for (let at = 0; at < size.switches; at++) {
    const timestamp = NOW - Math.floor((size.switches - at - random() * 0.9) * step)
    const made = await addSwitch(tx, { uuid: crypto.randomUUID(), system_id: id, timestamp })
    const count = countOf(size, at, random)
    const first = Math.floor(random() * ids.length)
    for (let position = 0; position < count; position++)
      await addMember.run([made, position, ids[(first + position) % ids.length] ?? 0])
  }
  return hid
}

/** A few, always as many, or everybody and nobody in turns. */
function countOf(size: { members: number; most: number }, at: number, random: () => number) {
  if (size.most === 0) return at % 2 === 0 ? size.members : 0
  return size.most > 10 ? size.most : Math.floor(random() * (size.most + 1))
}

function middle(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

function told(ms: number, goal: number): string {
  return `${ms.toFixed(1)} ms${ms > goal ? ' ✗' : ''}`
}

function print([says = '', ...cells]: string[]) {
  console.log(says.padEnd(36), cells.map((cell) => cell.padStart(16)).join(' '))
}
