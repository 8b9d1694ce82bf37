import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLines, wordsOf } from '../cli/commandTable'
import { fixture } from '../formats/fixture'
import { commandLine, emptyFolder } from '../tools/serverProcess'
import { describe, expect, withTimeout } from '../tools/test'
import { until } from '../tools/until'
import { onServer } from './engine'
import { newDatabase } from './fullDatabase'
import { acquireDatabase } from './templateDatabases'

const { afterAll, beforeAll, test } = withTimeout(240_000)

const FAILED = 1
const { TEST_POSTGRES = '' } = process.env
const { run, runJson, startServer } = commandLine()
const file = join(emptyFolder(), 'system.json')
writeFileSync(file, fixture('pluralkit.json'))
const { requiring, creating, replacing, reporting, independent } = commandLines
const dryRun = 'import FILE --new --dry-run'

/** Creates a folder with a backup, in which commands use this database. */
async function createFolder(DATABASE_URL: string) {
  const [cwd, source] = [emptyFolder(), emptyFolder()]
  await runJson(['system', 'create'], { cwd: source })
  await runJson(['backup', join(cwd, 'backup.db')], { cwd: source })
  return { cwd, source, env: { DATABASE_URL } }
}

/** Runs a few commands at a time, because each opens connections. */
async function runAll(
  lines: readonly string[],
  options: { cwd: string; env: Record<string, string> },
) {
  const results = []
  for (let at = 0; at < lines.length; at += 8)
    results.push(
      ...(await Promise.all(
        lines
          .slice(at, at + 8)
          .map(async (line) => ({ line, ...(await run(wordsOf(line, file), options)) })),
      )),
    )
  return results
}

const tablesIn = (address: string) =>
  onServer(address, (sql) =>
    sql.unsafe(`select relname from pg_class
      where relnamespace = current_schema()::regnamespace order by relname`),
  )

describe('empty database on PostgreSQL', () => {
  test('rejects an empty database with one line that names the command that creates its tables', async () => {
    const address = await newDatabase()
    const options = await createFolder(address)
    for (const { line, code, out, err } of await runAll([...requiring, dryRun], options)) {
      expect([line, code, out]).toEqual([line, FAILED, ''])
      expect(err).toBe(
        `multitude: The database ${address} is empty: "multitude migrate" creates its tables.\n`,
      )
    }
    for (const { err } of await runAll(independent, options)) expect(err).not.toContain('database')
    expect([...(await tablesIn(address))]).toEqual([])
    expect(readdirSync(options.cwd)).toEqual(['backup.db'])
  })

  test.each(['migrate', ...creating, ...replacing])(
    'creates the tables of an empty database with %s',
    async (line) => {
      const options = await createFolder(await newDatabase())
      const { code, err } = await run(wordsOf(line, file), options)
      expect([code, err]).toEqual([0, ''])
      expect((await run(['system', 'list'], options)).code).toBe(0)
    },
  )

  test('creates the tables of an empty database with serve, and as the target of copy', async () => {
    const [served, copied] = [await newDatabase(), await newDatabase()]
    const options = await createFolder(served)
    const server = await startServer([], options)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
    await runJson(['copy', copied], { cwd: options.source })
    for (const DATABASE_URL of [served, copied])
      expect(
        (await run(['system', 'list'], { cwd: options.cwd, env: { DATABASE_URL } })).code,
      ).toBe(0)
  })
})

/** Release that created the schema, a statement that simulates it, and the message. */
const unusable: [release: string, change: string, message: RegExp][] = [
  [
    'older',
    'delete from migrations where name = (select max(name) from migrations)',
    /was made by an older Multitude; run "multitude migrate" first\.\n$/,
  ],
  [
    'newer',
    "insert into migrations values ('9999_later', '')",
    /was made by a newer Multitude \(9999_later\); update this program\.\n$/,
  ],
]

describe.each(unusable)(
  'database on PostgreSQL of another release (%s), while a node runs',
  (release, change, message) => {
    let address = ''
    let node: Bun.SQL
    let isStopped = false
    let renewing: Promise<unknown>
    let renewed = 0

    beforeAll(async () => {
      address = acquireDatabase(TEST_POSTGRES)
      // Simulates a node of that release, which is connected and renews its lease.
      node = new Bun.SQL({ url: address, max: 1 })
      await node.unsafe(change)
      await node.unsafe("insert into leases values ('maintenance', 'another:1:1', 0)")
      const renew = async () => {
        await node.unsafe('update leases set until = until + 1')
        renewed++
        return isStopped
      }
      renewing = until(renew, Boolean, () => true)
    })

    afterAll(async () => {
      isStopped = true
      await renewing
      await node?.close({ timeout: 1 })
    })

    const stateOf = () =>
      onServer(address, (sql) =>
        sql.unsafe(`select (select json_agg(m) from migrations m) as migrations,
          (select count(*) from systems) as systems, (select count(*) from bots) as bots`),
      )

    test(`rejects the schema of another release (${release}) with one line that names the remedy, and does not change it`, async () => {
      const options = await createFolder(address)
      const [tables, state] = [await tablesIn(address), await stateOf()]
      const upgrading = release === 'newer' ? ['migrate', 'serve --port 0'] : []
      const using = [...requiring, ...creating, ...replacing, ...reporting, dryRun, ...upgrading]
      for (const { line, code, out, err } of await runAll(using, options)) {
        expect([line, code]).toEqual([line, FAILED])
        expect(err).toMatch(/^multitude: [^\n]+\n$/)
        expect(err).toMatch(message)
        if (!line.startsWith('status')) expect([line, out]).toEqual([line, ''])
      }
      const { code, err } = await run(['copy', address], { cwd: options.source })
      expect([code, err]).toEqual([FAILED, expect.stringMatching(message)])
      for (const result of await runAll(independent, options))
        expect(result.err).not.toContain('database')
      expect(await tablesIn(address)).toEqual(tables)
      expect(await stateOf()).toEqual(state)
      expect(readdirSync(options.cwd)).toEqual(['backup.db'])
      const before = renewed
      await until(() => renewed >= before + 2)
    })
  },
)
