import { join } from 'node:path'
import { dump, withRawDatabase } from '../../service/transfer/importFixture'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { run, runJson } from '../../tools/runInProcess'
import { commandLine } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { until } from '../../tools/until'
import { copyWithBackup } from './backupFolders'

const { startServer, run: runProcess } = commandLine()
const FAILED = 1
const USAGE_ERROR = 2

describe('a backup', () => {
  test('a backup during many writes is consistent and can be restored', async () => {
    const cwd = folderWithDatabase()
    const path = join(cwd, 'data/multitude.db')
    const server = await startServer([], { cwd })
    const { token } = await runJson<{ token: string }>(['system', 'create'], { cwd })
    // So that no writer reaches the limit before the backups end.
    withRawDatabase(path, (database) => database.run('UPDATE settings SET member_limit = 1e6'))
    const writes = { isStopped: false, count: 0 }
    const writers = Array.from({ length: 8 }, async () => {
      while (!writes.isStopped) {
        const body = JSON.stringify({ name: 'Drop', proxy_tags: [{ prefix: `${writes.count}:` }] })
        const headers = { authorization: token }
        const answer = await fetch(`${server.address}/v2/members`, {
          method: 'POST',
          headers,
          body,
        })
        expect(answer.status).toBe(200)
        writes.count++
      }
    })
    await until(() => writes.count >= 8)
    const [first, second] = await Promise.all([
      runProcess(['backup', 'first.db'], { cwd }),
      runProcess(['backup', 'second.db'], { cwd }),
    ])
    writes.isStopped = true
    await Promise.all(writers)
    server.kill('SIGTERM')
    await server.end()
    expect([first, second.code]).toEqual([
      { code: 0, out: 'Database backed up to first.db.\n', err: '' },
      0,
    ])

    const all = dump(path)
    const restored = await runJson<{ aside: string }>(['restore', 'first.db', '--yes'], { cwd })
    expect(await runJson(['doctor'], { cwd })).toEqual({
      ok: true,
      fixed: 0,
      problems: [],
      notes: [],
    })
    expect(dump(restored.aside)).toEqual(all)
    const then = dump(path)
    const [members = [], events = [], keys = []] = [then.members, then.events, then.proxy_tag_index]
    expect(members.length).toBeGreaterThan(0)
    expect(members.length).toBeLessThan(writes.count)
    // The first members, each with all rows of the same transaction.
    expect(members).toEqual(all.members?.slice(0, members.length) ?? [])
    expect([events.length, keys.length]).toEqual([members.length, members.length])
  })
})

describe('restore', () => {
  test('restore fails while a server runs, and without --yes', async () => {
    const here = copyWithBackup()
    const unconfirmed = await run(['restore', 'good.db'], here)
    expect([unconfirmed.code, unconfirmed.err]).toEqual([
      USAGE_ERROR,
      expect.stringContaining('--yes is required'),
    ])
    const server = await startServer([], here)
    const { code, err } = await run(['restore', 'good.db', '--yes'], here)
    expect([code, err]).toEqual([
      FAILED,
      expect.stringContaining('is in use: stop the server first.'),
    ])
    expect((await fetch(`${server.address}/health`)).status).toBe(200)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
    expect(nameIn(here.path)).toBe('After the backup')
    expect((await run(['restore', 'good.db', '--yes'], here)).code).toBe(0)
  })
})

describe('doctor', () => {
  test('doctor finds no problems in an intact database while a server runs', async () => {
    const here = copyWithBackup()
    const server = await startServer([], here)
    const { code, out, err } = await run(['doctor', '--fix'], here)
    expect([code, out, err]).toEqual([0, 'No problems found.\n', ''])
    server.kill('SIGTERM')
    await server.end()
  })
})

/** Name of the only system in a database. */
function nameIn(path: string): unknown {
  return withRawDatabase(
    path,
    (database) => database.query<{ name: string }, []>('SELECT name FROM systems').get()?.name,
  )
}
