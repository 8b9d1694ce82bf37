import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scheduleBackups } from '../../src/cli/backups'
import { type Config, parseConfig } from '../../src/config'
import { createLog } from '../../src/log'
import { emptyFolder, program, startServer } from '../serverProcess'
import { dump } from '../service/transfer/importFixture'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const ends: (() => void)[] = []
afterAll(() => {
  for (const end of ends) end()
})

describe('scheduled backups', () => {
  test('are none without a folder', async () => {
    const { made } = schedule({ BACKUP_DIR: '' })
    await Bun.sleep(20)
    expect(made).toEqual([])
  })

  test('begin at once where there is none, and come again and again until they are ended', async () => {
    const folder = join(emptyFolder(), 'not/there/yet')
    const { made, end, logged } = schedule({ BACKUP_DIR: folder, BACKUP_EVERY: 15 })
    await until(() => made.length >= 3)
    end()
    const count = made.length
    await Bun.sleep(50)
    expect(made).toHaveLength(count)
    expect(made[0]).toMatch(/not\/there\/yet\/multitude-\d{8}T\d{6}Z\.db$/)
    expect(existsSync(made[0] ?? '')).toBe(true)
    expect(logged()).toContain('"message":"backup made"')
  })

  const ages: [says: string, age: number, every: number, isDue: boolean][] = [
    ['a day after a daily one', DAY + 1000, DAY, true],
    ['an hour after a daily one', 60 * MINUTE, DAY, false],
    ['a day after a monthly one, which no timer can wait for', DAY, 30 * DAY, false],
    ['a month after a monthly one', 30 * DAY + 1000, 30 * DAY, true],
  ]

  test.each(ages)('%s: %i of %i ms', async (_, age, every, isDue) => {
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

  test.each(kept)('keep the newest %i, and leave alone what is not theirs', async (keep, days) => {
    const folder = emptyFolder()
    // Some of them compressed: they count like all others.
    const old = [5, 4, 3, 2].map((day) =>
      backupOf(folder, Date.now() - day * DAY, day % 2 === 0 ? '.zst' : ''),
    )
    const others = ['multitude.db', 'multitude-20200101T000000Z.db.bak', 'notes.txt']
    for (const name of others) writeFileSync(join(folder, name), '')
    mkdirSync(join(folder, 'more'))
    writeFileSync(join(folder, 'multitude-20200101T000000Z.db.partial'), 'left by a crash')
    const { made, logged } = schedule({ BACKUP_DIR: folder, BACKUP_EVERY: DAY, BACKUP_KEEP: keep })
    await until(() => logged().includes('backup made'))
    await Bun.sleep(5)
    const expected = [5, 4, 3, 2].flatMap((day, at) => (days.includes(day) ? (old[at] ?? []) : []))
    const fresh = made.map((file) => file.slice(folder.length + 1))
    expect(readdirSync(folder).toSorted()).toEqual(
      [...others, 'more', ...expected, ...fresh].toSorted(),
    )
  })

  test('that fail are told, are not tried again at once, and cost no older one', async () => {
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

  test('that take long are not made twice at a time', async () => {
    let running = 0
    let most = 0
    let count = 0
    const config = { ...parseConfig({}), BACKUP_DIR: emptyFolder(), BACKUP_EVERY: 1 }
    const end = scheduleBackups(
      config,
      createLog('error', 'json', () => {}),
      () => true,
      async () => {
        most = Math.max(most, ++running)
        await Bun.sleep(10)
        running--
        count++
      },
    )
    await until(() => count >= 3)
    end()
    expect(most).toBe(1)
  })

  test('of a running server are databases that are whole', async () => {
    const cwd = emptyFolder()
    const env = { BACKUP_DIR: 'backups', BACKUP_EVERY: '1m' }
    const server = await startServer(program, [], { cwd, env })
    await until(() => server.said().includes('backup made'), 15_000)
    const [name = ''] = readdirSync(join(cwd, 'backups'))
    // How the backup went is known only after it.
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
  const end = scheduleBackups(
    config,
    log,
    () => true,
    async (_, file) => {
      made.push(file)
      if (failure) throw new Error(failure)
      writeFileSync(file, '')
    },
  )
  ends.push(end)
  const logged = () => {
    log.flush()
    return lines.join('')
  }
  return { made, end, logged }
}

/** A backup as it would have been made then. Gives its name. */
function backupOf(folder: string, time: number, end = ''): string {
  const name = `multitude-${new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.db${end}`
  writeFileSync(join(folder, name), '')
  return name
}

async function until(isSo: () => boolean, longest = 5000): Promise<void> {
  const giveUpAt = Date.now() + longest
  while (!isSo()) {
    if (Date.now() > giveUpAt) throw new Error('it did not happen in time')
    await Bun.sleep(5)
  }
}
