import { requireOperator, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import {
  type ActivityRow,
  activityKnownSince,
  findActivity,
  listActivity,
} from '../../store/systems/activityRows'
import type { Deps } from '../core/deps'
import { deleteSystemAndRows } from './systems'

/** A system as shown to the operator: counts of its rows, and its last activity. */
export interface SystemInfo {
  id: number
  hid: string
  uuid: string
  name: string | null
  created: Instant | null
  disabled: boolean
  members: number
  groups: number
  switches: number
  messages: number
  /** Latest use of a token or session, change of a row, or proxied message. */
  lastActive: Instant | null
}

export async function describeSystems(deps: Deps, viewer: Viewer): Promise<SystemInfo[]> {
  requireOperator(viewer)
  const knownSince = await activityKnownSince(deps.db)
  const rows = await listActivity(deps.db)
  return rows.map((row) => infoOf(row, knownSince, deps.now()))
}

/**
 * Lists the systems without activity since a time, except disabled ones, which cannot be used. Older
 * systems count as active until this server began to record activity.
 */
export async function findUnused(
  deps: Deps,
  viewer: Viewer,
  since: Instant,
): Promise<SystemInfo[]> {
  const systems = await describeSystems(deps, viewer)
  return systems.filter((system) => isUnused(system, since))
}

/** Deletes the unused systems one after the other. Returns the deleted ones. */
export async function pruneSystems(
  deps: Deps,
  viewer: Viewer,
  since: Instant,
): Promise<SystemInfo[]> {
  const deleted: SystemInfo[] = []
  const knownSince = await activityKnownSince(deps.db)
  for (const { id } of await findUnused(deps, viewer, since)) {
    // It may have been used while other systems were deleted.
    const row = await findActivity(deps.db, id)
    const current = row && infoOf(row, knownSince, deps.now())
    if (!current || !isUnused(current, since)) continue
    await deleteSystemAndRows(deps, { ...viewer, system: id })
    deleted.push(current)
  }
  return deleted
}

function isUnused({ disabled, lastActive }: SystemInfo, since: Instant): boolean {
  return !disabled && lastActive !== null && lastActive < since
}

function infoOf(row: ActivityRow, knownSince: Instant, now: Instant): SystemInfo {
  const { disabled_at, token_made, token_used, session_used, event_at, message_at, past_at } = row
  const { id, hid, uuid, name, created, members, groups, switches, messages } = row
  const times = [created, token_made, token_used, session_used, event_at, message_at, past_at]
  const isOlder = created === null || created < knownSince
  const last = Math.max(...times.map((at) => at ?? 0), isOlder ? knownSince : 0)
  return {
    ...{ id, hid, uuid, name, created, members, groups, switches, messages },
    disabled: disabled_at !== null,
    // The timestamp of a message is given by its client and may be in the future.
    lastActive: last === 0 ? null : Math.min(last, now),
  }
}
