import type { Db } from '../../../db/types'
import type { BundleMember } from '../../../formats/bundle'
import type { ProxyTag } from '../../../model/core/validation'
import type { Member } from '../../../model/members/member'
import {
  activateTagIndex,
  mergeTagIndexes,
  type StoredTags,
  tagIndexOf,
} from '../../../store/members/tagIndex'
import { FEW_TAGS, stageTagIndex } from '../../members/stageTagIndex'
import type { ImportRun } from './importRun'
import { changesOfMember, type Match } from './matchEntities'

/**
 * Stages the keys of all members in a new set, in batches, if many tags change. The keys of new
 * members are in that set already. Returns null if few tags change.
 */
export async function stageTags(
  run: ImportRun,
  members: readonly Match<BundleMember, Member>[],
): Promise<StoredTags | null> {
  const { deps, systemId } = run
  if (systemId === null) return null
  const changed = new Map<number, readonly ProxyTag[]>()
  let count = 0
  for (const { incoming, found } of members) {
    const tags = found ? changesOfMember(found, incoming.values).proxy_tags : []
    if (found && tags) changed.set(found.id, tags)
    if (tags) count += Math.max(tags.length, found?.proxy_tags.length ?? 0)
    if (!found) count += incoming.values.proxy_tags?.length ?? 0
  }
  if (count <= FEW_TAGS) return null
  return stageTagIndex(deps, await run.staging(), systemId, changed)
}

/** Puts the new keys in use. Returns the set that was replaced, if any. */
export async function applyTags(
  { begun, systemId: target, ids }: ImportRun,
  tx: Db,
  systemId: number,
  written: StoredTags | null,
): Promise<number | null> {
  if (!begun || target === null) return null
  if (!written) {
    await mergeTagIndexes(tx, begun.stagingSystemId, await tagIndexOf(tx, systemId))
    return null
  }
  const staged = new Set(ids.members.values())
  const isIndexed = (id: number) => staged.has(id) && !written.has(id)
  return activateTagIndex(tx, systemId, begun.stagingSystemId, written, isIndexed)
}
