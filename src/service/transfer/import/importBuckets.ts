import type { Db } from '../../../db/types'
import { batchesBySize } from '../../../formats/chunks'
import { error } from '../../../model/core/errors'
import { addContents, type BucketLinks, listContents } from '../../../store/friends/bucketRows'
import { countBuckets } from '../../../store/transfer/importExtRows'
import { writeInBatches } from '../../systems/staging'
import type { Entities } from './importEntities'
import type { OwnedRows } from './importRows'
import { type ImportRun, wants } from './importRun'
import type { ImportStep } from './importStep'

const contentKinds: readonly BucketLinks['content'][] = ['members', 'groups', 'fields']

/**
 * What privacy buckets contain. A bucket that was imported before gets only new members, groups and
 * fields, so that a second import shares nothing again that was removed from it here.
 */
export class BucketContents implements ImportStep {
  readonly reads = 'ext'
  #staged: BucketLinks[] = []
  /** Contents of existing buckets, which are written last. */
  readonly #visible: BucketLinks[] = []

  constructor(
    readonly run: ImportRun,
    readonly entities: Entities,
    readonly buckets: OwnedRows,
    readonly fields: OwnedRows,
  ) {}

  async plan(): Promise<void> {
    const { run, buckets } = this
    const { ids, report } = run
    const tally = report.ext?.buckets
    if (!tally || !wants(run, 'buckets')) return
    const isNew = {
      members: newKeys(this.entities.members),
      groups: newKeys(this.entities.groups),
      fields: this.fields.added,
    }
    for (const { key, contents } of run.file.ext.buckets) {
      const bucket = ids.buckets.get(key)
      if (bucket === undefined || !contents) continue
      const isNewBucket = buckets.added.has(key)
      const takesAll = isNewBucket || buckets.named.has(key) || run.options.isConversion === true
      let isChanged = false
      for (const content of contentKinds) {
        const keys = contents[content].filter((row) => takesAll || isNew[content].has(row))
        const present = new Set(isNewBucket ? [] : await listContents(run.deps.db, bucket, content))
        const rows = keys.flatMap((row) => ids[content].get(row) ?? [])
        const missing = [...new Set(rows)].filter((id) => !present.has(id))
        if (missing.length === 0) continue
        isChanged = true
        for (const batch of batchesBySize(missing, () => 1))
          (isNewBucket ? this.#staged : this.#visible).push({ bucket, content, rows: batch })
        await run.advance(0)
      }
      if (isNewBucket || !isChanged) continue
      tally.unchanged -= 1
      tally.changed += 1
    }
  }

  async stage(): Promise<void> {
    if (this.#staged.length === 0) return
    await writeInBatches(this.run.deps, await this.run.staging(), this.#staged, addContents)
    this.#staged = []
  }

  async apply(tx: Db): Promise<boolean> {
    if (this.#visible.length === 0) return false
    const ids = [...new Set(this.#visible.map(({ bucket }) => bucket))]
    if ((await countBuckets(tx, ids)) < ids.length)
      throw error('conflict', 'buckets were deleted by another request; import again')
    for (const links of this.#visible) await addContents(tx, links)
    return true
  }
}

function newKeys(
  matches: readonly { incoming: { key: string }; found: object | null }[],
): Set<string> {
  return new Set(matches.flatMap(({ incoming, found }) => (found ? [] : incoming.key)))
}
