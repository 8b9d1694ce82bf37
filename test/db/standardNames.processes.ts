import { Database } from 'bun:sqlite'
import { readdirSync } from 'node:fs'
import { run } from '../tools/runInProcess'
import { commandLine } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'
import { makePrevious, rowsIn } from './previousDatabase'

const { startServer } = commandLine()

describe('upgrade of a SQLite database to standard table names', () => {
  test('is refused in one line while another process holds a lease', async () => {
    const { cwd, path, env } = await makePrevious()
    const database = new Database(path)
    database.run("UPDATE leases SET holder = 'attic:77:uuid'")
    const before = rowsIn(path, ['members', 'systems'])
    for (const command of [['migrate'], ['serve', '--port', '0']]) {
      database.run('UPDATE leases SET until = ?', [Date.now() + 59_000])
      const { code, err } = await run(command, { cwd, env })
      expect([command, code]).toEqual([command, 1])
      expect(err).toMatch(
        /cannot be upgraded to 0013_standard_names while another process uses it \(attic, process 77\): stop all servers/,
      )
      expect(err.trimEnd().split('\n')).toHaveLength(1)
    }
    expect(rowsIn(path, ['members', 'systems'])).toEqual(before)
    expect(readdirSync(cwd).filter((name) => name.includes('pre-upgrade'))).toEqual([])
    // The lease of a process that ended is no reason to refuse.
    database.run('UPDATE leases SET until = 1')
    database.close()
    const server = await startServer([], { cwd, env })
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  })
})
