import { Database } from 'bun:sqlite'
import { parseArgs } from 'node:util'
import { renderedTables } from '../src/db/renderedJson'
import { copyData, full, known, removeData, small } from './data'
import { freePort, isolated, memoryOf, program } from './serverProcess'

/**
 * Measures the time from start to first response, also after an upgrade that invalidates all cached
 * JSON, and the memory of the idle server.
 */

const { values: flags } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    starts: { type: 'string', default: '10' },
  },
})

const GOAL_MS = 70
const GOAL_MB = 48
const TIMEOUT_MS = 10_000
/** Time for the background work after a start. */
const SETTLE_MS = 2000

const size = flags.small ? small : full
const file = await copyData(size, 'start.db')

const times: number[] = []
const upgraded: number[] = []
const idle: number[] = []
try {
  // The first start warms the file cache and is not measured.
  await start(0)
  for (let n = 0; n < Number(flags.starts); n++) {
    // Idle memory hardly differs between starts, so a few are enough.
    const started = await start(n < 3 ? SETTLE_MS : 0)
    times.push(started.ms)
    if (started.idle !== null) idle.push(started.idle)
  }
  makeStale()
  await start(0)
  for (let n = 0; n < Number(flags.starts); n++) {
    // The last start has refreshed this entry.
    makeStale(known.typical)
    upgraded.push((await start(0)).ms)
  }
} finally {
  removeData(file)
}
console.log(
  `program       ${program.join(' ')} on ${flags.small ? 'the small' : 'the full'} data set`,
)
console.log(`first answer  ${report(times, GOAL_MS, 'ms')}  (${spread(times)})`)
console.log(`  upgraded    ${report(upgraded, GOAL_MS, 'ms')}  (${spread(upgraded)})`)
console.log(`idle memory   ${report(idle, GOAL_MB, 'MB')}  (${spread(idle)})`)

/** Makes cached JSON stale, as after an upgrade from an older release: all, or of one system. */
function makeStale(hid?: string): void {
  const db = new Database(file, { readwrite: true })
  const ofSystem = hid ? 'WHERE id = (SELECT id FROM systems WHERE hid = ?)' : ''
  for (const table of hid ? (['systems'] as const) : renderedTables) {
    const stale = db.query(`UPDATE rendered_${table} SET schema_hash = 1 ${ofSystem}`)
    if (stale.run(...(hid ? [hid] : [])).changes === 0)
      throw new Error(`${table} have no cached JSON`)
  }
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

/** Starts the server, sends requests until one is answered, waits, and stops it. */
async function start(idleMs: number): Promise<{ ms: number; idle: number | null }> {
  const port = freePort()
  const url = `http://127.0.0.1:${port}/v2/systems/${known.typical}`
  const spawnedAt = performance.now()
  const child = Bun.spawn([...program, 'serve', '--json'], {
    env: { ...isolated, PORT: String(port), DATABASE_URL: `file:${file}` },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  try {
    while (!(await isAnswered(url))) {
      if (performance.now() - spawnedAt > TIMEOUT_MS) throw new Error(`${url} did not answer`)
      await Bun.sleep(1)
    }
    const ms = performance.now() - spawnedAt
    await Bun.sleep(idleMs)
    return { ms, idle: idleMs > 0 ? memoryOf(child.pid) : null }
  } finally {
    child.kill('SIGTERM')
    await child.exited
  }
}

async function isAnswered(url: string): Promise<boolean> {
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
