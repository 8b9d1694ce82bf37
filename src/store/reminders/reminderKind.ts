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
import { createSchedule } from '../../model/reminders/reminderSchedule'
import { type OwnedRowKind, ownedRowFacts } from '../core/ownedRows'
import { zoneOf } from './reminderDues'

export const reminderKind: OwnedRowKind<typeof reminder> = {
  ...ownedRowFacts('reminders'),
  references: {},
  events: { created: 'CREATE_REMINDER', changed: 'UPDATE_REMINDER', removed: 'DELETE_REMINDER' },
  validate: validateReminder,
  eventData: () => ({}),
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
  given: ReminderPatch,
  before: Reminder | null,
  now: Instant,
): Promise<ReminderPatch> {
  const merged = { ...reminder.defaults, ...before, ...given } as Row<typeof reminder>
  const removed: ReminderPatch = {}
  for (const kind of reminderKinds)
    if (kind !== merged.kind)
      for (const key of keysOfKind[kind]) if (given[key] === undefined) removed[key] = null
  const after = { ...merged, ...removed }
  if (!isEmptyPatch(validateReminder(after))) return removed
  return { ...removed, due: await chooseDue(tx, systemId, before, after, now) }
}

async function chooseDue(
  tx: Db,
  systemId: number,
  before: Reminder | null,
  after: Reminder,
  now: Instant,
): Promise<Instant | null> {
  if (!after.enabled) return null
  const isSame = (...keys: readonly (keyof Reminder)[]) =>
    before !== null && keys.every((key) => before[key] === after[key])
  if (after.kind === 'repeat') {
    if (isSame('enabled', 'kind', ...keysOfKind.repeat)) return after.due
    const schedule = createSchedule(await zoneOf(tx, systemId))
    return schedule.next(after, Math.max(now, after.last_fired ?? -Infinity))
  }
  if (!isSame('enabled', 'kind', 'on') || after.due === null) return null
  const moved = after.due + ((after.after ?? 0) - (before?.after ?? 0)) * 1_000_000
  return moved === after.due || moved > now ? moved : null
}

const forgetSwitch = query((db, { id }: Placeholders<'id'>) =>
  db.update(reminders).set({ due_switch_id: null }).where(eq(reminders.id, id)),
)
