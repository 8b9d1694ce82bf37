import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import type { ProxyTag } from '../../model/validation'
import { purgeTags } from '../deletion'
import type { Deps } from '../deps'
import {
  beginStaging,
  commitStaging,
  rollBackStaging,
  type Staging,
  writeInBatches,
} from '../transfer/staging'
import { indexTags, setTagIndex, tagIndexOf } from './tagIndex'

/** Tags of members by their row number, as they are stored. */
export type StoredTags = ReadonlyMap<number, string>

/** Number of tags whose keys a transaction writes by itself; more would delay other writes. */
export const FEW_TAGS = 1000

/** Writes the keys of all members of a system into a set that is not in force yet, in slices. */
export async function stageTagIndex(
  deps: Deps,
  staging: Staging,
  systemId: number,
  changed: ReadonlyMap<number, readonly ProxyTag[]>,
): Promise<StoredTags> {
  const written = new Map<number, string>()
  const all = await tagsOf(deps.db).all({ system: systemId })
  await writeInBatches(deps, staging, all, async (tx, { id, tags }) => {
    // It may have been deleted since.
    if (!(await findMember(tx).get({ id }))) return
    const coming = changed.get(id)
    await indexTags(tx, id, coming ?? JSON.parse(tags), staging.stagingSystemId)
    written.set(id, coming ? JSON.stringify(coming) : tags)
  })
  return written
}

/**
 * Puts the staged set in force, after writing the keys of members that were changed or created
 * since. Returns the set that was in force.
 */
export async function activateTagIndex(
  tx: Db,
  systemId: number,
  setId: number,
  written: StoredTags,
  isIndexed = (_memberId: number) => false,
): Promise<number> {
  const inForce = await tagIndexOf(tx, systemId)
  for (const { id, tags } of await tagsOf(tx).all({ system: systemId }))
    if (written.get(id) !== tags && !isIndexed(id)) await indexTags(tx, id, JSON.parse(tags), setId)
  await setTagIndex(tx, systemId, setId)
  return inForce
}

/**
 * Commits a bulk change. If it changes many tags, their keys are staged before; its transaction
 * then calls `finish` in place of writing them.
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
  // Begun as if for a new system: an import into this one may be under way at the same time.
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
    // If this fails too, the sweeper removes the staged keys.
    await rollBackStaging(deps, staging).catch(() => {})
    throw cause
  }
  // If this fails, the next start removes them.
  if (replaced !== null) await purgeTags(deps, replaced).catch(() => {})
  return result
}

interface TagChange {
  readonly before: { readonly id: number; readonly proxy_tags: readonly ProxyTag[] }
  readonly changed: { readonly proxy_tags?: readonly ProxyTag[] }
}

const findMember = statement<'id', { id: number }>('select id from members where id = :id')

const tagsOf = statement<'system', { id: number; tags: string }>(
  'select id, proxy_tags as tags from members where system_id = :system',
)
