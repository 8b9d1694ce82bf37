import { and, desc, eq, lte, type SQL, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { frontNotes, switchMembers } from '../../db/tables'
import type { Db } from '../../db/types'
import {
  isImportCommitted,
  liveSwitchesOf,
  visibleFrontNotes,
  visibleMembers,
  visibleMemberUuid,
} from '../../db/visible'
import type { JsonObject } from '../../model/core/entity'
import { storedBytes } from '../../model/core/textSize'
import { formatInstant, type Instant } from '../../model/core/time'
import type { FrontNote } from '../../model/front/frontNote'
import type { StoreDeps } from '../core/storeDeps'
import { freeUsage } from '../core/usage'
import { recordEvent } from '../events/recordEvent'

/** Statuses that change because their switch does. */

/** Data of the events of a front note, besides the changed keys. */
export function frontNoteEventData({
  member,
  kind,
  at,
}: Pick<FrontNote, 'member' | 'kind' | 'at'>): JsonObject {
  return { member, kind, at: at === null ? null : formatInstant(at) }
}

/** Condition that a status was set at exactly this time. May be true for a hidden one. */
export function hasStatusAt(systemId: SQL, at: SQL): SQL<number> {
  const { system_id, kind } = frontNotes
  return sql<number>`case when exists (select 1 from ${frontNotes} where ${system_id} = ${systemId}
    and ${frontNotes.at} = ${at} and ${kind} = 'status') then 1 else 0 end`
}

/** Moves the statuses that were set at the time of a switch together with it. */
export async function moveStatuses(
  deps: StoreDeps,
  tx: Db,
  systemId: number,
  from: Instant,
  to: Instant,
): Promise<void> {
  for (const status of await statusesAt(tx).all({ system: systemId, at: from })) {
    await removeStatusAt(deps, tx, systemId, Number(status.member_id), to)
    await setTime(tx).run({ id: status.id, at: to })
    await recordEvent(tx, deps.now(), {
      system_id: systemId,
      type: 'UPDATE_FRONT_NOTE',
      subject: status.uuid,
      data: { ...frontNoteEventData({ ...status, kind: 'status', at: to }), keys: ['at'] },
    })
  }
}

/** Deletes the statuses at the time of a deleted switch whose member is no longer in front then. */
export async function deleteStatusesOutOfFront(
  deps: StoreDeps,
  tx: Db,
  systemId: number,
  at: Instant,
): Promise<void> {
  const statuses = await statusesAt(tx).all({ system: systemId, at })
  if (statuses.length === 0) return
  const fronters = new Set(
    (await frontersAt(tx).all({ system: systemId, at })).map(({ member_id }) => member_id),
  )
  for (const { member_id } of statuses)
    if (member_id !== null && !fronters.has(member_id))
      await removeStatusAt(deps, tx, systemId, member_id, at)
}

/** Deletes the status of a member at exactly this time, so that another one can be stored there. */
export async function removeStatusAt(
  deps: StoreDeps,
  tx: Db,
  systemId: number,
  memberId: number,
  at: Instant,
): Promise<void> {
  const status = await storedStatusAt(tx).get({ system: systemId, member: memberId, at })
  if (!status) return
  const isVisible = (await visibleById(tx).get({ id: status.id })) !== null
  await deleteRow(tx).run({ id: status.id })
  // Rows of an unfinished import are not counted yet.
  if (status.is_counted === 1)
    await freeUsage(tx, systemId, { front_notes: 1, text_bytes: storedBytes(status.text) })
  if (isVisible)
    await recordEvent(tx, deps.now(), {
      system_id: systemId,
      type: 'DELETE_FRONT_NOTE',
      subject: status.uuid,
      data: null,
    })
}

export async function isInFront(
  db: Db,
  systemId: number,
  memberId: number,
  at: Instant,
): Promise<boolean> {
  const fronters = await frontersAt(db).all({ system: systemId, at })
  return fronters.some(({ member_id }) => member_id === memberId)
}

const statusesAt = query((db, { system, at }: Placeholders<'system' | 'at'>) => {
  const { id, uuid, member_id, system_id, kind } = visibleFrontNotes
  return db
    .select({
      id,
      uuid,
      member_id,
      member: sql<string | null>`${visibleMemberUuid(sql`${member_id}`)}`.as('member'),
    })
    .from(visibleFrontNotes)
    .where(
      and(eq(system_id, system), eq(visibleFrontNotes.at, at), eq(kind, sql<'status'>`'status'`)),
    )
    .orderBy(id)
})

/** Also finds a status that is hidden. */
const storedStatusAt = query((db, values: Placeholders<'system' | 'member' | 'at'>) => {
  const { id, uuid, text, system_id, member_id, kind, at, import_id } = frontNotes
  return db
    .select({
      id,
      uuid,
      text,
      is_counted: sql<number>`case when ${isImportCommitted(import_id)} then 1 else 0 end`.as(
        'is_counted',
      ),
    })
    .from(frontNotes)
    .where(
      and(
        eq(system_id, values.system),
        eq(member_id, values.member),
        eq(at, values.at),
        eq(kind, sql<'status'>`'status'`),
      ),
    )
})

const visibleById = query((db, { id }: Placeholders<'id'>) =>
  db
    .select({ id: visibleFrontNotes.id })
    .from(visibleFrontNotes)
    .where(eq(visibleFrontNotes.id, id)),
)

/** Row IDs of the members in front at a time. */
const frontersAt = query((db, { system, at }: Placeholders<'system' | 'at'>) => {
  const live = liveSwitchesOf(system)
  const current = db
    .select({ id: live.id })
    .from(live)
    .where(and(eq(live.system_id, system), lte(live.timestamp, at)))
    .orderBy(desc(live.timestamp))
    .limit(1)
  return db
    .select({ member_id: switchMembers.member_id })
    .from(switchMembers)
    .innerJoin(visibleMembers, eq(visibleMembers.id, switchMembers.member_id))
    .where(eq(switchMembers.switch_id, sql`${current}`))
})

const setTime = query((db, { id, at }: Placeholders<'id' | 'at'>) =>
  db.update(frontNotes).set({ at }).where(eq(frontNotes.id, id)),
)

const deleteRow = query((db, { id }: Placeholders<'id'>) =>
  db.delete(frontNotes).where(eq(frontNotes.id, id)),
)
