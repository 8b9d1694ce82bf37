import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scheduleBackups } from '../../src/cli/scheduledBackups'
import { type Config, parseConfig } from '../../src/config'
import { createLog } from '../../src/log'
import { commandLine, emptyFolder } from '../serverProcess'
import { dump } from '../service/transfer/importFixture'
import { afterAll, describe, expect, test } from '../test'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const tasks: ReturnType<typeof scheduleBackups>[] = []
afterAll(() => Promise.all(tasks.map((task) => task?.stop())))

describe('scheduled backups', () => {
  test('creates no scheduled backups without BACKUP_DIR', async () => {
    const { made } = schedule({ BACKUP_DIR: '' })
    await Bun.sleep(20)
    expect(made).toEqual([])
  })

  test('creates the first scheduled backup at once, and repeats until it is stopped', async () => {
    const folder = join(emptyFolder(), 'not/there/yet')
    const { made, task, logged } = schedule({ BACKUP_DIR: folder, BACKUP_EVERY: 15 })
    await until(() => made.length >= 3)
    await task?.stop()
    const count = made.length
    await Bun.sleep(50)
    expect(made).toHaveLength(count)
    expect(made[0]).toMatch(/not\/there\/yet\/multitude-\d{8}T\d{6}Z\.db$/)
    expect(existsSync(made[0] ?? '')).toBe(true)
    expect(logged()).toContain('"message":"backup created"')
  })

  const ages: [title: string, age: number, every: number, isDue: boolean][] = [
    ['creates a daily backup a day after the last one', DAY + 1000, DAY, true],
    ['creates no daily backup an hour after the last one', 60 * MINUTE, DAY, false],
    ['waits longer than a timer can for a monthly backup', DAY, 30 * DAY, false],
    ['creates a monthly backup a month after the last one', 30 * DAY + 1000, 30 * DAY, true],
  ]

  test.each(ages)('%s (%i of %i ms)', async (_, age, every, isDue) => {
    const folder = emptyFolder()
    backupOf(folder, Date.now() - age)
    const warnings: Error[] = []
    process.on('warning', (warning) => warnings.push(warning))
    const { made } = schedule({ BACKUP_DIR: folder, BACKUP_EVERY: every })
    if (isDue) await until(() => made.length > 0)
    await Bun.sleep(30)
    expect(made.length).toBe(isDue ? 1 : 0)
    expect(warnings).toEqual([])
  })

  const kept: [keep: number, days: number[]][] = [
    [3, [3, 2]],
    [1, []],
    [9, [5, 4, 3, 2]],
    [0, [5, 4, 3, 2]],
  ]

  test.each(kept)(
    'keeps the newest %i scheduled backups and all other files',
    async (keep, days) => {
      const folder = emptyFolder()
      // Some are compressed, which makes no difference.
      const old = [5, 4, 3, 2].map((day) =>
        backupOf(folder, Date.now() - day * DAY, day % 2 === 0 ? '.zst' : ''),
      )
      const others = ['multitude.db', 'multitude-20200101T000000Z.db.bak', 'notes.txt']
      for (const name of others) writeFileSync(join(folder, name), '')
      mkdirSync(join(folder, 'more'))
      writeFileSync(join(folder, 'multitude-20200101T000000Z.db.partial'), 'left by a crash')
      const { made, logged } = schedule({
        BACKUP_DIR: folder,
        BACKUP_EVERY: DAY,
        BACKUP_KEEP: keep,
      })
      await until(() => logged().includes('backup created'))
      await Bun.sleep(5)
      const expected = [5, 4, 3, 2].flatMap((day, at) =>
        days.includes(day) ? (old[at] ?? []) : [],
      )
      const fresh = made.map((file) => file.slice(folder.length + 1))
      expect(readdirSync(folder).toSorted()).toEqual(
        [...others, 'more', ...expected, ...fresh].toSorted(),
      )
    },
  )

  test('logs a failed backup, does not retry at once, and keeps older backups', async () => {
    const folder = emptyFolder()
    const old = backupOf(folder, Date.now() - DAY - 1000)
    const settings = { BACKUP_DIR: folder, BACKUP_EVERY: DAY, BACKUP_KEEP: 1 }
    const { made, logged } = schedule(settings, 'the disk is full')
    await until(() => made.length > 0)
    await Bun.sleep(40)
    expect(made).toHaveLength(1)
    expect(logged()).toMatch(/"level":"error","message":"backup failed".*the disk is full/)
    expect(readdirSync(folder)).toEqual([old])
  })

  test('does not run two scheduled backups at the same time', async () => {
    let running = 0
    let most = 0
    let count = 0
    const config = { ...parseConfig({}), BACKUP_DIR: emptyFolder(), BACKUP_EVERY: 1 }
    const task = scheduleBackups(
      config,
      createLog('error', 'json', () => {}),
      {
        isLeader: () => true,
        async create() {
          most = Math.max(most, ++running)
          await Bun.sleep(10)
          running--
          count++
        },
      },
    )
    await until(() => count >= 3)
    await task?.stop()
    expect([most, running]).toEqual([1, 0])
  })

  test('a scheduled backup of a running server has all its data', async () => {
    const cwd = emptyFolder()
    const env = { BACKUP_DIR: 'backups', BACKUP_EVERY: '1m' }
    const { startServer } = await commandLine()
    const server = await startServer([], { cwd, env })
    await until(() => server.output().includes('backup created'))
    const [name = ''] = readdirSync(join(cwd, 'backups'))
    // The result of the backup is recorded after it.
    const kept = { ...dump(join(cwd, 'data/multitude.db')), task_runs: [] }
    expect(dump(join(cwd, 'backups', name))).toEqual(kept)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  })
})

function schedule(settings: Partial<Config>, failure?: string) {
  const lines: string[] = []
  const made: string[] = []
  const log = createLog('info', 'json', (text) => lines.push(text))
  const config = { ...parseConfig({}), ...settings }
  const task = scheduleBackups(config, log, {
    isLeader: () => true,
    async create(_, file) {
      made.push(file)
      if (failure) throw new Error(failure)
      writeFileSync(file, '')
    },
  })
  tasks.push(task)
  const logged = () => {
    log.flush()
    return lines.join('')
  }
  return { made, task, logged }
}

/** Writes an empty file named like a backup of that time. Returns its name. */
function backupOf(folder: string, time: number, end = ''): string {
  const name = `multitude-${new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.db${end}`
  writeFileSync(join(folder, name), '')
  return name
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 100_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('timed out')
    await Bun.sleep(5)
  }
}
