import { randomUUID } from 'node:crypto'
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
  type Front,
  isSameFront,
  nextTimestamp,
  rejectDuplicates,
  requireSwitchId,
  type SwitchDraft,
} from '../../model/front/switch'
import type { System } from '../../model/systems/system'
import { getOwnEntities } from '../../store/core/entityRows'
import { recordEvent } from '../../store/events/recordEvent'
import { scheduleFriendRefresh } from '../../store/friends/friendDues'
import {
  insertSwitch,
  moveSwitchTo,
  removeSwitch,
  replaceMembers,
} from '../../store/front/switchChanges'
import {
  findLatest,
  findLatestIds,
  getSwitch,
  hasSwitchAt,
  hasSwitches,
} from '../../store/front/switchRows'
import { memberRowKind } from '../../store/members/memberRows'
import { enqueueFrontPush } from '../../store/push/enqueuePush'
import { clearDuesOfSwitches } from '../../store/reminders/reminderDues'
import { deleteOrHideSwitches } from '../../store/systems/deletion'
import type { Deps } from '../core/deps'
import { getOwnSystem } from '../systems/systems'

/** Returns the switch with the latest time; null if there is none. */
export async function getFronters(
  { db }: Deps,
  viewer: Viewer,
  system: System,
): Promise<Front | null> {
  const isWatching = isWatcher(viewer, system.id)
  requireListAccess('fronters', system, isWatching || isOwner(viewer, system.id))
  const front = await findLatest(db, system.id)
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
    const named = await getOwnEntities(tx, memberRowKind, id, draft.members)
    rejectDuplicates(named)
    const latest = await findLatestIds(tx, id, draft.timestamp)
    if (latest?.is_taken) throw error('sameTimestamp')
    const timestamp = draft.timestamp ?? nextTimestamp(deps.now(), latest?.timestamp)
    const isNewest = draft.timestamp === null || timestamp > (latest?.timestamp ?? -Infinity)
    if (latest && isNewest && latest.ids === JSON.stringify(named.map((member) => member.id)))
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
    const front = await getSwitch(tx, id, switchRef)
    if (await hasSwitchAt(tx, id, timestamp)) throw error('sameTimestamp')
    return moveSwitchTo(deps, tx, front, timestamp)
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
    const front = await getSwitch(tx, id, switchRef)
    const named = await getOwnEntities(tx, memberRowKind, id, refs)
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
    await removeSwitch(deps, tx, await getSwitch(tx, id, switchRef))
  })
}

export async function deleteAllSwitches(deps: Deps, viewer: Viewer): Promise<void> {
  const systemId = requireSystem(viewer)
  await deps.transact({ system: systemId }, async (tx) => {
    if (!(await hasSwitches(tx, systemId))) return
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
