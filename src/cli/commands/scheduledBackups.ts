import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { removePartials } from '../../db/sqlite/tempFiles'
import type { TaskName } from '../../model/core/taskRun'
import { type Config, envNames } from '../../runtime/config/config'
import type { Log } from '../../runtime/log'
import { type Clock, systemClock } from '../../runtime/timers/clock'
import { type PeriodicTask, startPeriodicTask } from '../../runtime/timers/periodicTask'
import { selfCommand, selfEnvironment } from '../workers/selfProcess'
import { runBackupCommand } from './runBackupCommand'

/** Maximum delay of the timer, because timers cannot wait for a month. */
const CHECK_MS = 60 * 60 * 1000
const RETRY_MS = 10 * 60 * 1000
const HANDOVER_MS = 5_000

type CreateBackup = (config: Config, file: string, isCompressed: boolean) => Promise<void>

/** Records the result of a task; the problem is null if it succeeded. */
type RecordRun = (task: TaskName, problem: string | null) => Promise<void>

interface BackupOptions {
  /** Returns true if this process creates the backups, of all processes on the same database. */
  readonly isLeader: () => boolean
  readonly create?: CreateBackup
  readonly recordRun?: RecordRun
  readonly clock?: Clock
}

/** Creates backups periodically while the server runs. Returns null if none are configured. */
export function scheduleBackups(
  config: Config,
  log: Log,
  {
    isLeader,
    create = createInOwnProcess,
    recordRun = async () => {},
    clock = systemClock,
  }: BackupOptions,
): PeriodicTask | null {
  const { BACKUP_DIR, BACKUP_EVERY, BACKUP_COMMAND } = config
  if (BACKUP_DIR === '') {
    if (BACKUP_COMMAND !== '')
      log.warn('BACKUP_COMMAND ignored: BACKUP_DIR is not set, so no backups are created')
    return null
  }
  // Backups from before a restart count: otherwise a server that restarts often would never create one.
  let dueAt = newestIn(BACKUP_DIR) + BACKUP_EVERY
  const untilDue = (minMs = 0) => Math.min(Math.max(dueAt - clock.now(), minMs), CHECK_MS)
  return startPeriodicTask({
    clock,
    firstMs: untilDue(),
    everyMs: () => untilDue(isLeader() ? 0 : HANDOVER_MS),
    mayRun: isLeader,
    async run() {
      // Another process may have created one while it was the leader.
      dueAt = Math.max(dueAt, newestIn(BACKUP_DIR) + BACKUP_EVERY)
      if (clock.now() < dueAt) return
      const isCreated = await backUpNow(config, log, create, recordOrWarn(log, recordRun), clock)
      dueAt = clock.now() + (isCreated ? BACKUP_EVERY : Math.min(BACKUP_EVERY, RETRY_MS))
    },
    onError: (cause) => log.error('backup failed', { cause: (cause as Error).message }),
  })
}

/** Logs a warning if the result cannot be recorded, because the backup itself is not affected. */
function recordOrWarn(log: Log, recordRun: RecordRun): RecordRun {
  return (task, problem) =>
    recordRun(task, problem).catch((cause) =>
      log.warn('backup result not recorded', { cause: (cause as Error).message }),
    )
}

async function backUpNow(
  config: Config,
  log: Log,
  create: CreateBackup,
  recordRun: RecordRun,
  clock: Clock,
): Promise<boolean> {
  const { BACKUP_DIR, BACKUP_KEEP, BACKUP_COMPRESS, BACKUP_COMMAND } = config
  const isCompressed = BACKUP_COMPRESS === 'zstd'
  const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const file = join(BACKUP_DIR, `multitude-${stamp}.db${isCompressed ? '.zst' : ''}`)
  try {
    mkdirSync(BACKUP_DIR, { recursive: true })
    removePartials(BACKUP_DIR)
    await create(config, file, isCompressed)
    log.info('backup created', { file })
    if (BACKUP_KEEP > 0) deleteOld(BACKUP_DIR, BACKUP_KEEP)
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

/** Runs BACKUP_COMMAND. Its failure is recorded separately, because the backup itself exists. */
async function runCommandFor(
  command: string,
  file: string,
  log: Log,
  recordRun: RecordRun,
): Promise<void> {
  try {
    await runBackupCommand(command, file)
    log.info('backup command finished', { file })
    await recordRun('backup_command', null)
  } catch (cause) {
    const { message } = cause as Error
    log.error('backup command failed', { file, cause: message })
    await recordRun('backup_command', message)
  }
}

/** Creates the backup in another process, because copying a large database would block every request. */
async function createInOwnProcess(
  config: Config,
  file: string,
  isCompressed: boolean,
): Promise<void> {
  const names = ['DATABASE_URL', 'PGPASSWORD', 'PGSSLROOTCERT'] as const
  const env = selfEnvironment(
    Object.fromEntries(names.map((name) => [envNames(name)[0], config[name]])),
  )
  const flags = isCompressed ? ['--compress', 'zstd'] : []
  const command = [...selfCommand(), 'backup', file, ...flags]
  const child = Bun.spawn(command, { env, stdout: 'ignore', stderr: 'pipe' })
  if ((await child.exited) !== 0) throw new Error((await child.stderr.text()).trim())
}

const NAME = /^multitude-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db(\.zst)?$/

/** Time of the newest backup in a folder; 0 if there is none. */
function newestIn(folder: string): number {
  const newest = newestNameIn(folder)
  return newest ? timeOfBackup(newest) : 0
}

export function newestNameIn(folder: string): string | undefined {
  return namesIn(folder, NAME).at(-1)
}

export function timeOfBackup(name: string): number {
  return Date.parse(name.replace(NAME, '$1-$2-$3T$4:$5:$6Z'))
}

function deleteOld(folder: string, keep: number): void {
  for (const name of namesIn(folder, NAME).slice(0, -keep)) rmSync(join(folder, name))
}

/** Lists matching files, oldest first; empty if the folder does not exist. */
function namesIn(folder: string, pattern: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .toSorted()
  } catch {
    return []
  }
}
