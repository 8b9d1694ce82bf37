import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Entity, Identity } from '../model/core/entity'
import type { Audience, SerializedJson } from '../model/core/privacy'
import { type RenderJson, schemaHash } from '../model/core/schemaHash'
import { group } from '../model/groups/group'
import { member } from '../model/members/member'
import { listedMemberExt } from '../model/members/memberExt'
import { system } from '../model/systems/system'
import { type Placeholders, query } from './query'
import { createUpdater } from './rows'
import {
  groups,
  members,
  renderedGroups,
  renderedMemberExts,
  renderedMembers,
  renderedSystems,
  systems,
} from './tables'
import type { Db } from './types'
import { visibleRows } from './visible'

/**
 * Cache of rendered JSON per row. A trigger deletes the cached JSON on every change of the row; code
 * that has the new row stores the new JSON in the same transaction. An entry may be missing, but
 * never stale.
 */
const entities = {
  systems: system,
  members: member,
  groups: group,
  memberExts: listedMemberExt,
} as const

export type RenderedTable = keyof typeof entities

/** Tables whose rows have all fields of their entity. */
export type RowTable = Exclude<RenderedTable, 'memberExts'>

const schemaHashes = {
  systems: schemaHash(system),
  members: schemaHash(member),
  groups: schemaHash(group),
  memberExts: schemaHash(listedMemberExt),
}

const cacheTables = {
  systems: renderedSystems,
  members: renderedMembers,
  groups: renderedGroups,
  memberExts: renderedMemberExts,
}

/** Row IDs that the cache tables refer to. */
const rowIds = {
  systems: visibleRows.systems.id,
  members: visibleRows.members.id,
  groups: visibleRows.groups.id,
  memberExts: visibleRows.members.id,
}

/** SQL of the row ID that the cached JSON of a table belongs to. */
export function rowIdOf(table: RenderedTable) {
  return rowIds[table]
}

export const renderedTables: readonly RowTable[] = ['systems', 'members', 'groups']

export function entityOf(table: RenderedTable): Entity {
  return entities[table]
}

/** Renderer of handles that only read or copy stored values. */
export const noRenderer: RenderJson = () => {
  throw new Error('this database handle was opened without a renderer')
}

/** JSON objects of a row, for its owner and for all other callers. */
export interface RenderedJson {
  readonly ownerJson: SerializedJson
  readonly publicJson: SerializedJson
}

export function renderForAudiences(
  { renderJson }: Db,
  table: RenderedTable,
  row: object,
): RenderedJson {
  const entity = entities[table]
  return {
    ownerJson: renderJson(entity, row, 'owner'),
    publicJson: renderJson(entity, row, 'public'),
  }
}

/** Renders and stores the JSON of a complete row, and returns the owner's JSON. */
export async function renderAndStore(
  tx: Db,
  table: RenderedTable,
  row: { readonly id: number },
): Promise<SerializedJson> {
  const rendered = renderForAudiences(tx, table, row)
  await store[table](tx).run({ id: row.id, ...rendered })
  return rendered.ownerJson
}

/** Updates the changed keys of a row and its JSON, and returns the owner's JSON. */
export async function updateAndRender(
  tx: Db,
  table: RowTable,
  row: { readonly id: number },
  changed: object,
): Promise<SerializedJson> {
  const rendered = renderForAudiences(tx, table, row)
  await updateAndStore(tx, table, row.id, changed, rendered)
  return rendered.ownerJson
}

/**
 * Updates a row and stores its new JSON. The order matters, because the trigger of the update
 * deletes the cached JSON. A server gets both statements at once.
 */
export function updateAndStore(
  tx: Db,
  table: RowTable,
  id: number,
  changed: object,
  rendered: RenderedJson,
): Promise<unknown> {
  const updated = updateRow[table](tx, id, changed)
  const stored = store[table](tx).run({ id, ...rendered })
  return Promise.all([updated, stored])
}

/** Update rows without storing their JSON, which is rendered when it is read. */
export const updateRow = {
  systems: createUpdater(systems),
  members: createUpdater(members),
  groups: createUpdater(groups),
}

export function ownerJson(db: Db, table: RenderedTable, row: Identity): SerializedJson {
  return db.renderJson(entities[table], row, 'owner')
}

/** SQL for the cached JSON object of a row; null if it is missing. `json` is an expression. */
export function cachedSql(table: RenderedTable, json: SQLWrapper): SQL {
  return sql`(select ${json} from ${cacheTables[table]} where ${isCacheOf(table)})`
}

export function joinCacheSql(table: RenderedTable): SQL {
  return sql`left join ${cacheTables[table]} on ${isCacheOf(table)}`
}

export function columnFor(table: RenderedTable, audience: Audience) {
  const { owner_json, public_json } = cacheTables[table]
  return audience === 'owner' ? owner_json : public_json
}

function isCacheOf(table: RenderedTable): SQL | undefined {
  const { id, schema_hash } = cacheTables[table]
  return and(eq(id, rowIds[table]), eq(schema_hash, schemaHashes[table]))
}

const store = {
  systems: createStore('systems'),
  members: createStore('members'),
  groups: createStore('groups'),
  memberExts: createStore('memberExts'),
}

function createStore(table: RenderedTable) {
  return query((db, { id, ownerJson, publicJson }: Placeholders<'id' | keyof RenderedJson>) => {
    const row = {
      schema_hash: schemaHashes[table],
      owner_json: ownerJson,
      public_json: publicJson,
    }
    const cache = cacheTables[table]
    return db
      .insert(cache)
      .values({ id, ...row })
      .onConflictDoUpdate({ target: cache.id, set: row })
  })
}
