import { join } from 'node:path'
import { commandLine, emptyFolder, preload } from '../tools/serverProcess'
import { expect, test } from '../tools/test'
import { until } from '../tools/until'

const { startServer } = commandLine()

test('the server logs and counts an unhandled rejection, and ends on an uncaught exception', async () => {
  const metrics = ['--metrics', 'on', '--metrics-address', '127.0.0.1:0']
  const env = preload(join(import.meta.dir, './failOnSignal.ts'))
  const server = await startServer(metrics, { cwd: emptyFolder(), env })
  const [, metricsUrl = ''] = /"metrics":"([^"]+)"/.exec(server.output()) ?? []
  const counted = async () => {
    const text = await (await fetch(metricsUrl)).text()
    return /^multitude_unhandled_rejections_total (\d+)$/m.exec(text)?.[1]
  }
  expect(await counted()).toBe('0')
  for (let count = 1; count <= 2; count++) {
    server.kill('SIGUSR2')
    await until(async () => (await counted()) === String(count))
  }
  const logged = () =>
    server.output().match(/"level":"error","message":"unhandled rejection".*\n/g) ?? []
  await until(() => logged().length === 2)
  expect(logged()[0]).toContain('a rejection of the test')
  expect((await fetch(`${server.address}/health`)).status).toBe(200)

  server.kill('SIGHUP')
  const { code, err } = await server.end()
  expect(code).toBe(1)
  expect(err).toMatch(/"level":"error","message":"uncaught exception".*an exception of the test/)
})
