import { renderAndStore } from '../db/renderedJson'
import { columnNames, createInserter, createUpdater } from '../db/rows'
import { statement } from '../db/statement'
import type { Db } from '../db/types'
import { isDisabled } from '../db/visibility'
import {
  type Draft,
  diff,
  type Entity,
  fillDefaults,
  type Identity,
  isEmptyPatch,
  type JsonObject,
  type Patch,
} from '../model/entity'
import { type ErrorName, error } from '../model/errors'
import type { EventType } from '../model/events'
import { isOwner, requireSystem, type Viewer } from '../model/privacy'
import { parseRef } from '../model/ref'
import type { Permission } from '../model/scope'
import type { Settings } from '../model/settings'
import { Problem } from '../model/validation'
import { withQuotas } from './admin/quotas'
import { type BulkKind, createBulkChange } from './bulkChange'
import { runCooperatively } from './cooperative'
import type { Deps } from './deps'
import { type GivenIdentity, identityQueries, type Owned } from './identity'
import { recordEvent } from './outbox'
import { withDefaultPrivacy } from './privacy'
import { getSettings } from './settings'

/** How a kind of belongings differs from the others. */
interface OwnedKind<E extends Entity> extends BulkKind<E> {
  readonly entity: E
  readonly errors: {
    readonly missing: ErrorName
    readonly foreign: ErrorName
    readonly full: ErrorName
    /** As missing and foreign, in a list of references. */
    readonly missingRef: ErrorName
    readonly foreignRef: ErrorName
  }
  readonly events: {
    readonly created: EventType
    readonly changed: EventType
    readonly removed: EventType
  }
  readonly limitOf: (settings: Settings) => number
  /** Whether a bot makes them private. */
  readonly isPrivateIn: (settings: Settings) => boolean
  /** What lets go of a row before it is removed. */
  readonly beforeDelete: (
    deps: Deps,
    tx: Db,
    row: { id: number; system_id: number },
  ) => Promise<void>
  readonly remove: (tx: Db, id: number) => Promise<void>
}

/** What a system's own things have in common: how they are found, made, changed and removed. */
export function createOwnedRepository<E extends Entity>(kind: OwnedKind<E>) {
  const { entity, table, errors, events } = kind
  const {
    findEnabled,
    findById,
    findAllStored,
    decode,
    locate,
    availableParts,
    chooseIdentity,
    generate,
  } = identityQueries<Owned<E>>(entity, table)
  const updateRow = createUpdater(table)
  const insertRow = createInserter(table, ['uuid', 'hid', 'system_id', ...columnNames(entity)])
  const countRows = statement<'system', { all: number }>(
    (say) => `select ${say.count()} as "all" from ${table} where system_id = :system`,
  )

  const storedOfSystem = statement<'system', Owned<E>>(
    `select * from ${table} where system_id = :system order by id`,
  )
  const changeInBulk = createBulkChange(kind, { decode, updateRow })

  const findByRef = async (db: Db, text: string) => {
    const ref = parseRef(text)
    return ref && findEnabled(db, ref)
  }

  const requireFound = <T>(found: T | null): T => {
    if (found === null) throw error(errors.missing)
    return found
  }

  /** Only which row is meant. */
  const locateOwn = async ({ db }: Deps, viewer: Viewer, ref: string) => {
    requireSystem(viewer)
    const place = requireFound(await locate(db, ref))
    if (!isOwner(viewer, place.system_id)) throw error(errors.foreign)
    return place
  }

  const count = async (db: Db, systemId: number) =>
    (await countRows(db).get({ system: systemId }))?.all ?? 0

  const insert = async (
    tx: Db,
    systemId: number,
    draft: Draft<E>,
    identity: GivenIdentity = {},
  ): Promise<Owned<E>> => {
    const row = fillDefaults(entity, draft)
    const named = { ...(await generate(tx)), ...identity, system_id: systemId }
    const made = { ...row, ...named }
    const owned = { id: await insertRow(tx, made), ...made }
    await kind.syncDerivedRows(tx, owned, row)
    await renderAndStore(tx, table, owned)
    return owned
  }

  const update = async (tx: Db, before: Owned<E>, changed: Patch<E>): Promise<Owned<E>> => {
    const after = { ...before, ...changed }
    // In this order, and without waiting in between: neither needs the other's answer. What takes
    // several steps is waited for by itself: none of them may come when all else was undone.
    await Promise.all([updateRow(tx, before.id, changed), renderAndStore(tx, table, after)])
    await kind.syncDerivedRows(tx, after, changed)
    return after
  }

  /** Those that a list names, in its order, as they are stored. Throws for the first wrong name. */
  const getOwnStored = async (
    db: Db,
    systemId: number,
    refs: readonly string[],
  ): Promise<Owned<E>[]> => {
    const own: Owned<E>[] = []
    for (const [at, row] of (await findAllStored(db, refs)).entries()) {
      if (row?.system_id === systemId) own.push(row)
      // What is disabled is not there for others.
      else if (!row || (await isDisabled(db, row.system_id)))
        throw error(errors.missingRef, refs[at])
      else throw error(errors.foreignRef, refs[at])
    }
    return own
  }

  /** Keeps what a patch says that is new, and tells it. */
  const changeRow = async (deps: Deps, tx: Db, before: Owned<E>, patch: Patch<E>) => {
    const changed = diff<E>(before, patch)
    if (isEmptyPatch(changed)) return before
    const { uuid, system_id } = before
    const data: JsonObject = changed
    const told = recordEvent(tx, deps.now(), {
      system_id,
      type: events.changed,
      subject: uuid,
      data,
    })
    const [after] = await Promise.all([update(tx, before, changed), told])
    return after
  }

  return {
    find: findByRef,
    locate,
    findById,
    freeOf: availableParts,
    count,
    insert,
    update,
    updateRow,

    async get(db: Db, ref: string): Promise<Owned<E>> {
      return requireFound(await findByRef(db, ref))
    },

    async getOwn(deps: Deps, viewer: Viewer, ref: string, act?: Permission): Promise<Owned<E>> {
      requireSystem(viewer, act)
      const found = requireFound(await findByRef(deps.db, ref))
      if (!isOwner(viewer, found.system_id)) throw error(errors.foreign)
      return found
    },

    async getOwnAll(db: Db, systemId: number, refs: readonly string[]): Promise<Owned<E>[]> {
      const rows = await getOwnStored(db, systemId, refs)
      // Copies, because a list may name the same row twice.
      return rows.map((row) => decode({ ...row }))
    },

    /** For writes: it may have been deleted while they waited for their turn. */
    async refuseDeleted(tx: Db, id: number): Promise<void> {
      requireFound(await findById(tx, id))
    },

    async create(deps: Deps, viewer: Viewer, draft: Draft<E>): Promise<Owned<E>> {
      const system_id = requireSystem(viewer)
      return deps.transact({ system: system_id }, async (tx) => {
        const settings = withQuotas(deps.quotas, await getSettings(tx, system_id))
        if ((await count(tx, system_id)) >= kind.limitOf(settings)) throw error(errors.full)
        const isPrivate = viewer.platform !== null && kind.isPrivateIn(settings)
        const given = isPrivate ? withDefaultPrivacy(entity, draft) : draft
        const made = await insert(tx, system_id, { ...given, created: deps.now() })
        const data: JsonObject = given
        await recordEvent(tx, deps.now(), {
          system_id,
          type: events.created,
          subject: made.uuid,
          data,
        })
        return made
      })
    },

    async change(deps: Deps, viewer: Viewer, ref: string, patch: Patch<E>): Promise<Owned<E>> {
      const { id, system_id } = await locateOwn(deps, viewer, ref)
      return deps.transact({ system: system_id }, async (tx) => {
        return changeRow(deps, tx, requireFound(await findById(tx, id)), patch)
      })
    },

    /**
     * Changes all named rows or none; a value that is already set makes no event. Returns the JSON
     * list of the rows as their owner sees them, in the order named.
     */
    async changeMany(
      deps: Deps,
      viewer: Viewer,
      signal: AbortSignal,
      changes: Generator<void, readonly { ref: string; patch: Patch<E> }[]>,
    ): Promise<string> {
      const systemId = requireSystem(viewer)
      return deps.bulkQueue({ systemId, signal }, async () => {
        const given = await runCooperatively(changes, signal)
        const refs = given.map(({ ref }) => ref)
        const objects = await changeInBulk(deps, systemId, signal, async (db) => {
          const rows = await getOwnStored(db, systemId, refs)
          rejectRepeatedRows(rows)
          return given.flatMap(({ patch }, at) => {
            const stored = rows[at]
            return stored ? [{ stored, patch }] : []
          })
        })
        return `[${objects.join()}]`
      })
    },

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
      const { id, system_id } = await locateOwn(deps, viewer, ref)
      await deps.transact({ system: system_id }, async (tx) => {
        const { uuid } = requireFound(await findById(tx, id))
        await kind.beforeDelete(deps, tx, { id, system_id })
        await kind.remove(tx, id)
        await recordEvent(tx, deps.now(), {
          system_id,
          type: events.removed,
          subject: uuid,
          data: null,
        })
      })
    },

    /** Gives one that waited elsewhere to its system, under its own name. */
    async adopt(tx: Db, systemId: number, id: number, given: GivenIdentity): Promise<Identity> {
      const identity = await chooseIdentity(tx, given)
      await updateRow(tx, id, { ...identity, system_id: systemId })
      return { id, ...identity }
    },
  }
}

/** By one name or another. */
function rejectRepeatedRows(rows: readonly { id: number }[]): void {
  const seen = new Set<number>()
  for (const [at, { id }] of rows.entries()) {
    if (seen.has(id)) throw error('invalidBody', { [`${at}.id`]: [new Problem('Named twice.')] })
    seen.add(id)
  }
}
