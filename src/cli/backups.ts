import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config'
import type { Log } from '../log'
import { ownCommand } from './self'

const NAME = /^multitude-\d{8}T\d{6}Z\.db$/

/** Makes a backup now and then while the server runs. Gives how to end that. */
export function scheduleBackups(config: Config, log: Log): () => void {
  const { BACKUP_DIR, BACKUP_EVERY } = config
  if (BACKUP_DIR === '') return () => {}
  const timer = setInterval(() => backUpNow(config, log), BACKUP_EVERY)
  timer.unref()
  return () => clearInterval(timer)
}

/** In a process of its own: copying a large database would hold up every request. */
async function backUpNow(config: Config, log: Log): Promise<void> {
  const { BACKUP_DIR, BACKUP_KEEP, DATABASE_URL } = config
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const file = join(BACKUP_DIR, `multitude-${stamp}.db`)
  try {
    mkdirSync(BACKUP_DIR, { recursive: true })
    const command = [...ownCommand(), 'backup', file, '--database', DATABASE_URL]
    const work = Bun.spawn(command, { stdout: 'ignore', stderr: 'pipe' })
    if ((await work.exited) !== 0) throw new Error((await work.stderr.text()).trim())
    log.info('backup made', { file })
    if (BACKUP_KEEP > 0) removeOld(BACKUP_DIR, BACKUP_KEEP)
  } catch (cause) {
    log.error('backup failed', { file, cause: (cause as Error).message })
  }
}

function removeOld(folder: string, keep: number): void {
  const made = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .toSorted()
  for (const name of made.slice(0, -keep)) rmSync(join(folder, name))
}
