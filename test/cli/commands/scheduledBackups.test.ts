import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scheduleBackups } from '../../../src/cli/commands/scheduledBackups'
import { type Config, parseConfig } from '../../../src/runtime/config/config'
import { createLog } from '../../../src/runtime/log'
import { emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { createTestClock } from '../../tools/testClock'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('scheduled backups', () => {
  test('creates no scheduled backups without BACKUP_DIR', async () => {
    const { made, task, clock } = schedule({ BACKUP_DIR: '' })
    expect(task).toBeNull()
    await clock.advance(31 * DAY)
    expect(made).toEqual([])
  })

  test('creates the first scheduled backup at once, and repeats until it is stopped', async () => {
    const folder = join(emptyFolder(), 'not/there/yet')
    const { made, task, logged, clock } = schedule({ BACKUP_DIR: folder, BACKUP_EVERY: HOUR })
    await clock.advance(0)
    expect(made).toHaveLength(1)
    await clock.advance(2 * HOUR)
    expect(made).toHaveLength(3)
    await task?.stop()
    await clock.advance(2 * HOUR)
    expect(made).toHaveLength(3)
    expect(made[0]).toMatch(/not\/there\/yet\/multitude-20260101T120000Z\.db$/)
    expect(existsSync(made[0] ?? '')).toBe(true)
    expect(logged()).toContain('"message":"backup created"')
  })

  const ages: [title: string, age: number, every: number, dueIn: number][] = [
    ['creates a daily backup a day after the last one', DAY + 1000, DAY, 0],
    ['creates no daily backup an hour after the last one', HOUR, DAY, 23 * HOUR],
    ['waits longer than a timer can for a monthly backup', DAY, 30 * DAY, 29 * DAY],
    ['creates a monthly backup a month after the last one', 30 * DAY + 1000, 30 * DAY, 0],
  ]

  test.each(ages)('%s (%i of %i ms)', async (_, age, every, dueIn) => {
    const folder = emptyFolder()
    const warnings: Error[] = []
    process.on('warning', (warning) => warnings.push(warning))
    const { made, clock } = schedule({ BACKUP_DIR: folder, BACKUP_EVERY: every }, { ages: [age] })
    if (dueIn > 0) await clock.advance(dueIn - 1)
    expect(made).toHaveLength(0)
    await clock.advance(1)
    expect(made).toHaveLength(1)
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
      const others = ['multitude.db', 'multitude-20200101T000000Z.db.bak', 'notes.txt']
      for (const name of others) writeFileSync(join(folder, name), '')
      mkdirSync(join(folder, 'more'))
      writeFileSync(join(folder, 'multitude-20200101T000000Z.db.partial'), 'left by a crash')
      const settings = { BACKUP_DIR: folder, BACKUP_EVERY: DAY, BACKUP_KEEP: keep }
      const { made, old, clock } = schedule(settings, {
        ages: [5, 4, 3, 2].map((day) => day * DAY),
      })
      await clock.advance(0)
      const expected = [5, 4, 3, 2].flatMap((day, at) =>
        days.includes(day) ? (old[at] ?? []) : [],
      )
      const fresh = made.map((file) => file.slice(folder.length + 1))
      expect(fresh).toHaveLength(1)
      expect(readdirSync(folder).toSorted()).toEqual(
        [...others, 'more', ...expected, ...fresh].toSorted(),
      )
    },
  )

  test('logs a failed backup, does not retry at once, and keeps older backups', async () => {
    const folder = emptyFolder()
    const settings = { BACKUP_DIR: folder, BACKUP_EVERY: DAY, BACKUP_KEEP: 1 }
    const { made, old, logged, clock } = schedule(settings, {
      ages: [DAY + 1000],
      failure: 'the disk is full',
    })
    await clock.advance(10 * MINUTE - 1)
    expect(made).toHaveLength(1)
    expect(logged()).toMatch(/"level":"error","message":"backup failed".*the disk is full/)
    expect(readdirSync(folder)).toEqual(old)
    await clock.advance(1)
    expect(made).toHaveLength(2)
  })

  test('does not run two scheduled backups at the same time', async () => {
    let running = 0
    let most = 0
    let count = 0
    const clock = createTestClock()
    const config = { ...parseConfig({}), BACKUP_DIR: emptyFolder(), BACKUP_EVERY: MINUTE }
    const task = scheduleBackups(
      config,
      createLog('error', 'json', () => {}),
      {
        clock,
        isLeader: () => true,
        async create() {
          most = Math.max(most, ++running)
          await clock.sleep(3 * MINUTE)
          running--
          count++
        },
      },
    )
    await clock.advance(12 * MINUTE)
    expect([count, most]).toEqual([3, 1])
    const stopped = task?.stop()
    await clock.advance(3 * MINUTE)
    await stopped
    expect([most, running]).toEqual([1, 0])
  })
})

/** Schedules backups, with empty files in place of earlier backups of these ages. */
function schedule(
  settings: Partial<Config>,
  { ages = [], failure }: { ages?: number[]; failure?: string } = {},
) {
  const lines: string[] = []
  const made: string[] = []
  const clock = createTestClock()
  // Some are compressed, which makes no difference.
  const old = ages.map((age, at) =>
    backupOf(settings.BACKUP_DIR ?? '', clock.now() - age, at % 2 === 1 ? '.zst' : ''),
  )
  const log = createLog('info', 'json', (text) => lines.push(text))
  const config = { ...parseConfig({}), ...settings }
  const task = scheduleBackups(config, log, {
    clock,
    isLeader: () => true,
    async create(_, file) {
      made.push(file)
      if (failure) throw new Error(failure)
      writeFileSync(file, '')
    },
  })
  const logged = () => {
    log.flush()
    return lines.join('')
  }
  return { made, old, task, logged, clock }
}

/** Writes an empty file named like a backup of that time. Returns its name. */
function backupOf(folder: string, time: number, end: string): string {
  const name = `multitude-${new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.db${end}`
  writeFileSync(join(folder, name), '')
  return name
}
