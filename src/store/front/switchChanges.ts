import { randomUUID } from 'node:crypto'
import type { Db } from '../../db/types'
import type { Instant } from '../../model/core/time'
import type { Front, Switch } from '../../model/front/switch'
import type { Member } from '../../model/members/member'
import type { StoreDeps } from '../core/storeDeps'
import { recordEvent } from '../events/recordEvent'
import { scheduleFriendNotifications, scheduleFriendRefresh } from '../friends/friendDues'
import { enqueueFrontPush } from '../push/enqueuePush'
import { clearDuesOf, updateDuesAfter } from '../reminders/reminderDues'
import { recordDeletedSwitch } from './deletedSwitches'
import { deleteStatusesOutOfFront, moveStatuses } from './statuses'
import {
  deleteHiddenSwitchAt,
  deleteSwitchMembers,
  deleteSwitchRow,
  type FoundSwitch,
  insertSwitchMembers,
  insertSwitchRow,
  type SwitchUses,
  updateSwitchTime,
} from './switchRows'

/** Changes of switches with their events, and with the reminders, notifications and statuses that follow. */

export async function insertSwitch(
  deps: StoreDeps,
  tx: Db,
  systemId: number,
  timestamp: Instant,
  named: Member[],
  uuid: string = randomUUID(),
  { has_reminders, has_friends, has_push_targets }: SwitchUses = allUses,
): Promise<Front> {
  if (has_friends) await scheduleFriendNotifications(tx, systemId, deps.now(), timestamp)
  await deleteHiddenSwitchAt(tx, systemId, timestamp)
  const row = { uuid, system_id: systemId, timestamp }
  const id = await insertSwitchRow(tx, row)
  await insertSwitchMembers(tx, id, named)
  const front = { id, ...row, members: named }
  if (has_reminders) await updateDuesAfter(deps, tx, front)
  await recordSwitchEvent(deps, tx, 'CREATE_SWITCH', front, { timestamp, members: uuidsOf(named) })
  if (has_push_targets) await enqueueFrontPush(tx, systemId, timestamp)
  return front
}

/** Moves a switch to a time at which there is no other. */
export async function moveSwitchTo(
  deps: StoreDeps,
  tx: Db,
  front: FoundSwitch,
  timestamp: Instant,
): Promise<Front> {
  const { id, system_id } = front
  const latest = Math.max(front.timestamp, timestamp)
  if (front.has_friends) await scheduleFriendNotifications(tx, system_id, deps.now(), latest)
  await deleteHiddenSwitchAt(tx, system_id, timestamp)
  await updateSwitchTime(tx, id, timestamp)
  if (front.has_statuses) await moveStatuses(deps, tx, system_id, front.timestamp, timestamp)
  if (front.has_reminders) await updateDuesAfter(deps, tx, { ...front, timestamp })
  await recordSwitchEvent(deps, tx, 'UPDATE_SWITCH', front, { timestamp })
  if (front.has_push_targets) await enqueueFrontPush(tx, system_id, latest)
  return { ...front, timestamp }
}

export async function replaceMembers(
  deps: StoreDeps,
  tx: Db,
  front: Front & Partial<SwitchUses>,
  named: Member[],
): Promise<Front> {
  const { has_reminders, has_friends, has_push_targets } = { ...allUses, ...front }
  if (has_friends)
    await scheduleFriendNotifications(tx, front.system_id, deps.now(), front.timestamp)
  await deleteSwitchMembers(tx, front.id)
  await insertSwitchMembers(tx, front.id, named)
  if (has_reminders) await updateDuesAfter(deps, tx, front)
  await recordSwitchEvent(deps, tx, 'UPDATE_SWITCH', front, { members: uuidsOf(named) })
  if (has_push_targets) await enqueueFrontPush(tx, front.system_id, front.timestamp)
  return { ...front, members: named }
}

export async function removeSwitch(deps: StoreDeps, tx: Db, front: FoundSwitch): Promise<void> {
  const { id, system_id, timestamp } = front
  await deleteSwitchRow(tx, id)
  await recordDeletedSwitch(tx, deps.now(), front)
  if (front.has_reminders) await clearDuesOf(tx, front)
  await recordSwitchEvent(deps, tx, 'DELETE_SWITCH', front, null)
  if (front.has_push_targets) await enqueueFrontPush(tx, system_id, timestamp)
  if (front.has_friends) await scheduleFriendRefresh(tx, system_id, deps.now())
  if (front.has_statuses) await deleteStatusesOutOfFront(deps, tx, system_id, timestamp)
}

/** Flags of switches whose statement does not select them. */
const allUses: SwitchUses = { has_reminders: 1, has_friends: 1, has_push_targets: 1 }

async function recordSwitchEvent(
  deps: StoreDeps,
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
