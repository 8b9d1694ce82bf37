import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { folderWithDatabase } from '../tools/emptyDatabase'
import { runJson } from '../tools/runInProcess'
import { emptyFolder, NEW_DATABASE, program, runCommand, startServer } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'

/** The only tests of `npm test` that start processes; all others are `*.processes.ts`. */
describe('the program', () => {
  test('starts, answers and stops', async () => {
    const server = await startServer(program, [], { cwd: folderWithDatabase() })
    expect(await (await fetch(`${server.address}/health`)).json()).toEqual({ status: 'ok' })
    server.kill('SIGTERM')
    expect(await server.end()).toMatchObject({ code: 0, out: '' })
  })

  test('loses no acknowledged write when it is killed', async () => {
    const cwd = folderWithDatabase()
    const { token } = await runJson<{ token: string }>(['system', 'create'], { cwd })
    const server = await startServer(program, [], { cwd })
    const writes = [1, 2, 3].map((tag) =>
      fetch(`${server.address}/v2/members`, {
        method: 'POST',
        headers: { authorization: token },
        body: JSON.stringify({ name: `Wren ${tag}` }),
      }),
    )
    for (const { status } of await Promise.all(writes)) expect(status).toBe(200)
    server.kill('SIGKILL')
    await server.end()
    const database = new Database(join(cwd, 'data/multitude.db'))
    const rows = (sql: string) => database.query(sql).values().flat()
    expect(rows('SELECT name FROM members ORDER BY name')).toEqual(['Wren 1', 'Wren 2', 'Wren 3'])
    expect(rows("SELECT count(*) FROM events WHERE type = 'CREATE_MEMBER'")).toEqual([3])
    database.close()
  })

  test('runs a command', async () => {
    const cwd = emptyFolder()
    const { code, out, err } = await runCommand([...program, 'system', 'create', '--json'], { cwd })
    expect([code, err]).toEqual([0, expect.stringMatching(NEW_DATABASE)])
    const { id } = JSON.parse(out)
    expect(await runJson<object[]>(['system', 'list'], { cwd })).toMatchObject([{ id }])
  })
})
