import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  GRACE_MS,
  LAST_OUTPUT_MS,
  runBackupCommand,
  TIMEOUT_MS,
} from '../../../src/cli/commands/runBackupCommand'
import { dump } from '../../service/transfer/importFixture'
import { outcomeOf } from '../../tools/outcomeOf'
import { run, runJson } from '../../tools/runInProcess'
import { commandLine, emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { createTestClock } from '../../tools/testClock'
import { until } from '../../tools/until'

const { startServer } = commandLine()

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

/** Message of the error, if the promise rejects. */
const problemOf = (shipped: Promise<void>) =>
  shipped.then(
    () => null,
    ({ message }: Error) => message,
  )

describe('BACKUP_COMMAND', () => {
  const folder = emptyFolder()
  const failures: [title: string, line: string, problem: RegExp][] = [
    [
      'fails',
      'echo first >&2; echo no route to there >&2; exit 3',
      /^exited with code 3: no route to there$/,
    ],
    ['fails without output', 'exit 1', /^exited with code 1$/],
    [
      'prints 9 MB of errors',
      'yes much | head -c 9000000 >&2; exit 9',
      /^exited with code 9: (much|uch)?/,
    ],
  ]

  test.each(failures)('reports a command that %s', async (_, line, problem) => {
    const shipped = runBackupCommand(script(emptyFolder(), line), 'a.db')
    expect(await outcomeOf(shipped)).toThrow(problem)
  })

  const hanging: [title: string, line: string, needsKill: boolean][] = [
    ['hangs', 'touch "$0.started"; exec sleep 60', false],
    ['waits for a child that hangs', 'touch "$0.started"; sleep 60; true', false],
    ['ignores SIGTERM', 'trap "" TERM; touch "$0.started"; sleep 60; sleep 60', true],
  ]

  test.each(hanging)('ends a command that %s', async (_, line, needsKill) => {
    const clock = createTestClock()
    const path = script(emptyFolder(), line)
    const failure = problemOf(runBackupCommand(path, 'a.db', clock))
    await until(() => existsSync(`${path}.started`))
    await clock.advance(TIMEOUT_MS)
    if (needsKill) await clock.advance(GRACE_MS)
    expect(await failure).toBe('timed out after 3600 s')
  })

  test('kills a command that timed out with all processes that it started', async () => {
    const kept = join(folder, 'started')
    const line = `(trap "" TERM; sleep 100 >&2 & echo $! > ${kept}.new; mv ${kept}.new ${kept}; wait); true`
    const clock = createTestClock()
    const failure = problemOf(runBackupCommand(script(emptyFolder(), line), 'a.db', clock))
    await until(() => existsSync(kept))
    await clock.advance(TIMEOUT_MS)
    // The child keeps standard error open.
    await clock.untilTimer(LAST_OUTPUT_MS)
    await clock.advance(LAST_OUTPUT_MS)
    expect(await failure).toStartWith('timed out')
    const pid = Number(readFileSync(kept, 'utf8'))
    await until(() => !isRunning(pid))
  })

  test('finishes when the command exits, even if it leaves a process running', async () => {
    const kept = join(folder, 'left')
    const clock = createTestClock()
    const line = `sleep 100 & echo $! > ${kept}; exit 0`
    const shipped = runBackupCommand(script(emptyFolder(), line), 'a.db', clock)
    await clock.untilTimer(LAST_OUTPUT_MS)
    await clock.advance(LAST_OUTPUT_MS)
    await shipped
    process.kill(Number(readFileSync(kept, 'utf8')))
  })

  test('reports a command that does not exist', async () => {
    expect(await outcomeOf(runBackupCommand('/not/there', 'a.db'))).toThrow(
      /^could not be started: /,
    )
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
