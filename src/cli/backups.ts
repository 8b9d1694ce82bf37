import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, spellingsOf } from '../config'
import { removePartials } from '../db/leftovers'
import type { Log } from '../log'
import { ownCommand, ownEnvironment } from './self'

/** How often it is looked whether one is due: no timer lasts as long as a month. */
const LOOK_MS = 60 * 60 * 1000
const RETRY_MS = 10 * 60 * 1000
const OTHERS_TURN_MS = 5_000

type MakeBackup = (config: Config, file: string) => Promise<void>

/** Makes a backup now and then while the server runs. Gives how to end that. */
export function scheduleBackups(
  config: Config,
  log: Log,
  /** Whether this process is the one of all on the same data that makes them. */
  isMine: () => boolean = () => true,
  make: MakeBackup = makeInOwnProcess,
): () => void {
  const { BACKUP_DIR, BACKUP_EVERY } = config
  if (BACKUP_DIR === '') return () => {}
  // Those made before a restart count: else a server that restarts often would never make one.
  let dueAt = newestIn(BACKUP_DIR) + BACKUP_EVERY
  let timer: ReturnType<typeof setTimeout> | undefined
  let isEnded = false

  const wait = (least = 0) => {
    if (isEnded) return
    timer = setTimeout(look, Math.min(Math.max(dueAt - Date.now(), least), LOOK_MS))
    timer.unref()
  }
  const look = async () => {
    if (!isMine()) return wait(OTHERS_TURN_MS)
    // Another process may have made one while it was its turn.
    dueAt = Math.max(dueAt, newestIn(BACKUP_DIR) + BACKUP_EVERY)
    if (Date.now() >= dueAt) {
      const isMade = await backUpNow(config, log, make)
      dueAt = Date.now() + (isMade ? BACKUP_EVERY : Math.min(BACKUP_EVERY, RETRY_MS))
    }
    wait()
  }

  wait()
  return () => {
    isEnded = true
    clearTimeout(timer)
  }
}

async function backUpNow(config: Config, log: Log, make: MakeBackup): Promise<boolean> {
  const { BACKUP_DIR, BACKUP_KEEP } = config
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const file = join(BACKUP_DIR, `multitude-${stamp}.db`)
  try {
    mkdirSync(BACKUP_DIR, { recursive: true })
    removePartials(BACKUP_DIR)
    await make(config, file)
    log.info('backup made', { file })
    if (BACKUP_KEEP > 0) removeOld(BACKUP_DIR, BACKUP_KEEP)
    return true
  } catch (cause) {
    log.error('backup failed', { file, cause: (cause as Error).message })
    return false
  }
}

/** In a process of its own: copying a large database would hold up every request. */
async function makeInOwnProcess(config: Config, file: string): Promise<void> {
  const names = ['DATABASE_URL', 'PGPASSWORD', 'PGSSLROOTCERT'] as const
  const env = ownEnvironment(
    Object.fromEntries(names.map((name) => [spellingsOf(name)[0], config[name]])),
  )
  const work = Bun.spawn([...ownCommand(), 'backup', file], {
    env,
    stdout: 'ignore',
    stderr: 'pipe',
  })
  if ((await work.exited) !== 0) throw new Error((await work.stderr.text()).trim())
}

const NAME = /^multitude-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/

/** When the newest of a folder was made; long ago if there is none. */
function newestIn(folder: string): number {
  const newest = namesIn(folder, NAME).at(-1)
  return newest ? Date.parse(newest.replace(NAME, '$1-$2-$3T$4:$5:$6Z')) : 0
}

function removeOld(folder: string, keep: number): void {
  for (const name of namesIn(folder, NAME).slice(0, -keep)) rmSync(join(folder, name))
}

/** Oldest first; none where there is no folder yet. */
function namesIn(folder: string, pattern: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .toSorted()
  } catch {
    return []
  }
}
