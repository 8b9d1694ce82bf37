import { randomUUID } from 'node:crypto'
import {
  type Column,
  getTableColumns,
  getTableName,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import { type Placeholders, query } from '../../db/query'
import { createInserter, createUpdater, type OwnedTable, type TableWithId } from '../../db/rows'
import type { Db, MaybePromise } from '../../db/types'
import { deletedMemberName } from '../../db/visible'
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
import { type ErrorName, error, type Problems } from '../../model/core/errors'
import type { EventType } from '../../model/core/events'
import {
  type Permission,
  type Redacted,
  redact,
  requireSystem,
  type Viewer,
} from '../../model/core/privacy'
import { isUuid } from '../../model/core/ref'
import { textBytes } from '../../model/core/textSize'
import type { Instant } from '../../model/core/time'
import { addUsage, limitReached, type UsageChange } from '../../store/core/usage'
import { recordEvent } from '../../store/events/recordEvent'
import { requireExists } from '../systems/deletion'
import type { Deps } from './deps'

/**
 * Objects of the extension API that a system owns and clients name by a UUID: custom fields, front
 * notes, notes, rooms, posts, polls, reminders and buckets. Their differences are an `OwnedRowKind`; finding, listing in
 * pages, limits, events and permissions are the same for all.
 */

/** A row of such a table. Its field table has the keys of the JSON, with UUIDs for references. */
export type OwnedRow<E> = Row<E> & { id: number; uuid: string; system_id: number }

/** Key of the field table that refers to another row, and is stored as its row ID. */
export interface Reference {
  /** Name of the column with the row ID. */
  readonly column: string
  /** SQL of the UUID of the row with this ID. */
  readonly uuid: (id: SQL) => SQL
  /** Finds the row that a client names; throws if the system has no such row. */
  readonly resolve: (
    tx: Db,
    systemId: number,
    ref: string,
    key: string,
  ) => Promise<{ id: number; uuid: string }>
  /** True if this member is the author, whose name `author_name` keeps. */
  readonly isAuthor?: true
}

/** Key of the field table that other rows are linked by, as a list of UUIDs without a column. */
export interface LinkedList {
  /** SQL of the UUIDs as a JSON list, for the row with this ID of a system. */
  readonly uuids: (dialect: Dialect, id: SQL, systemId: SQL) => SQL
  /** Links a row with exactly those that a client names; throws if the system has no such row. */
  readonly store: (tx: Db, systemId: number, id: number, uuids: readonly string[]) => Promise<void>
}

/** Limit on the number of rows: a counter of `ext_usage`, or a small number that is counted. */
type RowLimit =
  | { readonly counter: Exclude<keyof UsageChange, 'text_bytes'> }
  | { readonly max: number; readonly what: string }

export interface OwnedRowKind<E extends Entity> {
  readonly entity: E
  readonly table: OwnedTable
  /** Visible rows of the table, under its name. */
  readonly rows: SQLWrapper
  readonly references: Readonly<Record<string, Reference>>
  readonly lists?: Readonly<Record<string, LinkedList>>
  /** Column by which lists are ordered: pages newest first, whole lists ascending. */
  readonly order: string
  readonly missing: ErrorName
  readonly events: {
    readonly created: EventType
    readonly changed: EventType
    readonly removed: EventType
  }
  readonly limit: RowLimit
  /** Keys that are set to the present time if the draft has none. */
  readonly timeKeys: readonly (keyof Row<E> & string)[]
  /** Keys whose change sets `edited`. */
  readonly editedKeys?: readonly string[]
  /** Permissions to read and to write; `read_journal` and `change` by default. */
  readonly permissions?: { readonly read: Permission; readonly write: Permission }
  /** Returns problems of a body that only the stored row shows; null for a new one. */
  readonly checkBody?: (body: JsonObject, before: OwnedRow<E> | null) => Problems
  /** Returns problems that the field table does not detect. */
  readonly validate?: (row: Row<E>, now: Instant) => Problems
  /** Returns values that the server chooses for a new or changed row. */
  readonly chooseValues?: (
    tx: Db,
    systemId: number,
    given: Patch<E>,
    before: OwnedRow<E> | null,
    now: Instant,
  ) => Promise<Patch<E>>
  /** Adapts other rows to a new row. */
  readonly onCreate?: (tx: Db, row: OwnedRow<E>) => Promise<void>
  /** Adapts other rows to a change. Returns further data of its event. */
  readonly onChange?: (
    deps: Deps,
    tx: Db,
    before: OwnedRow<E>,
    after: OwnedRow<E>,
  ) => Promise<JsonObject>
  /** Throws if a new row refers to what does not belong to it. */
  readonly check?: (tx: Db, row: Row<E>, systemId: number) => Promise<void>
  /** Data of events besides the changed keys; never text that a person wrote. */
  readonly eventData: (row: Row<E>) => JsonObject
  /** Deletes or hides a row with what belongs to it. Returns what this frees besides the row. */
  readonly remove?: (tx: Db, id: number) => Promise<UsageChange>
}

/** Position in a list: items before a time, or after the item with this UUID. */
export type ListPosition = { readonly before: Instant } | { readonly uuid: string } | null

export interface PageRequest {
  readonly limit: number
  readonly position: ListPosition
}

/** Row of a list by its position, with the size of one of its texts in bytes. */
export interface RowSize {
  readonly id: number
  readonly time: Instant
  readonly size: number
}

/** Numbers of characters by the keys of texts. */
type Lengths = Readonly<Record<string, number>>

type PageName = 'system' | 'before' | 'beforeId' | 'limit'

/** Builds the condition of a list from its values and from the columns of its rows. */
type PageCondition<Name extends string> = (
  values: Placeholders<Name>,
  column: (name: string) => SQL,
) => SQL

export function createOwnedRows<E extends Entity>(kind: OwnedRowKind<E>) {
  const { entity, table, rows, references, order, events, limit } = kind
  const { read = 'read_journal', write = 'change' } = kind.permissions ?? {}
  const columns = getTableColumns(table) as Record<string, Column>
  const lists = kind.lists ?? {}
  const ownKeys = entity.entries
    .map(([key]) => key)
    .filter((key) => !(key in references) && !(key in lists))
  const referenceColumns = Object.values(references).map(({ column }) => column)

  // SQL text, because the builder has no type for one of several tables.
  const tableName = sql.identifier(getTableName(table))
  const column = (name: string) => sql`${tableName}.${sql.identifier(name)}`
  const decoded = Object.fromEntries(
    ownKeys.flatMap((key) => (columns[key] ? [[key, columns[key]]] : [])),
  )
  const decodeLists = (row: OwnedRow<E>): OwnedRow<E> => {
    const decodedLists = Object.keys(lists).map((key) => [
      key,
      JSON.parse(String((row as JsonObject)[key])),
    ])
    return decodedLists.length === 0 ? row : { ...row, ...Object.fromEntries(decodedLists) }
  }

  /** Selects a row, with only the first characters of the texts in `lengths`. */
  function selection(dialect: Dialect, lengths: Lengths = {}): SQL {
    const author = Object.values(references).find(({ isAuthor }) => isAuthor)
    const own = ownKeys.map((key) => {
      const name = sql.identifier(key)
      if (key === 'author_name' && author)
        return sql`coalesce(${deletedMemberName(column(author.column))}, ${column(key)}) as ${name}`
      const length = lengths[key]
      if (length !== undefined)
        return sql`substr(${column(key)}, 1, ${sql.raw(String(length))}) as ${name}`
      return column(key)
    })
    const named = Object.entries(references).map(
      ([key, { column: name, uuid }]) => sql`${uuid(column(name))} as ${sql.identifier(key)}`,
    )
    const linked = Object.entries(lists).map(
      ([key, { uuids }]) =>
        sql`${uuids(dialect, column('id'), column('system_id'))} as ${sql.identifier(key)}`,
    )
    const ids = ['id', 'uuid', 'system_id'].map(column)
    return sql.join([...ids, ...own, ...named, ...linked], sql`, `)
  }

  /** Prepares a query of the rows that a condition selects. */
  const select = <Name extends string>(condition: (values: Placeholders<Name>) => SQL) =>
    query(
      (_, values: Placeholders<Name>, dialect) =>
        sql<OwnedRow<E>>`select ${selection(dialect)} from ${rows} where ${condition(values)}`,
      decoded,
    )

  const byUuid = select(
    ({ uuid, system }: Placeholders<'uuid' | 'system'>) =>
      sql`${column('uuid')} = ${uuid} and ${column('system_id')} = ${system}`,
  )

  const newestFirst = sql`order by ${column(order)} desc, ${column('id')} desc`

  const isInPage = <Name extends string>(
    condition: PageCondition<Name>,
    values: Placeholders<Name | PageName>,
  ): SQL => {
    const { system, before, beforeId, limit } = values as Placeholders<PageName>
    const time = column(order)
    return sql`${column('system_id')} = ${system} and ${condition(values, column)}
      and (${time} < ${before} or (${time} = ${before} and ${column('id')} < ${beforeId}))
      ${newestFirst} limit ${limit}`
  }

  /** Prepares a query of one page of a list. */
  const selectPage = <Name extends string = never>(
    condition: PageCondition<Name> = () => sql`true`,
  ) => select((values: Placeholders<Name | PageName>) => isInPage(condition, values))

  /** Prepares a query of the row IDs of one page of a list, with the size of a text. */
  const selectSizes = <Name extends string = never>(
    key: keyof Row<E> & string,
    condition: PageCondition<Name> = () => sql`true`,
  ) =>
    query(
      (_, values: Placeholders<Name | PageName>, { size }) =>
        sql<RowSize>`select ${column('id')}, ${column(order)} as time,
          coalesce(${size(column(key))}, 0) as size
          from ${rows} where ${isInPage(condition, values)}`,
    )

  /** Prepares a query of rows of a list by their row IDs, with only the beginning of some texts. */
  const selectListed = (lengths: Lengths) =>
    query(
      (_, { ids }: Placeholders<'ids'>, dialect) =>
        sql<OwnedRow<E>>`select ${selection(dialect, lengths)} from ${rows}
          where ${dialect.inJsonNumbers(column('id'), ids)} ${newestFirst}`,
      decoded,
    )

  const inOrder = select(
    ({ system }: Placeholders<'system'>) =>
      sql`${column('system_id')} = ${system} order by ${column(order)}, ${column('id')}`,
  )

  const countRows = query(
    (_, { system }: Placeholders<'system'>, { count }) =>
      sql<{
        size: number
      }>`select ${count()} as size from ${rows} where ${column('system_id')} = ${system}`,
  )

  const insertRow = createInserter<TableWithId>(table, [
    'uuid',
    'system_id',
    ...ownKeys,
    ...referenceColumns,
  ])
  const updateRow = createUpdater(table)
  const deleteRow = query((db, { id }: Placeholders<'id'>) =>
    db.delete(table).where(sql`${table.id} = ${id}`),
  )
  const removeRow =
    kind.remove ??
    (async (tx: Db, id: number): Promise<UsageChange> => {
      await deleteRow(tx).run({ id })
      return {}
    })

  const find = async (db: Db, systemId: number, uuid: string): Promise<OwnedRow<E> | null> =>
    isUuid(uuid)
      ? await decodedRow(byUuid(db).get({ uuid: uuid.toLowerCase(), system: systemId }))
      : null

  const decodedRow = async (found: MaybePromise<OwnedRow<E> | null>) => {
    const row = await found
    return row && decodeLists(row)
  }

  const get = async (db: Db, systemId: number, uuid: string): Promise<OwnedRow<E>> => {
    const found = await find(db, systemId, uuid)
    if (!found) throw error(kind.missing)
    return found
  }

  /** Replaces references of a draft or a patch by UUIDs, and returns the row IDs by column. */
  const resolve = async (tx: Db, systemId: number, given: JsonObject) => {
    const ids: JsonObject = {}
    const uuids: JsonObject = {}
    for (const [key, { column: name, resolve: resolveRef }] of Object.entries(references)) {
      const ref = given[key]
      if (ref === undefined) continue
      const found = typeof ref === 'string' ? await resolveRef(tx, systemId, ref, key) : null
      ids[name] = found?.id ?? null
      uuids[key] = found?.uuid ?? null
    }
    return { ids, uuids }
  }

  const checkBody = (body: JsonObject, before: OwnedRow<E> | null) =>
    kind.checkBody?.(body, before) ?? {}

  const validate = (deps: Deps, row: Row<E>) =>
    throwIfInvalid(kind.validate?.(row, deps.now()) ?? {})

  const record = (
    deps: Deps,
    tx: Db,
    type: EventType,
    { system_id, uuid }: { system_id: number; uuid: string },
    data: JsonObject | null,
  ) => recordEvent(tx, deps.now(), { system_id, type, subject: uuid, data })

  const requireSpace = async (deps: Deps, tx: Db, systemId: number, bytes: number) => {
    if ('counter' in limit)
      return addUsage(deps, tx, systemId, { text_bytes: bytes, [limit.counter]: 1 })
    const size = (await countRows(tx).get({ system: systemId }))?.size ?? 0
    if (size >= limit.max) throw limitReached(limit.what, limit.max)
    return addUsage(deps, tx, systemId, { text_bytes: bytes })
  }

  /** Inserts a row in an open transaction, with its event. */
  const insert = async (
    deps: Deps,
    tx: Db,
    systemId: number,
    draft: Draft<E>,
  ): Promise<OwnedRow<E>> => {
    throwIfInvalid(checkBody(draft, null))
    const { ids, uuids } = await resolve(tx, systemId, draft)
    const now = deps.now()
    const chosen = await kind.chooseValues?.(tx, systemId, draft, null, now)
    const values: JsonObject = { ...fillDefaults(entity, draft), ...uuids, ...chosen }
    for (const key of kind.timeKeys) values[key] ??= now
    const filled = values as Row<E>
    validate(deps, filled)
    await kind.check?.(tx, filled, systemId)
    await requireSpace(deps, tx, systemId, textBytes(entity, values))
    const identity = { uuid: randomUUID(), system_id: systemId }
    const id = await insertRow(tx, { ...values, ...ids, ...identity })
    for (const [key, { store }] of Object.entries(lists))
      if (key in draft) await store(tx, systemId, id, values[key] as string[])
    await record(deps, tx, events.created, identity, {
      ...kind.eventData(filled),
      keys: Object.keys(draft),
    })
    const created = { ...filled, ...identity, id }
    await kind.onCreate?.(tx, created)
    return created
  }

  /** Changes a row in an open transaction, with its event, if the patch changes anything. */
  const update = async (
    deps: Deps,
    tx: Db,
    before: OwnedRow<E>,
    patch: Patch<E>,
  ): Promise<OwnedRow<E>> => {
    throwIfInvalid(checkBody(patch, before))
    const { ids, uuids } = await resolve(tx, before.system_id, patch)
    const chosen = await kind.chooseValues?.(tx, before.system_id, patch, before, deps.now())
    const given: JsonObject = { ...patch, ...uuids, ...chosen }
    for (const key of kind.timeKeys) if (given[key] === null) given[key] = deps.now()
    const changed: JsonObject = diff<E>(before, given as Patch<E>)
    if (isEmptyPatch(changed)) return before
    const keys = Object.keys(changed)
    if (kind.editedKeys?.some((key) => keys.includes(key))) changed.edited = deps.now()
    const after = { ...before, ...changed }
    validate(deps, after)
    const grown = textBytes(entity, after) - textBytes(entity, before)
    await addUsage(deps, tx, before.system_id, { text_bytes: grown })
    const stored = Object.fromEntries(
      Object.entries(changed).filter(([key]) => !(key in references) && !(key in lists)),
    )
    const moved = Object.fromEntries(
      Object.entries(references)
        .filter(([key]) => key in changed)
        .map(([, { column: name }]) => [name, ids[name]]),
    )
    const columnsToSet = { ...stored, ...moved }
    if (!isEmptyPatch(columnsToSet)) await updateRow(tx, before.id, columnsToSet)
    for (const [key, { store }] of Object.entries(lists))
      if (key in changed) await store(tx, before.system_id, before.id, changed[key] as string[])
    const further = await kind.onChange?.(deps, tx, before, after)
    await record(deps, tx, events.changed, before, { ...kind.eventData(after), keys, ...further })
    return after
  }

  const remove = async (deps: Deps, tx: Db, row: OwnedRow<E>): Promise<void> => {
    const { text_bytes = 0, ...freed } = await removeRow(tx, row.id)
    await addUsage(deps, tx, row.system_id, {
      ...freed,
      text_bytes: text_bytes - textBytes(entity, row),
      ...('counter' in limit && { [limit.counter]: -1 }),
    })
    await record(deps, tx, events.removed, row, null)
  }

  /** Runs a write on one of the caller's rows. */
  const change = async <T>(
    deps: Deps,
    viewer: Viewer,
    uuid: string,
    apply: (tx: Db, row: OwnedRow<E>) => Promise<T>,
  ): Promise<T> => {
    const systemId = requireSystem(viewer, write)
    return deps.transact({ system: systemId }, async (tx) =>
      apply(tx, await get(tx, systemId, uuid)),
    )
  }

  /** Redacts a row for its owner: no other caller gets these rows. */
  const redactForOwner = (row: OwnedRow<E>): Redacted<E> => redact<E>(entity, row, 'owner')

  /** Returns the values of a page's first row in its order. */
  const beginOf = async (db: Db, systemId: number, position: ListPosition) => {
    if (position === null) return { before: Infinity, beforeId: 0 }
    if ('before' in position) return { before: position.before, beforeId: 0 }
    const row: JsonObject = await get(db, systemId, position.uuid)
    return { before: Number(row[order]), beforeId: Number(row.id) }
  }

  return {
    find,
    get,
    insert,
    update,
    remove,
    record,
    selectPage,
    selectSizes,
    selectListed,

    /** Returns the values of a statement of `selectPage`. */
    async pageValues(db: Db, systemId: number, { limit, position }: PageRequest) {
      return { system: systemId, limit, ...(await beginOf(db, systemId, position)) }
    },

    redactForOwner,

    /** Lists all rows of a system in their order. */
    async allInOrder(db: Db, systemId: number): Promise<OwnedRow<E>[]> {
      return (await inOrder(db).all({ system: systemId })).map(decodeLists)
    },

    async listInOrder(deps: Deps, viewer: Viewer): Promise<Redacted<E>[]> {
      const systemId = requireSystem(viewer, read)
      const found = await inOrder(deps.db).all({ system: systemId })
      return found.map((row) => redactForOwner(decodeLists(row)))
    },

    async getOwn(deps: Deps, viewer: Viewer, uuid: string): Promise<Redacted<E>> {
      return redactForOwner(await get(deps.db, requireSystem(viewer, read), uuid))
    },

    /**
     * Returns problems of an unparsed body that only the stored row shows, so that they are reported
     * together with those of its values.
     */
    async findProblems(
      { db }: Deps,
      viewer: Viewer,
      uuid: string | null,
      body: JsonObject,
    ): Promise<Problems> {
      const systemId = requireSystem(viewer, write)
      if (uuid === null) return checkBody(body, null)
      const before = await find(db, systemId, uuid)
      // The change itself reports that there is no such row.
      return before ? checkBody(body, before) : {}
    },

    async create(deps: Deps, viewer: Viewer, draft: Draft<E>): Promise<Redacted<E>> {
      const systemId = requireSystem(viewer, write)
      return deps.transact({ system: systemId }, async (tx) => {
        await requireExists(tx, systemId)
        return redactForOwner(await insert(deps, tx, systemId, draft))
      })
    },

    async patch(deps: Deps, viewer: Viewer, uuid: string, patch: Patch<E>): Promise<Redacted<E>> {
      return change(deps, viewer, uuid, async (tx, row) =>
        redactForOwner(await update(deps, tx, row, patch)),
      )
    },

    async delete(deps: Deps, viewer: Viewer, uuid: string): Promise<void> {
      await change(deps, viewer, uuid, (tx, row) => remove(deps, tx, row))
    },

    change,
  }
}
