import { eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { memberExts, switchMembers } from '../../db/tables'
import { visibleFrontNotes } from '../../db/visible'
import type { Instant } from '../../model/core/time'
import type { Fronter } from '../../model/front/fronter'
import type { Member } from '../../model/members/member'
import type { Deps } from '../core/deps'
import type { WaitingClient } from '../core/longReads'
import { findStintStarts } from './historyPages'
import type { Front } from './switches'

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
  const rows = await lastStatuses(deps.db).all({ switch: front.id })
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

/**
 * SQL of the last status of a member. Like the latest switch, a status of a client whose clock is
 * ahead counts at once.
 */
export function lastStatusOf(memberId: SQLWrapper, column: 'at' | 'text'): SQL {
  const { member_id, kind, at } = visibleFrontNotes
  return sql`(select ${visibleFrontNotes[column]} from ${visibleFrontNotes}
    where ${member_id} = ${memberId} and ${kind} = 'status' order by ${at} desc limit 1)`
}

/** Selects the kind and the last status of each member of a switch. */
const lastStatuses = query((db, values: Placeholders<'switch'>) => {
  const last = (column: 'at' | 'text') => lastStatusOf(switchMembers.member_id, column)
  return db
    .select({
      id: sql<number>`${switchMembers.member_id}`.as('id'),
      kind: sql<Fronter['kind'] | null>`${memberExts.kind}`.as('kind'),
      at: sql<Instant | null>`${last('at')}`.as('at'),
      text: sql<string | null>`${last('text')}`.as('text'),
    })
    .from(switchMembers)
    .leftJoin(memberExts, eq(memberExts.member_id, switchMembers.member_id))
    .where(eq(switchMembers.switch_id, values.switch))
})
