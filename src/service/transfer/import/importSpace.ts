import type { Db } from '../../../db/types'
import { MAX_ARCHIVED_ROWS } from '../../../formats/bundle'
import { DomainError, error } from '../../../model/core/errors'
import { addUsage, type UsageChange } from '../../../store/core/usage'
import { archiveUsage } from '../../../store/transfer/archiveStaging'
import { usageOf } from '../../../store/transfer/importExtRows'
import type { Deps } from '../../core/deps'
import { purgeArchive } from '../../systems/purge'
import type { ImportStep } from './importStep'

/** Space that a system has left, and what of it an import uses. */
export class ImportSpace implements ImportStep {
  readonly reads = 'head'
  #left: number
  readonly #staged = { text_bytes: 0, front_notes: 0, notes: 0, posts: 0 }
  #appliedBytes = 0

  constructor(
    readonly deps: Deps,
    left: number,
    /** Numbers of rows and bytes that may still be archived. */
    readonly archive: { rows: number; bytes: number },
  ) {
    this.#left = left
  }

  /** Takes space, and returns whether there was enough; negative bytes free space. */
  take(bytes: number): boolean {
    if (bytes > 0 && bytes > this.#left) return false
    this.#left -= bytes
    return true
  }

  /** Counts what staged rows add to the use of the limits. */
  countStaged(added: UsageChange): void {
    for (const key of Object.keys(this.#staged) as (keyof UsageChange)[])
      this.#staged[key] += added[key] ?? 0
  }

  /** Counts what the last transaction adds; negative for what it frees. */
  countApplied(bytes: number): void {
    this.#appliedBytes += bytes
  }

  /** Forgets what a transaction counted that is run again. */
  restart(): void {
    this.#appliedBytes = 0
  }

  /** Adds everything to the use of the limits, after the steps that count. */
  async apply(tx: Db, systemId: number): Promise<boolean> {
    const { text_bytes, ...rows } = this.#staged
    const usage = { ...rows, text_bytes: text_bytes + this.#appliedBytes }
    try {
      await addUsage(this.deps, tx, systemId, usage)
    } catch (cause) {
      throw cause instanceof DomainError ? usedUp() : cause
    }
    return false
  }
}

export async function spaceOf(deps: Deps, systemId: number | null): Promise<ImportSpace> {
  const { db, quotas } = deps
  // Hidden rows would take space, and equal rows could not be archived again.
  await purgeArchive(deps)
  const used = systemId === null ? null : await usageOf(db, systemId)
  const archived = systemId === null ? null : await archiveUsage(db, systemId)
  return new ImportSpace(deps, quotas.extText - (used?.text_bytes ?? 0), {
    rows: MAX_ARCHIVED_ROWS - (archived?.rows ?? 0),
    bytes: quotas.archive - (archived?.bytes ?? 0),
  })
}

export function usedUp(): DomainError {
  return error('conflict', 'other requests used up the space meanwhile; import again')
}
