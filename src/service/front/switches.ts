import { randomUUID } from 'node:crypto'
import { and, desc, eq, exists, not, type SQL, sql } from 'drizzle-orm'
import { type Builder, type Placeholders, query } from '../../db/query'
import { createInserter } from '../../db/rows'
import { switches, switchMembers } from '../../db/tables'
import type { Db } from '../../db/types'
import { isLiveSwitch, liveSwitches, liveSwitchesOf, visibleMembers } from '../../db/visible'
import { error } from '../../model/core/errors'
import {
  isOwner,
  isWatcher,
  requireListAccess,
  requireSystem,
  type Viewer,
} from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import {
  isSameFront,
  nextTimestamp,
  rejectDuplicates,
  requireSwitchId,
  type Switch,
  type SwitchDraft,
} from '../../model/front/switch'
import type { Member } from '../../model/members/member'
import type { System } from '../../model/systems/system'
import { recordEvent } from '../../store/events/recordEvent'
import {
  hasFriends,
  scheduleFriendNotifications,
  scheduleFriendRefresh,
} from '../../store/friends/friendDues'
import { recordDeletedSwitch } from '../../store/front/deletedSwitches'
import { deleteStatusesOutOfFront, hasStatusAt, moveStatuses } from '../../store/front/statuses'
import { enqueueFrontPush, hasPushTargets } from '../../store/push/pushQueue'
import {
  clearDuesOf,
  clearDuesOfSwitches,
  hasSwitchReminders,
  updateDuesAfter,
} from '../../store/reminders/reminderDues'
import type { Deps } from '../core/deps'
import { memberRepository } from '../members/members'
import { deleteOrHideSwitches } from '../systems/deletion'
import { getOwnSystem } from '../systems/systems'

/** A switch with the rows of its members, in their order. */
export type Front = Switch & {
  members: Member[]
  /** Number of private members left out for a caller whose token may only watch the front. */
  hidden?: number
}

/** Returns the switch with the latest time; null if there is none. */
export async function getFronters({ db }: Deps, viewer: Viewer, of: System): Promise<Front | null> {
  const isWatching = isWatcher(viewer, of.id)
  requireListAccess('fronters', of, isWatching || isOwner(viewer, of.id))
  const front = await findLatest(db, of.id)
  if (!front || !isWatching || viewer.watchesPrivate) return front
  const members = front.members.filter(({ visibility }) => visibility === 'public')
  return { ...front, members, hidden: front.members.length - members.length }
}

export async function createSwitch(
  deps: Deps,
  viewer: Viewer,
  systemRef: string,
  draft: SwitchDraft,
): Promise<Front> {
  const systemId = requireSystem(viewer, 'switch')
  return deps.transact({ system: systemId }, async (tx) => {
    const { id } = await getOwnSystem({ db: tx }, viewer, systemRef, 'switch')
    const named = await memberRepository.getOwnAll(tx, id, draft.members)
    rejectDuplicates(named)
    const latest = await latestIds(tx).get({ system: id, timestamp: draft.timestamp })
    if (latest?.is_taken) throw error('sameTimestamp')
    const timestamp = draft.timestamp ?? nextTimestamp(deps.now(), latest?.timestamp)
    const isNewest = draft.timestamp === null || timestamp > (latest?.timestamp ?? -Infinity)
    if (latest && isNewest && latest.ids === JSON.stringify(named.map((one) => one.id)))
      throw error('sameFronters')
    return insertSwitch(deps, tx, id, timestamp, named, randomUUID(), latest ?? undefined)
  })
}

export async function moveSwitch(
  deps: Deps,
  viewer: Viewer,
  systemRef: string,
  switchRef: string,
  timestamp: Instant,
): Promise<Front> {
  const { id } = await getOwnSystem(deps, viewer, systemRef, 'switch')
  requireSwitchId(switchRef)
  return deps.transact({ system: id }, async (tx) => {
    const front = await getFront(tx, id, switchRef)
    if (await hasSwitchAt(tx, id, timestamp)) throw error('sameTimestamp')
    const latest = Math.max(front.timestamp, timestamp)
    if (front.has_friends) await scheduleFriendNotifications(tx, id, deps.now(), latest)
    await deleteHiddenAt(tx).run({ system: id, timestamp })
    await setTimestamp(tx).run({ id: front.id, timestamp })
    if (front.has_statuses) await moveStatuses(deps, tx, id, front.timestamp, timestamp)
    if (front.has_reminders) await updateDuesAfter(deps, tx, { ...front, timestamp })
    await recordSwitchEvent(deps, tx, 'UPDATE_SWITCH', front, { timestamp })
    if (front.has_push_targets) await enqueueFrontPush(tx, id, latest)
    return { ...front, timestamp }
  })
}

export async function changeSwitchMembers(
  deps: Deps,
  viewer: Viewer,
  systemRef: string,
  switchRef: string,
  refs: readonly string[],
): Promise<Front> {
  const { id } = await getOwnSystem(deps, viewer, systemRef, 'switch')
  requireSwitchId(switchRef)
  return deps.transact({ system: id }, async (tx) => {
    const front = await getFront(tx, id, switchRef)
    const named = await memberRepository.getOwnAll(tx, id, refs)
    rejectDuplicates(named)
    if (isSameFront(front.members, named)) throw error('sameFronters')
    return replaceMembers(deps, tx, front, named)
  })
}

export async function deleteSwitch(
  deps: Deps,
  viewer: Viewer,
  systemRef: string,
  switchRef: string,
): Promise<void> {
  const { id } = await getOwnSystem(deps, viewer, systemRef, 'switch')
  requireSwitchId(switchRef)
  await deps.transact({ system: id }, async (tx) => {
    await removeSwitch(deps, tx, await getFront(tx, id, switchRef))
  })
}

export async function removeSwitch(deps: Deps, tx: Db, front: FoundSwitch): Promise<void> {
  const { id, system_id, timestamp } = front
  await deleteRow(tx).run({ id })
  await recordDeletedSwitch(tx, deps.now(), front)
  if (front.has_reminders) await clearDuesOf(tx, front)
  await recordSwitchEvent(deps, tx, 'DELETE_SWITCH', front, null)
  if (front.has_push_targets) await enqueueFrontPush(tx, system_id, timestamp)
  if (front.has_friends) await scheduleFriendRefresh(tx, system_id, deps.now())
  if (front.has_statuses) await deleteStatusesOutOfFront(deps, tx, system_id, timestamp)
}

export async function deleteAllSwitches(deps: Deps, viewer: Viewer): Promise<void> {
  const systemId = requireSystem(viewer)
  await deps.transact({ system: systemId }, async (tx) => {
    if (!(await latest(tx).get({ system: systemId }))) return
    await deleteOrHideSwitches(tx, systemId)
    await clearDuesOfSwitches(tx, systemId)
    await recordEvent(tx, deps.now(), {
      system_id: systemId,
      type: 'DELETE_ALL_SWITCHES',
      subject: null,
      data: null,
    })
    await enqueueFrontPush(tx, systemId)
    await scheduleFriendRefresh(tx, systemId, deps.now())
  })
}

export async function findLatest(db: Db, systemId: number): Promise<Front | null> {
  const found = await latest(db).get({ system: systemId })
  return found ? withMembers(db, found) : null
}

export async function insertSwitch(
  deps: Deps,
  tx: Db,
  systemId: number,
  timestamp: Instant,
  named: Member[],
  uuid: string = randomUUID(),
  { has_reminders, has_friends, has_push_targets }: SwitchUses = allUses,
): Promise<Front> {
  if (has_friends) await scheduleFriendNotifications(tx, systemId, deps.now(), timestamp)
  await deleteHiddenAt(tx).run({ system: systemId, timestamp })
  const row = { uuid, system_id: systemId, timestamp }
  const id = await insertRow(tx, row)
  await insertMembers(tx, id, named)
  const front = { id, ...row, members: named }
  if (has_reminders) await updateDuesAfter(deps, tx, front)
  await recordSwitchEvent(deps, tx, 'CREATE_SWITCH', front, { timestamp, members: uuidsOf(named) })
  if (has_push_targets) await enqueueFrontPush(tx, systemId, timestamp)
  return front
}

export async function replaceMembers(
  deps: Deps,
  tx: Db,
  front: Front & Partial<SwitchUses>,
  named: Member[],
): Promise<Front> {
  const { has_reminders, has_friends, has_push_targets } = { ...allUses, ...front }
  if (has_friends)
    await scheduleFriendNotifications(tx, front.system_id, deps.now(), front.timestamp)
  await removeMembers(tx).run({ switch: front.id })
  await insertMembers(tx, front.id, named)
  if (has_reminders) await updateDuesAfter(deps, tx, front)
  await recordSwitchEvent(deps, tx, 'UPDATE_SWITCH', front, { members: uuidsOf(named) })
  if (has_push_targets) await enqueueFrontPush(tx, front.system_id, front.timestamp)
  return { ...front, members: named }
}

export async function hasSwitchAt(db: Db, systemId: number, timestamp: Instant): Promise<boolean> {
  return (await atTime(db).get({ system: systemId, timestamp })) !== null
}

/** Flags that say whether a change of switches concerns reminders, friends and push messages. */
interface SwitchUses {
  readonly has_reminders: number
  readonly has_friends: number
  readonly has_push_targets: number
}

/** Flags of switches whose statement does not select them. */
const allUses: SwitchUses = { has_reminders: 1, has_friends: 1, has_push_targets: 1 }

/** A switch, and whether statuses may have been set at its time. */
export type FoundSwitch = Front & SwitchUses & { has_statuses: number }

export async function findSwitch(
  db: Db,
  systemId: number,
  uuid: string,
): Promise<FoundSwitch | null> {
  const found = await byUuid(db).get({ uuid: uuid.toLowerCase() })
  return found?.system_id === systemId ? withMembers(db, found) : null
}

async function getFront(db: Db, systemId: number, uuid: string): Promise<FoundSwitch> {
  const found = await findSwitch(db, systemId, uuid)
  if (!found) throw error('switchNotFound')
  return found
}

async function withMembers<S extends Switch>(db: Db, found: S): Promise<S & Front> {
  return { ...found, members: await membersOf(db).all({ switch: found.id }) }
}

async function insertMembers(tx: Db, switchId: number, named: Member[]): Promise<void> {
  for (const [position, { id }] of named.entries())
    await addMember(tx).run({ switch: switchId, position, member: id })
}

async function recordSwitchEvent(
  deps: Deps,
  tx: Db,
  type: 'CREATE_SWITCH' | 'UPDATE_SWITCH' | 'DELETE_SWITCH',
  { system_id, uuid }: Switch,
  data: { timestamp?: Instant; members?: string[] } | null,
): Promise<void> {
  await recordEvent(tx, deps.now(), { system_id, type, subject: uuid, data })
}

function uuidsOf(named: Member[]): string[] {
  return named.map(({ uuid }) => uuid)
}

const insertRow = createInserter(switches, ['uuid', 'system_id', 'timestamp'])

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

/** The latest switch, and whether a given time is that of a switch; false for null. */
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

/**
 * Deletes a hidden switch with the same time, of a running import or a deleted history: a switch
 * logged meanwhile has priority.
 */
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
