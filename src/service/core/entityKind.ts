import type { Db } from '../../db/types'
import type { Entity, Patch } from '../../model/core/entity'
import type { EntityRowKind } from '../../store/core/entityRows'
import type { Owned } from '../../store/core/identityRows'
import type { Deps } from './deps'

/**
 * What the operations of members and groups differ in. A creation calls, in one transaction,
 * `findRules`, `derived.sync` and `putInBuckets`; a change `derived.sync` and `afterChange`; a bulk
 * change first `commitBulk`, and in the transaction `derived.sync` for each row, or what
 * `commitBulk` passes in its place, and `afterChange` once; a deletion `beforeDelete` and `remove`.
 */
export interface EntityKind<E extends Entity> extends EntityRowKind<E> {
  /** Returns what applies to a new row of a system. */
  readonly findRules: (deps: Deps, tx: Db, systemId: number) => Promise<CreationRules>
  /** Puts a new row in the privacy buckets for new rows; not called by imports. */
  readonly putInBuckets: (deps: Deps, tx: Db, row: Owned<E>) => Promise<void>
  /** Writes what changes of rows affect elsewhere. */
  readonly afterChange?: AlsoWrite<E>
  /** Commits a bulk change. Writes first, in batches, what would make its transaction long. */
  readonly commitBulk: <T>(
    deps: Deps,
    systemId: number,
    changes: Iterable<{ before: Owned<E>; changed: Patch<E> }>,
    commit: (finishDerivedRows: FinishDerivedRows | null) => Promise<T>,
  ) => Promise<T>
  /** Removes references to a row before it is deleted. */
  readonly beforeDelete: (
    deps: Deps,
    tx: Db,
    row: { id: number; system_id: number },
  ) => Promise<void>
  readonly remove: (tx: Db, id: number) => Promise<void>
}

export interface CreationRules {
  readonly maxRows: number
  /** True if rows created by a bot or in the dashboard are private. */
  readonly isPrivate: boolean
}

/** Writes the rows derived from those of a bulk change, in its transaction. */
export type FinishDerivedRows = (tx: Db) => Promise<void>

/** Writes more than the changed rows, in their transaction. */
export type AlsoWrite<E> = (
  deps: Deps,
  tx: Db,
  changes: readonly { before: Owned<E>; changed: Patch<E> }[],
) => Promise<void>
