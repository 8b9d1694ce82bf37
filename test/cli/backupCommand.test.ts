import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runBackupCommand } from '../../src/cli/backupCommand'
import { until } from '../events/receiver'
import { run, runJson } from '../runInProcess'
import { commandLine, emptyFolder } from '../serverProcess'
import { dump } from '../service/transfer/importFixture'
import { describe, expect, test } from '../test'

const { startServer } = await commandLine()

/** Writes a shell script, and returns its path. */
function script(folder: string, line: string): string {
  const path = join(folder, 'ship.sh')
  writeFileSync(path, `#!/bin/sh\n${line}\n`)
  chmodSync(path, 0o755)
  return path
}

/** Returns true if the process runs; a zombie does not. */
function isRunning(pid: number): boolean {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'stat=', '-p', String(pid)])
  return /^[^Z]/.test(stdout.toString())
}

describe('BACKUP_COMMAND', () => {
  const folder = emptyFolder()
  const failures: [title: string, line: string, problem: RegExp][] = [
    [
      'fails',
      'echo first >&2; echo no route to there >&2; exit 3',
      /^exited with code 3: no route to there$/,
    ],
    ['fails without output', 'exit 1', /^exited with code 1$/],
    ['hangs', 'exec sleep 60', /^timed out after 0.3 s$/],
    ['waits for a child that hangs', 'sleep 60; true', /^timed out after 0.3 s$/],
    ['ignores SIGTERM', 'trap "" TERM; sleep 60; sleep 60', /^timed out after 0.3 s$/],
    [
      'prints 9 MB of errors',
      'yes much | head -c 9000000 >&2; exit 9',
      /^exited with code 9: (much|uch)?/,
    ],
  ]

  test.each(failures)('reports a command that %s', async (_, line, problem) => {
    const shipped = runBackupCommand(
      script(emptyFolder(), line),
      'a.db',
      line.includes('sleep') ? 300 : 30_000,
      500,
    )
    await expect(shipped).rejects.toThrow(problem)
  })

  test('kills a command that timed out with all processes that it started', async () => {
    const kept = join(folder, 'started')
    const line = `(trap "" TERM; sleep 100 >&2 & echo $! > ${kept}; wait); true`
    const shipped = runBackupCommand(script(emptyFolder(), line), 'a.db', 1_000, 500)
    await expect(shipped).rejects.toThrow(/^timed out/)
    const pid = Number(readFileSync(kept, 'utf8'))
    await until(() => !isRunning(pid))
  })

  test('finishes when the command exits, even if it leaves a process running', async () => {
    const kept = join(folder, 'left')
    await runBackupCommand(script(emptyFolder(), `sleep 100 & echo $! > ${kept}; exit 0`), 'a.db')
    process.kill(Number(readFileSync(kept, 'utf8')))
  })

  test('reports a command that does not exist', async () => {
    await expect(runBackupCommand('/not/there', 'a.db')).rejects.toThrow(/^could not be started: /)
  })

  const argumentLists: [command: string, words: string][] = [
    ['', 'a b.db'],
    [' --to  far', '--to far a b.db'],
    [' copy {} far:{}', 'copy a b.db far:a b.db'],
  ]

  test.each(argumentLists)(
    'passes the path to a command with arguments %p as %p',
    async (rest, words) => {
      const to = join(folder, 'words')
      await runBackupCommand(`${script(folder, `echo "$@" > ${to}`)}${rest}`, 'a b.db')
      expect(readFileSync(to, 'utf8')).toBe(`${words}\n`)
    },
  )
})

describe('a server with BACKUP_COMMAND', () => {
  const confidential = {
    DATABASE_URL: 'file:data/multitude.db',
    MULTITUDE_DATABASE_URL: 'file:data/multitude.db',
    PGPASSWORD: 'secret',
    MULTITUDE_PGPASSWORD: 'secret',
    NOTIFY_SOCKET: '/not/there',
    WATCHDOG_USEC: '30000000',
    WATCHDOG_PID: '1',
  }

  test('a server passes each compressed backup to BACKUP_COMMAND, and it can be restored', async () => {
    const cwd = emptyFolder()
    const command = script(cwd, `env > ${cwd}/environment; cp "$1" ${cwd}/shipped.db.zst`)
    const { id } = await runJson<{ id: string }>(['system', 'create', '--name', 'Kept'], { cwd })
    const env = {
      BACKUP_DIR: 'backups',
      BACKUP_COMMAND: command,
      BACKUP_COMPRESS: 'zstd',
      SHIP_TO: 'far away',
      ...confidential,
    }
    const server = await startServer([], { cwd, env })
    await until(() => server.output().includes('backup command finished'))
    const environment = readFileSync(join(cwd, 'environment'), 'utf8')
    expect(environment).toContain('SHIP_TO=far away\n')
    for (const name of Object.keys(confidential)) expect(environment).not.toContain(`${name}=`)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
    const [name = '', ...others] = readdirSync(join(cwd, 'backups'))
    expect(others).toEqual([])
    expect(name).toMatch(/^multitude-\d{8}T\d{6}Z\.db\.zst$/)
    expect(readFileSync(join(cwd, 'shipped.db.zst')).subarray(0, 4).toString('hex')).toBe(
      '28b52ffd',
    )
    const before = dump(join(cwd, 'data/multitude.db'))
    await runJson(['system', 'delete', id, '--yes'], { cwd })
    await runJson(['restore', 'shipped.db.zst', '--yes'], { cwd })
    expect(dump(join(cwd, 'data/multitude.db')).systems).toEqual(before.systems)
    expect(readdirSync(join(cwd, 'data')).filter((file) => file.includes('partial'))).toEqual([])
    if (Bun.which('zstd'))
      expect(Bun.spawnSync(['zstd', '-t', join(cwd, 'shipped.db.zst')]).exitCode).toBe(0)
  })

  test('a failure of BACKUP_COMMAND is in the log, the metrics and the status, and the server stays healthy', async () => {
    const cwd = emptyFolder()
    const command = script(cwd, 'echo the far end is full >&2; exit 4')
    const env = {
      BACKUP_DIR: 'backups',
      BACKUP_COMMAND: command,
      METRICS: 'on',
      METRICS_ADDRESS: '127.0.0.1:0',
    }
    const server = await startServer([], { cwd, env })
    await until(() => server.output().includes('backup command failed'))
    expect(server.output()).toMatch(
      /"level":"error".*"cause":"exited with code 4: the far end is full"/,
    )
    expect((await fetch(`${server.address}/health`)).status).toBe(200)
    const [, metrics = ''] = /"metrics":"([^"]+)"/.exec(server.output()) ?? []
    let text = ''
    await until(async () => {
      text = await (await fetch(metrics)).text()
      return text.includes('multitude_task_ok{task="backup_command"} 0')
    })
    expect(text).toContain('multitude_task_ok{task="backup"} 1')
    const { code, out } = await run(['status'], { cwd, env })
    expect([code, out]).toEqual([0, expect.stringContaining('the far end is full')])
    server.kill('SIGTERM')
    await server.end()
    expect(existsSync(join(cwd, 'backups'))).toBe(true)
  })
})

describe('a compressed backup', () => {
  test('restore rejects a truncated compressed backup', async () => {
    const cwd = emptyFolder()
    await runJson(['system', 'create'], { cwd })
    await runJson(['backup', 'whole.db.zst', '--compress', 'zstd'], { cwd })
    const whole = readFileSync(join(cwd, 'whole.db.zst'))
    writeFileSync(join(cwd, 'half.db.zst'), whole.subarray(0, whole.length / 2))
    const before = readFileSync(join(cwd, 'data/multitude.db'))
    const { code, err } = await run(['restore', 'half.db.zst', '--yes'], { cwd })
    expect([code, err]).toEqual([1, expect.stringMatching(/^multitude: half\.db\.zst cannot be /)])
    expect(readFileSync(join(cwd, 'data/multitude.db'))).toEqual(before)
    const left = readdirSync(join(cwd, 'data')).filter((name) => /partial|restoring/.test(name))
    expect(left).toEqual([])
  })

  test('restore creates the folder of the database for a compressed backup', async () => {
    const cwd = emptyFolder()
    const { id } = await runJson<{ id: string }>(['system', 'create'], { cwd })
    await runJson(['backup', 'whole.db.zst', '--compress', 'zstd'], { cwd })
    const elsewhere = ['--database', 'file:not/there/yet.db']
    await runJson(['restore', 'whole.db.zst', '--yes', ...elsewhere], { cwd })
    expect(await runJson<unknown>(['system', 'list', ...elsewhere], { cwd })).toMatchObject([
      { id },
    ])
  })

  test('backup --compress accepts only zstd and does not overwrite a file', async () => {
    const cwd = emptyFolder()
    await runJson(['system', 'create'], { cwd })
    expect((await run(['backup', 'a', '--compress', 'gzip'], { cwd })).code).toBe(2)
    writeFileSync(join(cwd, 'there'), '')
    const { code, err } = await run(['backup', 'there', '--compress', 'zstd'], { cwd })
    expect([code, err]).toEqual([1, 'multitude: there exists already.\n'])
  })
})
