import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  asUnprivileged,
  canDropPrivileges,
  canMount,
  FILL,
  onReadOnlyDisk,
  onSmallDisk,
} from '../restrictedEnvironment'
import { commandLine, emptyFolder, runCommand } from '../serverProcess'
import { withRawDatabase } from '../service/transfer/importFixture'

// Processes take their time on a busy machine.
setDefaultTimeout(60_000)

const { runJson, startServer, words, run } = await commandLine()
const FAILED = 1

/** A folder with a whole database, and one with a log that was never folded in. */
const home = emptyFolder()
const { id } = await runJson<{ id: string }>(['system', 'create', '--name', 'Whole'], { cwd: home })
await runJson(['backup', 'whole.db'], { cwd: home })
const whole = join(home, 'whole.db')
withRawDatabase(whole, (database) => database.run('PRAGMA journal_mode = WAL'))

function fresh() {
  const cwd = emptyFolder()
  const path = join(cwd, 'data.db')
  copyFileSync(whole, path)
  return { cwd, path, env: { DATABASE_URL: `file:${path}` } }
}

describe('a damaged page', () => {
  test.each(['events', 'webhooks', 'sqlite_master'])(
    'of %s is told before anybody is served, in one line',
    async (table) => {
      const here = fresh()
      spoil(here.path, table)
      const { code, out, err } = await run(['serve', '--port', '0'], here)
      expect([code, out]).toEqual([FAILED, ''])
      expect(err).toMatch(/^multitude: [^\n]*(is damaged|is not a Multitude database)[^\n]*\n$/)
      const list = await run(['system', 'list'], here)
      if (list.code !== 0) expect(list.err).toMatch(/^multitude: [^\n]+\n$/)
    },
  )

  test('that nobody needs at the start is a 500 for whoever needs it, and no end', async () => {
    const here = fresh()
    spoil(here.path, 'settings')
    const server = await startServer([], here)
    const answer = await fetch(`${server.address}/v2/systems/${id}/settings`)
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { message: '500: Internal Server Error', code: 0 },
    ])
    for (const path of ['/health', `/v2/systems/${id}`, '/health'])
      expect((await fetch(`${server.address}${path}`)).status).toBe(200)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  })
})

describe('a long write of another program', () => {
  test('keeps no server from starting and being read', async () => {
    const here = fresh()
    const other = new Database(here.path)
    other.run('BEGIN IMMEDIATE')
    const server = await startServer([], here)
    for (const path of ['/health', `/v2/systems/${id}`])
      expect((await fetch(`${server.address}${path}`)).status).toBe(200)
    other.run('ROLLBACK')
    other.close()
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  })
})

const commands: [words: string[]][] = [
  [['serve', '--port', '0']],
  [['migrate']],
  [['system', 'list']],
  [['system', 'create']],
  [['doctor']],
  [['doctor', '--fix']],
  [['backup', '/dev/shm/none/b.db']],
  [['restore', whole, '--yes']],
]

describe.if(canDropPrivileges)('what this user may not do', () => {
  test.each(commands)('%j with a file that it may not open', async (command) => {
    const here = fresh()
    chmodSync(here.cwd, 0o755)
    chmodSync(here.path, 0o000)
    const ended = await runCommand([...asUnprivileged(words), ...command], here)
    expectOneLine(ended, /not allowed|may not|another user|There is no file|cannot be restored/)
    expect(ended.err).not.toMatch(/damaged|not a database|read-only/)
  })

  test.each(commands)('%j in a folder that it may not enter', async (command) => {
    const here = fresh()
    chmodSync(here.cwd, 0o000)
    const ended = await runCommand([...asUnprivileged(words), ...command], { ...here, cwd: '/' })
    chmodSync(here.cwd, 0o755)
    expectOneLine(ended, /not allowed|may not|cannot be restored/)
    expect(ended.err).not.toMatch(/damaged|not a database|read-only|There is no database/)
  })
})

describe.if(canMount)('a read-only disk', () => {
  test('is no damage: the doctor looks, and says so when it cannot repair', async () => {
    const here = fresh()
    const doctor = (...flags: string[]) =>
      runCommand(onReadOnlyDisk(here.cwd, [...words, 'doctor', ...flags]), here)
    expect(await doctor()).toEqual({ code: 0, out: 'The database is whole.\n', err: '' })
    expectOneLine(await doctor('--fix'), /data\.db cannot be used: .*read-only/)
    withRawDatabase(here.path, (database) => database.run('DELETE FROM settings'))
    const sick = await doctor()
    expect([sick.code, sick.err]).toEqual([FAILED, expect.stringContaining('has no settings')])
  })

  test('with a log beside the file is told as what it is', async () => {
    const here = fresh()
    writeFileSync(`${here.path}-wal`, 'x'.repeat(100))
    const ended = await runCommand(onReadOnlyDisk(here.cwd, [...words, 'doctor']), here)
    expectOneLine(ended, /read-only/)
  })

  test.each([
    [['serve', '--port', '0']],
    [['migrate']],
    [['system', 'create']],
    [['backup', 'b.db']],
    [['restore', whole, '--yes']],
  ])('%j', async (command) => {
    const here = fresh()
    const ended = await runCommand(onReadOnlyDisk(here.cwd, [...words, ...command]), here)
    expectOneLine(ended, /read-only/)
  })
})

describe.if(canMount)('a full disk', () => {
  const full: [words: string[], prepare: string][] = [
    [['serve', '--port', '0'], FILL],
    [['migrate'], FILL],
    [['system', 'create'], `cp ${whole} data.db; ${FILL}`],
    [['system', 'list'], `cp ${whole} data.db; ${FILL}`],
    [['serve', '--port', '0'], `cp ${whole} data.db; ${FILL}`],
    [['backup', 'b.db'], `cp ${whole} data.db; ${FILL}`],
    [['restore', whole, '--yes'], FILL],
    [['restore', whole, '--yes'], `cp ${whole} data.db; ${FILL}`],
  ]

  test.each(full)('%j after %s', async (command, prepare) => {
    const cwd = emptyFolder()
    const env = { DATABASE_URL: `file:${join(cwd, 'data.db')}` }
    const ended = await runCommand(onSmallDisk('4m', cwd, prepare, [...words, ...command]), {
      cwd,
      env,
    })
    expectOneLine(ended, /the disk is full/)
  })

  test('keeps the doctor from repairing, but not from looking', async () => {
    const sick = fresh()
    withRawDatabase(sick.path, (database) => database.run('DELETE FROM settings'))
    const cwd = emptyFolder()
    const env = { DATABASE_URL: `file:${join(cwd, 'data.db')}` }
    const doctor = (...flags: string[]) =>
      runCommand(
        onSmallDisk('4m', cwd, `cp ${sick.path} data.db; ${FILL}`, [...words, 'doctor', ...flags]),
        { cwd, env },
      )
    const looked = await doctor()
    expect([looked.code, looked.err]).toEqual([FAILED, expect.stringContaining('has no settings')])
    expectOneLine(await doctor('--fix'), /the disk is full/)
  })

  test('takes no answer of a command in silence', async () => {
    const command = [...words, 'config'].map((word) => `'${word}'`).join(' ')
    const ended = await runCommand(['/bin/sh', '-c', `${command} > /dev/full`], { cwd: home })
    expectOneLine(ended, /^multitude: The answer cannot be written: the disk is full/)
  })
})

describe('an uncaught exception', () => {
  test('ends the server with one line, without a stack or the source', async () => {
    const cwd = emptyFolder()
    const broken = join(cwd, 'broken.ts')
    // Once the server has added its own listener to that of the program.
    writeFileSync(
      broken,
      `const timer = setInterval(() => {
        if (process.listenerCount('uncaughtException') < 2) return
        clearInterval(timer)
        throw new TypeError("never mind")
      }, 20)`,
    )
    const [bun = '', ...script] = words
    const flags = ['--port', '0', '--json', '--log-level', 'error']
    const ended = await runCommand([bun, '--preload', broken, ...script, 'serve', ...flags], {
      cwd,
    })
    expect([ended.code, ended.out]).toEqual([FAILED, ''])
    const lines = ended.err.trimEnd().split('\n')
    expect(lines.at(-1)).toMatch(/^multitude: .*never mind/)
    // The log may name the place; the terminal is for people.
    for (const line of lines.slice(0, -1)) expect(JSON.parse(line)).toHaveProperty('level')
  })
})

describe('a path of the wrong kind', () => {
  test('is refused in one line: a file where a folder should be, and the reverse', async () => {
    const here = fresh()
    mkdirSync(join(here.cwd, 'folder'))
    for (const command of [
      ['doctor', '--database', 'file:folder'],
      ['doctor', '--database', 'file:data.db/data.db'],
      ['backup', 'b.db', '--database', 'file:folder'],
      ['backup', 'data.db/b.db'],
      ['restore', 'folder', '--yes'],
      ['restore', whole, '--yes', '--database', 'file:folder'],
      ['restore', whole, '--yes', '--database', 'file:data.db/data.db'],
    ])
      expectOneLine(await run(command, here), /./)
    expect(readFileSync(here.path).equals(readFileSync(whole))).toBe(true)
  })
})

function expectOneLine(ended: { code: number; out: string; err: string }, reason: RegExp): void {
  expect([ended.code, ended.out, ended.err]).toEqual([
    FAILED,
    '',
    expect.stringMatching(/^multitude: [^\n]+\n$/),
  ])
  expect(ended.err).toMatch(reason)
}

/** Overwrites the first page of a table. */
function spoil(path: string, name: string): void {
  const page = withRawDatabase(path, (database) => {
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    return (
      database
        .query<{ rootpage: number }, [string]>('SELECT rootpage FROM sqlite_master WHERE name = ?')
        .get(name)?.rootpage ?? 1
    )
  })
  const bytes = readFileSync(path)
  bytes.fill(0xff, (page - 1) * 4096 + (page === 1 ? 100 : 0), page * 4096)
  writeFileSync(path, bytes)
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
}
