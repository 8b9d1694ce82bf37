import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { operator } from '../../src/model/core/privacy'
import { recordTaskRun } from '../../src/service/admin/taskRuns'
import { beforeAll, describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'

const folder = join(import.meta.dir, '../../docs/monitoring')
const here = createTestApp({
  METRICS: 'on',
  METRICS_ADDRESS: '127.0.0.1:0',
  RATE_LIMIT: 'generic_get=1',
  BACKUP_DIR: 'none',
})
const address = here.app.listenForMetrics() ?? ''

// Metrics of tasks and of rejected requests exist only once there are some.
beforeAll(async () => {
  await recordTaskRun(here.deps, operator, 'backup', null)
  for (let n = 0; n < 3; n++) await here.ask('GET /v2/systems/zzzzzz', { peer: '203.0.113.9' })
})

describe('the Grafana dashboard and the alerts', () => {
  test.each(['grafana.json', 'alerts.yaml'])('%s uses only metrics that exist', async (file) => {
    const text = await (await fetch(address)).text()
    const named = readFileSync(join(folder, file), 'utf8').match(/\b(multitude|process)_\w+/g)
    const wanted = [...new Set(named)].map((name) => new RegExp(`^${name}[{ ]`, 'm'))
    expect(wanted.length).toBeGreaterThan(4)
    expect(wanted.filter((name) => !name.test(text))).toEqual([])
  })

  test('grafana.json shows every metric except a few that are parts of others', async () => {
    const text = await (await fetch(address)).text()
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)
    const shown = readFileSync(join(folder, 'grafana.json'), 'utf8')
    const hidden = names.filter((name) => !shown.includes(name))
    expect(hidden).toEqual([
      'multitude_http_requests_in_flight',
      'multitude_http_unfinished_bodies',
      'multitude_webhooks',
      'multitude_task_ok',
    ])
  })
})
