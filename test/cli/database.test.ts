import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fixture } from '../formats/fixture'
import { withRawDatabase } from '../service/transfer/importFixture'
import { run, runJson } from '../tools/runInProcess'
import { emptyFolder } from '../tools/serverProcess'
import { afterAll, beforeAll, describe, expect, test } from '../tools/test'
import { commandLines, untriedCommands, wordsOf } from './commandTable'
import { createEmpty, otherVersions } from './otherDatabases'

const FAILED = 1
const file = join(emptyFolder(), 'system.json')
writeFileSync(file, fixture('pluralkit.json'))

const { requiring, creating, replacing, reporting, independent } = commandLines

/** Runs each line in the same folder. */
const runAll = (lines: readonly string[], here: { cwd: string; env?: Record<string, string> }) =>
  Promise.all(lines.map(async (line) => ({ line, ...(await run(wordsOf(line, file), here)) })))

test('the table of command lines has every command', () => expect(untriedCommands()).toEqual([]))

describe('a database that is missing', () => {
  const cwd = emptyFolder()
  const path = join(cwd, 'gone', 'multitude.db')
  const here = { cwd, env: { DATABASE_URL: 'file:gone/multitude.db' } }

  test('commands reject a missing database in one line with its path', async () => {
    for (const { line, code, out, err } of await runAll(requiring, here)) {
      expect([line, code, out]).toEqual([line, FAILED, ''])
      expect(err).toMatch(/^multitude: [^\n]+\n$/)
      expect(err).toContain(`There is no database ${path}`)
    }
    expect(readdirSync(cwd)).toEqual([])
  })

  test('commands that do not open the database work without one', async () => {
    for (const { err } of await runAll(independent, here)) expect(err).not.toContain('database')
    expect(readdirSync(cwd)).toEqual([])
  })

  test.each(['migrate', ...creating])(
    '%s creates a missing database and reports it once',
    async (line) => {
      const folder = emptyFolder()
      const made = join(folder, 'data', 'multitude.db')
      const words = wordsOf(line, file)
      const first = await run(words, { cwd: folder })
      expect([first.code, first.err]).toEqual([0, `multitude: created database ${made}\n`])
      expect(existsSync(made)).toBe(true)
      const again = await run([...words, '--json'], { cwd: folder })
      expect(again.err).not.toContain('created database')
    },
  )

  test('restore creates a missing database', async () => {
    const folder = emptyFolder()
    await runJson(['system', 'create'], { cwd: folder })
    await runJson(['backup', 'backup.db'], { cwd: folder })
    const there = { cwd: folder, env: { DATABASE_URL: 'file:other/multitude.db' } }
    for (const { code } of await runAll(replacing, there)) expect(code).toBe(0)
    expect(await runJson<unknown[]>(['system', 'list'], there)).toHaveLength(1)
  })

  test('status reports a missing database and shows everything else', async () => {
    for (const { code, out, err } of await runAll(reporting, here)) {
      expect(code).toBe(FAILED)
      expect(out).toContain(`UNAVAILABLE: There is no database ${path}`)
      expect(out).toContain('Server')
      expect(err).toContain(`There is no database ${path}`)
    }
  })

  test('a dry run of import --new does not create a missing database', async () => {
    const { code } = await run(['import', file, '--new', '--dry-run'], here)
    expect([code, readdirSync(cwd)]).toEqual([0, []])
  })
})

describe('a database that is empty', () => {
  test('commands reject an empty database in one line with the command that creates its tables', async () => {
    const { cwd, path } = createEmpty()
    const dryRun = 'import FILE --new --dry-run'
    for (const { line, code, out, err } of await runAll([...requiring, dryRun], { cwd })) {
      expect([line, code, out]).toEqual([line, FAILED, ''])
      expect(err).toBe(
        `multitude: The database ${path} is empty: "multitude migrate" creates its tables.\n`,
      )
    }
    expect(statSync(path).size).toBe(0)
  })

  test.each(['migrate', ...creating])(
    '%s creates the tables of an empty database',
    async (line) => {
      const { cwd } = createEmpty()
      const { code, err } = await run(wordsOf(line, file), { cwd })
      expect([code, err]).toEqual([0, ''])
      expect((await run(['system', 'list'], { cwd })).code).toBe(0)
    },
  )
})

describe.each(otherVersions)(
  'a database of a version that is %s, in use',
  (age, make, complaint) => {
    const cwd = emptyFolder()
    const path = join(cwd, 'data', 'multitude.db')
    let server: Database

    beforeAll(() => {
      mkdirSync(dirname(path))
      make(path)
      // Like a server of that version: it has the file open and renews its lease.
      server = new Database(path)
      server.run('PRAGMA journal_mode = WAL')
      server.run('PRAGMA busy_timeout = 5000')
      server.run("INSERT INTO leases VALUES ('maintenance', 'another:1:1', 0)")
    })

    const renew = () => server.run('UPDATE leases SET until = until + 1')

    afterAll(() => server.close())

    const contentOf = (file: string) =>
      withRawDatabase(file, (database) => [
        database.query('SELECT name, sql FROM sqlite_master ORDER BY name').values(),
        database.query('SELECT * FROM migrations').values(),
        database.query('SELECT count(*) FROM systems').values(),
        database.query('SELECT count(*) FROM bots').values(),
      ])

    test(`commands reject a database of a version that is ${age} in one line and do not change it`, async () => {
      const before = contentOf(path)
      const lines = [...requiring, ...creating, ...reporting, 'import FILE --new --dry-run']
      for (const line of lines) {
        renew()
        const { code, out, err } = await run(wordsOf(line, file), { cwd })
        expect([line, code]).toEqual([line, FAILED])
        expect(err).toMatch(/^multitude: [^\n]+\n$/)
        expect(err).toMatch(complaint)
        if (!line.startsWith('status')) expect([line, out]).toEqual([line, ''])
      }
      expect(contentOf(path)).toEqual(before)
      expect(readdirSync(cwd)).toEqual(['data'])
      expect(readdirSync(dirname(path)).filter((name) => name.includes('upgrade'))).toEqual([])
      renew()
    })

    test(`commands that do not open the database work when its version is ${age}`, async () => {
      for (const { err } of await runAll(independent, { cwd }))
        expect(err).not.toContain('database')
    })

    test(`copy rejects a target whose version is ${age}`, async () => {
      const source = emptyFolder()
      await runJson(['system', 'create'], { cwd: source })
      const { code, err } = await run(['copy', `file:${path}`], { cwd: source })
      expect([code, err]).toEqual([FAILED, expect.stringMatching(complaint)])
    })

    test(`restore replaces a database whose version is ${age} when no server uses it`, async () => {
      const [own, other] = [emptyFolder(), emptyFolder()]
      mkdirSync(join(own, 'data'))
      make(join(own, 'data', 'multitude.db'))
      await runJson(['system', 'create'], { cwd: other })
      await runJson(['backup', join(own, 'backup.db')], { cwd: other })
      for (const { code } of await runAll(replacing, { cwd: own })) expect(code).toBe(0)
      expect(await runJson<unknown[]>(['system', 'list'], { cwd: own })).toHaveLength(1)
    })
  },
)
