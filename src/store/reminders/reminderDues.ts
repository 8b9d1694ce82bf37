import {
  and,
  desc,
  eq,
  gt,
  isNotNull,
  lt,
  notInArray,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { memberExts, reminders, switchMembers, systemSettings } from '../../db/tables'
import type { Db } from '../../db/types'
import { liveSwitches, liveSwitchesOf, visibleMembers, visibleReminders } from '../../db/visible'
import type { Instant } from '../../model/core/time'
import type { MemberExt } from '../../model/members/memberExt'
import { isFiring, MAX_SWITCH_AGE, type Reminder } from '../../model/reminders/reminder'
import { dueAfterSwitch, nextDue } from '../../model/reminders/reminderDue'
import { createSchedule } from '../../model/reminders/reminderSchedule'
import type { StoreDeps } from '../core/storeDeps'
import { recordReminder } from './recordReminder'

/** Times of reminders that change because switches or the time zone do. */

interface LoggedSwitch {
  readonly id: number
  readonly system_id: number
  readonly timestamp: Instant
}

/** Condition that switches of a system may change reminders. Most systems need no further query. */
export function hasSwitchReminders(systemId: SQLWrapper): SQL<number> {
  return sql<number>`case when exists (select 1 from ${reminders}
    where ${reminders.system_id} = ${systemId} and ${reminders.kind} = 'after_switch'
      and ${reminders.enabled} = 1) then 1 else 0 end`
}

/** Sets and clears reminders after a switch was logged, moved or edited. */
export async function updateDuesAfter(
  deps: StoreDeps,
  tx: Db,
  logged: LoggedSwitch,
): Promise<void> {
  const { id, system_id, timestamp } = logged
  const waiting = await afterSwitch(tx).all({ system: system_id })
  if (waiting.length === 0) return
  const came = new Set(
    (await newFronters(tx).all({ switch: id, system: system_id, timestamp })).map(
      ({ kind }) => kind,
    ),
  )
  const now = deps.now()
  const isRecent = timestamp >= now - MAX_SWITCH_AGE
  for (const row of waiting) {
    const { id: reminder, on, after, due, due_switch_id, last_fired } = row
    const isOwn = due !== null && due_switch_id === id
    const next = dueAfterSwitch(timestamp, { after })
    const isSet = matches(on, came) && (isOwn || (isRecent && next > (due ?? -Infinity)))
    if (isSet && next > (last_fired ?? -Infinity)) {
      // Otherwise a switch just before the timer would replace a time that has passed.
      if (!isOwn && due !== null && isFiring(due, now)) {
        await setFired(tx).run({ id: reminder, due })
        await recordReminder(deps, tx, row, { isTest: false })
      }
      await setDue(tx).run({ id: reminder, due: next, switch: id })
    } else if (isOwn) await setDue(tx).run({ id: reminder, due: null, switch: null })
  }
}

/** Clears reminders that a deleted switch has set. */
export async function clearDuesOf(
  tx: Db,
  { id, system_id }: Pick<LoggedSwitch, 'id' | 'system_id'>,
): Promise<void> {
  await clearOfSwitch(tx).run({ system: system_id, switch: id })
}

/** Clears all reminders that switches of a system have set. */
export async function clearDuesOfSwitches(tx: Db, systemId: number): Promise<void> {
  await clearOfSwitches(tx).run({ system: systemId })
}

/** Clears reminders that were set by a member who is being deleted. */
export async function updateDuesWithout(
  tx: Db,
  { id, system_id }: { id: number; system_id: number },
): Promise<void> {
  const waiting = await afterSwitch(tx).all({ system: system_id })
  for (const { id: reminder, on, due_switch_id } of waiting) {
    const setter = due_switch_id === null ? null : await byId(tx).get({ id: due_switch_id })
    if (!setter) continue
    const fronters = await newFronters(tx).all({
      switch: setter.id,
      system: system_id,
      timestamp: setter.timestamp,
    })
    const others = fronters.filter(({ member_id }) => member_id !== id)
    if (others.length < fronters.length && !matches(on, new Set(others.map(({ kind }) => kind))))
      await setDue(tx).run({ id: reminder, due: null, switch: null })
  }
}

/** Computes when repeating reminders are due in a new time zone. What is due already stays. */
export async function updateDuesIn(
  deps: StoreDeps,
  tx: Db,
  systemId: number,
  zone: string,
): Promise<void> {
  const now = deps.now()
  const waiting = await repeating(tx).all({ system: systemId, now })
  if (waiting.length === 0) return
  const schedule = createSchedule(zone)
  for (const { id, ...rule } of waiting)
    await setDue(tx).run({ id, due: nextDue(rule, schedule, now), switch: null })
}

export async function zoneOf(db: Db, systemId: number): Promise<string> {
  return (await zone(db).get({ system: systemId }))?.timezone ?? 'UTC'
}

function matches(on: Reminder['on'], kinds: ReadonlySet<MemberExt['kind']>): boolean {
  if (on === 'members') return kinds.has('member')
  if (on === 'custom_fronts') return kinds.has('custom_front')
  return on === 'any' && kinds.size > 0
}

const { id, uuid, system_id, name, text, kind, enabled } = visibleReminders
const { on, after, due, due_switch_id, last_fired } = visibleReminders

const isAfterSwitch = sql`${kind} = 'after_switch'`

const afterSwitch = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ id, uuid, system_id, name, text, on, after, due, due_switch_id, last_fired })
    .from(visibleReminders)
    .where(and(eq(system_id, system), isAfterSwitch, eq(enabled, true)))
    .orderBy(id),
)

const repeating = query((db, { system, now }: Placeholders<'system' | 'now'>) => {
  const { every_days, at, from } = visibleReminders
  return db
    .select({ id, every_days, at, from, last_fired })
    .from(visibleReminders)
    .where(and(eq(system_id, system), sql`${kind} = 'repeat'`, eq(enabled, true), gt(due, now)))
    .orderBy(id)
})

/** Members of a switch who were not in front before it, with their kinds. */
const newFronters = query((db, values: Placeholders<'switch' | 'system' | 'timestamp'>) => {
  const live = liveSwitchesOf(values.system)
  const before = db
    .select({ id: live.id })
    .from(live)
    .where(and(eq(live.system_id, values.system), lt(live.timestamp, values.timestamp)))
    .orderBy(desc(live.timestamp))
    .limit(1)
  const stayed = db
    .select({ member_id: switchMembers.member_id })
    .from(switchMembers)
    .where(eq(switchMembers.switch_id, sql`${before}`))
  return db
    .select({
      member_id: switchMembers.member_id,
      kind: sql<MemberExt['kind']>`coalesce(${memberExts.kind}, 'member')`.as('kind'),
    })
    .from(switchMembers)
    .innerJoin(visibleMembers, eq(visibleMembers.id, switchMembers.member_id))
    .leftJoin(memberExts, eq(memberExts.member_id, switchMembers.member_id))
    .where(
      and(eq(switchMembers.switch_id, values.switch), notInArray(switchMembers.member_id, stayed)),
    )
})

const byId = query((db, values: Placeholders<'id'>) =>
  db
    .select({ id: liveSwitches.id, timestamp: liveSwitches.timestamp })
    .from(liveSwitches)
    .where(eq(liveSwitches.id, values.id)),
)

const setDue = query((db, values: Placeholders<'id' | 'due' | 'switch'>) =>
  db
    .update(reminders)
    .set({ due: values.due, due_switch_id: values.switch })
    .where(eq(reminders.id, values.id)),
)

const setFired = query((db, values: Placeholders<'id' | 'due'>) =>
  db.update(reminders).set({ last_fired: values.due }).where(eq(reminders.id, values.id)),
)

const clearOfSwitch = query((db, values: Placeholders<'system' | 'switch'>) =>
  db
    .update(reminders)
    .set({ due: null, due_switch_id: null })
    .where(and(eq(reminders.system_id, values.system), eq(reminders.due_switch_id, values.switch))),
)

const clearOfSwitches = query((db, values: Placeholders<'system'>) =>
  db
    .update(reminders)
    .set({ due: null, due_switch_id: null })
    .where(and(eq(reminders.system_id, values.system), isNotNull(reminders.due_switch_id))),
)

const zone = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ timezone: systemSettings.timezone })
    .from(systemSettings)
    .where(eq(systemSettings.system_id, system)),
)
