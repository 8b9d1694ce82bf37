import type { ReminderKind } from '../../model/reminders/reminder'
import { type PeriodicTask, startPeriodicTask } from '../../runtime/timers/periodicTask'
import { DUE_PAGE, listDueReminders } from '../../store/reminders/dueReminderRows'
import { fireReminder } from '../../store/reminders/fireReminder'
import type { Deps } from '../core/deps'

const REPEAT_MS = 5_000

interface TimerOptions {
  /** Returns true in the one process, of all on the same database, that fires reminders. */
  readonly isLeader: () => boolean
  readonly warn: (message: string, fields: { cause: string }) => void
  readonly onFired?: ((kind: ReminderKind) => void) | undefined
}

/** Looks for due reminders every few seconds. */
export function startReminderTimer(deps: Deps, options: TimerOptions): PeriodicTask {
  const { isLeader, warn } = options
  return startPeriodicTask({
    clock: deps.clock,
    everyMs: REPEAT_MS,
    mayRun: isLeader,
    run: (isStopped) => fireDueReminders(deps, { ...options, isStopped }),
    onError: (cause) => warn('search for due reminders failed', { cause: String(cause) }),
  })
}

/** Fires all reminders that are due, each in its own transaction. */
export async function fireDueReminders(
  deps: Deps,
  {
    isStopped = () => false,
    warn,
    onFired,
  }: Partial<TimerOptions> & { readonly isStopped?: () => boolean } = {},
): Promise<void> {
  const now = deps.now()
  let from = { due: -Infinity, id: 0 }
  while (!isStopped()) {
    const page = await listDueReminders(deps.db, now, from)
    for (const { id, system_id, due } of page) {
      if (isStopped()) return
      from = { due: due ?? 0, id }
      try {
        const fired = await deps.transact({ system: system_id }, (tx) =>
          fireReminder(deps, tx, id, due),
        )
        if (fired !== null) onFired?.(fired)
      } catch (cause) {
        // The other reminders are still due.
        if (!warn) throw cause
        warn('reminder failed', { cause: String(cause) })
      }
    }
    if (page.length < DUE_PAGE) return
  }
}
