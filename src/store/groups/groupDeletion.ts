import { eq, or } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { groupExts } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleGroups } from '../../db/visible'
import { storedBytes } from '../../model/core/textSize'
import type { Instant } from '../../model/core/time'
import type { StoreDeps } from '../core/storeDeps'
import { addUsage } from '../core/usage'
import { recordEvent } from '../events/recordEvent'

/** Gives the children of a group that is being deleted to its parent, and frees its space. */
export async function giveChildrenToParent(
  deps: StoreDeps,
  tx: Db,
  { id, system_id }: { id: number; system_id: number },
): Promise<void> {
  const near = await groupAndChildren(tx).all({ id })
  const node = near.find(({ group_id }) => group_id === id)
  const parent = node?.parent_id ?? null
  const children = near.filter(({ parent_id }) => parent_id === id)
  if (children.length > 0) {
    await moveChildren(tx).run({ id, parent })
    const above = parent === null ? null : await uuidOf(tx).get({ id: parent })
    for (const { uuid } of children)
      await recordGroupEvent(tx, deps.now(), { system_id, uuid }, ['parent'], {
        parent: above?.uuid ?? null,
      })
  }
  await addUsage(deps, tx, system_id, { text_bytes: -storedBytes(node?.emoji) })
}

/** Records the event of changed keys. */
export function recordGroupEvent(
  tx: Db,
  at: Instant,
  { system_id, uuid }: { system_id: number; uuid: string },
  keys: readonly string[],
  values: object,
) {
  return recordEvent(tx, at, {
    system_id,
    type: 'UPDATE_GROUP_EXT',
    subject: uuid,
    data: { keys, ...values },
  })
}

const { group_id, parent_id, emoji } = groupExts

const groupAndChildren = query((db, { id }: Placeholders<'id'>) =>
  db
    .select({ group_id, parent_id, emoji, uuid: visibleGroups.uuid })
    .from(groupExts)
    .innerJoin(visibleGroups, eq(visibleGroups.id, group_id))
    .where(or(eq(group_id, id), eq(parent_id, id)))
    .orderBy(group_id),
)

const moveChildren = query((db, { id, parent }: Placeholders<'id' | 'parent'>) =>
  db.update(groupExts).set({ parent_id: parent }).where(eq(parent_id, id)),
)

const uuidOf = query((db, { id }: Placeholders<'id'>) =>
  db.select({ uuid: visibleGroups.uuid }).from(visibleGroups).where(eq(visibleGroups.id, id)),
)
