import type { Instant } from '../../model/core/time'
import type { Fronter } from '../../model/front/fronter'
import type { Front } from '../../model/front/switch'
import type { Member } from '../../model/members/member'
import { listLastStatuses } from '../../store/front/lastStatuses'
import type { Deps } from '../core/deps'
import type { WaitingClient } from '../core/longReads'
import { findStintStarts } from './historyPages'

/** Returns kinds, stints and statuses of the members of the latest switch. */
export async function readDetails(
  deps: Deps,
  front: Front,
  client: WaitingClient,
  isOwn = false,
): Promise<ReadonlyMap<number, Fronter>> {
  const starts = await findStintStarts(
    deps,
    { systemId: front.system_id, isOwn, ...client },
    new Map(front.members.map(({ id, uuid }) => [id, uuid])),
    front.timestamp,
  )
  const uuids = new Map(front.members.map(({ id, uuid }) => [id, uuid]))
  const rows = await listLastStatuses(deps.db, front.id)
  const details = rows.map(({ id, kind, at, text }): [number, Fronter] => {
    const since = starts.get(uuids.get(id) ?? '') ?? front.timestamp
    const isCurrent = at !== null && at >= since
    return [id, { kind: kind ?? 'member', since, status: isCurrent ? text : null }]
  })
  return new Map(details)
}

/** A member may have been added between two statements. */
export function detailsOf(
  details: ReadonlyMap<number, Fronter>,
  { id }: Member,
  timestamp: Instant,
): Fronter {
  return details.get(id) ?? { kind: 'member', since: timestamp, status: null }
}
