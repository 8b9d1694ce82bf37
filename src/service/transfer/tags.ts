import { eq } from 'drizzle-orm'
import type { Db } from '../../db/handle'
import { members } from '../../db/tables'
import type { ProxyTag } from '../../model/check'
import { changeTagSet, indexTags, joinTagSets, tagSetOf } from '../proxy/tagKeys'
import { changesOfMember } from './people'
import { writeInSlices } from './staging'
import type { Import } from './work'

/** So few are written in a moment. */
const FEW = 1000

/**
 * Where many tags are new, the keys of everybody are written once more, beside those in force and
 * in slices. New members have theirs there already.
 */
export async function stageTags(work: Import): Promise<void> {
  const { deps, systemId, people } = work
  if (systemId === null || work.options.only?.has('members') === false) return
  const changed = new Map<number, readonly ProxyTag[]>()
  let count = 0
  for (const { incoming, found } of people.members) {
    const tags = found ? changesOfMember(found, incoming.values).proxy_tags : []
    if (found && tags) changed.set(found.id, tags)
    if (tags) count += Math.max(tags.length, found?.proxy_tags.length ?? 0)
    if (!found) count += incoming.values.proxy_tags?.length ?? 0
  }
  if (count <= FEW) return
  const staging = await work.staging()
  const written = new Map<number, string>()
  await writeInSlices(deps, staging, await tagsOf(deps.db, systemId), async (tx, { id, tags }) => {
    const coming = changed.get(id) ?? tags
    await indexTags(tx, id, coming, staging.placeId)
    written.set(id, JSON.stringify(coming))
  })
  work.writtenTags = written
}

/** Messages find the new tags from now on. Gives the keys that are of no use any more. */
export async function finishTags(work: Import, tx: Db, systemId: number): Promise<number | null> {
  const { begun, writtenTags } = work
  if (!begun || work.systemId === null) return null
  const inForce = await tagSetOf(tx, systemId)
  if (!writtenTags) {
    await joinTagSets(tx, begun.placeId, inForce)
    return null
  }
  const waited = new Set(work.memberIds.values())
  for (const { id, tags } of await tagsOf(tx, systemId)) {
    // Somebody may have changed them, or made a member, since they were written.
    const isNew = waited.has(id) && !writtenTags.has(id)
    if (!isNew && writtenTags.get(id) !== JSON.stringify(tags))
      await indexTags(tx, id, tags, begun.placeId)
    await work.step(0)
  }
  await changeTagSet(tx, systemId, begun.placeId)
  return inForce
}

async function tagsOf(db: Db, systemId: number) {
  return await db
    .select({ id: members.id, tags: members.proxy_tags })
    .from(members)
    .where(eq(members.system_id, systemId))
    .all()
}
