// Operations on members and groups, which have short IDs, privacy levels and bulk changes. For what
// clients name by a UUID only, see `ownedRows.ts`.

import { ownerJson } from '../../db/renderedJson'
import type { Db } from '../../db/types'
import { runCooperatively } from '../../db/yieldToEventLoop'
import {
  type Draft,
  diff,
  type Entity,
  isEmptyPatch,
  type JsonObject,
  type Patch,
  throwIfInvalid,
} from '../../model/core/entity'
import { error, type Problems } from '../../model/core/errors'
import { isOwner, type Permission, requireSystem, type Viewer } from '../../model/core/privacy'
import { Problem } from '../../model/core/validation'
import {
  countEntities,
  type EntityRowKind,
  findAllStored,
  findEntity,
  insertEntity,
  listStored,
  locateEntity,
  requireFound,
  requireOwnRows,
  updateEntity,
} from '../../store/core/entityRows'
import type { Owned, RowLocation, Stored } from '../../store/core/identityRows'
import { recordEvent } from '../../store/events/recordEvent'
import { deletePicturesUnnamedBy } from '../../store/pictures/pictureRows'
import { changeInBulk } from './bulkChange'
import { withDefaultPrivacy } from './defaultPrivacy'
import type { Deps } from './deps'
import type { AlsoWrite, EntityKind } from './entityKind'

/** Patches of listed rows, with the problems that were found while the list was parsed. */
export interface ListedPatches<E extends Entity> {
  /** The position is that in the list, by which problems are named. */
  readonly items: readonly { ref: string; position: number; patch: Patch<E> }[]
  readonly problems: Problems
}

/** Finds only the IDs of a row of the caller's system. */
export async function locateOwnEntity<E extends Entity>(
  { db }: Deps,
  viewer: Viewer,
  kind: EntityRowKind<E>,
  ref: string,
): Promise<RowLocation> {
  requireSystem(viewer)
  const location = requireFound(kind, await locateEntity(db, kind, ref))
  if (!isOwner(viewer, location.system_id)) throw error(kind.errors.foreign)
  return location
}

export async function getOwnEntity<E extends Entity>(
  { db }: Pick<Deps, 'db'>,
  viewer: Viewer,
  kind: EntityRowKind<E>,
  ref: string,
  act?: Permission,
): Promise<Owned<E>> {
  requireSystem(viewer, act)
  const row = requireFound(kind, await findEntity(db, kind, ref))
  if (!isOwner(viewer, row.system_id)) throw error(kind.errors.foreign)
  return row
}

export async function createEntity<E extends Entity>(
  deps: Deps,
  viewer: Viewer,
  kind: EntityKind<E>,
  draft: Draft<E>,
): Promise<Stored<Owned<E>>> {
  const system = requireSystem(viewer)
  return deps.transact({ system }, (tx) => createEntityIn(deps, tx, viewer, kind, draft))
}

/**
 * Inserts a row in an open transaction, within the limit of its system, and records an event. A
 * caller that puts the row in buckets itself passes `hasOwnBuckets`.
 */
export async function createEntityIn<E extends Entity>(
  deps: Deps,
  tx: Db,
  viewer: Viewer,
  kind: EntityKind<E>,
  draft: Draft<E>,
  hasOwnBuckets = false,
): Promise<Stored<Owned<E>>> {
  const system_id = requireSystem(viewer)
  const rules = await kind.findRules(deps, tx, system_id)
  const { all, hasBuckets } = await countEntities(tx, kind, system_id)
  if (all >= rules.maxRows) throw error(kind.errors.full)
  // Other clients get PluralKit's behaviour: what a token creates is public.
  const isForPeople = viewer.platform !== null || viewer.session !== undefined
  const isPrivate = isForPeople && rules.isPrivate
  const storedDraft = isPrivate ? withDefaultPrivacy(kind.entity, draft) : draft
  const created = await insertEntity(tx, kind, system_id, { ...storedDraft, created: deps.now() })
  const data: JsonObject = storedDraft
  await recordEvent(tx, deps.now(), {
    system_id,
    type: kind.events.created,
    subject: created.row.uuid,
    data,
  })
  if (hasBuckets && !hasOwnBuckets) await kind.putInBuckets(deps, tx, created.row)
  return created
}

export async function changeEntity<E extends Entity>(
  deps: Deps,
  viewer: Viewer,
  kind: EntityKind<E>,
  ref: string,
  patch: Patch<E>,
): Promise<Stored<Owned<E>>> {
  const system = requireSystem(viewer)
  return deps.transact({ system }, async (tx) =>
    changeEntityIn(deps, tx, kind, await getOwnEntity({ db: tx }, viewer, kind, ref), patch),
  )
}

/**
 * Stores the changed values of a patch and records an event, if there are any. `afterChange` is left
 * out for a caller that writes by itself what the change affects.
 */
export async function changeEntityIn<E extends Entity>(
  deps: Deps,
  tx: Db,
  kind: EntityKind<E>,
  before: Owned<E>,
  patch: Patch<E>,
  afterChange = kind.afterChange,
): Promise<Stored<Owned<E>>> {
  const changed = diff<E>(before, patch)
  if (isEmptyPatch(changed)) return { row: before, json: ownerJson(tx, kind.table, before) }
  const { uuid, system_id } = before
  const data: JsonObject = changed
  const recorded = recordEvent(tx, deps.now(), {
    system_id,
    type: kind.events.changed,
    subject: uuid,
    data,
  })
  const [after] = await Promise.all([updateEntity(tx, kind, before, changed), recorded])
  await afterChange?.(deps, tx, [{ before, changed }])
  return after
}

/**
 * Changes all listed rows or none; a patch that changes nothing records no event. Returns the
 * JSON list of the rows for their owner, in the order of the list.
 */
export async function changeEntities<E extends Entity>(
  deps: Deps,
  viewer: Viewer,
  kind: EntityKind<E>,
  signal: AbortSignal,
  changes: Generator<void, ListedPatches<E>>,
): Promise<string> {
  const systemId = requireSystem(viewer)
  return deps.bulkQueue({ systemId, signal }, async () => {
    const patches = await runCooperatively(changes, signal)
    const objects = await changeListedEntities(deps, kind, systemId, signal, patches)
    return `[${objects.join()}]`
  })
}

/**
 * Changes all listed rows or none, in the turn of a bulk change. Returns the JSON of each row. Throws
 * the problems of the list together with its repeated rows.
 */
export async function changeListedEntities<E extends Entity>(
  deps: Deps,
  kind: EntityKind<E>,
  systemId: number,
  signal: AbortSignal,
  { items, problems }: ListedPatches<E>,
  also?: AlsoWrite<E>,
): Promise<string[]> {
  const refs = items.map(({ ref }) => ref)
  const select = async (db: Db) => {
    const rows = await findAllStored(db, kind, refs)
    throwIfInvalid({ ...problems, ...problemsOfRepeated(items, rows, systemId) })
    const ownRows = await requireOwnRows(db, kind, systemId, refs, rows)
    return items.flatMap(({ patch }, index) => {
      const stored = ownRows[index]
      return stored ? [{ stored, patch }] : []
    })
  }
  return changeInBulk(deps, kind, systemId, signal, select, also)
}

/** Changes all rows of the caller's system, or none. */
export async function changeAllEntities<E extends Entity>(
  deps: Deps,
  viewer: Viewer,
  kind: EntityKind<E>,
  signal: AbortSignal,
  patch: Patch<E>,
): Promise<void> {
  const systemId = requireSystem(viewer)
  await deps.bulkQueue({ systemId, signal }, () =>
    changeInBulk(deps, kind, systemId, signal, async (db) => {
      const rows = await listStored(db, kind, systemId)
      return rows.map((stored) => ({ stored, patch }))
    }),
  )
}

export async function deleteEntity<E extends Entity>(
  deps: Deps,
  viewer: Viewer,
  kind: EntityKind<E>,
  ref: string,
): Promise<void> {
  const system_id = requireSystem(viewer)
  await deps.transact({ system: system_id }, async (tx) => {
    const { id, uuid } = await getOwnEntity({ db: tx }, viewer, kind, ref)
    await kind.beforeDelete(deps, tx, { id, system_id })
    await deletePicturesUnnamedBy(tx, system_id, () => kind.remove(tx, id))
    await recordEvent(tx, deps.now(), {
      system_id,
      type: kind.events.removed,
      subject: uuid,
      data: null,
    })
  })
}

/** Returns a problem for each row that was listed before, be it by its short ID or by its UUID. */
function problemsOfRepeated(
  items: readonly { position: number }[],
  rows: readonly ({ id: number; system_id: number } | null)[],
  systemId: number,
): Problems {
  const problems: Problems = {}
  const seen = new Set<number>()
  for (const [index, { position }] of items.entries()) {
    const row = rows[index]
    if (row?.system_id !== systemId) continue
    if (seen.has(row.id)) problems[`${position}.id`] = [new Problem('named_twice')]
    seen.add(row.id)
  }
  return problems
}
