import type { Entity, Identity } from '../model/entity'
import { group } from '../model/group'
import { member } from '../model/member'
import { type Audience, schemaHash } from '../model/renderedJson'
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

/** Rendered JSON of a row, for its owner and for all other callers. */
export interface RenderedJson {
  readonly ownerJson: string
  readonly publicJson: string
}

/** Renders the JSON of a complete row; null if this handle has no renderer. */
export function renderForAudiences(
  { renderJson }: Db,
  table: RenderedTable,
  row: object,
): RenderedJson | null {
  if (!renderJson) return null
  const entity = entities[table]
  return {
    ownerJson: renderJson(entity, row, 'owner'),
    publicJson: renderJson(entity, row, 'others'),
  }
}

/** Stores the rendered JSON of the row with this ID. */
export function storeRendered(
  tx: Db,
  table: RenderedTable,
  id: number,
  rendered: RenderedJson,
): MaybePromise<unknown> {
  return store[table](tx).run({ id, ...rendered })
}

/** Renders and stores the JSON of a complete row, and returns the owner's JSON. */
export async function renderAndStore(
  tx: Db,
  table: RenderedTable,
  row: { readonly id: number },
): Promise<string> {
  const rendered = renderForAudiences(tx, table, row)
  if (!rendered) return ''
  await storeRendered(tx, table, row.id, rendered)
  return rendered.ownerJson
}

/** Builds the JSON object of a row for its owner. */
export function ownerJson(
  db: Db,
  table: RenderedTable,
  row: Identity,
  renderedJson = db.renderJson?.(entities[table], row, 'owner') ?? '',
): string {
  return `{"id":"${row.hid}","uuid":"${row.uuid}",${renderedJson}}`
}

/** SQL for the JSON object of a row for an audience; null if its rendered JSON is missing. */
export function renderedObjectSql(table: RenderedTable, audience: Audience, extra = ''): string {
  return objectExpression(table, renderedJsonIn(table, columnFor(audience)), extra)
}

/** The same if the row decides the audience: `isOwner` is an SQL condition. */
export function renderedObjectSqlFor(table: RenderedTable, isOwner: string): string {
  const column = `case when ${isOwner} then ${columnFor('owner')} else ${columnFor('others')} end`
  return objectExpression(table, renderedJsonIn(table, column), '')
}

function renderedJsonIn(table: RenderedTable, column: string): string {
  return `(select ${column} from ${cacheTables[table]} f where ${joinCondition(table)})`
}

/** The same for many rows, with a join. `from` names the table and any further tables. */
export function renderedRowsSql(
  table: RenderedTable,
  audience: Audience,
  from: string,
  rest: string,
  extra = '',
): string {
  return `select ${objectExpression(table, `f.${columnFor(audience)}`, extra)} as json
    from ${from} left join ${cacheTables[table]} f on ${joinCondition(table)} ${rest}`
}

function objectExpression(table: RenderedTable, renderedJson: string, extra: string): string {
  const identity = `'{"id":"' || ${table}.hid || '","uuid":"' || ${table}.uuid || '",'`
  return `(${[identity, ...(extra ? [extra] : []), renderedJson, "'}'"].join(' || ')})`
}

function columnFor(audience: Audience): 'owner_json' | 'public_json' {
  return audience === 'owner' ? 'owner_json' : 'public_json'
}

function joinCondition(table: RenderedTable): string {
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
