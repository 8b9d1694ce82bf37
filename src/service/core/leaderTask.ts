import { type PeriodicTask, startPeriodicTask } from '../../runtime/timers/periodicTask'
import type { Deps } from './deps'

export interface LeaderOptions {
  /** Returns true in the one process, of all on the same database, that does the task. */
  readonly isLeader: () => boolean
  readonly warn: (message: string, fields: { cause: string }) => void
}

interface LeaderTask {
  /** Name in the log. */
  readonly name: string
  readonly everyMs: number
  /** Pause before the first run; `everyMs` by default. */
  readonly firstMs?: number
  readonly run: (isStopped: () => boolean) => Promise<unknown>
}

/** Repeats work in one process. */
export function startLeaderTask(
  { clock }: Deps,
  { isLeader, warn }: LeaderOptions,
  { name, everyMs, firstMs = everyMs, run }: LeaderTask,
): PeriodicTask {
  return startPeriodicTask({
    clock,
    everyMs,
    firstMs,
    mayRun: isLeader,
    async run(isStopped) {
      await run(isStopped)
    },
    onError: (cause) => warn(`${name} failed`, { cause: String(cause) }),
  })
}
