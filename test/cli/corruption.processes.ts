import { Database } from 'bun:sqlite'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withRawDatabase } from '../service/transfer/importFixture'
import { folderWithDatabase } from '../tools/emptyDatabase'
import {
  asUnprivileged,
  canDropPrivileges,
  canMount,
  FILL,
  onReadOnlyDisk,
  onSmallDisk,
} from '../tools/restrictedEnvironment'
import { run, runJson } from '../tools/runInProcess'
import { commandLine, emptyFolder, preload, runCommand } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'

const { startServer, words, run: runProcess } = commandLine()
const FAILED = 1

/** Folder with an intact database and a backup of it. */
const home = folderWithDatabase()
const { id } = await runJson<{ id: string }>(['system', 'create', '--name', 'Whole'], { cwd: home })
await runJson(['backup', 'intact.db'], { cwd: home })
const intact = join(home, 'intact.db')
withRawDatabase(intact, (database) => database.run('PRAGMA journal_mode = WAL'))

function fresh() {
  const cwd = emptyFolder()
  const path = join(cwd, 'data.db')
  copyFileSync(intact, path)
  return { cwd, path, env: { DATABASE_URL: `file:${path}` } }
}

describe('a damaged page', () => {
  test.each(['events', 'webhooks', 'sqlite_master'])(
    'serve fails with one line when a page of %s is damaged',
    async (table) => {
      const here = fresh()
      corrupt(here.path, table)
      const { code, out, err } = await run(['serve', '--port', '0'], here)
      expect([code, out]).toEqual([FAILED, ''])
      expect(err).toMatch(/^multitude: [^\n]*(is damaged|is not a Multitude database)[^\n]*\n$/)
      const list = await run(['system', 'list'], here)
      if (list.code !== 0) expect(list.err).toMatch(/^multitude: [^\n]+\n$/)
    },
  )

  test('the server answers 500 for a damaged page that the start does not read, and keeps running', async () => {
    const here = fresh()
    corrupt(here.path, 'settings')
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
  test('the server starts and answers reads while another program holds a write transaction', async () => {
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
  [['restore', intact, '--yes']],
]

describe.if(canDropPrivileges)('missing permissions', () => {
  test.each(commands)('%j fails with one line when it may not open the file', async (command) => {
    const here = fresh()
    chmodSync(here.cwd, 0o755)
    chmodSync(here.path, 0o000)
    const ended = await runCommand([...asUnprivileged(words), ...command], here)
    expectOneLine(ended, /not allowed|may not|another user|There is no file|cannot be restored/)
    expect(ended.err).not.toMatch(/damaged|not a database|read-only/)
  })

  test.each(commands)(
    '%j fails with one line when it may not enter the folder',
    async (command) => {
      const here = fresh()
      chmodSync(here.cwd, 0o000)
      const ended = await runCommand([...asUnprivileged(words), ...command], { ...here, cwd: '/' })
      chmodSync(here.cwd, 0o755)
      expectOneLine(ended, /not allowed|may not|cannot be restored/)
      expect(ended.err).not.toMatch(/damaged|not a database|read-only|There is no database/)
    },
  )
})

describe.if(canMount)('a read-only disk', () => {
  test('doctor checks a database on a read-only disk, and doctor --fix fails with one line', async () => {
    const here = fresh()
    const doctor = (...flags: string[]) =>
      runCommand(onReadOnlyDisk(here.cwd, [...words, 'doctor', ...flags]), here)
    expect(await doctor()).toEqual({ code: 0, out: 'No problems found.\n', err: '' })
    expectOneLine(await doctor('--fix'), /data\.db cannot be used: .*read-only/)
    withRawDatabase(here.path, (database) => database.run('DELETE FROM settings'))
    const damaged = await doctor()
    expect([damaged.code, damaged.err]).toEqual([
      FAILED,
      expect.stringContaining('has no settings'),
    ])
  })

  test('doctor reports a read-only disk when the database has a write-ahead log', async () => {
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
    [['restore', intact, '--yes']],
  ])('%j reports a read-only disk in one line', async (command) => {
    const here = fresh()
    const ended = await runCommand(onReadOnlyDisk(here.cwd, [...words, ...command]), here)
    expectOneLine(ended, /read-only/)
  })
})

describe.if(canMount)('a full disk', () => {
  const full: [words: string[], prepare: string][] = [
    [['serve', '--port', '0'], FILL],
    [['migrate'], FILL],
    [['system', 'create'], `cp ${intact} data.db; ${FILL}`],
    [['system', 'list'], `cp ${intact} data.db; ${FILL}`],
    [['serve', '--port', '0'], `cp ${intact} data.db; ${FILL}`],
    [['backup', 'b.db'], `cp ${intact} data.db; ${FILL}`],
    [['restore', intact, '--yes'], FILL],
    [['restore', intact, '--yes'], `cp ${intact} data.db; ${FILL}`],
  ]

  test.each(full)('%j after %s reports a full disk in one line', async (command, prepare) => {
    const cwd = emptyFolder()
    const env = { DATABASE_URL: `file:${join(cwd, 'data.db')}` }
    const ended = await runCommand(onSmallDisk('4m', cwd, prepare, [...words, ...command]), {
      cwd,
      env,
    })
    expectOneLine(ended, /the disk is full/)
  })

  test('doctor checks a database on a full disk, and doctor --fix fails with one line', async () => {
    const damaged = fresh()
    withRawDatabase(damaged.path, (database) => database.run('DELETE FROM settings'))
    const cwd = emptyFolder()
    const env = { DATABASE_URL: `file:${join(cwd, 'data.db')}` }
    const doctor = (...flags: string[]) =>
      runCommand(
        onSmallDisk('4m', cwd, `cp ${damaged.path} data.db; ${FILL}`, [
          ...words,
          'doctor',
          ...flags,
        ]),
        { cwd, env },
      )
    const checked = await doctor()
    expect([checked.code, checked.err]).toEqual([
      FAILED,
      expect.stringContaining('has no settings'),
    ])
    expectOneLine(await doctor('--fix'), /the disk is full/)
  })

  test('a command fails when its output cannot be written to a full disk', async () => {
    const command = [...words, 'config'].map((word) => `'${word}'`).join(' ')
    const ended = await runCommand(['/bin/sh', '-c', `${command} > /dev/full`], { cwd: home })
    expectOneLine(ended, /^multitude: The output cannot be written: the disk is full/)
  })
})

describe('an uncaught exception', () => {
  test('an uncaught exception ends the server with one line, without a stack or source excerpt', async () => {
    const cwd = emptyFolder()
    const broken = join(cwd, 'broken.ts')
    // Throws once the server has added its own listener to that of the program.
    writeFileSync(
      broken,
      `const timer = setInterval(() => {
        if (process.listenerCount('uncaughtException') < 2) return
        clearInterval(timer)
        throw new TypeError("never mind")
      }, 20)`,
    )
    const flags = ['--port', '0', '--json', '--log-level', 'error']
    const ended = await runProcess(['serve', ...flags], { cwd, env: preload(broken) })
    expect([ended.code, ended.out]).toEqual([FAILED, ''])
    const lines = ended.err.trimEnd().split('\n')
    expect(lines.at(-1)).toMatch(/^multitude: .*never mind/)
    // Only the log may have a stack.
    for (const line of lines.slice(0, -1)) expect(JSON.parse(line)).toHaveProperty('level')
  })
})

describe('a path of the wrong kind', () => {
  test('commands reject a file in place of a folder, and the reverse, in one line', async () => {
    const here = fresh()
    mkdirSync(join(here.cwd, 'folder'))
    for (const command of [
      ['doctor', '--database', 'file:folder'],
      ['doctor', '--database', 'file:data.db/data.db'],
      ['backup', 'b.db', '--database', 'file:folder'],
      ['backup', 'data.db/b.db'],
      ['restore', 'folder', '--yes'],
      ['restore', intact, '--yes', '--database', 'file:folder'],
      ['restore', intact, '--yes', '--database', 'file:data.db/data.db'],
    ])
      expectOneLine(await runProcess(command, here), /./)
    expect(readFileSync(here.path).equals(readFileSync(intact))).toBe(true)
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
function corrupt(path: string, name: string): void {
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
