import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../postgres/engine'
import { commandLine, emptyFolder } from '../tools/serverProcess'
import { describe, expect, withTimeout } from '../tools/test'
import { until } from '../tools/until'

/** Checks metrics and alerts with Prometheus itself. Run by `npm run test:release`. */

const { afterAll, test } = withTimeout(4 * 60_000)

const folder = join(import.meta.dir, '../../docs/monitoring')
const missing = ['promtool', 'prometheus'].filter((tool) => Bun.which(tool) === null)

afterAll(() => {
  for (const tool of missing)
    process.stderr.write(`!!! NOT TESTED, ${tool} is not installed (apt install prometheus) !!!\n`)
})

const cwd = emptyFolder()
const server = await commandLine().startServer(
  ['--metrics', 'on', '--metrics-address', '127.0.0.1:0'],
  {
    cwd,
    env: { BACKUP_DIR: 'backups' },
  },
)
const [, metrics = ''] = /"metrics":"([^"]+)"/.exec(server.output()) ?? []
for (const path of ['/health', '/nowhere', '/v2/systems/@me', '/v2/systems/abcde/members'])
  await fetch(`${server.address}${path}`)

function run(words: string[], stdin = '') {
  const { stdout, stderr, exitCode } = Bun.spawnSync(words, { stdin: Buffer.from(stdin) })
  return { code: exitCode, output: `${stdout}${stderr}` }
}

describe.skipIf(missing.includes('promtool'))('promtool', () => {
  test('promtool accepts the metrics', async () => {
    const text = await (await fetch(metrics)).text()
    expect(text).toContain('route="/v2/systems/:systemRef/members"')
    expect(run(['promtool', 'check', 'metrics'], text)).toEqual({ code: 0, output: '' })
  })

  test('promtool accepts the five alerts', () => {
    const { code, output } = run(['promtool', 'check', 'rules', join(folder, 'alerts.yaml')])
    expect(output).toContain('SUCCESS: 5 rules found')
    expect(code).toBe(0)
  })

  test('promtool accepts every query of the dashboard', () => {
    const { panels } = JSON.parse(readFileSync(join(folder, 'grafana.json'), 'utf8')) as {
      panels: { targets: { expr: string }[] }[]
    }
    const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    expect(queries.length).toBeGreaterThan(20)
    const rules = queries.map((expr, at) => ({
      record: `query_${at}`,
      // The values that Grafana inserts.
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
    }))
    const file = join(cwd, 'queries.yaml')
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    expect(run(['promtool', 'check', 'rules', file])).toMatchObject({ code: 0 })
  })

  test('each alert fires for its problem, and none for a healthy server', () => {
    const file = join(cwd, 'alerts.test.yaml')
    writeFileSync(file, JSON.stringify(alertTests))
    expect(run(['promtool', 'test', 'rules', file])).toMatchObject({ code: 0 })
  })
})

test.skipIf(missing.includes('prometheus'))('Prometheus scrapes the metrics', async () => {
  const config = join(cwd, 'prometheus.yaml')
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s' },
      rule_files: [join(folder, 'alerts.yaml')],
      scrape_configs: [
        { job_name: 'multitude', static_configs: [{ targets: [new URL(metrics).host] }] },
      ],
    }),
  )
  const port = await freePort()
  const prometheus = Bun.spawn(
    [
      'prometheus',
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(cwd, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdout: 'ignore', stderr: 'ignore' },
  )
  try {
    const query = async (text: string): Promise<string[]> => {
      const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(text)}`
      const response = await fetch(url).catch(() => null)
      if (!response?.ok) return []
      const { data } = (await response.json()) as {
        data: { result: { value: [number, string] }[] }
      }
      return data.result.map(({ value: [, value] }) => value)
    }
    // All are missing after a scrape that took longer than a second.
    for (const text of [
      'up{job="multitude"}',
      'multitude_build_info',
      'sum(multitude_http_requests_total{route="unknown",status="404"})',
    ])
      await until(
        () => query(text),
        (values) => values.join() === '1',
      )
  } finally {
    prometheus.kill()
    await prometheus.exited
    server.kill('SIGTERM')
    await server.end()
  }
})

const labels = '{instance="here",job="multitude"}'

/** Hours of metrics: of a healthy server, and with one problem each. */
const alertTests = {
  rule_files: [join(folder, 'alerts.yaml')],
  evaluation_interval: '1m',
  tests: [
    scenario({}, []),
    scenario({ [`up${labels}`]: '0x60' }, ['MultitudeDown']),
    scenario({ 'multitude_http_requests_total{instance="here",status="500"}': '0+30x60' }, [
      'MultitudeFailing',
    ]),
    scenario({ 'multitude_commit_failures_total{instance="here"}': '0+1x60' }, [
      'MultitudeFailing',
    ]),
    scenario({ 'multitude_http_refused_total{instance="here"}': '0+1x60' }, ['MultitudeFailing']),
    scenario({ 'multitude_task_ok{instance="here",task="backup_command"}': '0x60' }, [
      'MultitudeBackupMissing',
    ]),
    scenario({ 'multitude_outbox_oldest_seconds{instance="here"}': '0+60x60' }, [
      'MultitudeEventsWaiting',
    ]),
    scenario({ 'multitude_unhandled_rejections_total{instance="here"}': '0x50 1x10' }, [
      'MultitudeUnhandledRejection',
    ]),
  ],
}

function scenario(changed: Record<string, string>, alerts: string[]) {
  const healthy = {
    [`up${labels}`]: '1x60',
    'multitude_http_requests_total{instance="here",status="200"}': '0+60x60',
    'multitude_task_ok{instance="here",task="backup"}': '1x60',
    'multitude_task_last_success_timestamp_seconds{instance="here",task="backup"}': '0x60',
    'multitude_outbox_oldest_seconds{instance="here"}': '0x60',
    'multitude_http_refused_total{instance="here"}': '0x60',
    'multitude_unhandled_rejections_total{instance="here"}': '0x60',
  }
  return {
    interval: '1m',
    input_series: Object.entries({ ...healthy, ...changed }).map(([series, values]) => ({
      series,
      values,
    })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: '55m',
        exp_samples: alerts.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
      },
    ],
  }
}
