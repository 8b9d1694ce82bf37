import { eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import type { Db } from '../../db/types'
import { visibleMembers } from '../../db/visible'
import type { ProxyTag } from '../../model/core/validation'
import { indexTags, setTagIndex, tagIndexOf } from '../../store/members/tagIndex'
import type { Deps } from '../core/deps'
import { purgeTags } from '../systems/deletion'
import {
  beginStaging,
  commitStaging,
  rollBackStaging,
  type Staging,
  writeInBatches,
} from '../systems/staging'

/** Tags of members by row ID, as stored. */
export type StoredTags = ReadonlyMap<number, string>

/** Number of tags whose keys a transaction writes by itself; more would delay other writes. */
export const FEW_TAGS = 1000

/** Writes the keys of all members of a system into a set that is not in use yet, in batches. */
export async function stageTagIndex(
  deps: Deps,
  staging: Staging,
  systemId: number,
  changed: ReadonlyMap<number, readonly ProxyTag[]>,
): Promise<StoredTags> {
  const written = new Map<number, string>()
  const all = await tagsOf(deps.db).all({ system: systemId })
  await writeInBatches(deps, staging, all, async (tx, { id, tags }) => {
    // The member may have been deleted since.
    if (!(await findMember(tx).get({ id }))) return
    const changedTags = changed.get(id)
    await indexTags(tx, id, changedTags ?? JSON.parse(tags), staging.stagingSystemId)
    written.set(id, changedTags ? JSON.stringify(changedTags) : tags)
  })
  return written
}

/**
 * Switches the system to the staged set, after writing the keys of members that were changed or
 * created since. Returns the set that was in use.
 */
export async function activateTagIndex(
  tx: Db,
  systemId: number,
  setId: number,
  written: StoredTags,
  isIndexed = (_memberId: number) => false,
): Promise<number> {
  const replaced = await tagIndexOf(tx, systemId)
  for (const { id, tags } of await tagsOf(tx).all({ system: systemId }))
    if (written.get(id) !== tags && !isIndexed(id)) await indexTags(tx, id, JSON.parse(tags), setId)
  await setTagIndex(tx, systemId, setId)
  return replaced
}

/**
 * Commits a bulk change. If it changes many tags, their keys are staged before, and its transaction
 * calls `finish` instead of writing them.
 */
export async function commitWithTagIndex<T>(
  deps: Deps,
  systemId: number,
  changes: Iterable<TagChange>,
  commit: (finish: ((tx: Db) => Promise<void>) | null) => Promise<T>,
): Promise<T> {
  const changed = new Map<number, readonly ProxyTag[]>()
  let count = 0
  for (const {
    before,
    changed: { proxy_tags },
  } of changes) {
    if (!proxy_tags) continue
    changed.set(before.id, proxy_tags)
    count += Math.max(proxy_tags.length, before.proxy_tags.length)
  }
  if (count <= FEW_TAGS) return commit(null)
  // Staged as if for a new system, because an import into this one may run at the same time.
  const staging = { ...(await beginStaging(deps, null)), systemId }
  let replaced: number | null = null
  let result: T
  try {
    const written = await stageTagIndex(deps, staging, systemId, changed)
    result = await commit(async (tx) => {
      replaced = await activateTagIndex(tx, systemId, staging.stagingSystemId, written)
      await commitStaging(tx, staging)
    })
  } catch (cause) {
    // If this fails too, the import cleanup removes the staged keys.
    await rollBackStaging(deps, staging).catch(() => {})
    throw cause
  }
  // If this fails, the cleanup after the next start removes them.
  if (replaced !== null) await purgeTags(deps, replaced).catch(() => {})
  return result
}

interface TagChange {
  readonly before: { readonly id: number; readonly proxy_tags: readonly ProxyTag[] }
  readonly changed: { readonly proxy_tags?: readonly ProxyTag[] }
}

const findMember = query((db, { id }: Placeholders<'id'>) =>
  db.select({ id: visibleMembers.id }).from(visibleMembers).where(eq(visibleMembers.id, id)),
)

const tagsOf = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ id: visibleMembers.id, tags: sql<string>`${visibleMembers.proxy_tags}`.as('tags') })
    .from(visibleMembers)
    .where(eq(visibleMembers.system_id, system)),
)
