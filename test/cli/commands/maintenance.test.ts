import { Database } from 'bun:sqlite'
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openStorage } from '../../../src/db/open'
import { withRawDatabase } from '../../service/transfer/importFixture'
import { run, runJson } from '../../tools/runInProcess'
import { describe, expect, test } from '../../tools/test'
import { copyWithBackup } from './backupFolders'

const FAILED = 1

describe('a backup', () => {
  test('backup writes a file that only its owner can read', async () => {
    const here = copyWithBackup()
    await run(['backup', 'new.db'], here)
    expect(statSync(join(here.cwd, 'new.db')).mode & 0o777).toBe(0o600)
  })

  test('backup does not overwrite a file, and rejects missing databases and those of other programs', async () => {
    const here = copyWithBackup()
    new Database(join(here.cwd, 'foreign.db')).run('CREATE TABLE t (x)')
    const [twice, missing, foreign, noFolder] = await Promise.all([
      run(['backup', 'good.db'], here),
      run(['backup', 'a.db', '--database', 'file:missing.db'], here),
      run(['backup', 'b.db', '--database', 'file:foreign.db'], here),
      run(['backup', 'missing/c.db'], here),
    ])
    for (const { code, out } of [twice, missing, foreign, noFolder])
      expect([code, out]).toEqual([FAILED, ''])
    expect(twice.err).toBe('multitude: good.db exists already.\n')
    expect(missing.err).toMatch(/There is no database .*missing\.db\./)
    expect(foreign.err).toMatch(/foreign\.db is a database of another program/)
    expect(noFolder.err).toMatch(/The backup missing\/c\.db cannot be written: /)
    expect(readdirSync(here.cwd).filter((name) => /^[abc]\.db|partial/.test(name))).toEqual([])
  })
})

describe('restore', () => {
  test('restore replaces the database with the backup and keeps the old one', async () => {
    const here = copyWithBackup()
    const { code, out } = await run(['restore', 'good.db', '--yes'], here)
    const [, aside = ''] =
      /^Restored good\.db\. The old database is kept as (\S+)\.\n\nAll browsers are logged out/.exec(
        out,
      ) ?? []
    expect([code, aside]).toEqual([0, expect.stringMatching(/data\.db\.before-\d{8}T\d{9}Z$/)])
    expect([nameIn(here.path), nameIn(aside)]).toEqual(['Lantern Hill', 'After the backup'])
    // The old database can be restored too.
    expect((await run(['restore', aside, '--yes'], here)).code).toBe(0)
    expect(nameIn(here.path)).toBe('After the backup')
    expect(readdirSync(here.cwd).filter((name) => name.includes('before'))).toHaveLength(2)
  })

  const invalid: [title: string, corrupt: (path: string) => void, reason: RegExp][] = [
    ['a missing file', (path) => rmSync(path), /There is no file bad\.db\./],
    ['a text file', (path) => writeFileSync(path, 'hello '.repeat(1000)), /it is not a database/],
    ['an empty file', (path) => writeFileSync(path, ''), /it is not a Multitude database/],
    [
      'a database of another program',
      (path) => withRawDatabase(path, (database) => database.run('PRAGMA application_id = 7')),
      /it is not a Multitude database/,
    ],
    [
      'a database of a newer version',
      (path) =>
        withRawDatabase(path, (database) =>
          database.run("INSERT INTO migrations VALUES ('9999', '')"),
        ),
      /it was made by a newer Multitude \(9999\)/,
    ],
    [
      'a truncated file',
      (path) => writeFileSync(path, readFileSync(path).subarray(0, 20_000)),
      /damaged/,
    ],
    [
      'a damaged index',
      (path) => overwritePage(path, 'members_by_system'),
      /malformed|index|page|Tree/,
    ],
    [
      'a violated foreign key',
      (path) =>
        withRawDatabase(path, (database) => database.run('DELETE FROM members WHERE id = 1')),
      /names a missing row of members/,
    ],
  ]

  test('restore rejects an invalid backup and changes nothing', async () => {
    const ended = invalid.map(async ([title, corrupt, reason]) => {
      const here = copyWithBackup()
      const bad = join(here.cwd, 'bad.db')
      copyFileSync(join(here.cwd, 'good.db'), bad)
      corrupt(bad)
      const before = readFileSync(here.path)
      const { code, out, err } = await run(['restore', 'bad.db', '--yes'], here)
      expect([title, code, out]).toEqual([title, FAILED, ''])
      expect(err).toMatch(reason)
      expect(err).toMatch(/^multitude: [^\n]+\n$/)
      expect(readFileSync(here.path).equals(before)).toBe(true)
      expect(readdirSync(here.cwd).filter((name) => /before|restoring/.test(name))).toEqual([])
    })
    await Promise.all(ended)
  })

  test('restore creates a missing database and replaces a damaged one', async () => {
    const here = copyWithBackup()
    writeFileSync(here.path, 'garbage '.repeat(1000))
    const empty = { ...here, env: { DATABASE_URL: 'file:new/folder/data.db' } }
    const [created, replaced] = await Promise.all([
      run(['restore', 'good.db', '--yes', '--json'], empty),
      run(['restore', 'good.db', '--yes', '--json'], here),
    ])
    expect(JSON.parse(created.out)).toMatchObject({ restored: 'good.db', aside: null })
    const { aside } = JSON.parse(replaced.out)
    expect(readFileSync(aside, 'utf8')).toStartWith('garbage')
    for (const path of [here.path, join(here.cwd, 'new/folder/data.db')])
      expect(nameIn(path)).toBe('Lantern Hill')
  })

  test('restore ignores the log of another database and applies the log of the backup', async () => {
    const here = copyWithBackup()
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
  test('doctor lists problems, and doctor --fix repairs them', async () => {
    const here = copyWithBackup()
    withRawDatabase(here.path, (database) => {
      database.run('DROP INDEX members_by_system')
      database.run('DELETE FROM settings')
    })
    const found = await run(['doctor'], here)
    expect([found.code, found.out]).toEqual([FAILED, ''])
    expect(found.err.split('\n')).toEqual([
      'multitude: Problems found:',
      '  indexes: the index members_by_system is missing',
      '  settings: system qvexmp has no settings',
      'Run "multitude doctor --fix" to repair them.',
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
    expect([fixed.code, fixed.out]).toEqual([0, '2 problems repaired.\n'])
    expect(await runJson(['doctor'], here)).toEqual({ ok: true, fixed: 0, problems: [], notes: [] })
  })

  const irreparable: [title: string, corrupt: (path: string) => void, reason: RegExp][] = [
    ['a missing database', (path) => rmSync(path), /There is no database/],
    [
      'a text file',
      (path) => writeFileSync(path, 'hello '.repeat(1000)),
      /is not a database, or its beginning is damaged/,
    ],
    [
      'a database of another program',
      (path) => withRawDatabase(path, (database) => database.run('PRAGMA application_id = 7')),
      /is a database of another program/,
    ],
    [
      'a database of an older version',
      (path) => withRawDatabase(path, (database) => database.run('DELETE FROM migrations')),
      /made by an older Multitude; run "multitude migrate" first/,
    ],
    [
      'a database of a newer version',
      (path) =>
        withRawDatabase(path, (database) =>
          database.run("INSERT INTO migrations VALUES ('9999', '')"),
        ),
      /made by a newer Multitude/,
    ],
    [
      'a missing table',
      (path) => withRawDatabase(path, (database) => database.run('DROP TABLE messages')),
      /tables: the table messages is missing \(restore a backup\)/,
    ],
    ['a damaged table', (path) => overwritePage(path, 'members'), /\(restore a backup\)/],
  ]

  test('doctor --fix reports problems that it cannot repair', async () => {
    const ended = irreparable.map(async ([title, corrupt, reason]) => {
      const here = copyWithBackup()
      corrupt(here.path)
      const { code, out, err } = await run(['doctor', '--fix'], here)
      expect([title, code, out]).toEqual([title, FAILED, ''])
      expect(err).toMatch(reason)
      expect(err).not.toContain('to repair them')
    })
    await Promise.all(ended)
  })
})

/** Overwrites the first page of a table or an index. */
function overwritePage(path: string, name: string): void {
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

/** Name of the only system in a database. */
function nameIn(path: string): unknown {
  return withRawDatabase(
    path,
    (database) => database.query<{ name: string }, []>('SELECT name FROM systems').get()?.name,
  )
}
