import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run, runJson } from '../tools/runInProcess'
import { commandLine, emptyFolder } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'
import { commandLines } from './commandTable'
import { createEmpty, otherVersions } from './otherDatabases'

const FAILED = 1
const { startServer } = commandLine()

const { upgrading } = commandLines

describe('a database that is missing', () => {
  test('serve creates a missing database and reports it at startup and in the log', async () => {
    const folder = emptyFolder()
    const made = join(folder, 'data', 'multitude.db')
    const [plain, other] = [await startServer([], { cwd: folder }), emptyFolder()]
    expect(plain.output()).toContain(`Database (new)  ${made}\n`)
    const json = await startServer(['--json'], { cwd: other })
    expect(json.output()).toContain(
      `"message":"database created","path":"${join(other, 'data', 'multitude.db')}"`,
    )
    for (const server of [plain, json]) {
      server.kill('SIGTERM')
      expect((await server.end()).code).toBe(0)
    }
  })
})

describe('a database that is empty', () => {
  test('serve, restore and copy accept an empty database', async () => {
    const [served, restored, copied] = [createEmpty(), createEmpty(), createEmpty()]
    const server = await startServer([], { cwd: served.cwd })
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
    await runJson(['system', 'create'], { cwd: served.cwd })
    await runJson(['backup', join(restored.cwd, 'backup.db')], { cwd: served.cwd })
    await runJson(['restore', 'backup.db', '--yes'], { cwd: restored.cwd })
    await runJson(['copy', `file:${copied.path}`], { cwd: served.cwd })
    for (const { cwd } of [restored, copied])
      expect(await runJson<unknown[]>(['system', 'list'], { cwd })).toHaveLength(1)
  })
})

describe.each(otherVersions)('a database of a version that is %s', (age, make, complaint) => {
  test(`migrate and serve ${age === 'older' ? 'upgrade' : 'reject'} a database whose version is ${age}`, async () => {
    for (const line of upgrading) {
      const own = emptyFolder()
      mkdirSync(join(own, 'data'))
      make(join(own, 'data', 'multitude.db'))
      if (age === 'newer') {
        const { code, err } = await run([line], { cwd: own, env: { PORT: '0' } })
        expect([code, err]).toEqual([FAILED, expect.stringMatching(complaint)])
      } else if (line === 'serve') {
        const started = await startServer([], { cwd: own })
        started.kill('SIGTERM')
        expect((await started.end()).code).toBe(0)
      } else expect((await run([line], { cwd: own })).code).toBe(0)
      if (age === 'older') expect((await run(['system', 'list'], { cwd: own })).code).toBe(0)
    }
  })
})
