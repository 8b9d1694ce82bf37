import { and, desc, eq, exists, not, type SQL, sql } from 'drizzle-orm'
import { type Builder, type Placeholders, query } from '../../db/query'
import { createInserter } from '../../db/rows'
import { switches, switchMembers } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import {
  isLiveSwitch,
  isPendingDeletion,
  liveSwitches,
  liveSwitchesOf,
  visibleMembers,
} from '../../db/visible'
import { error } from '../../model/core/errors'
import type { Instant } from '../../model/core/time'
import type { Front, Switch } from '../../model/front/switch'
import type { Member } from '../../model/members/member'
import { hasFriends } from '../friends/friendDues'
import { hasPushTargets } from '../push/enqueuePush'
import { hasSwitchReminders } from '../reminders/reminderDues'
import { hasStatusAt } from './statuses'

/** Flags that say whether a change of switches concerns reminders, friends and push messages. */
export interface SwitchUses {
  readonly has_reminders: number
  readonly has_friends: number
  readonly has_push_targets: number
}

/** A switch, and whether statuses may have been set at its time. */
export type FoundSwitch = Front & SwitchUses & { has_statuses: number }

/** Finds the switch with the latest time. */
export async function findLatest(db: Db, systemId: number): Promise<Front | null> {
  const row = await latest(db).get({ system: systemId })
  return row ? withMembers(db, row) : null
}

export async function hasSwitches(db: Db, systemId: number): Promise<boolean> {
  return (await latest(db).get({ system: systemId })) !== null
}

/** Time of the latest switch and JSON list of its members, and whether a given time is taken. */
interface LatestIds extends SwitchUses {
  readonly timestamp: Instant
  readonly ids: string
  readonly is_taken: number
}

/** Finds the latest switch by the row IDs of its members. Without a time, none is taken. */
export function findLatestIds(
  db: Db,
  systemId: number,
  timestamp: Instant | null,
): MaybePromise<LatestIds | null> {
  return latestIds(db).get({ system: systemId, timestamp })
}

export async function hasSwitchAt(db: Db, systemId: number, timestamp: Instant): Promise<boolean> {
  return (await atTime(db).get({ system: systemId, timestamp })) !== null
}

export async function findSwitch(
  db: Db,
  systemId: number,
  uuid: string,
): Promise<FoundSwitch | null> {
  const row = await byUuid(db).get({ uuid: uuid.toLowerCase() })
  return row?.system_id === systemId ? withMembers(db, row) : null
}

export async function getSwitch(db: Db, systemId: number, uuid: string): Promise<FoundSwitch> {
  const found = await findSwitch(db, systemId, uuid)
  if (!found) throw error('switchNotFound')
  return found
}

interface SwitchIdUse {
  readonly system_id: number
  readonly is_live: number
  readonly is_deleted: number
}

/** Finds the switch with a UUID, also one that is hidden, or of another system. */
export function findSwitchIdUse(db: Db, uuid: string): MaybePromise<SwitchIdUse | null> {
  return useOf(db).get({ uuid })
}

/** Inserts a row with `uuid`, `system_id` and `timestamp`. Returns its ID. */
export const insertSwitchRow = createInserter(switches, ['uuid', 'system_id', 'timestamp'])

export function deleteSwitchRow(tx: Db, id: number): MaybePromise<unknown> {
  return deleteRow(tx).run({ id })
}

export function updateSwitchTime(tx: Db, id: number, timestamp: Instant): MaybePromise<unknown> {
  return setTimestamp(tx).run({ id, timestamp })
}

/**
 * Deletes a hidden switch with the same time, of a running import or a deleted history: a switch
 * logged meanwhile has priority.
 */
export function deleteHiddenSwitchAt(
  tx: Db,
  systemId: number,
  timestamp: Instant,
): MaybePromise<unknown> {
  return deleteHiddenAt(tx).run({ system: systemId, timestamp })
}

export async function insertSwitchMembers(
  tx: Db,
  switchId: number,
  named: readonly Member[],
): Promise<void> {
  for (const [position, { id }] of named.entries())
    await addMember(tx).run({ switch: switchId, position, member: id })
}

export function deleteSwitchMembers(tx: Db, switchId: number): MaybePromise<unknown> {
  return removeMembers(tx).run({ switch: switchId })
}

async function withMembers<S extends Switch>(db: Db, row: S): Promise<S & Front> {
  return { ...row, members: await membersOf(db).all({ switch: row.id }) }
}

const deleteRow = query((db, { id }: Placeholders<'id'>) =>
  db.delete(switches).where(eq(switches.id, id)),
)

const setTimestamp = query((db, { id, timestamp }: Placeholders<'id' | 'timestamp'>) =>
  db.update(switches).set({ timestamp }).where(eq(switches.id, id)),
)

const latest = query((db, { system }: Placeholders<'system'>) => {
  const live = liveSwitchesOf(system)
  return db
    .select()
    .from(live)
    .where(eq(live.system_id, system))
    .orderBy(desc(live.timestamp))
    .limit(1)
})

const latestIds = query((db, values: Placeholders<'system' | 'timestamp'>, { jsonNumbers }) => {
  const { system, timestamp } = values
  const live = liveSwitchesOf(system)
  const ids = jsonNumbers(
    switchMembers.member_id,
    sql`${switchMembers} join ${visibleMembers} on ${visibleMembers.id} = ${switchMembers.member_id}
      where ${switchMembers.switch_id} = ${live.id}`,
    switchMembers.position,
  )
  return db
    .select({
      timestamp: live.timestamp,
      ids: sql<string>`${ids}`.as('ids'),
      is_taken:
        sql<number>`case when ${exists(selectAtTime(db, system, timestamp))} then 1 else 0 end`.as(
          'is_taken',
        ),
      has_reminders: hasSwitchReminders(system).as('has_reminders'),
      has_friends: hasFriends(system).as('has_friends'),
      has_push_targets: hasPushTargets(system).as('has_push_targets'),
    })
    .from(live)
    .where(eq(live.system_id, system))
    .orderBy(desc(live.timestamp))
    .limit(1)
})

const atTime = query((db, { system, timestamp }: Placeholders<'system' | 'timestamp'>) =>
  selectAtTime(db, system, timestamp),
)

function selectAtTime(db: Builder, system: SQL, timestamp: SQL) {
  const live = liveSwitchesOf(system)
  return db
    .select({ id: live.id })
    .from(live)
    .where(and(eq(live.system_id, system), eq(live.timestamp, timestamp)))
}

const deleteHiddenAt = query((db, { system, timestamp }: Placeholders<'system' | 'timestamp'>) =>
  db
    .delete(switches)
    .where(
      and(
        eq(switches.system_id, system),
        eq(switches.timestamp, timestamp),
        not(isLiveSwitch(system)),
      ),
    ),
)

const byUuid = query((db, { uuid }: Placeholders<'uuid'>) => {
  const { system_id, timestamp } = liveSwitches
  const hasStatuses = hasStatusAt(sql`${system_id}`, sql`${timestamp}`)
  return db
    .select({
      ...liveSwitches._.selectedFields,
      has_statuses: hasStatuses.as('has_statuses'),
      has_reminders: hasSwitchReminders(sql`${system_id}`).as('has_reminders'),
      has_friends: hasFriends(sql`${system_id}`).as('has_friends'),
      has_push_targets: hasPushTargets(sql`${system_id}`).as('has_push_targets'),
    })
    .from(liveSwitches)
    .where(eq(liveSwitches.uuid, uuid))
})

const membersOf = query((db, values: Placeholders<'switch'>) =>
  db
    .select(visibleMembers._.selectedFields)
    .from(switchMembers)
    .innerJoin(visibleMembers, eq(visibleMembers.id, switchMembers.member_id))
    .where(eq(switchMembers.switch_id, values.switch))
    .orderBy(switchMembers.position),
)

const removeMembers = query((db, values: Placeholders<'switch'>) =>
  db.delete(switchMembers).where(eq(switchMembers.switch_id, values.switch)),
)

const addMember = query((db, values: Placeholders<'switch' | 'position' | 'member'>) =>
  db
    .insert(switchMembers)
    .values({ switch_id: values.switch, position: values.position, member_id: values.member }),
)

const useOf = query((db, { uuid }: Placeholders<'uuid'>) =>
  db
    .select({
      system_id: switches.system_id,
      is_live: sql<number>`case when ${isLiveSwitch()} then 1 else 0 end`.as('is_live'),
      is_deleted: sql<number>`case when ${isPendingDeletion} then 1 else 0 end`.as('is_deleted'),
    })
    .from(switches)
    .where(eq(switches.uuid, uuid)),
)
