import { eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { memberExts, switchMembers } from '../../db/tables'
import { visibleFrontNotes } from '../../db/visible'
import { type Fronter, fronter } from '../../model/ext/fronter'
import { type Member, member } from '../../model/member'
import { isOwner, type Redacted, redact, type Viewer } from '../../model/privacy'
import type { System } from '../../model/system'
import type { Instant } from '../../model/time'
import type { Deps } from '../deps'
import { findStintStarts } from '../fronting/historyPages'
import { noConnection, type WaitingClient } from '../longReads'
import { type Front, getFronters } from '../switches'
import { extSettingsOf } from './extSettings'

/** The front with what version 2 does not show. */
export interface DetailedFront {
  readonly front: Front
  readonly fronters: readonly {
    readonly member: Redacted<typeof member>
    readonly details: Redacted<typeof fronter>
  }[]
}

/** Returns the latest switch with stints and statuses; null if there is none. */
export async function getFront(
  deps: Deps,
  viewer: Viewer,
  of: System,
  client: WaitingClient = noConnection,
): Promise<DetailedFront | null> {
  const found = await getFrontRows(deps, viewer, of, client)
  if (!found) return null
  const { front, details } = found
  const owner = isOwner(viewer, of.id)
  const settings = await extSettingsOf(deps.db, of.id)
  const fronters = front.members.map((row) => ({
    member: redact(member, row, owner),
    details: redact(fronter, { ...detailsOf(details, row, front.timestamp), ...settings }, owner),
  }))
  return { front, fronters }
}

/** Like `getFront`, with the rows of members. */
export async function getFrontRows(
  deps: Deps,
  viewer: Viewer,
  of: System,
  client: WaitingClient = noConnection,
): Promise<{ front: Front; details: ReadonlyMap<number, Fronter> } | null> {
  const front = await getFronters(deps, viewer, of)
  if (!front) return null
  const starts = await findStintStarts(
    deps,
    { systemId: of.id, isOwn: isOwner(viewer, of.id), ...client },
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
  return { front, details: new Map(details) }
}

/** A member may have been added between two statements. */
function detailsOf(
  details: ReadonlyMap<number, Fronter>,
  { id }: Member,
  timestamp: Instant,
): Fronter {
  return details.get(id) ?? { kind: 'member', since: timestamp, status: null }
}

/**
 * Selects the kind and the last status of each member of a switch. Like the latest switch, a status
 * of a client whose clock is ahead counts at once.
 */
const lastStatuses = query((db, values: Placeholders<'switch'>) => {
  const { member_id, kind, at } = visibleFrontNotes
  const last = (column: 'at' | 'text') => sql`(select ${visibleFrontNotes[column]}
    from ${visibleFrontNotes} where ${member_id} = ${switchMembers.member_id} and ${kind} = 'status'
    order by ${at} desc limit 1)`
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
