/**
 * Measures how long stints and their sums take for a month, a year and the whole history, and how
 * long other requests wait meanwhile. Measures CPU time, so that other programs on the machine do
 * not matter. Run it with `bun bench/fronting.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/app/app'
import { createInserter } from '../src/db/rows'
import { switches } from '../src/db/tables'
import type { Db } from '../src/db/types'
import { DAY, formatInstant, type Instant } from '../src/model/core/time'
import { parseConfig } from '../src/runtime/config/config'
import { createLog } from '../src/runtime/log'
import { insertMember } from '../src/service/members/members'
import { insertSystem } from '../src/store/systems/systemRows'
import { createRandom } from './data'

const NOW: Instant = Date.UTC(2026, 0, 1) * 1000
const YEARS = 6

const histories = [
  {
    title: '100,000 switches, 1 to 3 of 30 members',
    members: 30,
    switches: 100_000,
    maxFronters: 3,
  },
  {
    title: '5,000 switches, 150 of 1,000 members',
    members: 1000,
    switches: 5_000,
    maxFronters: 150,
  },
  {
    title: '10,000 switches, alternately all of 150 members and none',
    members: 150,
    switches: 10_000,
    maxFronters: 0,
  },
]

const spans: [title: string, days: number, goal: number][] = [
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

/** Requests before the measurement, while the code is compiled. */
const WARM = 5

const folder = mkdtempSync(join(tmpdir(), 'multitude-bench-'))
const config = parseConfig({ DATABASE_URL: `file:${join(folder, 'bench.db')}` })
const app = createApp(config, { log: createLog('error', 'json', () => {}), now: () => NOW })

try {
  for (const { title, ...size } of histories) {
    const hid = await app.deps.transact('new', (tx) => createHistory(tx, size), 'long')
    console.log(`\n${title}`)
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
    const times: number[] = []
    const isRefused = (await send(url)) === 400
    for (let time = isRefused ? WARM : 1; time < WARM; time++) await send(url)
    for (let time = 0; time < TIMES; time++) {
      const wait = watchWaits()
      const began = cpuMs()
      await send(url)
      times.push(cpuMs() - began)
      waits.push(await wait())
    }
    cells.push(`${formatMs(median(times), goal)}${isRefused ? ' refused' : ''}`)
  }
  Bun.gc(true)
  const memory = `${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`
  print([path, ...cells, formatMs(Math.max(...waits), GOAL_WAIT), memory])
}

/** Sends a request. Too many stints are refused with 400, which must not take long either. */
async function send(url: string): Promise<number> {
  const response = await app.handle(new Request(url), () => '127.0.0.1')
  await response.arrayBuffer()
  if (response.status !== 200 && response.status !== 400)
    throw new Error(`${url} returned ${response.status}`)
  return response.status
}

/** Returns the CPU time of this process in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Measures the longest time that another request would have waited for the event loop. */
function watchWaits(): () => Promise<number> {
  let [last, longest, isOver] = [cpuMs(), 0, false]
  const watching = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve))
      const now = cpuMs()
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

async function createHistory(
  tx: Db,
  size: { members: number; switches: number; maxFronters: number },
): Promise<string> {
  const random = createRandom(size.members)
  const { id, hid } = await insertSystem(tx, { name: 'Bench' })
  const ids: number[] = []
  for (let at = 0; at < size.members; at++)
    ids.push((await insertMember(tx, id, { name: `Member ${at}` })).id)
  const addSwitch = createInserter(switches, ['uuid', 'system_id', 'timestamp'])
  const addMember = tx.driver.query('insert into switch_members values (?, ?, ?)')
  const step = (YEARS * 365 * DAY) / size.switches
  for (let at = 0; at < size.switches; at++) {
    const timestamp = NOW - Math.floor((size.switches - at - random() * 0.9) * step)
    const switchId = await addSwitch(tx, { uuid: crypto.randomUUID(), system_id: id, timestamp })
    const count = chooseCount(size, at, random)
    const first = Math.floor(random() * ids.length)
    for (let position = 0; position < count; position++)
      await addMember.run([switchId, position, ids[(first + position) % ids.length] ?? 0])
  }
  return hid
}

/** Returns the number of fronters: random and few, constant, or all and none in turns. */
function chooseCount(
  size: { members: number; maxFronters: number },
  at: number,
  random: () => number,
) {
  if (size.maxFronters === 0) return at % 2 === 0 ? size.members : 0
  return size.maxFronters > 10 ? size.maxFronters : Math.floor(random() * (size.maxFronters + 1))
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

function formatMs(ms: number, goal: number): string {
  return `${ms.toFixed(1)} ms${ms > goal ? ' ✗' : ''}`
}

function print([title = '', ...cells]: string[]) {
  console.log(title.padEnd(36), cells.map((cell) => cell.padStart(16)).join(' '))
}
