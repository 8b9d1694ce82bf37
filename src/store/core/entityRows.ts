// Rows with short IDs: members and groups. For rows with UUIDs only, see `ownedRows.ts`.

import { sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { entityOf, renderAndStore, updateAndRender, updateRow } from '../../db/renderedJson'
import { columnsOfEntity, createInserter, type TableWithId } from '../../db/rows'
import { buckets, groups, members } from '../../db/tables'
import type { Db } from '../../db/types'
import { isDisabled, visibleRows } from '../../db/visible'
import {
  type Draft,
  type Entity,
  fillDefaults,
  type Identity,
  type Patch,
} from '../../model/core/entity'
import { type ErrorName, error } from '../../model/core/errors'
import { parseRef } from '../../model/core/ref'
import type { EventType } from '../../model/events'
import {
  type GivenIdentity,
  identityQueries,
  type Owned,
  type RowLocation,
  type Stored,
} from './identityRows'

/** Members or groups as rows. What their operations do besides is an `EntityKind` of the service. */
export interface EntityRowKind<E extends Entity> {
  readonly entity: E
  readonly table: 'members' | 'groups'
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
  /** Rows that are derived from a field, such as the keys of proxy tags. */
  readonly derived?: {
    readonly from: keyof Patch<E>
    sync(tx: Db, row: Owned<E>): Promise<void>
  }
}

/** Members or groups, for functions that do not return their fields. */
type In = Pick<EntityRowKind<Entity>, 'table'>

/** Throws the error of a kind if a row was not found. */
export function requireFound<T>(
  { errors }: { readonly errors: { readonly missing: ErrorName } },
  found: T | null,
): T {
  if (found === null) throw error(errors.missing)
  return found
}

/** Finds a row by a short ID or UUID; null for one of a disabled system. */
export async function findEntity<E extends Entity>(
  db: Db,
  kind: EntityRowKind<E>,
  text: string,
): Promise<Owned<E> | null> {
  const ref = parseRef(text)
  return ref && statementsOf(kind).findEnabled(db, ref)
}

export async function getEntity<E extends Entity>(
  db: Db,
  kind: EntityRowKind<E>,
  ref: string,
): Promise<Owned<E>> {
  return requireFound(kind, await findEntity(db, kind, ref))
}

export function findEntityById<E extends Entity>(
  db: Db,
  kind: EntityRowKind<E>,
  id: number,
): Promise<Owned<E> | null> {
  return statementsOf(kind).findById(db, id)
}

/** Finds only the row ID and system of a reference. */
export function locateEntity(db: Db, { table }: In, ref: string): Promise<RowLocation | null> {
  return statements[table].locate(db, ref)
}

/** Throws if the row was deleted while the write waited for its lock. */
export async function requireEntityExists<E extends Entity>(
  tx: Db,
  kind: EntityRowKind<E>,
  id: number,
): Promise<void> {
  requireFound(kind, await findEntityById(tx, kind, id))
}

/** Returns the rows of a list of references; throws for the first that is not one of the system. */
export async function getOwnEntities<E extends Entity>(
  db: Db,
  kind: EntityRowKind<E>,
  systemId: number,
  refs: readonly string[],
): Promise<Owned<E>[]> {
  const storedRows = await findAllStored(db, kind, refs)
  const rows = await requireOwnRows(db, kind, systemId, refs, storedRows)
  // Copies, because a list may name the same row twice.
  return rows.map((row) => decodeEntity(kind, { ...row }))
}

/**
 * Finds the rows of a list of references, in its order, as they are stored; null for a reference
 * without a row.
 */
export function findAllStored<E extends Entity>(
  db: Db,
  kind: EntityRowKind<E>,
  refs: readonly string[],
): Promise<(Owned<E> | null)[]> {
  return statementsOf(kind).findAllStored(db, refs)
}

/** Returns the rows that were found for a list of references. Throws for the first wrong one. */
export async function requireOwnRows<E extends Entity>(
  db: Db,
  { errors }: EntityRowKind<E>,
  systemId: number,
  refs: readonly string[],
  storedRows: readonly (Owned<E> | null)[],
): Promise<Owned<E>[]> {
  const ownRows: Owned<E>[] = []
  for (const [index, row] of storedRows.entries()) {
    if (row?.system_id === systemId) ownRows.push(row)
    // Rows of a disabled system do not exist for other systems.
    else if (!row || (await isDisabled(db, row.system_id)))
      throw error(errors.missingRef, refs[index])
    else throw error(errors.foreignRef, refs[index])
  }
  return ownRows
}

/** Decodes flags and JSON of a stored row in place. */
export function decodeEntity<E extends Entity>(kind: EntityRowKind<E>, stored: Owned<E>): Owned<E> {
  return statementsOf(kind).decode(stored)
}

/** Lists all rows of a system as they are stored. */
export async function listStored<E extends Entity>(
  db: Db,
  kind: EntityRowKind<E>,
  systemId: number,
): Promise<Owned<E>[]> {
  return await statementsOf(kind).storedOfSystem(db).all({ system: systemId })
}

/** Counts the rows of a system, and tells whether it has privacy buckets. */
export async function countEntities(
  db: Db,
  { table }: In,
  systemId: number,
): Promise<{ all: number; hasBuckets: boolean }> {
  const counts = await statements[table].countRows(db).get({ system: systemId })
  return { all: counts?.all ?? 0, hasBuckets: Boolean(counts?.has_buckets) }
}

/** Inserts a row with what is derived from it, without limits and events. */
export async function insertEntity<E extends Entity>(
  tx: Db,
  kind: EntityRowKind<E>,
  systemId: number,
  draft: Draft<E>,
  identity: GivenIdentity = {},
): Promise<Stored<Owned<E>>> {
  const { entity, table, derived } = kind
  const { generate, insertRow } = statements[table]
  const row = fillDefaults(entity, draft)
  const ids = { ...(await generate(tx)), ...identity, system_id: systemId }
  const values = { ...row, ...ids }
  const owned = { id: await insertRow(tx, values), ...values }
  await derived?.sync(tx, owned)
  return { row: owned, json: await renderAndStore(tx, table, owned) }
}

/** Stores changed values with what is derived from them, without an event. */
export async function updateEntity<E extends Entity>(
  tx: Db,
  { table, derived }: EntityRowKind<E>,
  before: Owned<E>,
  changed: Patch<E>,
): Promise<Stored<Owned<E>>> {
  const row = { ...before, ...changed }
  const json = await updateAndRender(tx, table, row, changed)
  // Derived rows take several steps, none of which may run after the transaction was rolled back.
  if (derived && derived.from in changed) await derived.sync(tx, row)
  return { row, json }
}

/** Assigns a row of a staging system to its final system, with its IDs. */
export async function adoptEntity(
  tx: Db,
  { table }: In,
  systemId: number,
  id: number,
  given: GivenIdentity,
): Promise<Identity> {
  const identity = await statements[table].chooseIdentity(tx, given)
  await updateRow[table](tx, id, { ...identity, system_id: systemId })
  return { id, ...identity }
}

/** Returns those of the given IDs that no row on this server has. */
export function availableParts(db: Db, { table }: In, given: GivenIdentity) {
  return statements[table].availableParts(db, given)
}

function createStatements<E extends Entity>(table: 'members' | 'groups') {
  // SQL text, because the builder has no type for one of two tables.
  const rows = visibleRows[table]
  return {
    ...identityQueries<Owned<E>>(table),
    insertRow: createInserter<TableWithId>({ members, groups }[table], [
      'uuid',
      'hid',
      'system_id',
      ...columnsOfEntity(entityOf(table)),
    ]),
    countRows: query(
      (_, { system }: Placeholders<'system'>, { count }) =>
        sql<{ all: number; has_buckets: number }>`select ${count()} as "all",
        case when exists (select 1 from ${buckets} where ${buckets.system_id} = ${system})
          then 1 else 0 end as has_buckets
        from ${rows} where ${rows.system_id} = ${system}`,
    ),
    storedOfSystem: query(
      (_, { system }: Placeholders<'system'>) =>
        sql<
          Owned<E>
        >`select * from ${rows} where ${rows.system_id} = ${system} order by ${rows.id}`,
    ),
  }
}

const statements = { members: createStatements('members'), groups: createStatements('groups') }

/** Returns the statements of a kind, whose rows have the fields of its entity. */
function statementsOf<E extends Entity>({ table }: EntityRowKind<E>) {
  return statements[table] as unknown as ReturnType<typeof createStatements<E>>
}
