// Operations on objects of the extension API that clients name by a UUID: custom fields, front notes,
// notes, rooms, posts, polls, reminders and buckets. For members and groups, see `entities.ts`.

import { randomUUID } from 'node:crypto'
import type { Db } from '../../db/types'
import {
  type Draft,
  diff,
  type Entity,
  fillDefaults,
  isEmptyPatch,
  type JsonObject,
  type Patch,
  type Row,
  throwIfInvalid,
} from '../../model/core/entity'
import { error, type Problems } from '../../model/core/errors'
import type { PageRequest } from '../../model/core/listPage'
import { type Redacted, redact, requireSystem, type Viewer } from '../../model/core/privacy'
import { textBytes } from '../../model/core/textSize'
import type { EventType } from '../../model/events'
import {
  countOwnedRows,
  findOwnedRow,
  getOwnedRow,
  insertOwnedRow,
  listRowPage,
  listRowsInOrder,
  nextPosition,
  type OwnedRow,
  type OwnedRowKind,
  removeOwnedRow,
  resolveReferences,
  updateOwnedRow,
} from '../../store/core/ownedRows'
import { addUsage, limitReached } from '../../store/core/usage'
import { recordEvent } from '../../store/events/recordEvent'
import { requireExists } from '../../store/systems/deletion'
import type { Deps } from './deps'

export async function getOwned<E extends Entity>(
  { db }: Deps,
  viewer: Viewer,
  kind: OwnedRowKind<E>,
  uuid: string,
): Promise<Redacted<E>> {
  return redactForOwner(kind, await getOwnedRow(db, kind, requireReader(viewer, kind), uuid))
}

/** Lists all objects of the caller's system in their order. */
export async function listOwned<E extends Entity>(
  { db }: Deps,
  viewer: Viewer,
  kind: OwnedRowKind<E>,
): Promise<Redacted<E>[]> {
  const rows = await listRowsInOrder(db, kind, requireReader(viewer, kind))
  return rows.map((row) => redactForOwner(kind, row))
}

/** Lists a page of the objects of the caller's system, newest first. */
export async function listOwnedPage<E extends Entity>(
  { db }: Deps,
  viewer: Viewer,
  kind: OwnedRowKind<E>,
  page: PageRequest,
): Promise<Redacted<E>[]> {
  const rows = await listRowPage(db, kind, requireReader(viewer, kind), page)
  return rows.map((row) => redactForOwner(kind, row))
}

/** Puts all objects of a list into a new order, which names each once. */
export async function orderOwned<E extends Entity>(
  deps: Deps,
  viewer: Viewer,
  kind: OwnedRowKind<E>,
  noun: string,
  uuids: readonly string[],
): Promise<Redacted<E>[]> {
  const system = requireWriter(viewer, kind)
  return deps.transact({ system }, async (tx) => {
    const rows = await listRowsInOrder(tx, kind, system)
    const byUuid = new Map(rows.map((row) => [row.uuid, row]))
    const ordered = uuids.flatMap((uuid) => byUuid.get(uuid.toLowerCase()) ?? [])
    const isComplete = uuids.length === byUuid.size && new Set(ordered).size === byUuid.size
    if (!isComplete) throw error('badRequest', `every ${noun} must be named once`)
    const after: Redacted<E>[] = []
    for (const [position, row] of ordered.entries()) {
      const patch: JsonObject = { position }
      const changed = await changeOwnedIn(deps, tx, kind, row, patch as Patch<E>)
      after.push(redactForOwner(kind, changed))
    }
    return after
  })
}

export async function createOwned<E extends Entity>(
  deps: Deps,
  viewer: Viewer,
  kind: OwnedRowKind<E>,
  draft: Draft<E>,
): Promise<Redacted<E>> {
  const system = requireWriter(viewer, kind)
  return deps.transact({ system }, async (tx) => {
    await requireExists(tx, system)
    return redactForOwner(kind, await createOwnedIn(deps, tx, kind, system, draft))
  })
}

/** Inserts a row in an open transaction, with its event. */
export async function createOwnedIn<E extends Entity>(
  deps: Deps,
  tx: Db,
  kind: OwnedRowKind<E>,
  systemId: number,
  draft: Draft<E>,
): Promise<OwnedRow<E>> {
  throwIfInvalid(checkBody(kind, draft, null))
  const { ids, uuids } = await resolveReferences(tx, kind, systemId, draft)
  const now = deps.now()
  const chosen = await kind.chooseValues?.(tx, systemId, draft, null, now)
  const values: JsonObject = { ...fillDefaults(kind.entity, draft), ...uuids, ...chosen }
  if (kind.order === 'position' && !('position' in draft))
    values.position = await nextPosition(tx, kind, systemId)
  for (const key of kind.timeKeys) values[key] ??= now
  const filled = values as Row<E>
  validate(deps, kind, filled)
  await kind.check?.(tx, filled, systemId)
  await requireSpace(deps, tx, kind, systemId, textBytes(kind.entity, values))
  const identity = { uuid: randomUUID(), system_id: systemId }
  const id = await insertOwnedRow(tx, kind, { ...values, ...ids, ...identity })
  for (const [key, { store }] of Object.entries(kind.lists ?? {}))
    if (key in draft) await store(tx, systemId, id, values[key] as string[])
  await recordOwned(deps, tx, kind.events.created, identity, {
    ...kind.eventData(filled),
    keys: Object.keys(draft),
  })
  const created = { ...filled, ...identity, id }
  await kind.onCreate?.(tx, created)
  return created
}

export async function changeOwned<E extends Entity>(
  deps: Deps,
  viewer: Viewer,
  kind: OwnedRowKind<E>,
  uuid: string,
  patch: Patch<E>,
): Promise<Redacted<E>> {
  return withOwnedRow(deps, viewer, kind, uuid, async (tx, row) =>
    redactForOwner(kind, await changeOwnedIn(deps, tx, kind, row, patch)),
  )
}

/** Changes a row in an open transaction, with its event, if the patch changes anything. */
export async function changeOwnedIn<E extends Entity>(
  deps: Deps,
  tx: Db,
  kind: OwnedRowKind<E>,
  before: OwnedRow<E>,
  patch: Patch<E>,
): Promise<OwnedRow<E>> {
  const { entity, references, lists = {} } = kind
  throwIfInvalid(checkBody(kind, patch, before))
  const { ids, uuids } = await resolveReferences(tx, kind, before.system_id, patch)
  const chosen = await kind.chooseValues?.(tx, before.system_id, patch, before, deps.now())
  const values: JsonObject = { ...patch, ...uuids, ...chosen }
  for (const key of kind.timeKeys) if (values[key] === null) values[key] = deps.now()
  const changed: JsonObject = diff<E>(before, values as Patch<E>)
  if (isEmptyPatch(changed)) return before
  const keys = Object.keys(changed)
  if (kind.editedKeys?.some((key) => keys.includes(key))) changed.edited = deps.now()
  const after = { ...before, ...changed }
  validate(deps, kind, after)
  const grown = textBytes(entity, after) - textBytes(entity, before)
  await addUsage(deps, tx, before.system_id, { text_bytes: grown })
  const stored = Object.fromEntries(
    Object.entries(changed).filter(([key]) => !(key in references) && !(key in lists)),
  )
  const moved = Object.fromEntries(
    Object.entries(references)
      .filter(([key]) => key in changed)
      .map(([, { column }]) => [column, ids[column]]),
  )
  const columnsToSet = { ...stored, ...moved }
  if (!isEmptyPatch(columnsToSet)) await updateOwnedRow(tx, kind, before.id, columnsToSet)
  for (const [key, { store }] of Object.entries(lists))
    if (key in changed) await store(tx, before.system_id, before.id, changed[key] as string[])
  const further = await kind.onChange?.(deps, tx, before, after)
  const data = { ...kind.eventData(after), keys, ...further }
  await recordOwned(deps, tx, kind.events.changed, before, data)
  return after
}

export async function deleteOwned<E extends Entity>(
  deps: Deps,
  viewer: Viewer,
  kind: OwnedRowKind<E>,
  uuid: string,
): Promise<void> {
  await withOwnedRow(deps, viewer, kind, uuid, (tx, row) => deleteOwnedIn(deps, tx, kind, row))
}

/** Deletes a row in an open transaction, with its event. */
export async function deleteOwnedIn<E extends Entity>(
  deps: Deps,
  tx: Db,
  kind: OwnedRowKind<E>,
  row: OwnedRow<E>,
): Promise<void> {
  const { text_bytes = 0, ...freed } = await removeOwnedRow(tx, kind, row.id)
  await addUsage(deps, tx, row.system_id, {
    ...freed,
    text_bytes: text_bytes - textBytes(kind.entity, row),
    ...('counter' in kind.limit && { [kind.limit.counter]: -1 }),
  })
  await recordOwned(deps, tx, kind.events.removed, row, null)
}

/** Runs a write on one of the caller's rows. */
export async function withOwnedRow<E extends Entity, T>(
  deps: Deps,
  viewer: Viewer,
  kind: OwnedRowKind<E>,
  uuid: string,
  apply: (tx: Db, row: OwnedRow<E>) => Promise<T>,
): Promise<T> {
  const system = requireWriter(viewer, kind)
  return deps.transact({ system }, async (tx) =>
    apply(tx, await getOwnedRow(tx, kind, system, uuid)),
  )
}

/**
 * Returns problems of an unparsed body that only the stored row shows, so that they are reported
 * together with those of its values.
 */
export async function findOwnedProblems<E extends Entity>(
  { db }: Deps,
  viewer: Viewer,
  kind: OwnedRowKind<E>,
  uuid: string | null,
  body: JsonObject,
): Promise<Problems> {
  const systemId = requireWriter(viewer, kind)
  if (uuid === null) return checkBody(kind, body, null)
  const before = await findOwnedRow(db, kind, systemId, uuid)
  // The change itself reports that there is no such row.
  return before ? checkBody(kind, body, before) : {}
}

/** Redacts a row for its owner: no other caller gets these rows. */
export function redactForOwner<E extends Entity>(
  { entity }: OwnedRowKind<E>,
  row: OwnedRow<E>,
): Redacted<E> {
  return redact<E>(entity, row, 'owner')
}

export function recordOwned(
  deps: Deps,
  tx: Db,
  type: EventType,
  { system_id, uuid }: { readonly system_id: number; readonly uuid: string },
  data: JsonObject | null,
) {
  return recordEvent(tx, deps.now(), { system_id, type, subject: uuid, data })
}

function requireReader<E extends Entity>(viewer: Viewer, { permissions }: OwnedRowKind<E>): number {
  return requireSystem(viewer, permissions?.read ?? 'read_journal')
}

function requireWriter<E extends Entity>(viewer: Viewer, { permissions }: OwnedRowKind<E>): number {
  return requireSystem(viewer, permissions?.write ?? 'change')
}

function checkBody<E extends Entity>(
  kind: OwnedRowKind<E>,
  body: JsonObject,
  before: OwnedRow<E> | null,
): Problems {
  return kind.checkBody?.(body, before) ?? {}
}

function validate<E extends Entity>(deps: Deps, kind: OwnedRowKind<E>, row: Row<E>): void {
  throwIfInvalid(kind.validate?.(row, deps.now()) ?? {})
}

async function requireSpace<E extends Entity>(
  deps: Deps,
  tx: Db,
  kind: OwnedRowKind<E>,
  systemId: number,
  bytes: number,
): Promise<void> {
  const { limit } = kind
  if ('counter' in limit)
    return addUsage(deps, tx, systemId, { text_bytes: bytes, [limit.counter]: 1 })
  if ((await countOwnedRows(tx, kind, systemId)) >= limit.max)
    throw limitReached(limit.what, limit.max)
  return addUsage(deps, tx, systemId, { text_bytes: bytes })
}
