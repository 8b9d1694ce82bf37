import { and, eq, isNull } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { reminders } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleReminders, visibleSystems } from '../../db/visible'
import type { Instant } from '../../model/core/time'
import { isFiring, type ReminderKind } from '../../model/reminders/reminder'
import { firingOf } from '../../model/reminders/reminderDue'
import { createSchedule } from '../../model/reminders/reminderSchedule'
import type { StoreDeps } from '../core/storeDeps'
import { recordReminder } from './recordReminder'
import { zoneOf } from './reminderDues'

/**
 * Fires a reminder unless its time has changed since it was read, and moves `due`. Returns its kind;
 * null if it was not fired.
 */
export async function fireReminder(
  deps: StoreDeps,
  tx: Db,
  id: number,
  expected: Instant | null,
): Promise<ReminderKind | null> {
  const row = await byId(tx).get({ id })
  if (!row || row.due === null || row.due !== expected) return null
  const now = deps.now()
  const schedule = row.kind === 'repeat' ? createSchedule(await zoneOf(tx, row.system_id)) : null
  const { due, next } = firingOf({ ...row, due: row.due }, schedule, now)
  const isFired = isFiring(due, now)
  await move(tx).run({ id, due: next, last_fired: isFired ? due : row.last_fired })
  if (!isFired) return null
  await recordReminder(deps, tx, row, { isTest: false })
  return row.kind
}

const byId = query((db, values: Placeholders<'id'>) =>
  db
    .select(visibleReminders._.selectedFields)
    .from(visibleReminders)
    .innerJoin(visibleSystems, eq(visibleSystems.id, visibleReminders.system_id))
    .where(and(eq(visibleReminders.id, values.id), isNull(visibleSystems.disabled_at))),
)

const move = query((db, values: Placeholders<'id' | 'due' | 'last_fired'>) =>
  db
    .update(reminders)
    .set({ due: values.due, last_fired: values.last_fired, due_switch_id: null })
    .where(eq(reminders.id, values.id)),
)
