import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { renderAndStore } from '../../db/renderedJson'
import { fieldValues, groupMembers, memberExts } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleMembers } from '../../db/visible'
import { createYielder } from '../../db/yieldToEventLoop'
import { error } from '../../model/core/errors'
import type { SerializedJson } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { memberExt, toListed } from '../../model/members/memberExt'
import type { StoreDeps } from '../core/storeDeps'
import { addUsage } from '../core/usage'
import { recordEvent } from '../events/recordEvent'
import { findMemberExt, findMemberExts } from './memberExtRows'

interface MemberOfSystem {
  readonly id: number
  readonly uuid: string
  readonly system_id: number
}

/** Deletes the long descriptions of members of one system, whose `description` was changed. */
export async function clearAbouts(
  deps: StoreDeps,
  tx: Db,
  members: readonly MemberOfSystem[],
): Promise<void> {
  const [first] = members
  if (!first) return
  const ids = JSON.stringify(members.map(({ id }) => id))
  const rows = await aboutSizes(tx).all({ ids })
  if (rows.length === 0) return
  await deleteAbouts(tx).run({ ids })
  const freed = rows.reduce((sum, { size }) => sum + size, 0)
  await addUsage(deps, tx, first.system_id, { text_bytes: -freed })
  const cleared = new Set(rows.map(({ id }) => id))
  for (const { id, uuid, system_id } of members)
    if (cleared.has(id)) await recordExtEvent(tx, deps.now(), { system_id, uuid }, ['about'])
}

/** Records the event of changed keys. The text of `about` is never part of it. */
export function recordExtEvent(
  tx: Db,
  at: Instant,
  { system_id, uuid }: { system_id: number; uuid: string },
  keys: readonly string[],
  values: object = {},
) {
  return recordEvent(tx, at, {
    system_id,
    type: 'UPDATE_MEMBER_EXT',
    subject: uuid,
    data: { keys, ...values },
  })
}

/** Frees the space of a member that is being deleted. */
export async function freeMemberExt(
  deps: StoreDeps,
  tx: Db,
  { id, system_id }: { id: number; system_id: number },
): Promise<void> {
  const used = await textOfMember(tx).get({ id })
  await addUsage(deps, tx, system_id, { text_bytes: -(used?.size ?? 0) })
}

/** Makes the present members of groups custom fronts. Returns those that were none before. */
export async function makeCustomFronts(tx: Db, groupIds: readonly number[]) {
  if (groupIds.length === 0) return []
  const rows = await plainMembersOf(tx).all({ groups: JSON.stringify(groupIds) })
  for (const { id } of rows) await setCustomFront(tx).run({ id })
  return rows
}

const { member_id, about, archived_reason, kind } = memberExts

const aboutSizes = query((db, { ids }: Placeholders<'ids'>, { size, inJsonNumbers }) =>
  db
    .select({
      id: sql<number>`${member_id}`.as('id'),
      size: sql<number>`${size(about)}`.as('size'),
    })
    .from(memberExts)
    .where(and(inJsonNumbers(member_id, ids), isNotNull(about))),
)

const deleteAbouts = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db
    .update(memberExts)
    .set({ about: null })
    .where(and(inJsonNumbers(member_id, ids), isNotNull(about))),
)

// SQL text, because two tables are summed in one statement.
const textOfMember = query((_, { id }: Placeholders<'id'>, { size }) => {
  const texts = sql`select coalesce(sum(coalesce(${size(about)}, 0) + coalesce(${size(archived_reason)}, 0)), 0)
    from ${memberExts} where ${member_id} = ${id}`
  const values = sql`select coalesce(sum(${size(fieldValues.value)}), 0)
    from ${fieldValues} where ${fieldValues.member_id} = ${id}`
  return sql<{ size: number }>`select (${texts}) + (${values}) as size`
})

const plainMembersOf = query((db, { groups }: Placeholders<'groups'>, { inJsonNumbers }) => {
  const { id, uuid, system_id } = visibleMembers
  return db
    .selectDistinct({ id, uuid, system_id })
    .from(groupMembers)
    .innerJoin(visibleMembers, eq(id, groupMembers.member_id))
    .leftJoin(memberExts, eq(member_id, id))
    .where(
      and(
        inJsonNumbers(groupMembers.group_id, groups),
        sql`coalesce(${kind}, 'member') = 'member'`,
      ),
    )
    .orderBy(id)
})

const setCustomFront = query((db, { id }: Placeholders<'id'>) =>
  db
    .insert(memberExts)
    .values({ member_id: id, kind: 'custom_front' })
    .onConflictDoUpdate({ target: member_id, set: { kind: 'custom_front' } }),
)

/** Joins the JSON of a member and of what the extension API adds to it. */
export function joinJson(memberJson: string, extJson: string): SerializedJson {
  return `{"member":${memberJson},${extJson.slice(1)}` as SerializedJson
}

/** Renders what the extension API adds to a member, for its owner, and stores the JSON of lists. */
export async function renderMemberExt(tx: Db, id: number): Promise<string> {
  const row = await findMemberExt(tx, id)
  if (!row) throw error('memberNotFound')
  if (!row.hasHiddenValues) await renderAndStore(tx, 'memberExts', toListed(row))
  return tx.renderJson(memberExt, row, 'owner')
}

/** Renders many members, in their order, without storing the JSON in their long transaction. */
export async function renderMemberExts(tx: Db, ids: readonly number[]): Promise<string[]> {
  const rows = new Map((await findMemberExts(tx, ids)).map((row) => [row.id, row]))
  const yieldIfDue = createYielder()
  const rendered: string[] = []
  for (const id of ids) {
    const row = rows.get(id)
    rendered.push(row ? tx.renderJson(memberExt, row, 'owner') : '')
    await yieldIfDue()
  }
  return rendered
}
