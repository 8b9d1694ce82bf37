import type { Db } from '../../db/types'
import type { ProxyTag } from '../../model/core/validation'
import {
  activateTagIndex,
  hasMember,
  indexTags,
  listTags,
  type StoredTags,
} from '../../store/members/tagIndex'
import { commitStaging, type Staging } from '../../store/transfer/stagedRows'
import type { Deps } from '../core/deps'
import { purgeTags } from '../systems/purge'
import { beginStaging, rollBackStaging, writeInBatches } from '../systems/staging'

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
  const all = await listTags(deps.db, systemId)
  await writeInBatches(deps, staging, all, async (tx, { id, tags }) => {
    // The member may have been deleted since.
    if (!(await hasMember(tx, id))) return
    const changedTags = changed.get(id)
    await indexTags(tx, id, changedTags ?? JSON.parse(tags), staging.stagingSystemId)
    written.set(id, changedTags ? JSON.stringify(changedTags) : tags)
  })
  return written
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
