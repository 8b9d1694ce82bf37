import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, envNames } from '../config'
import { removePartials } from '../db/sqlite/tempFiles'
import type { Log } from '../log'
import type { TaskName } from '../service/admin/taskRuns'
import { runBackupCommand } from './backupCommand'
import { selfCommand, selfEnvironment } from './selfProcess'

/** How often it is looked whether one is due: no timer lasts as long as a month. */
const CHECK_MS = 60 * 60 * 1000
const RETRY_MS = 10 * 60 * 1000
const HANDOVER_MS = 5_000

type MakeBackup = (config: Config, file: string, isCompressed: boolean) => Promise<void>

/** Keeps how it went; the problem is null where it went well. */
type RecordRun = (task: TaskName, problem: string | null) => Promise<void>

/** Makes a backup now and then while the server runs. Gives how to end that. */
export function scheduleBackups(
  config: Config,
  log: Log,
  /** Whether this process is the one of all on the same data that makes them. */
  isLeader: () => boolean = () => true,
  make: MakeBackup = makeInOwnProcess,
  recordRun: RecordRun = async () => {},
): () => void {
  const { BACKUP_DIR, BACKUP_EVERY, BACKUP_COMMAND } = config
  if (BACKUP_DIR === '') {
    if (BACKUP_COMMAND !== '')
      log.warn('BACKUP_COMMAND does nothing without BACKUP_DIR: no backups are made')
    return () => {}
  }
  // Those made before a restart count: else a server that restarts often would never make one.
  let dueAt = newestIn(BACKUP_DIR) + BACKUP_EVERY
  let timer: ReturnType<typeof setTimeout> | undefined
  let isEnded = false

  const wait = (least = 0) => {
    if (isEnded) return
    timer = setTimeout(look, Math.min(Math.max(dueAt - Date.now(), least), CHECK_MS))
    timer.unref()
  }
  const look = async () => {
    if (!isLeader()) return wait(HANDOVER_MS)
    // Another process may have made one while it was its turn.
    dueAt = Math.max(dueAt, newestIn(BACKUP_DIR) + BACKUP_EVERY)
    if (Date.now() >= dueAt) {
      const isMade = await backUpNow(config, log, make, recordOrWarn(log, recordRun))
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

/** That it cannot be kept how it went changes nothing about how it went. */
function recordOrWarn(log: Log, recordRun: RecordRun): RecordRun {
  return (task, problem) =>
    recordRun(task, problem).catch((cause) =>
      log.warn('how a backup went could not be kept', { cause: (cause as Error).message }),
    )
}

async function backUpNow(
  config: Config,
  log: Log,
  make: MakeBackup,
  recordRun: RecordRun,
): Promise<boolean> {
  const { BACKUP_DIR, BACKUP_KEEP, BACKUP_COMPRESS, BACKUP_COMMAND } = config
  const isCompressed = BACKUP_COMPRESS === 'zstd'
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const file = join(BACKUP_DIR, `multitude-${stamp}.db${isCompressed ? '.zst' : ''}`)
  try {
    mkdirSync(BACKUP_DIR, { recursive: true })
    removePartials(BACKUP_DIR)
    await make(config, file, isCompressed)
    log.info('backup made', { file })
    if (BACKUP_KEEP > 0) removeOld(BACKUP_DIR, BACKUP_KEEP)
  } catch (cause) {
    const { message } = cause as Error
    log.error('backup failed', { file, cause: message })
    await recordRun('backup', message)
    return false
  }
  await recordRun('backup', null)
  if (BACKUP_COMMAND !== '') await runCommandFor(BACKUP_COMMAND, file, log, recordRun)
  return true
}

/** The backup itself is there, whatever becomes of its copy elsewhere. */
async function runCommandFor(
  command: string,
  file: string,
  log: Log,
  recordRun: RecordRun,
): Promise<void> {
  try {
    await runBackupCommand(command, file)
    log.info('backup command done', { file })
    await recordRun('backup_command', null)
  } catch (cause) {
    const { message } = cause as Error
    log.error('backup command failed', { file, cause: message })
    await recordRun('backup_command', message)
  }
}

/** In a process of its own: copying a large database would hold up every request. */
async function makeInOwnProcess(
  config: Config,
  file: string,
  isCompressed: boolean,
): Promise<void> {
  const names = ['DATABASE_URL', 'PGPASSWORD', 'PGSSLROOTCERT'] as const
  const env = selfEnvironment(
    Object.fromEntries(names.map((name) => [envNames(name)[0], config[name]])),
  )
  const packing = isCompressed ? ['--compress', 'zstd'] : []
  const command = [...selfCommand(), 'backup', file, ...packing]
  const work = Bun.spawn(command, { env, stdout: 'ignore', stderr: 'pipe' })
  if ((await work.exited) !== 0) throw new Error((await work.stderr.text()).trim())
}

const NAME = /^multitude-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db(\.zst)?$/

/** When the newest of a folder was made; long ago if there is none. */
function newestIn(folder: string): number {
  const newest = newestNameIn(folder)
  return newest ? timeOfBackup(newest) : 0
}

export function newestNameIn(folder: string): string | undefined {
  return namesIn(folder, NAME).at(-1)
}

/** As its name says. */
export function timeOfBackup(name: string): number {
  return Date.parse(name.replace(NAME, '$1-$2-$3T$4:$5:$6Z'))
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
