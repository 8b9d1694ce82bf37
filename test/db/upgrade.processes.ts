import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { migrations } from '../../src/db/migrations'
import { currentSchema } from '../tools/currentSchema'
import { run } from '../tools/runInProcess'
import { commandLine, preload } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'
import {
  answersOf,
  copiesIn,
  createUsed,
  expectedAnswers,
  fileUrl,
  findingsIn,
  pendingIn,
  queryRows,
} from './usedDatabases'

const { startServer, words } = commandLine()

const olderReleases = migrations.slice(0, -1).map(({ name }, at) => [name, at + 1] as const)

describe('upgrade of a database with rows', () => {
  test.each(olderReleases)(
    'answers like a new database, with its schema and all rows, after an upgrade from %s',
    async (_, has) => {
      const old = createUsed(has)
      const answers = await answersOf(old.path)
      expect(answers).toEqual(await expectedAnswers(has))
      expect(answers['owner: /v2/systems/@me']).toMatchObject({
        status: 200,
        json: { id: 'abcde', name: 'Lantern Hill', description: 'ours alone' },
      })
      expect(answers['anonymous: /v2/systems/abcde']).toMatchObject({ json: { description: null } })
      if (has > 1) {
        expect(answers['owner: /v2/members/aaaaa']).toMatchObject({ json: { name: 'Wren' } })
        expect(answers['anonymous: /v2/members/aaaaa']).toMatchObject({ json: { name: 'W.' } })
        expect(answers['owner: /v2/systems/@me/fronters']).toMatchObject({
          json: { members: [{ id: 'bbbbb' }, { id: 'aaaaa' }] },
        })
      }
      expect(await findingsIn(old.path)).toEqual([])
      expect(queryRows(old.path, 'SELECT name FROM bots')).toEqual([{ name: 'old' }])
      const kept = queryRows(old.path, "SELECT name FROM migrations WHERE applied = 'before'")
      expect(kept).toHaveLength(has)
      const schema = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'migrations'"
      const statements = queryRows<{ sql: string }>(old.path, schema).map(({ sql }) => sql)
      expect(statements.toSorted()).toEqual(currentSchema.map(({ sql }) => sql).toSorted())
    },
  )
})

describe('copy before an upgrade', () => {
  test('logs the copy when the server upgrades the database', async () => {
    const { cwd, path } = createUsed(6)
    const server = await startServer([], { cwd, ...fileUrl(path) })
    server.kill('SIGTERM')
    const { err } = await server.end()
    const [copy = 'none'] = copiesIn(cwd)
    const logLine = err.split('\n').find((line) => line.includes('upgraded from'))
    expect(JSON.parse(logLine ?? '{}')).toMatchObject({ level: 'warn', copy: join(cwd, copy) })
  })

  test.each(['migrate', 'serve'])(
    '%s --no-backup upgrades without a copy and reports it',
    async (command) => {
      const { cwd, path } = createUsed(6)
      let output: string
      if (command === 'serve') {
        const server = await startServer(['--no-backup'], { cwd, ...fileUrl(path) })
        server.kill('SIGTERM')
        output = (await server.end()).err
      } else output = (await run([command, '--no-backup'], { cwd, ...fileUrl(path) })).err
      expect(pendingIn(path)).toEqual([])
      expect(copiesIn(cwd)).toEqual([])
      expect(output).toContain('no copy was kept')
    },
  )

  test('does not upgrade when the copy fails, and prints the remedy', async () => {
    const { cwd, path } = createUsed(6)
    // The limit of file size makes the copy fail before a migration writes.
    const limit = Math.floor(statSync(path).size / 2 / 1024)
    const limited = ['bash', '-c', `ulimit -f ${limit}; trap '' XFSZ; exec "$@"`, 'limited']
    const child = Bun.spawn([...limited, ...words, 'migrate'], {
      cwd,
      ...fileUrl(path),
      stderr: 'pipe',
      stdout: 'pipe',
    })
    const err = await child.stderr.text()
    expect(await child.exited).toBe(1)
    expect(err).toMatch(
      /^multitude: The database .* cannot be copied before its upgrade: .*--no-backup.*\n$/,
    )
    expect(pendingIn(path)).toHaveLength(migrations.length - 6)
    expect(readdirSync(cwd).filter((name) => /partial|pre-upgrade/.test(name))).toEqual([])
  })
})

describe('killed upgrade', () => {
  const statements = [
    'CREATE TABLE `guilds`',
    'DROP TABLE `proxy_tag_keys`',
    'CREATE TRIGGER `group_changed`',
    'CREATE TABLE `leases`',
    'ALTER TABLE `proxy_tag_keys` RENAME TO',
  ]

  test.each(statements)(
    'keeps the old schema when the upgrade is killed in %p, and upgrades at the next start',
    async (sql) => {
      const { cwd, path } = createUsed(2)
      const before = pendingIn(path)
      const child = Bun.spawn([...words, 'migrate'], {
        cwd,
        env: {
          DATABASE_URL: `file:${path}`,
          ...preload(join(import.meta.dir, './killInTransaction.ts')),
          KILL_IN: sql,
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      await child.exited
      expect(child.signalCode).toBe('SIGKILL')
      expect(pendingIn(path)).toEqual(before)
      expect(await answersOf(path)).toEqual(await expectedAnswers(2))
      expect(await findingsIn(path)).toEqual([])
    },
  )

  test('leaves no partial copy when the upgrade is killed at any step of copying', async () => {
    const { cwd, path } = createUsed(6)
    let isDone = false
    let kills = 0
    for (let at = 1; !isDone; at++) {
      const child = Bun.spawn([...words, 'migrate'], {
        cwd,
        env: {
          DATABASE_URL: `file:${path}`,
          ...preload(join(import.meta.dir, '../cli/killAtStep.ts')),
          KILL_AT: String(at),
        },
        stdio: ['ignore', 'ignore', 'ignore'],
      })
      isDone = (await child.exited) === 0
      if (child.signalCode === 'SIGKILL') kills++
    }
    expect(kills).toBeGreaterThan(5)
    expect(readdirSync(cwd).filter((name) => name.includes('partial'))).toEqual([])
    expect(pendingIn(path)).toEqual([])
    for (const copy of copiesIn(cwd))
      expect(pendingIn(join(cwd, copy))).toHaveLength(migrations.length - 6)
    expect(await findingsIn(path)).toEqual([])
  })
})
