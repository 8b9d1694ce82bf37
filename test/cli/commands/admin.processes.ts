import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { runJson } from '../../tools/runInProcess'
import { commandLine } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { until } from '../../tools/until'
import { changeDatabase } from '../changeDatabase'

const { startServer } = commandLine()

describe('commands of an operator', () => {
  test('the server deletes records of messages older than MESSAGE_KEEP', async () => {
    const cwd = folderWithDatabase()
    await runJson(['system', 'create'], { cwd })
    const [now, old] = [Date.now() * 1000, (Date.now() - 91 * 86_400_000) * 1000]
    for (const [id, at] of [
      ['1', old],
      ['2', now],
    ])
      changeDatabase(
        cwd,
        `insert into messages (id, original, sender, channel, system_id, timestamp)
         select '${id}', '${id}', '3', '4', id, ${at} from systems`,
      )
    const server = await startServer(['--message-keep', '90d'], { cwd })
    const ids = () => {
      const database = new Database(join(cwd, 'data/multitude.db'), { readonly: true })
      const rows = database.query<{ id: string }, []>('select id from messages').all()
      database.close()
      return rows.map(({ id }) => id).join()
    }
    await until(() => ids() === '2')
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  })
})
