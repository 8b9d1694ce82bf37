import { join } from 'node:path'
import { folderWithDatabase } from '../tools/emptyDatabase'
import { fillSystem } from '../tools/fillSystem'
import { run, runJson } from '../tools/runInProcess'
import { commandLine } from '../tools/serverProcess'
import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import { withRawDatabase } from './transfer/importFixture'

const { startServer } = commandLine()

test('deletes the hidden rows after a kill, and doctor finds no problem before and after', async () => {
  const cwd = folderWithDatabase()
  const file = join(cwd, 'data/multitude.db')
  const { id } = await runJson<{ id: string }>(
    ['system', 'create', '--account', '500000000000000001'],
    { cwd },
  )
  const { key } = await runJson<{ key: string }>(['bot', 'create', '--name', 'one'], { cwd })
  const serve = () =>
    startServer(['--rate-limit', 'off'], { cwd, env: { DURABILITY: 'normal', LEASE_SECONDS: '1' } })
  const doctor = async () => (await run(['doctor'], { cwd })).out
  const size = 20_000
  const server = await serve()
  const ask = (of: typeof server, line: string) => {
    const [method = '', path = ''] = line.split(' ')
    return fetch(`${of.address}${path}`, { method, headers: { authorization: `Bot ${key}` } })
  }
  withRawDatabase(file, (database) => {
    const system = database.query<{ id: number }, []>('SELECT id FROM systems').get()?.id ?? 0
    for (const name of ['wrenst', 'ashest'])
      database
        .query('INSERT INTO members (uuid, hid, system_id, name) VALUES (?, ?, ?, ?)')
        .run(name, name, system, name)
    fillSystem(database, system, size)
  })
  expect((await ask(server, `DELETE /bot/systems/${id}`)).status).toBe(204)
  server.kill('SIGKILL')
  await server.end()
  expect(countRows(file, 'switches')).not.toEqual([0])
  expect(await doctor()).toStartWith('No problems found.')
  const next = await serve()
  expect((await ask(next, `GET /v2/systems/${id}`)).status).toBe(404)
  await until(() => countRows(file, 'systems')[0] === 0)
  const tables = ['switches', 'switch_members', 'members', 'messages', 'events', 'import_archive']
  expect(countRows(file, ...tables)).toEqual(tables.map(() => 0))
  expect(await doctor()).toStartWith('No problems found.')
  next.kill('SIGKILL')
  await next.end()
})

/** Counts the rows of tables. */
function countRows(file: string, ...tables: string[]): number[] {
  return withRawDatabase(file, (database) =>
    tables.map(
      (table) =>
        database.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ??
        -1,
    ),
  )
}
