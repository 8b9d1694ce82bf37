import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { reminders } from '../../db/tables'
import type { Db } from '../../db/types'
import { isEmptyPatch, type Row } from '../../model/core/entity'
import type { Instant } from '../../model/core/time'
import {
  keysOfKind,
  type Reminder,
  type ReminderPatch,
  reminder,
  reminderKinds,
  validateReminder,
} from '../../model/reminders/reminder'
import { dueOfChanged } from '../../model/reminders/reminderDue'
import { createSchedule } from '../../model/reminders/reminderSchedule'
import { type OwnedRowKind, ownedRowFacts } from '../core/ownedRows'
import { zoneOf } from './reminderDues'

export const reminderKind: OwnedRowKind<typeof reminder> = {
  ...ownedRowFacts('reminders'),
  chooseValues,
  async onChange(_, tx, before, { id, due, kind }) {
    const isOfSwitch = due !== null && kind === 'after_switch'
    if (before.due !== null && !isOfSwitch) await forgetSwitch(tx).run({ id })
    return {}
  },
}

/** Returns the time when a new or changed reminder is due, and removes the keys of its former kind. */
async function chooseValues(
  tx: Db,
  systemId: number,
  changes: ReminderPatch,
  before: Reminder | null,
  now: Instant,
): Promise<ReminderPatch> {
  const merged = { ...reminder.defaults, ...before, ...changes } as Row<typeof reminder>
  const removed: ReminderPatch = {}
  for (const kind of reminderKinds)
    if (kind !== merged.kind)
      for (const key of keysOfKind[kind]) if (changes[key] === undefined) removed[key] = null
  const after = { ...merged, ...removed }
  if (!isEmptyPatch(validateReminder(after))) return removed
  const schedule = after.kind === 'repeat' ? createSchedule(await zoneOf(tx, systemId)) : null
  return { ...removed, due: dueOfChanged(before, after, schedule, now) }
}

const forgetSwitch = query((db, { id }: Placeholders<'id'>) =>
  db.update(reminders).set({ due_switch_id: null }).where(eq(reminders.id, id)),
)
