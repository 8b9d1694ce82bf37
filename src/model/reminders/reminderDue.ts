import { type Instant, SECOND } from '../core/time'
import { keysOfKind, type Reminder } from './reminder'
import type { Rule, Schedule } from './reminderSchedule'

// When reminders are due: of their rule, of the switch that set them, and after a change or a firing.

/** Time of a reminder that a switch has set. */
export function dueAfterSwitch(switchedAt: Instant, { after }: Pick<Reminder, 'after'>): Instant {
  return switchedAt + (after ?? 0) * SECOND
}

/** Next time of a repeating reminder, later than the last one at which it fired. */
export function nextDue(
  rule: Rule & Pick<Reminder, 'last_fired'>,
  schedule: Schedule,
  now: Instant,
): Instant | null {
  return schedule.next(rule, Math.max(now, rule.last_fired ?? -Infinity))
}

/** Time of a new or changed reminder. Only those that repeat need a schedule. */
export function dueOfChanged(
  before: Reminder | null,
  after: Reminder,
  schedule: Schedule | null,
  now: Instant,
): Instant | null {
  if (!after.enabled) return null
  const isSame = (...keys: readonly (keyof Reminder)[]) =>
    before !== null && keys.every((key) => before[key] === after[key])
  if (after.kind === 'repeat') {
    if (isSame('enabled', 'kind', ...keysOfKind.repeat)) return after.due
    return schedule && nextDue(after, schedule, now)
  }
  if (!before || !isSame('enabled', 'kind', 'on') || after.due === null) return null
  const moved = after.due - dueAfterSwitch(0, before) + dueAfterSwitch(0, after)
  return moved === after.due || moved > now ? moved : null
}

/** Latest time of a reminder that has passed, and the next one. */
export function firingOf(
  row: Reminder & { readonly due: Instant },
  schedule: Schedule | null,
  now: Instant,
): { due: Instant; next: Instant | null } {
  if (row.kind === 'after_switch' || !schedule) return { due: row.due, next: null }
  const due = Math.max(row.due, schedule.last(row, now) ?? -Infinity)
  return { due, next: schedule.next(row, Math.max(due, now)) }
}
