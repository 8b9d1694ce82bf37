import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, type Ended, emptyFolder, NEW_DATABASE, program } from '../serverProcess'

const FAILED = 1

// Processes take their time on a busy machine.
setDefaultTimeout(30_000)

const { run, runJson } = await commandLine()
const cwd = emptyFolder()
const create = () => runJson<{ id: string; uuid: string }>(['system', 'create'], { cwd })
const [lantern, other] = [await create(), await create()]
await run(['account', 'link', other.id, '123456789012345678'], { cwd })
await run(['bot', 'create', '--name', 'discord'], { cwd })

// Waiting for a locked file takes a while: it waits beside the other tests.
await run(['migrate', '--database', 'file:busy.db'], { cwd })
const hog = new Database(join(cwd, 'busy.db'))
hog.run('PRAGMA locking_mode = EXCLUSIVE')
hog.run("INSERT INTO bots (name, hash, created) VALUES ('hog', 'h', 1)")
const waiting = [
  ['serve', '--port', '0'],
  ['system', 'list'],
].map((words) => run([...words, '--database', 'file:busy.db'], { cwd }))

describe('a command that cannot do its work', () => {
  const failing: [words: string[], complaint: string][] = [
    [['system', 'show', 'zzzzzz'], 'There is no system zzzzzz.'],
    [['system', 'show', '@me'], 'There is no system @me.'],
    [['system', 'delete', 'zzzzzz', '--yes'], 'There is no system zzzzzz.'],
    [['token', 'create', 'nobody', '--json'], 'There is no system nobody.'],
    [['token', 'revoke', lantern.id, 'phone', '--yes'], `System ${lantern.id} has no token phone.`],
    [
      ['account', 'unlink', lantern.id, '123456789012345678', '--yes'],
      `Account 123456789012345678 is not linked to ${lantern.id}.`,
    ],
    [
      ['account', 'link', lantern.id, '123456789012345678'],
      'The account is linked to another system.',
    ],
    [
      ['system', 'create', '--account', '123456789012345678'],
      'The account is linked to another system.',
    ],
    [['bot', 'create', '--name', 'discord'], 'There is a bot discord already.'],
    [['bot', 'revoke', 'matrix', '--yes'], 'There is no bot matrix.'],
  ]

  test('says why in one line, and changes nothing', async () => {
    const before = await run(['system', 'list', '--json'], { cwd })
    const ended = await Promise.all(failing.map(([words]) => run(words, { cwd })))
    expect(ended).toEqual(failing.map(([, complaint]) => failure(complaint)))
    expect(await run(['system', 'list', '--json'], { cwd })).toEqual(before)
  })
})

describe('a database that cannot be used', () => {
  const path = (name: string) => join(cwd, name)

  const complaints: [words: string, file: string, complaint: string][] = [
    ['serve', 'diary.txt', `The file ${path('diary.txt')} is not a Multitude database.`],
    [
      'system list --json',
      'theirs.db',
      `The file ${path('theirs.db')} is a database of another program, not Multitude’s.`,
    ],
    [
      'migrate',
      'newer.db',
      `The database ${path('newer.db')} was made by a newer Multitude (9999_future); update this program.`,
    ],
    [
      'serve',
      'diary.txt/data.db',
      `The database ${path('diary.txt/data.db')} cannot be written: check the folder’s permissions.`,
    ],
    ['bot list', '.', `The database ${cwd} is not a file.`],
  ]

  test('is refused in one line, never with a stack trace', async () => {
    writeFileSync(path('diary.txt'), 'Dear diary\n')
    change(path('theirs.db'), 'CREATE TABLE theirs (a)')
    await run(['migrate', '--database', 'file:newer.db'], { cwd })
    change(path('newer.db'), "INSERT INTO migrations VALUES ('9999_future', '')")
    const ended = await Promise.all(
      complaints.map(([words, file]) =>
        run([...words.split(' '), '--database', `file:${file}`], { cwd }),
      ),
    )
    expect(ended).toEqual(complaints.map(([, , complaint]) => failure(complaint)))
    expect(readFileSync(path('diary.txt'), 'utf8')).toBe('Dear diary\n')
  })
})

describe('a new database', () => {
  test('may be made by many programs at once', async () => {
    const folder = emptyFolder()
    const crowd = Array.from({ length: 6 }, () => run(['system', 'create'], { cwd: folder }))
    const ended = await Promise.all(crowd)
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
  const answers: [answer: string, code: number, says: string, isLeft: boolean][] = [
    ['n', FAILED, 'multitude: Nothing was changed.', true],
    ['', FAILED, 'multitude: Nothing was changed.', true],
    [CTRL_C, FAILED, 'multitude: Nothing was changed.', true],
    [CTRL_D, FAILED, 'multitude: Nothing was changed.', true],
    ['yes', 0, 'is deleted.', false],
  ]

  test.each(answers)(
    'answering %p to what cannot be undone',
    async (answer, code, says, isLeft) => {
      const { id } = await runJson<{ id: string }>(['system', 'create', '--name', 'Quay'], { cwd })
      let said = ''
      const child = Bun.spawn([...program, 'system', 'delete', id], {
        cwd,
        env: {},
        terminal: {
          data(terminal, bytes) {
            const before = said
            said += Buffer.from(bytes).toString()
            const question = `Delete system ${id} (Quay) and everything it has? [y/N] `
            if (said.includes(question) && !before.includes(question)) terminal.write(`${answer}\r`)
          },
        },
      })
      expect(await child.exited).toBe(code)
      child.terminal?.close()
      expect(said).toContain(says)
      expect(said).not.toContain('    at ')
      expect((await run(['system', 'show', id], { cwd })).code).toBe(isLeft ? 0 : FAILED)
    },
  )
})

describe('a database that another program keeps locked', () => {
  test('is given up on in one line', async () => {
    const ended = await Promise.all(waiting)
    hog.close()
    const complaint = `The database ${join(cwd, 'busy.db')} is locked by another program; try again later.`
    expect(ended).toEqual([failure(complaint), failure(complaint)])
  })
})

function failure(complaint: string): Ended {
  return { code: FAILED, out: '', err: `multitude: ${complaint}\n` }
}

/** Does something to the file as another program would. */
function change(path: string, statement: string): void {
  const database = new Database(path)
  database.run(statement)
  database.close()
}
