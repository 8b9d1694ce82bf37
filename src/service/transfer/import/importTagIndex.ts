import type { Db } from '../../../db/types'
import type { ProxyTag } from '../../../model/core/validation'
import { activateTagIndex, mergeTagIndexes, tagIndexOf } from '../../../store/members/tagIndex'
import { FEW_TAGS, stageTagIndex } from '../../members/stageTagIndex'
import type { Import } from './importContext'
import { changesOfMember } from './importEntities'

/**
 * Stages the keys of all members in a new set, in batches, if many tags change. The keys of new
 * members are in that set already.
 */
export async function stageTags(work: Import): Promise<void> {
  const { deps, systemId, matched } = work
  if (systemId === null || work.options.only?.has('members') === false) return
  const changed = new Map<number, readonly ProxyTag[]>()
  let count = 0
  for (const { incoming, found } of matched.members) {
    const tags = found ? changesOfMember(found, incoming.values).proxy_tags : []
    if (found && tags) changed.set(found.id, tags)
    if (tags) count += Math.max(tags.length, found?.proxy_tags.length ?? 0)
    if (!found) count += incoming.values.proxy_tags?.length ?? 0
  }
  if (count <= FEW_TAGS) return
  work.writtenTags = await stageTagIndex(deps, await work.staging(), systemId, changed)
}

/** Puts the new keys in use. Returns the set that was replaced, if any. */
export async function applyTags(work: Import, tx: Db, systemId: number): Promise<number | null> {
  const { begun, writtenTags } = work
  if (!begun || work.systemId === null) return null
  if (!writtenTags) {
    await mergeTagIndexes(tx, begun.stagingSystemId, await tagIndexOf(tx, systemId))
    return null
  }
  const staged = new Set(work.memberIds.values())
  const isIndexed = (id: number) => staged.has(id) && !writtenTags.has(id)
  return activateTagIndex(tx, systemId, begun.stagingSystemId, writtenTags, isIndexed)
}
