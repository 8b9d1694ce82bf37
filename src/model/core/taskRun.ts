import type { Instant } from './time'

/** A recurring task that one process runs. Its last run is stored, so that every process can report it. */
export type TaskName = 'backup' | 'backup_command'

/** Last run of a task. */
export interface TaskRun {
  name: string
  at: Instant
  ok: boolean
  /** Time of the last success. */
  last_ok: Instant | null
  /** Reason of the failure, as a text for the operator. */
  problem: string | null
}
