import { sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { ownerJson, renderAndStore, updateAndRender, updateRow } from '../../db/renderedJson'
import { columnsOfEntity, createInserter, type TableWithId } from '../../db/rows'
import { buckets, groups, members } from '../../db/tables'
import type { Db } from '../../db/types'
import { isDisabled, visibleRows } from '../../db/visible'
import { runCooperatively } from '../../db/yieldToEventLoop'
import {
  type Draft,
  diff,
  type Entity,
  fillDefaults,
  type Identity,
  isEmptyPatch,
  type JsonObject,
  type Patch,
  throwIfInvalid,
} from '../../model/core/entity'
import { type ErrorName, error, type Problems } from '../../model/core/errors'
import type { EventType } from '../../model/core/events'
import { isOwner, type Permission, requireSystem, type Viewer } from '../../model/core/privacy'
import { parseRef } from '../../model/core/ref'
import { Problem } from '../../model/core/validation'
import type { Settings } from '../../model/systems/settings'
import {
  type GivenIdentity,
  identityQueries,
  type Owned,
  type Stored,
} from '../../store/core/identity'
import { recordEvent } from '../../store/events/recordEvent'
import { deletePicturesUnnamedBy } from '../../store/pictures/pictureRows'
import { getSettings } from '../systems/settings'
import { type AlsoWrite, type BulkKind, createBulkChange } from './bulkChange'
import { withDefaultPrivacy } from './defaultPrivacy'
import type { Deps } from './deps'

/** Differences between the entities that belong to a system: members and groups. */
interface OwnedKind<E extends Entity> extends BulkKind<E> {
  readonly entity: E
  readonly errors: {
    readonly missing: ErrorName
    readonly foreign: ErrorName
    readonly full: ErrorName
    /** Like `missing` and `foreign`, for a reference in a list. */
    readonly missingRef: ErrorName
    readonly foreignRef: ErrorName
  }
  readonly events: {
    readonly created: EventType
    readonly changed: EventType
    readonly removed: EventType
  }
  readonly limitOf: (settings: Settings) => number
  /** Returns true if rows created by a bot or in the dashboard are private. */
  readonly isPrivateIn: (settings: Settings) => boolean
  /** Puts a new row in the privacy buckets for new rows; not called by imports. */
  readonly putInBuckets: (deps: Deps, tx: Db, row: Owned<E>) => Promise<void>
  /** Removes references to a row before it is deleted. */
  readonly beforeDelete: (
    deps: Deps,
    tx: Db,
    row: { id: number; system_id: number },
  ) => Promise<void>
  readonly remove: (tx: Db, id: number) => Promise<void>
}

/** Patches of listed rows, with the problems that were found while the list was parsed. */
interface ListedPatches<E extends Entity> {
  /** The position is that in the list, by which problems are named. */
  readonly items: readonly { ref: string; position: number; patch: Patch<E> }[]
  readonly problems: Problems
}

const tables = { members, groups }

/** Creates the operations that members and groups have in common: find, create, update, delete. */
export function createOwnedRepository<E extends Entity>(kind: OwnedKind<E>) {
  const { entity, table, errors, events, derived } = kind
  const {
    findEnabled,
    findById,
    findAllStored,
    decode,
    locate,
    availableParts,
    chooseIdentity,
    generate,
  } = identityQueries<Owned<E>>(table)
  const insertRow = createInserter<TableWithId>(tables[table], [
    'uuid',
    'hid',
    'system_id',
    ...columnsOfEntity(entity),
  ])
  // SQL text, because the builder has no type for one of two tables.
  const rows = visibleRows[table]
  const countRows = query(
    (_, { system }: Placeholders<'system'>, { count }) =>
      sql<{ all: number; has_buckets: number }>`select ${count()} as "all",
        case when exists (select 1 from ${buckets} where ${buckets.system_id} = ${system})
          then 1 else 0 end as has_buckets
        from ${rows} where ${rows.system_id} = ${system}`,
  )
  const storedOfSystem = query(
    (_, { system }: Placeholders<'system'>) =>
      sql<Owned<E>>`select * from ${rows} where ${rows.system_id} = ${system} order by ${rows.id}`,
  )
  const changeInBulk = createBulkChange(kind, decode)

  const findByRef = async (db: Db, text: string) => {
    const ref = parseRef(text)
    return ref && findEnabled(db, ref)
  }

  const requireFound = <T>(found: T | null): T => {
    if (found === null) throw error(errors.missing)
    return found
  }

  /** Finds only the IDs of a row of the caller's system. */
  const locateOwn = async ({ db }: Deps, viewer: Viewer, ref: string) => {
    requireSystem(viewer)
    const location = requireFound(await locate(db, ref))
    if (!isOwner(viewer, location.system_id)) throw error(errors.foreign)
    return location
  }

  /** Finds a row of the caller's system. */
  const getOwn = async (
    { db }: Pick<Deps, 'db'>,
    viewer: Viewer,
    ref: string,
    act?: Permission,
  ): Promise<Owned<E>> => {
    requireSystem(viewer, act)
    const row = requireFound(await findByRef(db, ref))
    if (!isOwner(viewer, row.system_id)) throw error(errors.foreign)
    return row
  }

  const count = async (db: Db, systemId: number) =>
    (await countRows(db).get({ system: systemId }))?.all ?? 0

  const insertAndRender = async (
    tx: Db,
    systemId: number,
    draft: Draft<E>,
    identity: GivenIdentity = {},
  ): Promise<Stored<Owned<E>>> => {
    const row = fillDefaults(entity, draft)
    const ids = { ...(await generate(tx)), ...identity, system_id: systemId }
    const values = { ...row, ...ids }
    const owned = { id: await insertRow(tx, values), ...values }
    await derived?.sync(tx, owned)
    return { row: owned, json: await renderAndStore(tx, table, owned) }
  }

  const update = async (tx: Db, before: Owned<E>, changed: Patch<E>): Promise<Stored<Owned<E>>> => {
    const row = { ...before, ...changed }
    const json = await updateAndRender(tx, table, row, changed)
    // Derived rows take several steps, none of which may run after the transaction was rolled back.
    if (derived && derived.from in changed) await derived.sync(tx, row)
    return { row, json }
  }

  /** Returns the rows that were found for a list of references. Throws for the first wrong one. */
  const requireOwnRows = async (
    db: Db,
    systemId: number,
    refs: readonly string[],
    found: readonly (Owned<E> | null)[],
  ): Promise<Owned<E>[]> => {
    const own: Owned<E>[] = []
    for (const [at, row] of found.entries()) {
      if (row?.system_id === systemId) own.push(row)
      // Rows of a disabled system do not exist for other systems.
      else if (!row || (await isDisabled(db, row.system_id)))
        throw error(errors.missingRef, refs[at])
      else throw error(errors.foreignRef, refs[at])
    }
    return own
  }

  /**
   * Stores the changed values of a patch and records an event, if there are any. `afterChange` is left
   * out for a caller that writes by itself what the change affects.
   */
  const changeIn = async (
    deps: Deps,
    tx: Db,
    before: Owned<E>,
    patch: Patch<E>,
    afterChange = kind.afterChange,
  ): Promise<Stored<Owned<E>>> => {
    const changed = diff<E>(before, patch)
    if (isEmptyPatch(changed)) return { row: before, json: ownerJson(tx, table, before) }
    const { uuid, system_id } = before
    const data: JsonObject = changed
    const recorded = recordEvent(tx, deps.now(), {
      system_id,
      type: events.changed,
      subject: uuid,
      data,
    })
    const [after] = await Promise.all([update(tx, before, changed), recorded])
    await afterChange?.(deps, tx, [{ before, changed }])
    return after
  }

  /**
   * Inserts a row in an open transaction, within the limit of its system, and records an event. A
   * caller that puts the row in buckets itself passes `hasOwnBuckets`.
   */
  const createIn = async (
    deps: Deps,
    tx: Db,
    viewer: Viewer,
    draft: Draft<E>,
    hasOwnBuckets = false,
  ): Promise<Stored<Owned<E>>> => {
    const system_id = requireSystem(viewer)
    const settings = await getSettings(deps, tx, system_id)
    const found = await countRows(tx).get({ system: system_id })
    if ((found?.all ?? 0) >= kind.limitOf(settings)) throw error(errors.full)
    // Other clients get PluralKit's behaviour: what a token creates is public.
    const isForPeople = viewer.platform !== null || viewer.session !== undefined
    const isPrivate = isForPeople && kind.isPrivateIn(settings)
    const given = isPrivate ? withDefaultPrivacy(entity, draft) : draft
    const created = await insertAndRender(tx, system_id, { ...given, created: deps.now() })
    const data: JsonObject = given
    await recordEvent(tx, deps.now(), {
      system_id,
      type: events.created,
      subject: created.row.uuid,
      data,
    })
    if (found?.has_buckets && !hasOwnBuckets) await kind.putInBuckets(deps, tx, created.row)
    return created
  }

  /**
   * Changes all listed rows or none, in the turn of a bulk change. Returns the JSON of each row. Throws
   * the problems of the list together with its repeated rows.
   */
  const changeListed = async (
    deps: Deps,
    systemId: number,
    signal: AbortSignal,
    { items, problems }: ListedPatches<E>,
    also?: AlsoWrite<E>,
  ): Promise<string[]> => {
    const refs = items.map(({ ref }) => ref)
    const select = async (db: Db) => {
      const found = await findAllStored(db, refs)
      throwIfInvalid({ ...problems, ...problemsOfRepeated(items, found, systemId) })
      const rows = await requireOwnRows(db, systemId, refs, found)
      return items.flatMap(({ patch }, at) => {
        const stored = rows[at]
        return stored ? [{ stored, patch }] : []
      })
    }
    return changeInBulk(deps, systemId, signal, select, also)
  }

  return {
    find: findByRef,
    locate,
    findById,
    availableParts,
    count,
    createIn,
    changeIn,
    locateOwn,
    /** Inserts a row of an import or a test, without limits and events. */
    insert: async (...given: Parameters<typeof insertAndRender>): Promise<Owned<E>> =>
      (await insertAndRender(...given)).row,
    update,

    async get(db: Db, ref: string): Promise<Owned<E>> {
      return requireFound(await findByRef(db, ref))
    },

    getOwn,

    async getOwnAll(db: Db, systemId: number, refs: readonly string[]): Promise<Owned<E>[]> {
      const found = await findAllStored(db, refs)
      const rows = await requireOwnRows(db, systemId, refs, found)
      // Copies, because a list may name the same row twice.
      return rows.map((row) => decode({ ...row }))
    },

    /** Throws if the row was deleted while the write waited for its lock. */
    async requireExists(tx: Db, id: number): Promise<void> {
      requireFound(await findById(tx, id))
    },

    async create(deps: Deps, viewer: Viewer, draft: Draft<E>): Promise<Stored<Owned<E>>> {
      const system_id = requireSystem(viewer)
      return deps.transact({ system: system_id }, (tx) => createIn(deps, tx, viewer, draft))
    },

    async change(
      deps: Deps,
      viewer: Viewer,
      ref: string,
      patch: Patch<E>,
    ): Promise<Stored<Owned<E>>> {
      const system_id = requireSystem(viewer)
      return deps.transact({ system: system_id }, async (tx) =>
        changeIn(deps, tx, await getOwn({ db: tx }, viewer, ref), patch),
      )
    },

    /**
     * Changes all listed rows or none; a patch that changes nothing records no event. Returns the
     * JSON list of the rows for their owner, in the order of the list.
     */
    async changeMany(
      deps: Deps,
      viewer: Viewer,
      signal: AbortSignal,
      changes: Generator<void, ListedPatches<E>>,
    ): Promise<string> {
      const systemId = requireSystem(viewer)
      return deps.bulkQueue({ systemId, signal }, async () => {
        const patches = await runCooperatively(changes, signal)
        const objects = await changeListed(deps, systemId, signal, patches)
        return `[${objects.join()}]`
      })
    },

    changeListed,

    /** Changes all rows of the caller's system, or none. */
    async changeAll(
      deps: Deps,
      viewer: Viewer,
      signal: AbortSignal,
      patch: Patch<E>,
    ): Promise<void> {
      const systemId = requireSystem(viewer)
      await deps.bulkQueue({ systemId, signal }, () =>
        changeInBulk(deps, systemId, signal, async (db) => {
          const rows = await storedOfSystem(db).all({ system: systemId })
          return rows.map((stored) => ({ stored, patch }))
        }),
      )
    },

    async remove(deps: Deps, viewer: Viewer, ref: string): Promise<void> {
      const system_id = requireSystem(viewer)
      await deps.transact({ system: system_id }, async (tx) => {
        const { id, uuid } = await getOwn({ db: tx }, viewer, ref)
        await kind.beforeDelete(deps, tx, { id, system_id })
        await deletePicturesUnnamedBy(tx, system_id, () => kind.remove(tx, id))
        await recordEvent(tx, deps.now(), {
          system_id,
          type: events.removed,
          subject: uuid,
          data: null,
        })
      })
    },

    /** Assigns a row of a staging system to its final system, with its IDs. */
    async adopt(tx: Db, systemId: number, id: number, given: GivenIdentity): Promise<Identity> {
      const identity = await chooseIdentity(tx, given)
      await updateRow[table](tx, id, { ...identity, system_id: systemId })
      return { id, ...identity }
    },
  }
}

/** Returns a problem for each row that was listed before, be it by its short ID or by its UUID. */
function problemsOfRepeated(
  items: readonly { position: number }[],
  rows: readonly ({ id: number; system_id: number } | null)[],
  systemId: number,
): Problems {
  const problems: Problems = {}
  const seen = new Set<number>()
  for (const [at, { position }] of items.entries()) {
    const row = rows[at]
    if (row?.system_id !== systemId) continue
    if (seen.has(row.id)) problems[`${position}.id`] = [new Problem('Named twice.')]
    seen.add(row.id)
  }
  return problems
}
