// Rows with UUIDs only, and lists of them: what the extension API adds. For rows with short IDs, see
// `entityRows.ts`.

import {
  type Column,
  getTableColumns,
  getTableName,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import { ownedTable } from '../../db/ownedTables'
import { cachePer, type Placeholders, query } from '../../db/query'
import {
  createInserter,
  createUpdater,
  type OwnedTable,
  pick,
  type TableWithId,
} from '../../db/rows'
import type { Db } from '../../db/types'
import { deletedMemberName } from '../../db/visible'
import type { Entity, JsonObject, Patch, Row } from '../../model/core/entity'
import { type ErrorName, error, type Problems } from '../../model/core/errors'
import type { ListPosition, PageRequest } from '../../model/core/listPage'
import type { Permission } from '../../model/core/privacy'
import { isUuid } from '../../model/core/ref'
import type { Instant } from '../../model/core/time'
import type { EventType } from '../../model/events'
import {
  type EntityOf,
  type OwnedList,
  ownedEvents,
  ownedKind,
  ownedKinds,
  type RowLimit,
} from '../../model/ownedKinds'
import type { StoreDeps } from './storeDeps'
import type { UsageChange } from './usage'

/** A row of such a kind. Its field table has the keys of the JSON, with UUIDs for references. */
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

/**
 * What the objects of one kind differ in. A new one of a kind with positions is the last, unless its
 * position is given. A creation calls `checkBody`, the `resolve` of references,
 * `chooseValues`, `validate` and `check`; once the row is inserted the `store` of lists, `eventData`
 * and `onCreate`. A change calls `checkBody`, `resolve`, `chooseValues` and, if anything changes,
 * `validate`, the `store` of lists, `onChange` and `eventData`. A deletion calls `remove`.
 */
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
  readonly timeKeys: readonly string[]
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
    patch: Patch<E>,
    before: OwnedRow<E> | null,
    now: Instant,
  ) => Promise<Patch<E>>
  /** Adapts other rows to a new row. */
  readonly onCreate?: (tx: Db, row: OwnedRow<E>) => Promise<void>
  /** Adapts other rows to a change. Returns further data of its event. */
  readonly onChange?: (
    deps: StoreDeps,
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

/** Returns what the tables of kinds say about a kind, which has no references. */
export function ownedRowFacts<L extends OwnedList>(list: L): OwnedRowKind<EntityOf<L>> {
  const { entity } = ownedKinds[list]
  const { eventKeys = [], ...facts } = ownedKind(list)
  const { table, visible } = ownedTable(list)
  return {
    ...facts,
    entity,
    table,
    rows: visible,
    references: {},
    events: ownedEvents(list),
    eventData: (row) => pick<JsonObject>(row, eventKeys),
  } as OwnedRowKind<EntityOf<L>>
}

/** Row of a list by its position, with the size of one of its texts in bytes. */
export interface RowSize {
  readonly id: number
  readonly time: Instant
  readonly size: number
}

/** Values of a statement of `selectPage`. */
export interface PageValues {
  readonly system: number
  readonly limit: number
  readonly before: number
  readonly beforeId: number
}

/** Finds a row of a system by its UUID. */
export async function findOwnedRow<E extends Entity>(
  db: Db,
  kind: OwnedRowKind<E>,
  systemId: number,
  uuid: string,
): Promise<OwnedRow<E> | null> {
  if (!isUuid(uuid)) return null
  const { byUuid } = statementsOf(kind)
  const row = await byUuid(db).get({ uuid: uuid.toLowerCase(), system: systemId })
  return row && decodeLists(kind, row)
}

export async function getOwnedRow<E extends Entity>(
  db: Db,
  kind: OwnedRowKind<E>,
  systemId: number,
  uuid: string,
): Promise<OwnedRow<E>> {
  const row = await findOwnedRow(db, kind, systemId, uuid)
  if (!row) throw error(kind.missing)
  return row
}

/** Lists all rows of a system in their order. */
export async function listRowsInOrder<E extends Entity>(
  db: Db,
  kind: OwnedRowKind<E>,
  systemId: number,
): Promise<OwnedRow<E>[]> {
  const rows = await statementsOf(kind).inOrder(db).all({ system: systemId })
  return rows.map((row) => decodeLists(kind, row))
}

/** Lists one page of the rows of a system, newest first. */
export async function listRowPage<E extends Entity>(
  db: Db,
  kind: OwnedRowKind<E>,
  systemId: number,
  page: PageRequest,
): Promise<OwnedRow<E>[]> {
  const values = await pageValues(db, kind, systemId, page)
  return await statementsOf(kind).page(db).all(values)
}

export async function countOwnedRows<E extends Entity>(
  db: Db,
  kind: OwnedRowKind<E>,
  systemId: number,
): Promise<number> {
  return (await statementsOf(kind).countRows(db).get({ system: systemId }))?.size ?? 0
}

/** Returns the position after the last row of a system. */
export async function nextPosition<E extends Entity>(
  db: Db,
  kind: OwnedRowKind<E>,
  systemId: number,
): Promise<number> {
  return (await statementsOf(kind).nextPosition(db).get({ system: systemId }))?.next ?? 0
}

/** Replaces references of a draft or a patch by UUIDs, and returns the row IDs by column. */
export async function resolveReferences<E extends Entity>(
  tx: Db,
  { references }: OwnedRowKind<E>,
  systemId: number,
  values: JsonObject,
): Promise<{ ids: JsonObject; uuids: JsonObject }> {
  const ids: JsonObject = {}
  const uuids: JsonObject = {}
  for (const [key, { column, resolve }] of Object.entries(references)) {
    const ref = values[key]
    if (ref === undefined) continue
    const target = typeof ref === 'string' ? await resolve(tx, systemId, ref, key) : null
    ids[column] = target?.id ?? null
    uuids[key] = target?.uuid ?? null
  }
  return { ids, uuids }
}

/** Inserts a row and returns its row ID. The values of references are row IDs. */
export function insertOwnedRow<E extends Entity>(
  tx: Db,
  kind: OwnedRowKind<E>,
  values: JsonObject,
): Promise<number> {
  return statementsOf(kind).insertRow(tx, values)
}

/** Updates the given columns of a row. */
export async function updateOwnedRow<E extends Entity>(
  tx: Db,
  kind: OwnedRowKind<E>,
  id: number,
  changed: JsonObject,
): Promise<void> {
  await statementsOf(kind).updateRow(tx, id, changed)
}

/** Deletes a row with what belongs to it. Returns what this frees besides the row. */
export async function removeOwnedRow<E extends Entity>(
  tx: Db,
  kind: OwnedRowKind<E>,
  id: number,
): Promise<UsageChange> {
  if (kind.remove) return kind.remove(tx, id)
  await statementsOf(kind).deleteRow(tx).run({ id })
  return {}
}

/** Numbers of characters by the keys of texts. */
type Lengths = Readonly<Record<string, number>>

type PageName = keyof PageValues

/** Builds the condition of a list from its values and from the columns of its rows. */
type PageCondition<Name extends string> = (
  values: Placeholders<Name>,
  column: (name: string) => SQL,
) => SQL

/** Prepares a query of one page of a list. */
export function selectPage<E extends Entity, Name extends string = never>(
  kind: OwnedRowKind<E>,
  condition: PageCondition<Name> = () => sql`true`,
) {
  return select(kind, (values: Placeholders<Name | PageName>) => isInPage(kind, condition, values))
}

/** Prepares a query of the row IDs of one page of a list, with the size of a text. */
export function selectSizes<E extends Entity, Name extends string = never>(
  kind: OwnedRowKind<E>,
  key: keyof Row<E> & string,
  condition: PageCondition<Name> = () => sql`true`,
) {
  const column = columnsOf(kind)
  return query(
    (_, values: Placeholders<Name | PageName>, { size }) =>
      sql<RowSize>`select ${column('id')}, ${column(kind.order)} as time,
          coalesce(${size(column(key))}, 0) as size
          from ${kind.rows} where ${isInPage(kind, condition, values)}`,
  )
}

/** Prepares a query of rows of a list by their row IDs, with only the beginning of some texts. */
export function selectListed<E extends Entity>(kind: OwnedRowKind<E>, lengths: Lengths) {
  const column = columnsOf(kind)
  return query(
    (_, { ids }: Placeholders<'ids'>, dialect) =>
      sql<OwnedRow<E>>`select ${selection(kind, dialect, lengths)} from ${kind.rows}
          where ${dialect.inJsonNumbers(column('id'), ids)} ${newestFirst(kind)}`,
    decodedColumns(kind),
  )
}

/** Returns the values of a statement of `selectPage`. */
export async function pageValues<E extends Entity>(
  db: Db,
  kind: OwnedRowKind<E>,
  systemId: number,
  { limit, position }: PageRequest,
): Promise<PageValues> {
  return { system: systemId, limit, ...(await beginOf(db, kind, systemId, position)) }
}

/** Returns the values of a page's first row in its order. */
async function beginOf<E extends Entity>(
  db: Db,
  kind: OwnedRowKind<E>,
  systemId: number,
  position: ListPosition,
) {
  if (position === null) return { before: Infinity, beforeId: 0 }
  if ('before' in position) return { before: position.before, beforeId: 0 }
  const row: JsonObject = await getOwnedRow(db, kind, systemId, position.uuid)
  return { before: Number(row[kind.order]), beforeId: Number(row.id) }
}

function isInPage<E extends Entity, Name extends string>(
  kind: OwnedRowKind<E>,
  condition: PageCondition<Name>,
  values: Placeholders<Name | PageName>,
): SQL {
  const { system, before, beforeId, limit } = values as Placeholders<PageName>
  const column = columnsOf(kind)
  const time = column(kind.order)
  return sql`${column('system_id')} = ${system} and ${condition(values, column)}
      and (${time} < ${before} or (${time} = ${before} and ${column('id')} < ${beforeId}))
      ${newestFirst(kind)} limit ${limit}`
}

function newestFirst<E extends Entity>(kind: OwnedRowKind<E>): SQL {
  const column = columnsOf(kind)
  return sql`order by ${column(kind.order)} desc, ${column('id')} desc`
}

/** Prepares a query of the rows that a condition selects. */
function select<E extends Entity, Name extends string>(
  kind: OwnedRowKind<E>,
  condition: (values: Placeholders<Name>) => SQL,
) {
  // SQL text, because the builder has no type for one of several tables.
  return query(
    (_, values: Placeholders<Name>, dialect) =>
      sql<
        OwnedRow<E>
      >`select ${selection(kind, dialect)} from ${kind.rows} where ${condition(values)}`,
    decodedColumns(kind),
  )
}

/** Selects a row, with only the first characters of the texts in `lengths`. */
function selection<E extends Entity>(
  kind: OwnedRowKind<E>,
  dialect: Dialect,
  lengths: Lengths = {},
): SQL {
  const { references, lists = {} } = kind
  const column = columnsOf(kind)
  const author = Object.values(references).find(({ isAuthor }) => isAuthor)
  const columns = ownKeys(kind).map((key) => {
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
  return sql.join([...ids, ...columns, ...named, ...linked], sql`, `)
}

/** Keys of the field table that are columns of the same name. */
function ownKeys<E extends Entity>({ entity, references, lists = {} }: OwnedRowKind<E>): string[] {
  return entity.entries.map(([key]) => key).filter((key) => !(key in references) && !(key in lists))
}

function columnsOf<E extends Entity>({ table }: OwnedRowKind<E>): (name: string) => SQL {
  const tableName = sql.identifier(getTableName(table))
  return (name) => sql`${tableName}.${sql.identifier(name)}`
}

/** Columns of the table whose values are decoded. */
function decodedColumns<E extends Entity>(kind: OwnedRowKind<E>): object {
  const columns = getTableColumns(kind.table) as Record<string, Column>
  return Object.fromEntries(
    ownKeys(kind).flatMap((key) => (columns[key] ? [[key, columns[key]]] : [])),
  )
}

function decodeLists<E extends Entity>({ lists }: OwnedRowKind<E>, row: OwnedRow<E>): OwnedRow<E> {
  if (!lists) return row
  const decoded = Object.keys(lists).map((key) => [
    key,
    JSON.parse(String((row as JsonObject)[key])),
  ])
  return { ...row, ...Object.fromEntries(decoded) }
}

function createStatements<E extends Entity>(kind: OwnedRowKind<E>) {
  const { table, rows, references, order } = kind
  const column = columnsOf(kind)
  return {
    byUuid: select(
      kind,
      ({ uuid, system }: Placeholders<'uuid' | 'system'>) =>
        sql`${column('uuid')} = ${uuid} and ${column('system_id')} = ${system}`,
    ),
    inOrder: select(
      kind,
      ({ system }: Placeholders<'system'>) =>
        sql`${column('system_id')} = ${system} order by ${column(order)}, ${column('id')}`,
    ),
    page: selectPage(kind),
    countRows: query(
      (_, { system }: Placeholders<'system'>, { count }) =>
        sql<{
          size: number
        }>`select ${count()} as size from ${rows} where ${column('system_id')} = ${system}`,
    ),
    nextPosition: query(
      (_, { system }: Placeholders<'system'>) =>
        sql<{
          next: number
        }>`select coalesce(max(position) + 1, 0) as next from ${rows} where ${column('system_id')} = ${system}`,
    ),
    insertRow: createInserter<TableWithId>(table, [
      'uuid',
      'system_id',
      ...ownKeys(kind),
      ...Object.values(references).map((reference) => reference.column),
    ]),
    updateRow: createUpdater(table),
    deleteRow: query((db, { id }: Placeholders<'id'>) =>
      db.delete(table).where(sql`${table.id} = ${id}`),
    ),
  }
}

const statements = cachePer((kind: OwnedRowKind<Entity>) => createStatements(kind))

/** Returns the statements of a kind, whose rows have the fields of its entity. */
function statementsOf<E extends Entity>(kind: OwnedRowKind<E>) {
  const created: unknown = statements(kind as unknown as OwnedRowKind<Entity>)
  return created as ReturnType<typeof createStatements<E>>
}
