import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { count } from 'drizzle-orm'
import { restore } from '../../../src/db/backup/sqliteBackup'
import { openStorage } from '../../../src/db/open'
import { systems } from '../../../src/db/tables'
import { StorageError } from '../../../src/db/types'
import { drizzleOn } from '../../tools/drizzle'
import { run } from '../../tools/runInProcess'
import { commandLine, preload } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { copyOfKilled, databaseFile, databaseLog, leftoversIn, nameIn } from './restoreFolders'

const { words, run: runProcess } = commandLine()
const FAILED = 1

const garbage = Buffer.from('garbage '.repeat(2000))
const killed: [
  title: string,
  old: Buffer,
  isOld: (here: ReturnType<typeof copyOfKilled>) => boolean,
][] = [
  ['a database with a log', databaseFile, (here) => nameIn(here) === 'Now'],
  // Its log may have been renamed already, with the file it belongs to.
  [
    'an unreadable database',
    garbage,
    (here) => readFileSync(here.path).equals(garbage) && hasLog(here),
  ],
]

/** Returns true if the old log is next to its file, under one of its names. */
function hasLog({ cwd, path }: { cwd: string; path: string }): boolean {
  const names = readdirSync(cwd).filter((name) => name.endsWith('-wal'))
  return names.some((name) => {
    const base = join(cwd, name.slice(0, -'-wal'.length))
    const isComplete = readFileSync(join(cwd, name)).equals(databaseLog)
    return isComplete && statSync(base).ino === statSync(path).ino
  })
}

/** Runs the command, which is killed before the file operation of that number. */
function spawnKilled(
  at: number,
  command: string[],
  { cwd, env }: ReturnType<typeof copyOfKilled>,
  before: string[] = [],
) {
  return Bun.spawn([...before, ...words, ...command], {
    cwd,
    env: { ...env, ...preload(join(import.meta.dir, '../killAtStep.ts')), KILL_AT: String(at) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** Opens the database and counts its systems. */
async function countSystems(path: string): Promise<number | 'refused'> {
  try {
    const storage = openStorage(`file:${path}`)
    const found = await drizzleOn(storage.db).select({ all: count() }).from(systems).get()
    await storage.close()
    return found?.all ?? 0
  } catch (cause) {
    expect(cause).toBeInstanceOf(StorageError)
    return 'refused'
  }
}

describe('a restore that is killed', () => {
  test.each(killed)(
    'a restore over %s that is killed at any step leaves the old or the new database',
    async (_, old, isOld) => {
      const results = { old: 0, new: 0 }
      let isDone = false
      for (let from = 1; !isDone; from += 4) {
        const attempts = [0, 1, 2, 3].map(async (more) => {
          const here = copyOfKilled()
          writeFileSync(here.path, old)
          const child = spawnKilled(from + more, ['restore', 'then.db', '--yes'], here)
          await child.exited
          if (child.signalCode === null) isDone = true
          for (const name of readdirSync(here.cwd).filter((one) => one.startsWith('.restoring')))
            expect(statSync(join(here.cwd, name)).mode & 0o077).toBe(0)
          const isNew = !readFileSync(here.path).equals(old) && nameIn(here) === 'Then'
          expect([from + more, isNew || isOld(here)]).toEqual([from + more, true])
          results[isNew ? 'new' : 'old']++
          // No empty database is created, and the next restore cleans up.
          expect(['refused', 1]).toContain(await countSystems(here.path))
          restore(`file:${here.path}`, join(here.cwd, 'then.db'), new Date())
          expect(nameIn(here)).toBe('Then')
          expect(leftoversIn(here.cwd).filter((name) => !name.includes('.before-'))).toEqual([])
        })
        await Promise.all(attempts)
      }
      // Steps before and after the rename that replaces the database.
      expect(results.old).toBeGreaterThan(5)
      expect(results.new).toBeGreaterThan(1)
    },
  )
})

describe('a file that is being written', () => {
  test('backup creates partial files with mode 0600, and the next backup deletes those of a killed one', async () => {
    const here = copyOfKilled()
    const found: string[] = []
    for (let at = 1, isDone = false; !isDone; at++) {
      const withoutUmask = ['/bin/sh', '-c', 'umask 0; exec "$@"', 'sh']
      const child = spawnKilled(at, ['backup', `${at}.db`], here, withoutUmask)
      await child.exited
      isDone = child.signalCode === null
      const partials = readdirSync(here.cwd).filter((name) => name.endsWith('.partial'))
      for (const name of partials) expect(statSync(join(here.cwd, name)).mode & 0o777).toBe(0o600)
      // At most one, because each backup deletes the partial file of the previous one.
      expect(partials.length).toBeLessThan(2)
      found.push(...partials)
    }
    expect(found.length).toBeGreaterThan(1)
    writeFileSync(join(here.cwd, 'film.partial'), 'not ours')
    writeFileSync(join(here.cwd, '.restoring-999999-data.db'), '')
    expect((await run(['backup', 'c.db'], here)).code).toBe(0)
    expect(leftoversIn(here.cwd).filter((name) => /partial|restoring/.test(name))).toEqual([
      'film.partial',
    ])
    expect(statSync(join(here.cwd, 'c.db')).mode & 0o777).toBe(0o600)
  })

  test('restore fails while another restore of the same database runs', async () => {
    const here = copyOfKilled()
    writeFileSync(join(here.cwd, `.restoring-${process.pid}-data.db`), '')
    const { code, err } = await runProcess(['restore', 'then.db', '--yes'], here)
    expect([code, err]).toEqual([FAILED, expect.stringContaining('is under way')])
    expect(nameIn(here)).toBe('Now')
  })

  test('backup keeps the partial file of a process that still runs', async () => {
    const here = copyOfKilled()
    const running = `x.db.${process.pid}.partial`
    writeFileSync(join(here.cwd, running), '')
    expect((await runProcess(['backup', 'c.db'], here)).code).toBe(0)
    expect(leftoversIn(here.cwd)).toContain(running)
  })
})
