import { requireOperator, type Viewer } from '../../model/core/privacy'
import { type Instant, MINUTE } from '../../model/core/time'
import { countRemindersDueBefore } from '../../store/reminders/dueReminderRows'
import type { Deps } from '../core/deps'

/** Reminders that should have been fired before. */
export interface OverdueReminders {
  readonly count: number
  readonly oldest: Instant | null
}

/** A server looks for due reminders every few seconds. */
const TOLERANCE = MINUTE

/** Counts the reminders of all systems that no server has fired in time. */
export async function countOverdueReminders(
  { db, now }: Deps,
  viewer: Viewer,
): Promise<OverdueReminders> {
  requireOperator(viewer)
  const reminders = await countRemindersDueBefore(db, now() - TOLERANCE)
  return reminders ?? { count: 0, oldest: null }
}
