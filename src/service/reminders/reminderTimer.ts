import type { ReminderKind } from '../../model/reminders/reminder'
import type { PeriodicTask } from '../../runtime/timers/periodicTask'
import { DUE_PAGE, listDueReminders } from '../../store/reminders/dueReminderRows'
import { fireReminder } from '../../store/reminders/fireReminder'
import type { Deps } from '../core/deps'
import { type LeaderOptions, startLeaderTask } from '../core/leaderTask'

const REPEAT_MS = 5_000

interface TimerOptions extends LeaderOptions {
  readonly onFired?: ((kind: ReminderKind) => void) | undefined
}

/** Looks for due reminders every few seconds. */
export function startReminderTimer(deps: Deps, options: TimerOptions): PeriodicTask {
  return startLeaderTask(deps, options, {
    name: 'search for due reminders',
    everyMs: REPEAT_MS,
    run: (isStopped) => fireDueReminders(deps, { ...options, isStopped }),
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
