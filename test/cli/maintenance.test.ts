import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStorage } from '../../src/db/open'
import type { ImportReport } from '../../src/service/transfer/importContext'
import { fixture } from '../formats/fixture'
import { commandLine, emptyFolder } from '../serverProcess'
import { dump, withRawDatabase } from '../service/transfer/importFixture'

const { run, runJson, startServer } = await commandLine()
const FAILED = 1
const MISUSED = 2

/** A folder with a database in it, one backup, and a word that only the database knows. */
const home = emptyFolder()
writeFileSync(join(home, 'system.json'), fixture('pluralkit.json'))
await runJson<ImportReport>(['import', 'system.json', '--new', '--no-accounts'], { cwd: home })
await runJson(['backup', 'good.db'], { cwd: home })
withRawDatabase(join(home, 'data/multitude.db'), (database) =>
  database.run("UPDATE systems SET name = 'After the backup'"),
)

/** A copy of it, and where its database is. */
function fresh() {
  const cwd = emptyFolder()
  const path = join(cwd, 'data.db')
  copyFileSync(join(home, 'data/multitude.db'), path)
  copyFileSync(join(home, 'good.db'), join(cwd, 'good.db'))
  return { cwd, path, env: { DATABASE_URL: `file:${path}` } }
}

describe('a backup', () => {
  test('made in a storm of writes is whole, and so is what is restored from it', async () => {
    const cwd = emptyFolder()
    const path = join(cwd, 'data/multitude.db')
    const server = await startServer([], { cwd })
    const { token } = await runJson<{ token: string }>(['system', 'create'], { cwd })
    const storm = { isOver: false, made: 0 }
    const writers = Array.from({ length: 8 }, async () => {
      while (!storm.isOver && storm.made < 900) {
        const body = JSON.stringify({ name: 'Drop', proxy_tags: [{ prefix: `${storm.made}:` }] })
        const headers = { authorization: token }
        const answer = await fetch(`${server.address}/v2/members`, {
          method: 'POST',
          headers,
          body,
        })
        expect(answer.status).toBe(200)
        storm.made++
      }
    })
    while (storm.made < 8) await Bun.sleep(5)
    const [first, atOnce] = await Promise.all([
      run(['backup', 'first.db'], { cwd }),
      run(['backup', 'second.db'], { cwd }),
    ])
    storm.isOver = true
    await Promise.all(writers)
    server.kill('SIGTERM')
    await server.end()
    expect([first, atOnce.code]).toEqual([
      { code: 0, out: 'The database is copied to first.db.\n', err: '' },
      0,
    ])

    const all = dump(path)
    const restored = await runJson<{ aside: string }>(['restore', 'first.db', '--yes'], { cwd })
    expect(await runJson(['doctor'], { cwd })).toEqual({
      ok: true,
      fixed: 0,
      problems: [],
      notes: [],
    })
    expect(dump(restored.aside)).toEqual(all)
    const then = dump(path)
    const [members = [], events = [], keys = []] = [then.members, then.events, then.proxy_tag_index]
    expect(members.length).toBeGreaterThan(0)
    expect(members.length).toBeLessThan(storm.made)
    // The first so many, each with all that was written along with it.
    expect(members).toEqual(all.members?.slice(0, members.length) ?? [])
    expect([events.length, keys.length]).toEqual([members.length, members.length])
  })

  test('is not written over another, nor of what is not ours', async () => {
    const here = fresh()
    new Database(join(here.cwd, 'foreign.db')).run('CREATE TABLE t (x)')
    const [twice, nothing, foreign, nowhere] = await Promise.all([
      run(['backup', 'good.db'], here),
      run(['backup', 'a.db', '--database', 'file:missing.db'], here),
      run(['backup', 'b.db', '--database', 'file:foreign.db'], here),
      run(['backup', 'missing/c.db'], here),
    ])
    for (const { code, out } of [twice, nothing, foreign, nowhere])
      expect([code, out]).toEqual([FAILED, ''])
    expect(twice.err).toBe('multitude: good.db exists already.\n')
    expect(nothing.err).toMatch(/There is no database .*missing\.db\./)
    expect(foreign.err).toMatch(/foreign\.db is a database of another program/)
    expect(nowhere.err).toMatch(/The backup missing\/c\.db cannot be written: /)
    expect(readdirSync(here.cwd).filter((name) => /^[abc]\.db|partial/.test(name))).toEqual([])
  })
})

describe('restore', () => {
  test('puts the backup in the place of the database, which is kept aside', async () => {
    const here = fresh()
    const { code, out } = await run(['restore', 'good.db', '--yes'], here)
    const [, aside = ''] =
      /^good\.db is restored\. The old database is kept as (\S+)\.\n\nAll browsers are logged out/.exec(
        out,
      ) ?? []
    expect([code, aside]).toEqual([0, expect.stringMatching(/data\.db\.before-\d{8}T\d{9}Z$/)])
    expect([nameIn(here.path), nameIn(aside)]).toEqual(['Lantern Hill', 'After the backup'])
    // And back again.
    expect((await run(['restore', aside, '--yes'], here)).code).toBe(0)
    expect(nameIn(here.path)).toBe('After the backup')
    expect(readdirSync(here.cwd).filter((name) => name.includes('before'))).toHaveLength(2)
  })

  const unfit: [says: string, spoil: (path: string) => void, reason: RegExp][] = [
    ['what is not there', (path) => rmSync(path), /There is no file bad\.db\./],
    ['a text', (path) => writeFileSync(path, 'hello '.repeat(1000)), /it is not a database/],
    ['an empty file', (path) => writeFileSync(path, ''), /it is not a Multitude database/],
    [
      'another program’s database',
      (path) => withRawDatabase(path, (database) => database.run('PRAGMA application_id = 7')),
      /it is not a Multitude database/,
    ],
    [
      'one of a newer version',
      (path) =>
        withRawDatabase(path, (database) =>
          database.run("INSERT INTO migrations VALUES ('9999', '')"),
        ),
      /it was made by a newer Multitude \(9999\)/,
    ],
    [
      'a torn file',
      (path) => writeFileSync(path, readFileSync(path).subarray(0, 20_000)),
      /damaged/,
    ],
    [
      'one with a damaged index',
      (path) => spoil(path, 'members_by_system'),
      /malformed|index|page|Tree/,
    ],
    [
      'one with a reference to nothing',
      (path) =>
        withRawDatabase(path, (database) => database.run('DELETE FROM members WHERE id = 1')),
      /names a missing row of members/,
    ],
  ]

  test('refuses what is not a whole backup, and changes nothing', async () => {
    const ended = unfit.map(async ([says, spoilIt, reason]) => {
      const here = fresh()
      const bad = join(here.cwd, 'bad.db')
      copyFileSync(join(here.cwd, 'good.db'), bad)
      spoilIt(bad)
      const before = readFileSync(here.path)
      const { code, out, err } = await run(['restore', 'bad.db', '--yes'], here)
      expect([says, code, out]).toEqual([says, FAILED, ''])
      expect(err).toMatch(reason)
      expect(err).toMatch(/^multitude: [^\n]+\n$/)
      expect(readFileSync(here.path).equals(before)).toBe(true)
      expect(readdirSync(here.cwd).filter((name) => /before|restoring/.test(name))).toEqual([])
    })
    await Promise.all(ended)
  })

  test('refuses while a server runs, and without being sure', async () => {
    const here = fresh()
    const unsure = await run(['restore', 'good.db'], here)
    expect([unsure.code, unsure.err]).toEqual([MISUSED, expect.stringContaining('--yes is needed')])
    const server = await startServer([], here)
    const { code, err } = await run(['restore', 'good.db', '--yes'], here)
    expect([code, err]).toEqual([
      FAILED,
      expect.stringContaining('is in use: stop the server first.'),
    ])
    expect((await fetch(`${server.address}/health`)).status).toBe(200)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
    expect(nameIn(here.path)).toBe('After the backup')
    expect((await run(['restore', 'good.db', '--yes'], here)).code).toBe(0)
  })

  test('works where there is nothing yet, and where what is there is damaged', async () => {
    const here = fresh()
    writeFileSync(here.path, 'garbage '.repeat(1000))
    const empty = { ...here, env: { DATABASE_URL: 'file:new/folder/data.db' } }
    const [first, over] = await Promise.all([
      run(['restore', 'good.db', '--yes', '--json'], empty),
      run(['restore', 'good.db', '--yes', '--json'], here),
    ])
    expect(JSON.parse(first.out)).toMatchObject({ restored: 'good.db', aside: null })
    const { aside } = JSON.parse(over.out)
    expect(readFileSync(aside, 'utf8')).toStartWith('garbage')
    for (const path of [here.path, join(here.cwd, 'new/folder/data.db')])
      expect(nameIn(path)).toBe('Lantern Hill')
  })

  test('is not led astray by a log that another database left behind, nor forgets its own', async () => {
    const here = fresh()
    const other = join(here.cwd, 'other.db')
    const storage = openStorage(`file:${other}`)
    withRawDatabase(other, (database) =>
      database.run("INSERT INTO systems (uuid, hid, name) VALUES ('u', 'hhhhh', 'In the log')"),
    )
    for (const end of ['', '-wal'])
      copyFileSync(`${other}${end}`, join(here.cwd, `copied.db${end}`))
    copyFileSync(`${other}-wal`, `${here.path}-wal`)
    await storage.close()
    rmSync(here.path)
    expect((await run(['restore', 'good.db', '--yes'], here)).code).toBe(0)
    expect(nameIn(here.path)).toBe('Lantern Hill')
    expect((await run(['restore', 'copied.db', '--yes'], here)).code).toBe(0)
    expect(nameIn(here.path)).toBe('In the log')
  })
})

describe('doctor', () => {
  test('of a whole database has nothing to say, also while a server runs', async () => {
    const here = fresh()
    const server = await startServer([], here)
    const { code, out, err } = await run(['doctor', '--fix'], here)
    expect([code, out, err]).toEqual([0, 'The database is whole.\n', ''])
    server.kill('SIGTERM')
    await server.end()
  })

  test('finds what is wrong, repairs it when told to, and then has nothing to say', async () => {
    const here = fresh()
    withRawDatabase(here.path, (database) => {
      database.run('DROP INDEX members_by_system')
      database.run('DELETE FROM settings')
    })
    const found = await run(['doctor'], here)
    expect([found.code, found.out]).toEqual([FAILED, ''])
    expect(found.err.split('\n')).toEqual([
      'multitude: Problems were found:',
      '  indexes: the index members_by_system is missing',
      '  settings: system qvexmp has no settings',
      'Run it with --fix to repair.',
      '',
    ])
    const json = await run(['doctor', '--json'], here)
    expect(json.code).toBe(FAILED)
    expect(JSON.parse(json.out)).toMatchObject({
      ok: false,
      fixed: 0,
      problems: [{ fixable: true }, {}],
    })
    const fixed = await run(['doctor', '--fix'], here)
    expect([fixed.code, fixed.out]).toEqual([
      0,
      'The database is whole. 2 problems were repaired.\n',
    ])
    expect(await runJson(['doctor'], here)).toEqual({ ok: true, fixed: 0, problems: [], notes: [] })
  })

  const hopeless: [says: string, spoil: (path: string) => void, reason: RegExp][] = [
    ['no database', (path) => rmSync(path), /There is no database/],
    [
      'a text',
      (path) => writeFileSync(path, 'hello '.repeat(1000)),
      /is not a database, or its beginning is damaged/,
    ],
    [
      'another program’s',
      (path) => withRawDatabase(path, (database) => database.run('PRAGMA application_id = 7')),
      /is a database of another program/,
    ],
    [
      'an older one',
      (path) => withRawDatabase(path, (database) => database.run('DELETE FROM migrations')),
      /made by an older Multitude; run "multitude migrate" first/,
    ],
    [
      'a newer one',
      (path) =>
        withRawDatabase(path, (database) =>
          database.run("INSERT INTO migrations VALUES ('9999', '')"),
        ),
      /made by a newer Multitude/,
    ],
    [
      'one without a table',
      (path) => withRawDatabase(path, (database) => database.run('DROP TABLE messages')),
      /tables: the table messages is missing \(needs a backup\)/,
    ],
    ['one with a damaged table', (path) => spoil(path, 'members'), /\(needs a backup\)/],
  ]

  test('says when it cannot help', async () => {
    const ended = hopeless.map(async ([says, spoilIt, reason]) => {
      const here = fresh()
      spoilIt(here.path)
      const { code, out, err } = await run(['doctor', '--fix'], here)
      expect([says, code, out]).toEqual([says, FAILED, ''])
      expect(err).toMatch(reason)
      expect(err).not.toContain('Run it with --fix')
    })
    await Promise.all(ended)
  })
})

/** Overwrites the first page of a table or an index. */
function spoil(path: string, name: string): void {
  const [page, size] = withRawDatabase(path, (database) => {
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    return [
      database
        .query<{ rootpage: number }, [string]>('SELECT rootpage FROM sqlite_master WHERE name = ?')
        .get(name)?.rootpage ?? 0,
      database.query<{ page_size: number }, []>('PRAGMA page_size').get()?.page_size ?? 0,
    ]
  })
  const bytes = readFileSync(path)
  bytes.fill(0xff, (page - 1) * size, page * size)
  writeFileSync(path, bytes)
  for (const end of ['-wal', '-shm']) if (existsSync(`${path}${end}`)) rmSync(`${path}${end}`)
}

/** The name of the one system in a database. */
function nameIn(path: string): unknown {
  return withRawDatabase(
    path,
    (database) => database.query<{ name: string }, []>('SELECT name FROM systems').get()?.name,
  )
}
