import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder, program, startServer } from '../serverProcess'

/** What Prometheus itself makes of the metrics and the alerts. Run by `npm run test:release`. */

setDefaultTimeout(2 * 60_000)

const folder = join(import.meta.dir, '../../docs/monitoring')
const lacking = ['promtool', 'prometheus'].filter((tool) => Bun.which(tool) === null)

afterAll(() => {
  for (const tool of lacking)
    process.stderr.write(`!!! NOT TESTED, for want of ${tool} (apt install prometheus) !!!\n`)
})

const cwd = emptyFolder()
const server = await startServer(program, ['--metrics', 'on', '--metrics-address', '127.0.0.1:0'], {
  cwd,
  env: { BACKUP_DIR: 'backups' },
})
const [, metrics = ''] = /"metrics":"([^"]+)"/.exec(server.said()) ?? []
for (const path of ['/health', '/nowhere', '/v2/systems/@me', '/v2/systems/abcde/members'])
  await fetch(`${server.address}${path}`)

function ask(words: string[], stdin = '') {
  const { stdout, stderr, exitCode } = Bun.spawnSync(words, { stdin: Buffer.from(stdin) })
  return { code: exitCode, said: `${stdout}${stderr}` }
}

describe.skipIf(lacking.includes('promtool'))('promtool', () => {
  test('finds nothing wrong with the metrics', async () => {
    const text = await (await fetch(metrics)).text()
    expect(text).toContain('route="/v2/systems/:systemRef/members"')
    expect(ask(['promtool', 'check', 'metrics'], text)).toEqual({ code: 0, said: '' })
  })

  test('takes the five alerts', () => {
    const { code, said } = ask(['promtool', 'check', 'rules', join(folder, 'alerts.yaml')])
    expect(said).toContain('SUCCESS: 5 rules found')
    expect(code).toBe(0)
  })

  test('understands every question of the dashboard', () => {
    const { panels } = JSON.parse(readFileSync(join(folder, 'grafana.json'), 'utf8')) as {
      panels: { targets: { expr: string }[] }[]
    }
    const questions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    expect(questions.length).toBeGreaterThan(20)
    const rules = questions.map((expr, at) => ({
      record: `question_${at}`,
      // As Grafana fills them in.
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
    }))
    const file = join(cwd, 'questions.yaml')
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    expect(ask(['promtool', 'check', 'rules', file])).toMatchObject({ code: 0 })
  })

  test('sees each alert come when it should, and none while all is well', () => {
    const file = join(cwd, 'alerts.test.yaml')
    writeFileSync(file, JSON.stringify(whenTheyCome))
    expect(ask(['promtool', 'test', 'rules', file])).toMatchObject({ code: 0 })
  })
})

test.skipIf(lacking.includes('prometheus'))('a real Prometheus reads them', async () => {
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
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = probe
  probe.stop(true)
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
    const seen = async (query: string): Promise<string[]> => {
      const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`
      const answer = await fetch(url).catch(() => null)
      if (!answer?.ok) return []
      const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } }
      return data.result.map(({ value: [, value] }) => value)
    }
    const giveUpAt = Date.now() + 60_000
    while ((await seen('up{job="multitude"} == 1')).length === 0 && Date.now() < giveUpAt)
      await Bun.sleep(200)
    expect(await seen('up{job="multitude"}')).toEqual(['1'])
    expect(await seen('multitude_build_info')).toEqual(['1'])
    expect(await seen('sum(multitude_http_requests_total{route="unknown",status="404"})')).toEqual([
      '1',
    ])
  } finally {
    prometheus.kill()
    await prometheus.exited
    server.kill('SIGTERM')
    await server.end()
  }
})

const labels = '{instance="here",job="multitude"}'

/** A world where all is well for an hour, and some where one thing is not. */
const whenTheyCome = {
  rule_files: [join(folder, 'alerts.yaml')],
  evaluation_interval: '1m',
  tests: [
    scene({}, []),
    scene({ [`up${labels}`]: '0x60' }, ['MultitudeDown']),
    scene({ 'multitude_http_requests_total{instance="here",status="500"}': '0+30x60' }, [
      'MultitudeFailing',
    ]),
    scene({ 'multitude_commit_failures_total{instance="here"}': '0+1x60' }, ['MultitudeFailing']),
    scene({ 'multitude_http_refused_total{instance="here"}': '0+1x60' }, ['MultitudeFailing']),
    scene({ 'multitude_task_ok{instance="here",task="backup_command"}': '0x60' }, [
      'MultitudeBackupMissing',
    ]),
    scene({ 'multitude_outbox_oldest_seconds{instance="here"}': '0+60x60' }, [
      'MultitudeEventsWaiting',
    ]),
    scene({ 'multitude_unhandled_rejections_total{instance="here"}': '0x50 1x10' }, [
      'MultitudeUnhandledRejection',
    ]),
  ],
}

function scene(odd: Record<string, string>, alerts: string[]) {
  const usual = {
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
    input_series: Object.entries({ ...usual, ...odd }).map(([series, values]) => ({
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
