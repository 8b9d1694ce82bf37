import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { dump } from '../../service/transfer/importFixture'
import { commandLine, emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { until } from '../../tools/until'

describe('scheduled backups', () => {
  test('a scheduled backup of a running server has all its data', async () => {
    const cwd = emptyFolder()
    const env = { BACKUP_DIR: 'backups', BACKUP_EVERY: '1m' }
    const { startServer } = commandLine()
    const server = await startServer([], { cwd, env })
    await until(() => server.output().includes('backup created'))
    const [name = ''] = readdirSync(join(cwd, 'backups'))
    // The result of the backup is recorded after it.
    const kept = { ...dump(join(cwd, 'data/multitude.db')), task_runs: [] }
    expect(dump(join(cwd, 'backups', name))).toEqual(kept)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  })
})
