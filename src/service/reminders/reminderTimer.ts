import { and, asc, eq, isNull, lte, or, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { reminders } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleReminders, visibleSystems } from '../../db/visible'
import type { Instant } from '../../model/core/time'
import { isFiring, type Reminder, type ReminderKind } from '../../model/reminders/reminder'
import { createSchedule } from '../../model/reminders/reminderSchedule'
import { type PeriodicTask, startPeriodicTask } from '../../runtime/timers/periodicTask'
import { recordReminder } from '../../store/reminders/recordReminder'
import { zoneOf } from '../../store/reminders/reminderDues'
import type { Deps } from '../core/deps'

const REPEAT_MS = 5_000
const PAGE = 200

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
    const page = await duePage(deps.db).all({ now, ...from })
    for (const { id, system_id, due } of page) {
      if (isStopped()) return
      from = { due: due ?? 0, id }
      try {
        const fired = await deps.transact({ system: system_id }, (tx) => fire(deps, tx, id, due))
        if (fired !== null) onFired?.(fired)
      } catch (cause) {
        // The other reminders are still due.
        if (!warn) throw cause
        warn('reminder failed', { cause: String(cause) })
      }
    }
    if (page.length < PAGE) return
  }
}

/**
 * Fires a reminder unless its time has changed since it was read, and moves `due`. Returns its kind;
 * null if it was not fired.
 */
async function fire(
  deps: Deps,
  tx: Db,
  id: number,
  expected: Instant | null,
): Promise<ReminderKind | null> {
  const row = await byId(tx).get({ id })
  if (!row || row.due === null || row.due !== expected) return null
  const now = deps.now()
  const { due, next } = await planFiring(tx, { ...row, due: row.due }, now)
  const isFired = isFiring(due, now)
  await move(tx).run({ id, due: next, last_fired: isFired ? due : row.last_fired })
  if (!isFired) return null
  await recordReminder(deps, tx, row, { isTest: false })
  return row.kind
}

/** Returns the latest time that has passed, and the next one. */
async function planFiring(
  tx: Db,
  row: Reminder & { due: Instant; system_id: number },
  now: Instant,
): Promise<{ due: Instant; next: Instant | null }> {
  if (row.kind === 'after_switch') return { due: row.due, next: null }
  const schedule = createSchedule(await zoneOf(tx, row.system_id))
  const due = Math.max(row.due, schedule.last(row, now) ?? -Infinity)
  return { due, next: schedule.next(row, Math.max(due, now)) }
}

/** Reminders of enabled systems. */
const duePage = query((db, values: Placeholders<'now' | 'due' | 'id'>) => {
  const { id, system_id, due } = visibleReminders
  const isAfter = or(
    sql`${due} > ${values.due}`,
    and(sql`${due} = ${values.due}`, sql`${id} > ${values.id}`),
  )
  return db
    .select({ id, system_id, due })
    .from(visibleReminders)
    .innerJoin(visibleSystems, eq(visibleSystems.id, system_id))
    .where(and(lte(due, values.now), isAfter, isNull(visibleSystems.disabled_at)))
    .orderBy(asc(due), asc(id))
    .limit(PAGE)
})

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
