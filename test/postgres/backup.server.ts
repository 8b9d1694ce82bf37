import { Database } from 'bun:sqlite'
import { copyFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dump, withRawDatabase } from '../service/transfer/importFixture'
import { rows } from '../tools/rawSql'
import { commandLine, emptyFolder } from '../tools/serverProcess'
import { beforeAll, describe, expect, test } from '../tools/test'
import { until } from '../tools/until'
import { onServer } from './engine'
import { exportsOf, fillWithEverything, newDatabase, problemsOf, withDeps } from './fullDatabase'
import { acquireDatabase } from './templateDatabases'

const { TEST_POSTGRES = '' } = process.env

describe('backup and restore of PostgreSQL', () => {
  const cwd = emptyFolder('safe')
  let server = ''
  let options: { cwd: string; env: Record<string, string> }

  beforeAll(async () => {
    server = acquireDatabase(TEST_POSTGRES)
    options = { cwd, env: { DATABASE_URL: server } }
    await fillWithEverything(server)
  })

  test('writes a backup as one SQLite file that only its owner can read', async () => {
    const { run } = commandLine()
    const { code, out, err } = await run(['backup', 'good.db'], options)
    expect([code, out, err]).toEqual([0, 'Database backed up to good.db.\n', ''])
    expect(readdirSync(cwd)).toEqual(['good.db'])
    expect(statSync(join(cwd, 'good.db')).mode & 0o777).toBe(0o600)
    const journal = withRawDatabase(join(cwd, 'good.db'), (db) =>
      db.query('PRAGMA journal_mode').values(),
    )
    expect(journal).toEqual([['delete']])
    expect(await problemsOf(`file:${cwd}/good.db`)).toEqual([])
    copyFileSync(join(cwd, 'good.db'), join(cwd, 'embedded.db'))
    expect(await exportsOf(`file:${cwd}/embedded.db`)).toEqual(await exportsOf(server))
    const twice = await run(['backup', 'good.db'], options)
    expect([twice.code, twice.err]).toEqual([1, 'multitude: good.db exists already.\n'])
    const withoutFolder = await run(['backup', 'missing/b.db'], options)
    expect(withoutFolder.code).toBe(1)
    expect(withoutFolder.err).toMatch(
      /^multitude: The backup missing\/b\.db cannot be written: .+\n$/,
    )
    expect(readdirSync(cwd).filter((name) => name.includes('partial'))).toEqual([])
  })

  test('deletes the files of an interrupted backup with the next one', async () => {
    const { run } = commandLine()
    const folder = emptyFolder('left')
    for (const end of ['', '-wal', '-shm'])
      writeFileSync(join(folder, `b.db.999999.partial${end}`), 'left by a kill')
    await run(['backup', join(folder, 'b.db')], options)
    expect(readdirSync(folder)).toEqual(['b.db'])
  })

  test('restores into an empty database, ends sessions and lists tokens', async () => {
    const { run, runJson } = commandLine()
    const to = await newDatabase()
    const empty = { cwd, env: { DATABASE_URL: to } }
    const restored = await runJson<{ aside: null; tokens: { name: string }[] }>(
      ['restore', 'good.db', '--yes'],
      empty,
    )
    expect(restored.aside).toBeNull()
    expect(restored.tokens.length).toBeGreaterThan(3)
    expect(await exportsOf(to)).toEqual(await exportsOf(server))
    const picturesOf = (address: string) =>
      withDeps(address, ({ db }) => rows(db, 'select * from pictures order by name'))
    expect(await picturesOf(to)).not.toEqual([])
    expect(await picturesOf(to)).toEqual(await picturesOf(server))
    expect(await problemsOf(to)).toEqual([])
    await withDeps(to, async ({ db }) => {
      const state = ['discord_sessions', 'discord_commands', 'discord_status']
      for (const table of ['sessions', 'login_codes', ...state])
        expect([table, await rows(db, `select 1 from ${table}`)]).toEqual([table, []])
    })
    const again = await run(['restore', 'good.db', '--yes'], empty)
    expect([again.code, again.out]).toEqual([1, ''])
    expect(again.err).toMatch(/^multitude: The database .+ is not empty \(it has systems, .+\n$/)
    // The backup itself is unchanged.
    expect(dump(join(cwd, 'good.db')).sessions).toHaveLength(1)
  })

  const targets: [what: string, lastId: number][] = [
    ['a database without tables', 0],
    ['a database that has assigned fewer event IDs', 3],
    ['a database that has assigned more event IDs', 7_000_000],
  ]

  test.each(targets)(
    'starts event IDs 1,000,000 above the highest one after a restore into %s',
    async (_, lastId) => {
      const { run, runJson } = commandLine()
      const to = await newDatabase()
      const target = { cwd, env: { DATABASE_URL: to } }
      if (lastId > 0) {
        await run(['migrate'], target)
        await onServer(to, (sql) => sql.unsafe(`select setval('events_id_seq', ${lastId})`))
      }
      const ofBackup = withRawDatabase(join(cwd, 'good.db'), (db) =>
        db
          .query<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
          .get(),
      )
      await runJson(['restore', 'good.db', '--yes'], target)
      const start = Math.max(ofBackup?.seq ?? 0, lastId) + 1_000_000
      await withDeps(to, async ({ db }) => {
        const prunedSql = 'select distinct last_event_id from pruned_events'
        expect(await rows(db, prunedSql)).toEqual([{ last_event_id: start }])
      })
      const { id } = await runJson<{ id: string }>(['system', 'create'], target)
      await runJson(['account', 'link', id, 'matrix:@wren:example.org'], target)
      await withDeps(to, async ({ db }) => {
        expect(await rows(db, 'select max(id) as id from events')).toEqual([{ id: start + 1 }])
      })
    },
  )

  test('rejects an unusable backup and writes nothing', async () => {
    const { run } = commandLine()
    const to = await newDatabase()
    writeFileSync(join(cwd, 'text.db'), 'hello '.repeat(1000))
    new Database(join(cwd, 'foreign.db')).run('CREATE TABLE t (x)')
    copyFileSync(join(cwd, 'good.db'), join(cwd, 'dangling.db'))
    withRawDatabase(join(cwd, 'dangling.db'), (db) =>
      db.run("DELETE FROM members WHERE hid = 'wrenab'"),
    )
    const empty = { cwd, env: { DATABASE_URL: to } }
    for (const [file, reason] of [
      ['missing.db', 'There is no file missing.db.'],
      ['text.db', 'it is not a database'],
      ['foreign.db', 'it is not a Multitude database'],
      ['dangling.db', 'names a missing row of members'],
    ] as const) {
      const { code, err } = await run(['restore', file, '--yes'], empty)
      expect([file, code]).toEqual([file, 1])
      expect(err).toContain(reason)
    }
    await withDeps(to, async ({ db }) =>
      expect(await rows(db, 'select 1 from systems')).toEqual([]),
    )
  })

  test('writes scheduled backups without the address on the command line of their process', async () => {
    const { startServer } = commandLine()
    const folder = emptyFolder('scheduled')
    const secret = server.replace('@', ':hush-hush@')
    const env = { DATABASE_URL: secret, BACKUP_DIR: 'backups', BACKUP_EVERY: '1m' }
    const commandsSeen = new Set<string>()
    // The backup waits for this lock, so that its process is seen.
    const blocker = new Bun.SQL({ url: server, max: 1 })
    await blocker.unsafe('begin')
    await blocker.unsafe('lock table polls in access exclusive mode')
    const node = await startServer([], { cwd: folder, env })
    await until(() => {
      for (const line of commandLinesOf(node.pid)) commandsSeen.add(line)
      return [...commandsSeen].some((line) => line.includes(' backup '))
    })
    await blocker.unsafe('rollback')
    await blocker.close()
    await until(() => node.output().includes('backup created'))
    node.kill('SIGTERM')
    const { code, err } = await node.end()
    expect(code).toBe(0)
    const [name = ''] = readdirSync(join(folder, 'backups'))
    expect(await problemsOf(`file:${folder}/backups/${name}`)).toEqual([])
    expect([...commandsSeen].join('\n')).not.toContain('hush')
    expect(err).not.toContain('hush')
  })
})

/** Lists the command lines of the children of a process. */
function commandLinesOf(parent: number): string[] {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'args=', '--ppid', String(parent), '-ww'])
  return stdout.toString().split('\n')
}
