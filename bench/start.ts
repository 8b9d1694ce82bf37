import { Database } from 'bun:sqlite'
import { parseArgs } from 'node:util'
import { renderedTableOf, renderedTables } from '../src/db/renderedJson'
import { freshData, known, removeData, small, whole } from './data'
import { alone, freePort, memoryOf, program } from './serverProcess'

/**
 * How soon the executable answers, also right after an upgrade that spells rows in another way, and
 * how much memory it takes when nobody asks anything.
 */

const { values: flags } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    starts: { type: 'string', default: '10' },
  },
})

const GOAL_MS = 100
const GOAL_MB = 50
const GIVE_UP_MS = 10_000
/** Long enough for whatever a start leaves to be done later. */
const SETTLE_MS = 2000

const size = flags.small ? small : whole
const file = await freshData(size, 'start.db')

const times: number[] = []
const upgraded: number[] = []
const idle: number[] = []
try {
  // The first one warms the file cache and does not count.
  await start(0)
  for (let n = 0; n < Number(flags.starts); n++) {
    // What is idle hardly differs from start to start: a few are enough.
    const started = await start(n < 3 ? SETTLE_MS : 0)
    times.push(started.ms)
    if (started.idle !== null) idle.push(started.idle)
  }
  makeStale()
  await start(0)
  for (let n = 0; n < Number(flags.starts); n++) {
    // What the last one has mended by its answer is stale again.
    makeStale(known.typical)
    upgraded.push((await start(0)).ms)
  }
} finally {
  removeData(file)
}
console.log(
  `program       ${program.join(' ')} on ${flags.small ? 'the small' : 'the whole'} data set`,
)
console.log(`first answer  ${report(times, GOAL_MS, 'ms')}  (${spread(times)})`)
console.log(`  upgraded    ${report(upgraded, GOAL_MS, 'ms')}  (${spread(upgraded)})`)
console.log(`idle memory   ${report(idle, GOAL_MB, 'MB')}  (${spread(idle)})`)

/** Leaves faces as an older release would have, of another shape: all of them, or a system's own. */
function makeStale(hid?: string): void {
  const db = new Database(file, { readwrite: true })
  const isIts = hid ? 'WHERE id = (SELECT id FROM systems WHERE hid = ?)' : ''
  for (const table of hid ? (['systems'] as const) : renderedTables) {
    const stale = db.query(`UPDATE ${renderedTableOf(table)} SET shape = 1 ${isIts}`)
    if (stale.run(...(hid ? [hid] : [])).changes === 0) throw new Error(`${table} have no faces`)
  }
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

/** Starts it, asks until it answers, lets it rest, and stops it. */
async function start(rest: number): Promise<{ ms: number; idle: number | null }> {
  const port = freePort()
  const url = `http://127.0.0.1:${port}/v2/systems/${known.typical}`
  const spawnedAt = performance.now()
  const child = Bun.spawn([...program, 'serve', '--json'], {
    env: { ...alone, PORT: String(port), DATABASE_URL: `file:${file}` },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  try {
    while (!(await answers(url))) {
      if (performance.now() - spawnedAt > GIVE_UP_MS) throw new Error(`${url} did not answer`)
      await Bun.sleep(1)
    }
    const ms = performance.now() - spawnedAt
    await Bun.sleep(rest)
    return { ms, idle: rest > 0 ? memoryOf(child.pid) : null }
  } finally {
    child.kill('SIGTERM')
    await child.exited
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${url} answered ${response.status}`)
    await response.json()
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ECONNREFUSED') return false
    throw cause
  }
}

function report(values: number[], goal: number, unit: string): string {
  const median = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
  return `${median.toFixed(0)} ${unit}, goal ${goal} ${unit} ${median <= goal ? '✓' : '✗'}`
}

function spread(values: number[]): string {
  return `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`
}
