import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLines, wordsOf } from '../cli/commandTable'
import { fixture } from '../formats/fixture'
import { commandLine, emptyFolder } from '../serverProcess'
import { onServer } from './engine'
import { newDatabase } from './fullDatabase'
import { acquireDatabase } from './templateDatabases'

setDefaultTimeout(120_000)

const FAILED = 1
const { TEST_POSTGRES = '' } = process.env
const { run, runJson, startServer } = await commandLine()
const file = join(emptyFolder(), 'system.json')
writeFileSync(file, fixture('pluralkit.json'))
const { requiring, creating, replacing, reporting, independent } = commandLines
const dryRun = 'import FILE --new --dry-run'

/** A folder with a backup, where commands use that database. */
async function placeFor(DATABASE_URL: string) {
  const [cwd, source] = [emptyFolder(), emptyFolder()]
  await runJson(['system', 'create'], { cwd: source })
  await runJson(['backup', join(cwd, 'backup.db')], { cwd: source })
  return { cwd, source, env: { DATABASE_URL } }
}

/** A few at a time, because each has connections of its own. */
async function runAll(
  lines: readonly string[],
  here: { cwd: string; env: Record<string, string> },
) {
  const ended = []
  for (let at = 0; at < lines.length; at += 8)
    ended.push(
      ...(await Promise.all(
        lines
          .slice(at, at + 8)
          .map(async (line) => ({ line, ...(await run(wordsOf(line, file), here)) })),
      )),
    )
  return ended
}

const tablesIn = (address: string) =>
  onServer(address, (sql) =>
    sql.unsafe(`select relname from pg_class
      where relnamespace = current_schema()::regnamespace order by relname`),
  )

describe('a database of a server that is empty', () => {
  test('is refused in one line that names what creates its tables', async () => {
    const address = await newDatabase()
    const here = await placeFor(address)
    for (const { line, code, out, err } of await runAll([...requiring, dryRun], here)) {
      expect([line, code, out]).toEqual([line, FAILED, ''])
      expect(err).toBe(
        `multitude: The database ${address} is empty: "multitude migrate" creates its tables.\n`,
      )
    }
    for (const { err } of await runAll(independent, here)) expect(err).not.toContain('database')
    expect([...(await tablesIn(address))]).toEqual([])
    expect(readdirSync(here.cwd)).toEqual(['backup.db'])
  })

  test.each(['migrate', ...creating, ...replacing])('is filled by %s', async (line) => {
    const here = await placeFor(await newDatabase())
    const { code, err } = await run(wordsOf(line, file), here)
    expect([code, err]).toEqual([0, ''])
    expect((await run(['system', 'list'], here)).code).toBe(0)
  })

  test('is filled by serve, and as the target of copy', async () => {
    const [served, copied] = [await newDatabase(), await newDatabase()]
    const here = await placeFor(served)
    const server = await startServer([], here)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
    await runJson(['copy', copied], { cwd: here.source })
    for (const DATABASE_URL of [served, copied])
      expect((await run(['system', 'list'], { cwd: here.cwd, env: { DATABASE_URL } })).code).toBe(0)
  })
})

/** What is wrong with the tables, how they come to be so, and what is said of it. */
const unfit: [says: string, change: string, complaint: RegExp][] = [
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

describe.each(unfit)(
  'a database of a server that is %s, while a node runs',
  (says, change, complaint) => {
    let address = ''
    let node: Bun.SQL
    let renewing: Timer
    let renewed = 0

    beforeAll(async () => {
      address = acquireDatabase(TEST_POSTGRES)
      // As a node of that version: it is connected, and keeps its lease.
      node = new Bun.SQL({ url: address, max: 1 })
      await node.unsafe(change)
      await node.unsafe("insert into leases values ('care', 'another:1:1', 0)")
      renewing = setInterval(async () => {
        await node.unsafe('update leases set until = until + 1')
        renewed++
      }, 50)
    })

    afterAll(async () => {
      clearInterval(renewing)
      await node?.close({ timeout: 1 })
    })

    const stateOf = () =>
      onServer(address, (sql) =>
        sql.unsafe(`select (select json_agg(m) from migrations m) as migrations,
          (select count(*) from systems) as systems, (select count(*) from bots) as bots`),
      )

    test('is refused in one line that says what to do, and stays as it is', async () => {
      const here = await placeFor(address)
      const [tables, state] = [await tablesIn(address), await stateOf()]
      const upgrading = says === 'newer' ? ['migrate', 'serve --port 0'] : []
      const using = [...requiring, ...creating, ...replacing, ...reporting, dryRun, ...upgrading]
      for (const { line, code, out, err } of await runAll(using, here)) {
        expect([line, code]).toEqual([line, FAILED])
        expect(err).toMatch(/^multitude: [^\n]+\n$/)
        expect(err).toMatch(complaint)
        if (!line.startsWith('status')) expect([line, out]).toEqual([line, ''])
      }
      const { code, err } = await run(['copy', address], { cwd: here.source })
      expect([code, err]).toEqual([FAILED, expect.stringMatching(complaint)])
      for (const ended of await runAll(independent, here))
        expect(ended.err).not.toContain('database')
      expect(await tablesIn(address)).toEqual(tables)
      expect(await stateOf()).toEqual(state)
      expect(readdirSync(here.cwd)).toEqual(['backup.db'])
      const before = renewed
      while (renewed < before + 2) await Bun.sleep(10)
    })
  },
)
