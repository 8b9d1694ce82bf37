import { and, eq, gt, sql } from 'drizzle-orm'
import { type Finding, PAGE } from '../db/finding'
import { type Placeholders, query } from '../db/query'
import { readPagesById } from '../db/readPages'
import { reminders, systemSettings } from '../db/tables'
import type { Db } from '../db/types'
import { liveSwitches, visibleReminders } from '../db/visible'
import type { Instant } from '../model/core/time'
import { isTimezone } from '../model/core/validation'
import type { Reminder } from '../model/reminders/reminder'
import { dueAfterSwitch, nextDue } from '../model/reminders/reminderDue'
import { createSchedule, type Schedule } from '../model/reminders/reminderSchedule'

/** A reminder with what its time depends on. */
type Checked = Pick<
  Reminder,
  'kind' | 'every_days' | 'at' | 'from' | 'after' | 'enabled' | 'due' | 'last_fired'
> & {
  readonly id: number
  readonly uuid: string
  readonly timezone: string
  /** Time of the switch that `due` was set by, of the same system. */
  readonly switched: Instant | null
}

/** Finds reminders that are not due when their rule says. */
export async function findWrongDues(db: Db): Promise<Finding[]> {
  const findings: Finding[] = []
  const schedules = new Map<string, Schedule>()
  const scheduleIn = (zone: string) => {
    const schedule = schedules.get(zone) ?? createSchedule(isTimezone(zone) ? zone : 'UTC')
    schedules.set(zone, schedule)
    return schedule
  }
  const now = Date.now() * 1000
  for await (const page of readPagesById(checkedPage(db))) {
    for (const row of page) {
      const problem = problemOf(row, scheduleIn(row.timezone), now)
      if (problem === null) continue
      findings.push({
        check: 'reminders',
        problem: `reminder ${row.uuid} ${problem}`,
        fix: (tx) => repair(tx).run(repaired(row, scheduleIn(row.timezone), now)),
      })
    }
  }
  return findings
}

function problemOf(row: Checked, schedule: Schedule, now: Instant): string | null {
  const { kind, enabled, due, switched } = row
  if (!enabled) return due === null ? null : 'is off and has a time'
  if (kind === 'after_switch') {
    if (due === null) return null
    if (switched === null) return 'was set by a switch that does not exist'
    return due === dueAfterSwitch(switched, row)
      ? null
      : 'is not due as long after its switch as set'
  }
  if (due === null) return schedule.next(row, now) === null ? null : 'is on and has no time'
  // What is due already may be of an earlier time zone.
  return due <= now || schedule.next(row, due - 1) === due ? null : 'is not due when its rule says'
}

function repaired({ id, ...row }: Checked, schedule: Schedule, now: Instant) {
  const { kind, enabled, switched } = row
  const isSwitch = kind === 'after_switch'
  const next = isSwitch ? switched && dueAfterSwitch(switched, row) : nextDue(row, schedule, now)
  const due = enabled ? next : null
  return { id, due, keeps: Number(isSwitch && due !== null) }
}

const checkedPage = query((db, values: Placeholders<'after'>) => {
  const { id, uuid, system_id, kind, every_days, at, from, after } = visibleReminders
  const { enabled, due, last_fired, due_switch_id } = visibleReminders
  const zone = sql<string>`coalesce(${systemSettings.timezone}, 'UTC')`
  const switched = sql<Instant | null>`(select ${liveSwitches.timestamp} from ${liveSwitches}
    where ${and(eq(liveSwitches.id, due_switch_id), eq(liveSwitches.system_id, system_id))})`
  return db
    .select({
      ...{ id, uuid, kind, every_days, at, from, after, enabled, due, last_fired },
      timezone: zone.as('timezone'),
      switched: switched.as('switched'),
    })
    .from(visibleReminders)
    .leftJoin(systemSettings, eq(systemSettings.system_id, system_id))
    .where(gt(id, values.after))
    .orderBy(id)
    .limit(PAGE)
})

const repair = query((db, values: Placeholders<'id' | 'due' | 'keeps'>) =>
  db
    .update(reminders)
    .set({
      due: values.due,
      due_switch_id: sql`case when ${values.keeps} = 1 then ${reminders.due_switch_id} end`,
    })
    .where(eq(reminders.id, values.id)),
)
