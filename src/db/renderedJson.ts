import type { Entity, Identity } from '../model/entity'
import { group } from '../model/group'
import { member } from '../model/member'
import { type Audience, type RenderJson, schemaHash } from '../model/renderedJson'
import { system } from '../model/system'
import { statement } from './statement'
import type { Db, MaybePromise } from './types'

/**
 * Cache of rendered JSON per row. A trigger deletes the cached JSON on every change of the row; code
 * that has the new row stores the new JSON in the same transaction. An entry may be missing, but
 * never stale.
 */
const entities = { systems: system, members: member, groups: group } as const

export type RenderedTable = keyof typeof entities

const schemaHashes = {
  systems: schemaHash(system),
  members: schemaHash(member),
  groups: schemaHash(group),
}

const cacheTables = {
  systems: 'rendered_systems',
  members: 'rendered_members',
  groups: 'rendered_groups',
}

export const renderedTables = Object.keys(entities) as RenderedTable[]

export function renderedTableOf(table: RenderedTable): string {
  return cacheTables[table]
}

export function entityOf(table: RenderedTable): Entity {
  return entities[table]
}

/** Renderer of handles that only read or copy stored values. */
export const noRenderer: RenderJson = () => {
  throw new Error('this database handle was opened without a renderer')
}

/** JSON objects of a row, for its owner and for all other callers. */
export interface RenderedJson {
  readonly ownerJson: string
  readonly publicJson: string
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
): Promise<string> {
  const rendered = renderForAudiences(tx, table, row)
  await store[table](tx).run({ id: row.id, ...rendered })
  return rendered.ownerJson
}

/**
 * Updates a row and stores its new JSON. The order matters, because the trigger of the update
 * deletes the cached JSON. A server gets both statements at once.
 */
export function updateAndStore(
  tx: Db,
  table: RenderedTable,
  id: number,
  rendered: RenderedJson,
  update: () => MaybePromise<unknown>,
): Promise<unknown> {
  const updated = update()
  const stored = store[table](tx).run({ id, ...rendered })
  return Promise.all([updated, stored])
}

/** Renders the JSON object of a row for its owner. */
export function ownerJson(db: Db, table: RenderedTable, row: Identity): string {
  return db.renderJson(entities[table], row, 'owner')
}

/** SQL for the cached JSON object of a row; null if it is missing. `column` is an expression. */
export function cachedSql(table: RenderedTable, column: string): string {
  return `(select ${column} from ${cacheTables[table]} f where ${isCacheOf(table)})`
}

/** SQL that joins the cached JSON of rows as `f`. */
export function joinCacheSql(table: RenderedTable): string {
  return `left join ${cacheTables[table]} f on ${isCacheOf(table)}`
}

/** Column of the cache for an audience. */
export function columnFor(audience: Audience): 'owner_json' | 'public_json' {
  return audience === 'owner' ? 'owner_json' : 'public_json'
}

function isCacheOf(table: RenderedTable): string {
  return `f.id = ${table}.id and f.schema_hash = ${schemaHashes[table]}`
}

const store = {
  systems: createStore('systems'),
  members: createStore('members'),
  groups: createStore('groups'),
}

function createStore(table: RenderedTable) {
  return statement<'id' | 'ownerJson' | 'publicJson'>(`
     insert into ${cacheTables[table]} (id, schema_hash, owner_json, public_json)
     values (:id, ${schemaHashes[table]}, :ownerJson, :publicJson)
     on conflict (id) do update
     set schema_hash = excluded.schema_hash, owner_json = excluded.owner_json,
       public_json = excluded.public_json`)
}
