import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { count } from 'drizzle-orm'
import { openStorage } from '../../src/db/open'
import { restore } from '../../src/db/sqlite/backup'
import { systems } from '../../src/db/tables'
import { StorageError } from '../../src/db/types'
import { commandLine, emptyFolder } from '../serverProcess'
import { withRawDatabase } from '../service/transfer/importFixture'

// Processes take their time on a busy machine.
setDefaultTimeout(60_000)

const { run, runJson, words } = await commandLine()
const FAILED = 1
const isRoot = process.getuid?.() === 0

/** A backup of "Then"; the database says "Now", which only its write-ahead log knows. */
const home = emptyFolder()
await runJson(['system', 'create', '--name', 'Then'], { cwd: home })
await runJson(['backup', 'then.db'], { cwd: home })
const kept = join(home, 'data/multitude.db')
const writer = new Database(kept)
writer.run('PRAGMA wal_autocheckpoint = 0')
writer.run("UPDATE systems SET name = 'Now'")
const file = readFileSync(kept)
const log = readFileSync(`${kept}-wal`)
writer.close()

/** As a server leaves it that was killed. */
function fresh() {
  const cwd = emptyFolder()
  const path = join(cwd, 'data.db')
  writeFileSync(path, file, { mode: 0o600 })
  writeFileSync(`${path}-wal`, log)
  copyFileSync(join(home, 'then.db'), join(cwd, 'then.db'))
  return { cwd, path, env: { DATABASE_URL: `file:${path}` } }
}

const leftIn = (folder: string) =>
  readdirSync(folder).filter((name) => /restoring|partial|-wal|-shm|-journal/.test(name))

/** What the database says, in a copy of its folder: looking changes files. */
function nameIn({ cwd, path }: { cwd: string; path: string }): unknown {
  const copy = emptyFolder()
  cpSync(cwd, copy, { recursive: true })
  return withRawDatabase(
    join(copy, path.slice(cwd.length)),
    (database) => database.query<{ name: string }, []>('SELECT name FROM systems').get()?.name,
  )
}

describe('a restore', () => {
  test('beside the log of the old database brings the rows of the backup, and keeps the old ones', async () => {
    const here = fresh()
    expect(nameIn(here)).toBe('Now')
    const { aside } = await runJson<{ aside: string }>(['restore', 'then.db', '--yes'], here)
    expect([nameIn(here), nameIn({ ...here, path: aside })]).toEqual(['Then', 'Now'])
    expect(leftIn(here.cwd)).toEqual([])
  })

  test('of what cannot fold its log in keeps file and log aside, byte by byte', async () => {
    const here = fresh()
    const garbage = Buffer.from('garbage '.repeat(2000))
    writeFileSync(here.path, garbage)
    const { aside } = await runJson<{ aside: string }>(['restore', 'then.db', '--yes'], here)
    expect(nameIn(here)).toBe('Then')
    expect(readFileSync(aside).equals(garbage)).toBe(true)
    expect(readFileSync(`${aside}-wal`).equals(log)).toBe(true)
    expect(existsSync(`${here.path}-wal`)).toBe(false)
  })

  test('where only a log is left does not take it for its own', async () => {
    const here = fresh()
    rmSync(here.path)
    await runJson(['restore', 'then.db', '--yes'], here)
    expect(nameIn(here)).toBe('Then')
  })

  test('through a link replaces the file it points to', async () => {
    const here = fresh()
    const link = join(emptyFolder(), 'link.db')
    symlinkSync(here.path, link)
    await runJson(['restore', join(here.cwd, 'then.db'), '--yes', '--database', `file:${link}`], {
      cwd: here.cwd,
    })
    expect(nameIn(here)).toBe('Then')
  })
})

const garbage = Buffer.from('garbage '.repeat(2000))
const killed: [says: string, old: Buffer, isOld: (here: ReturnType<typeof fresh>) => boolean][] = [
  ['with a log', file, (here) => nameIn(here) === 'Now'],
  // Its log may lie aside already, with the file it belongs to.
  ['beyond reading', garbage, (here) => readFileSync(here.path).equals(garbage) && hasLog(here)],
]

/** The old log lies beside its file, under one of its names. */
function hasLog({ cwd, path }: { cwd: string; path: string }): boolean {
  const names = readdirSync(cwd).filter((name) => name.endsWith('-wal'))
  return names.some((name) => {
    const base = join(cwd, name.slice(0, -'-wal'.length))
    const isWhole = readFileSync(join(cwd, name)).equals(log)
    return isWhole && statSync(base).ino === statSync(path).ino
  })
}

/** Runs the command until it begins the file operation of that number. */
function spawnKilled(
  at: number,
  command: string[],
  { cwd, env }: ReturnType<typeof fresh>,
  before: string[] = [],
) {
  const script = words.at(-1) ?? ''
  const preload = ['--preload', join(import.meta.dir, 'killAtStep.ts')]
  return Bun.spawn([...before, process.execPath, ...preload, script, ...command], {
    cwd,
    env: { ...env, KILL_AT: String(at) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** How many whoever opens it finds there. */
async function systemsIn(path: string): Promise<number | 'refused'> {
  try {
    const storage = openStorage(`file:${path}`)
    const found = await storage.db.select({ all: count() }).from(systems).get()
    await storage.close()
    return found?.all ?? 0
  } catch (cause) {
    expect(cause).toBeInstanceOf(StorageError)
    return 'refused'
  }
}

describe('a restore that is killed', () => {
  test.each(killed)(
    'at any moment, over a database %s, leaves the old or the new one',
    async (_, old, isOld) => {
      const seen = { old: 0, new: 0 }
      let isDone = false
      for (let from = 1; !isDone; from += 4) {
        const moments = [0, 1, 2, 3].map(async (more) => {
          const here = fresh()
          writeFileSync(here.path, old)
          const child = spawnKilled(from + more, ['restore', 'then.db', '--yes'], here)
          await child.exited
          if (child.signalCode === null) isDone = true
          for (const name of readdirSync(here.cwd).filter((one) => one.startsWith('.restoring')))
            expect(statSync(join(here.cwd, name)).mode & 0o077).toBe(0)
          const isNew = !readFileSync(here.path).equals(old) && nameIn(here) === 'Then'
          expect([from + more, isNew || isOld(here)]).toEqual([from + more, true])
          seen[isNew ? 'new' : 'old']++
          // Nobody makes an empty one, and the next restore cleans up.
          expect(['refused', 1]).toContain(await systemsIn(here.path))
          restore(`file:${here.path}`, join(here.cwd, 'then.db'), new Date())
          expect(nameIn(here)).toBe('Then')
          expect(leftIn(here.cwd).filter((name) => !name.includes('.before-'))).toEqual([])
        })
        await Promise.all(moments)
      }
      // The moments before, and those after, the one rename.
      expect(seen.old).toBeGreaterThan(5)
      expect(seen.new).toBeGreaterThan(1)
    },
  )

  const left: [says: string, leave: (here: ReturnType<typeof fresh>) => void, named: RegExp][] = [
    [
      'the old database aside',
      ({ path }) => renameSync(path, `${path}.before-20240101T000000000Z`),
      /data\.db\.before-20240101T000000000Z/,
    ],
    [
      'what was to take its place',
      ({ cwd, path }) => renameSync(path, join(cwd, '.restoring-999999.db')),
      /\.restoring-999999\.db/,
    ],
    [
      'an empty file in its place',
      ({ path }) => {
        renameSync(path, `${path}.before-20240101T000000000Z`)
        writeFileSync(path, '')
      },
      /data\.db\.before-20240101T000000000Z/,
    ],
    [
      'one file under both names',
      ({ path }) => linkSync(path, `${path}.before-20240101T000000000Z`),
      /data\.db\.before-20240101T000000000Z/,
    ],
  ]

  test.each(left)('is told by every command that finds %s', async (_, leave, named) => {
    const here = fresh()
    rmSync(`${here.path}-wal`)
    leave(here)
    const before = readdirSync(here.cwd).toSorted()
    for (const command of [
      ['serve', '--port', '0'],
      ['migrate'],
      ['system', 'create'],
      ['backup', 'b.db'],
      ['doctor'],
    ]) {
      const { code, out, err } = await run(command, here)
      expect([code, out]).toEqual([FAILED, ''])
      expect(err).toMatch(/^multitude: [^\n]+\n$/)
      expect(err).toMatch(named)
      expect(err).toContain('restore')
    }
    expect(readdirSync(here.cwd).toSorted()).toEqual(before)
    expect((await run(['restore', 'then.db', '--yes'], here)).code).toBe(0)
    expect(nameIn(here)).toBe('Then')
  })

  test('of another database is none of its business', async () => {
    const here = fresh()
    writeFileSync(join(here.cwd, 'other.db.before-20240101T000000000Z'), '')
    expect((await run(['migrate', '--database', 'file:new.db'], here)).code).toBe(0)
  })
})

describe('a file that is being written', () => {
  test('is for its owner alone from the first byte, and goes at the next run after a kill', async () => {
    const here = fresh()
    const left: string[] = []
    for (let at = 1, isDone = false; !isDone; at++) {
      const openToAll = ['/bin/sh', '-c', 'umask 0; exec "$@"', 'sh']
      const child = spawnKilled(at, ['backup', `${at}.db`], here, openToAll)
      await child.exited
      isDone = child.signalCode === null
      const partials = readdirSync(here.cwd).filter((name) => name.endsWith('.partial'))
      for (const name of partials) expect(statSync(join(here.cwd, name)).mode & 0o777).toBe(0o600)
      // At most what this one left: it has cleaned up after the one before.
      expect(partials.length).toBeLessThan(2)
      left.push(...partials)
    }
    expect(left.length).toBeGreaterThan(1)
    writeFileSync(join(here.cwd, 'film.partial'), 'not ours')
    writeFileSync(join(here.cwd, '.restoring-999999-data.db'), '')
    expect((await run(['backup', 'c.db'], here)).code).toBe(0)
    expect(leftIn(here.cwd).filter((name) => /partial|restoring/.test(name))).toEqual([
      'film.partial',
    ])
    expect(statSync(join(here.cwd, 'c.db')).mode & 0o777).toBe(0o600)
  })

  test('by a restore that still runs lets no other begin', async () => {
    const here = fresh()
    writeFileSync(join(here.cwd, `.restoring-${process.pid}-data.db`), '')
    const { code, err } = await run(['restore', 'then.db', '--yes'], here)
    expect([code, err]).toEqual([FAILED, expect.stringContaining('is under way')])
    expect(nameIn(here)).toBe('Now')
  })

  test('by a program that still runs is left alone', async () => {
    const here = fresh()
    const theirs = `x.db.${process.pid}.partial`
    writeFileSync(join(here.cwd, theirs), '')
    expect((await run(['backup', 'c.db'], here)).code).toBe(0)
    expect(leftIn(here.cwd)).toContain(theirs)
  })
})

describe('owner and mode', () => {
  test('are those of what was there', async () => {
    const here = fresh()
    chmodSync(here.path, 0o640)
    if (isRoot) chownSync(here.path, 65534, 65534)
    await runJson(['restore', 'then.db', '--yes'], here)
    const { mode, uid } = statSync(here.path)
    expect([mode & 0o777, uid]).toEqual([0o640, isRoot ? 65534 : uid])
  })

  test.if(isRoot)('are the folder’s, for nobody else, where nothing was there', async () => {
    const here = fresh()
    rmSync(here.path)
    rmSync(`${here.path}-wal`)
    chownSync(here.cwd, 65534, 65534)
    await runJson(['restore', 'then.db', '--yes'], here)
    const { mode, uid, gid } = statSync(here.path)
    expect([mode & 0o777, uid, gid]).toEqual([0o600, 65534, 65534])
  })
})
