import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '../tools/test'
import { createTestApp, type TestApp } from '../tools/testApp'
import { until } from '../tools/until'
import { rulesOf } from './concurrencyRules'

interface Named {
  id: string
  uuid: string
}

describe('concurrent requests while another process writes to the same file', () => {
  // The writer must end before the folder is deleted.
  afterAll(() => other.end())
  const testApp = createTestApp()
  const other = startWriter(testApp)

  beforeAll(other.waitForFirst)
  rulesOf(testApp)

  test('loses no write of another process during concurrent requests', async () => {
    const { created, code } = await other.finish()
    expect(code).toBe(0)
    expect(created.length).toBeGreaterThan(5)
    const answers = await Promise.all(created.map(({ id }) => testApp.ask(`GET /v2/systems/${id}`)))
    expect(answers.map(({ json }) => json.uuid)).toEqual(created.map(({ uuid }) => uuid))
  })
})

/** Starts a process that creates systems by the command line until it is stopped. */
function startWriter({ folder, config }: TestApp) {
  const stop = join(folder, 'stop')
  const program = `
    import { existsSync } from 'node:fs'
    import { run } from './src/cli/run'
    for (let turn = 0; turn < 500 && !existsSync(${JSON.stringify(stop)}); turn++) {
      const code = await run(['system', 'create', '--json'], process.env)
      if (code !== 0) process.exit(code)
    }`
  const child = Bun.spawn([process.execPath, '-e', program], {
    cwd: join(import.meta.dir, '../..'),
    env: { ...process.env, DATABASE_URL: config.DATABASE_URL },
    stdout: Bun.file(join(folder, 'made')),
  })
  const end = () => {
    writeFileSync(stop, '')
    return child.exited
  }
  return {
    end,
    waitForFirst: () => until(() => Bun.file(join(folder, 'made')).size > 0),
    async finish() {
      const code = await end()
      const text = await Bun.file(join(folder, 'made')).text()
      const lines = text.trim().split('\n')
      return { code, created: lines.map((line): Named => JSON.parse(line)) }
    },
  }
}
