import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { folderWithDatabase } from '../tools/emptyDatabase'
import { run, runJson } from '../tools/runInProcess'
import { commandLine, emptyFolder, NEW_DATABASE, type ProcessResult } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'
import { until } from '../tools/until'

const FAILED = 1

const { words: program, run: runProcess } = commandLine()
const cwd = folderWithDatabase()
const create = () => runJson<{ id: string; uuid: string }>(['system', 'create'], { cwd })
const [_lantern, other] = [await create(), await create()]
await run(['account', 'link', other.id, '123456789012345678'], { cwd })
await run(['bot', 'create', '--name', 'discord'], { cwd })

// Waiting for a locked file takes a while, so these commands run during the other tests.
await run(['migrate', '--database', 'file:busy.db'], { cwd })
const locker = new Database(join(cwd, 'busy.db'))
locker.run('PRAGMA locking_mode = EXCLUSIVE')
locker.run("INSERT INTO bots (name, hash, created) VALUES ('locker', 'h', 1)")
const waiting = [
  ['serve', '--port', '0'],
  ['system', 'list'],
].map((words) => runProcess([...words, '--database', 'file:busy.db'], { cwd }))

describe('a new database', () => {
  test('several processes can create a new database at the same time', async () => {
    const folder = emptyFolder()
    const processes = Array.from({ length: 6 }, () =>
      runProcess(['system', 'create'], { cwd: folder }),
    )
    const ended = await Promise.all(processes)
    expect(ended.map(({ code, err }) => [code, err.replace(NEW_DATABASE, '')])).toEqual(
      Array(6).fill([0, '']),
    )
    expect(ended.some(({ err }) => err !== '')).toBe(true)
    expect(await runJson<unknown[]>(['system', 'list'], { cwd: folder })).toHaveLength(6)
  })
})

describe('on a terminal', () => {
  const CTRL_C = '\x03'
  const CTRL_D = '\x04'
  const answers: [answer: string, code: number, output: string, isKept: boolean][] = [
    ['n', FAILED, 'multitude: Nothing was changed.', true],
    ['', FAILED, 'multitude: Nothing was changed.', true],
    [CTRL_C, FAILED, 'multitude: Nothing was changed.', true],
    [CTRL_D, FAILED, 'multitude: Nothing was changed.', true],
    ['yes', 0, 'Deleted system', false],
  ]

  test.each(answers)(
    'system delete asks on a terminal, and %p is understood',
    async (answer, code, output, isKept) => {
      const { id } = await runJson<{ id: string }>(['system', 'create', '--name', 'Quay'], { cwd })
      let shown = ''
      const child = Bun.spawn([...program, 'system', 'delete', id], {
        cwd,
        env: {},
        terminal: {
          data(terminal, bytes) {
            const before = shown
            shown += Buffer.from(bytes).toString()
            const question = `Delete system ${id} (Quay) and all its data? [y/N] `
            if (shown.includes(question) && !before.includes(question))
              terminal.write(`${answer}\r`)
          },
        },
      })
      expect(await child.exited).toBe(code)
      // The last output may arrive after the exit.
      await until(() => shown.includes(output))
      child.terminal?.close()
      expect(shown).not.toContain('    at ')
      expect((await run(['system', 'show', id], { cwd })).code).toBe(isKept ? 0 : FAILED)
    },
  )
})

describe('a database that another program keeps locked', () => {
  test('commands fail with one line when another program keeps the database locked', async () => {
    const ended = await Promise.all(waiting)
    locker.close()
    const complaint = `The database ${join(cwd, 'busy.db')} is locked by another program; try again later.`
    expect(ended).toEqual([failure(complaint), failure(complaint)])
  })
})

function failure(complaint: string): ProcessResult {
  return { code: FAILED, out: '', err: `multitude: ${complaint}\n` }
}
