import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { run, runJson } from '../../tools/runInProcess'
import { emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'

function countCodes(cwd: string): number {
  const database = new Database(join(cwd, 'data', 'multitude.db'), { readonly: true })
  const { all } = database.query('select count(*) as "all" from setup_codes').get() as {
    all: number
  }
  database.close()
  return all
}

describe('login --setup', () => {
  test('login --setup refuses when there is a system', async () => {
    const cwd = folderWithDatabase()
    await runJson(['system', 'create'], { cwd })
    expect(await run(['login', '--setup'], { cwd })).toEqual({
      code: 1,
      out: '',
      err: 'multitude: A set-up link creates the first system, and there is one already. Run "multitude login SYSTEM" to log in to it.\n',
    })
  })

  test.each([
    [['login'], 'missing argument SYSTEM'],
    [['login', '--setup', 'abcdef'], 'unexpected argument abcdef'],
  ])('%p is refused', async (line, problem) => {
    const { code, err } = await run(line, { cwd: emptyFolder() })
    expect([code, err]).toEqual([2, expect.stringContaining(problem)])
    expect(err).toContain('multitude login (SYSTEM | --setup)')
  })

  test('an import into a new system invalidates set-up links', async () => {
    const cwd = folderWithDatabase()
    await runJson(['system', 'create'], { cwd })
    const [{ id } = { id: '' }] = await runJson<{ id: string }[]>(['system', 'list'], { cwd })
    await runJson(['system', 'delete', id, '--yes'], { cwd })
    await runJson(['login', '--setup'], { cwd })
    expect(countCodes(cwd)).toBe(1)
    await Bun.write(
      join(cwd, 'file.json'),
      JSON.stringify({ version: 2, name: 'Hill', members: [], groups: [], switches: [] }),
    )
    await runJson(['import', 'file.json', '--new'], { cwd })
    expect(countCodes(cwd)).toBe(0)
  })
})
