import type { Db } from '../../../db/types'
import { batchesBySize } from '../../../formats/chunks'
import { error } from '../../../model/core/errors'
import { addContents, type BucketLinks, listContents } from '../../../store/friends/bucketRows'
import { countBuckets } from '../../../store/transfer/importExtRows'
import { writeInBatches } from '../../systems/staging'
import type { Import } from './importContext'
import type { AddedRows } from './importExtRows'

type Content = BucketLinks['content']

const contentKinds: readonly Content[] = ['members', 'groups', 'fields']

/**
 * Plans and stages what buckets contain. A bucket that was imported before gets only new members,
 * groups and fields, so that a second import shares nothing again that was removed from it here.
 */
export async function addBucketContents(
  work: Import,
  buckets: AddedRows,
  fields: AddedRows,
): Promise<void> {
  const idsOf = rowIdsOf(work, fields)
  const staged: BucketLinks[] = []
  for (const { key, contents } of work.ext.buckets) {
    const bucket = buckets.ids.get(key)
    if (bucket === undefined || !contents) continue
    const isNew = buckets.added.has(key)
    const takesAll = isNew || buckets.named.has(key) || work.options.isConversion === true
    let isChanged = false
    for (const content of contentKinds) {
      const { ids, added } = idsOf[content]
      const given = contents[content].filter((one) => takesAll || added.has(one))
      const present = new Set(isNew ? [] : await listContents(work.deps.db, bucket, content))
      const rows = given.flatMap((one) => ids.get(one) ?? [])
      const missing = [...new Set(rows)].filter((id) => !present.has(id))
      if (missing.length === 0) continue
      isChanged = true
      for (const batch of batchesBySize(missing, () => 1))
        (isNew ? staged : work.visibleContents).push({ bucket, content, rows: batch })
      await work.step(0)
    }
    const tally = work.report.ext?.buckets
    if (isNew || !isChanged || !tally) continue
    tally.unchanged -= 1
    tally.changed += 1
  }
  if (staged.length === 0 || work.options.dryRun) return
  await writeInBatches(work.deps, await work.staging(), staged, addContents)
}

/** Row IDs of the members, groups and fields of the file, and the keys of new ones. */
function rowIdsOf({ matched, memberIds, groupIds }: Import, fields: AddedRows) {
  const isNew = (part: 'members' | 'groups') =>
    new Set(matched[part].flatMap(({ incoming, found }) => (found ? [] : incoming.key)))
  const groups = new Map(groupIds)
  for (const { incoming, found } of matched.groups) if (found) groups.set(incoming.key, found.id)
  return {
    members: { ids: memberIds, added: isNew('members') },
    groups: { ids: groups, added: isNew('groups') },
    fields: { ids: fields.ids, added: fields.added },
  }
}

/** Adds to existing buckets in the last transaction. Returns whether anything changed. */
export async function applyBucketContents({ visibleContents }: Import, tx: Db): Promise<boolean> {
  if (visibleContents.length === 0) return false
  const ids = [...new Set(visibleContents.map(({ bucket }) => bucket))]
  if ((await countBuckets(tx, ids)) < ids.length)
    throw error('conflict', 'buckets were deleted by another request; import again')
  for (const links of visibleContents) await addContents(tx, links)
  return true
}
