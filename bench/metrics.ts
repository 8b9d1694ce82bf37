import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/app/app'
import { parseConfig } from '../src/runtime/config/config'
import { createLog } from '../src/runtime/log'
import { createMetrics } from '../src/runtime/metrics/metrics'
import { insertToken } from '../src/store/access/tokenRows'
import { insertSystem } from '../src/store/systems/systemRows'

/**
 * Measures the cost of METRICS=on per request, without HTTP, which would make the share smaller.
 * Two starts of a server differ by more than this cost, so one server records each request once
 * and in every second batch MORE times in addition. Run it with `bun bench/metrics.ts`.
 */

const GOAL_PERCENT = 2
const MORE = 20
const WARM = 20_000
const PAIRS = 150
const BATCH = 200
const ORIGIN = 'http://localhost'

const paths: Record<string, (hid: string) => string> = {
  'a system': (hid) => `/v2/systems/${hid}`,
  'its members': (hid) => `/v2/systems/${hid}/members`,
  'its settings': () => '/v2/systems/@me/settings',
}

const folder = mkdtempSync(join(tmpdir(), 'multitude-bench-'))
const config = parseConfig({
  DATABASE_URL: `file:${join(folder, 'bench.db')}`,
  METRICS: 'on',
  RATE_LIMIT: 'generic_get=999999,message=999999,generic_update=999999',
})
const app = createApp(config, { log: createLog('info', 'json', () => {}) })
await app.started
const metrics = createMetrics({ version: '', commit: '' })
const { hid, token } = await app.deps.transact('new', async (tx) => {
  const created = await insertSystem(tx, { name: 'Lantern Hill', created: app.deps.now() })
  return { hid: created.hid, token: await insertToken(app.deps, tx, created.id, 'bench') }
})

try {
  for (const [title, pathOf] of Object.entries(paths)) {
    const path = pathOf(hid)
    await send(path, WARM, true)
    const plain: number[] = []
    const added: number[] = []
    for (let pair = 0; pair < PAIRS; pair++) {
      const isFirst = pair % 2 === 0
      const one = await send(path, BATCH, !isFirst)
      const other = await send(path, BATCH, isFirst)
      const [less, more] = isFirst ? [one, other] : [other, one]
      plain.push(less)
      added.push((more - less) / MORE)
    }
    const percent = (median(added) / median(plain)) * 100
    const nanoseconds = (median(added) * 1000).toFixed(0)
    console.log(
      `${title.padEnd(13)} ${median(plain).toFixed(1)} µs, of which metrics take ${nanoseconds} ns: ` +
        `${percent.toFixed(2)} % (goal: below ${GOAL_PERCENT} %${percent < GOAL_PERCENT ? '' : ' ✗'})`,
    )
  }
} finally {
  metrics.stop()
  await app.stop()
  rmSync(folder, { recursive: true })
}

/** Sends requests and returns the CPU time per request in microseconds. */
async function send(path: string, times: number, isCounted: boolean): Promise<number> {
  const headers = { authorization: token }
  const before = process.cpuUsage()
  for (let n = 0; n < times; n++) {
    const request = new Request(`${ORIGIN}${path}`, { headers })
    await (await app.handle(request, '203.0.113.9')).text()
    for (let again = 0; again < MORE; again++)
      if (isCounted) metrics.recordRequest('/v2/systems/:systemRef', 'GET', 200, 0.00003)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
