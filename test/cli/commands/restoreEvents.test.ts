import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeOlder } from '../../db/olderDatabase'
import { withRawDatabase } from '../../service/transfer/importFixture'
import { createEmptyDatabase } from '../../tools/emptyDatabase'
import { run, runJson } from '../../tools/runInProcess'
import { emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'

const SKIPPED = 1_000_000

/** Creates a database with one system and a backup of it, with these counters of event IDs. */
async function prepare({ backup, replaced }: { backup: number; replaced: number }) {
  const cwd = emptyFolder()
  const path = join(cwd, 'data.db')
  const here = { cwd, path, env: { DATABASE_URL: `file:${path}` } }
  createEmptyDatabase(path)
  const { id } = await runJson<{ id: string }>(['system', 'create'], here)
  setCounter(path, backup)
  await runJson(['backup', 'then.db'], here)
  setCounter(path, replaced)
  return { ...here, id }
}

function setCounter(path: string, value: number): void {
  withRawDatabase(path, (database) => {
    database.run("DELETE FROM sqlite_sequence WHERE name = 'events'")
    database.run(`INSERT INTO sqlite_sequence VALUES ('events', ${value})`)
  })
}

/** Records an event and returns its ID. */
async function nextId(here: Awaited<ReturnType<typeof prepare>>): Promise<number> {
  await runJson(['account', 'link', here.id, '123456789012345678'], here)
  return withRawDatabase(here.path, (database) => {
    const newest = database.query<{ id: number }, []>('SELECT max(id) AS id FROM events').get()
    return newest?.id ?? 0
  })
}

describe('the IDs of events after a restore', () => {
  const cases: [
    title: string,
    counters: { backup: number; replaced: number },
    corrupt: (path: string) => void,
    largest: number,
  ][] = [
    ['the replaced database has assigned more', { backup: 7, replaced: 5000 }, () => {}, 5000],
    ['the backup has assigned more', { backup: 5000, replaced: 7 }, () => {}, 5000],
    ['there is no database', { backup: 7, replaced: 5000 }, (path) => rmSync(path), 7],
    [
      'the replaced database cannot be read',
      { backup: 7, replaced: 5000 },
      (path) => writeFileSync(path, 'garbage '.repeat(2000)),
      7,
    ],
    ['neither has assigned any', { backup: 0, replaced: 0 }, () => {}, 0],
  ]

  test.each(cases)(
    'event IDs continue 1,000,000 above the largest after a restore when %s',
    async (_, counters, corrupt, largest) => {
      const here = await prepare(counters)
      corrupt(here.path)
      await runJson(['restore', 'then.db', '--yes'], here)
      expect(await nextId(here)).toBe(largest + SKIPPED + 1)
    },
  )

  test('event IDs grow with every restore', async () => {
    const here = await prepare({ backup: 7, replaced: 7 })
    for (let round = 1; round <= 2; round++) {
      await runJson(['restore', 'then.db', '--yes'], here)
      expect(await nextId(here)).toBe(7 + round * (SKIPPED + 1))
    }
  })

  test('event IDs continue above those of the replaced database when the backup is of an older version', async () => {
    const here = await prepare({ backup: 7, replaced: 5000 })
    const older = makeOlder(join(here.cwd, 'older.db'), 6)
    older.close()
    await runJson(['restore', 'older.db', '--yes'], here)
    expect((await run(['migrate'], here)).code).toBe(0)
    const { id } = await runJson<{ id: string }>(['system', 'create'], here)
    expect(await nextId({ ...here, id })).toBe(5000 + SKIPPED + 1)
  })
})
