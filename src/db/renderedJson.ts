import type { Entity, Identity } from '../model/entity'
import { group } from '../model/group'
import { member } from '../model/member'
import { type Audience, schemaHash } from '../model/renderedJson'
import { system } from '../model/system'
import { statement } from './statement'
import type { Db, MaybePromise } from './types'

/**
 * Rows that carry their faces. Whatever changes a row, a trigger takes its face away; who knows the
 * new row puts the new face beside it, in the same transaction. So a face is right or not there.
 */
const entities = { systems: system, members: member, groups: group } as const

export type RenderedTable = keyof typeof entities

const schemaHashes = {
  systems: schemaHash(system),
  members: schemaHash(member),
  groups: schemaHash(group),
}

const cacheTables = { systems: 'system_faces', members: 'member_faces', groups: 'group_faces' }

export const renderedTables = Object.keys(entities) as RenderedTable[]

export function renderedTableOf(table: RenderedTable): string {
  return cacheTables[table]
}

export function entityOf(table: RenderedTable): Entity {
  return entities[table]
}

/** Rendered JSON of a row, for its owner and for all other callers. */
export interface RenderedJson {
  readonly own: string
  readonly others: string
}

/** Renders the JSON of a whole row; null where the database stores none. */
export function renderForAudiences(
  { renderJson }: Db,
  table: RenderedTable,
  row: object,
): RenderedJson | null {
  if (!renderJson) return null
  const entity = entities[table]
  return { own: renderJson(entity, row, 'owner'), others: renderJson(entity, row, 'others') }
}

/** Stores the rendered JSON of the row with that number. */
export function storeRendered(
  tx: Db,
  table: RenderedTable,
  id: number,
  rendered: RenderedJson,
): MaybePromise<unknown> {
  return store[table](tx).run({ id, ...rendered })
}

/** Puts the faces of a whole row beside it, and gives its owner's. */
export async function renderAndStore(
  tx: Db,
  table: RenderedTable,
  row: { readonly id: number },
): Promise<string> {
  const rendered = renderForAudiences(tx, table, row)
  if (!rendered) return ''
  await storeRendered(tx, table, row.id, rendered)
  return rendered.own
}

/** The object that its owner sees of a row. */
export function ownerJson(
  db: Db,
  table: RenderedTable,
  row: Identity,
  renderedJson = db.renderJson?.(entities[table], row, 'owner') ?? '',
): string {
  return `{"id":"${row.hid}","uuid":"${row.uuid}",${renderedJson}}`
}

/** SQL for the object that an audience sees of a row of the table; null where its face is missing. */
export function renderedObjectSql(table: RenderedTable, audience: Audience, extra = ''): string {
  return objectExpression(table, renderedJsonIn(table, columnFor(audience)), extra)
}

/** The same where only the row tells whether its owner looks. */
export function renderedObjectSqlFor(table: RenderedTable, isOwner: string): string {
  const seen = `case when ${isOwner} then ${columnFor('owner')} else ${columnFor('others')} end`
  return objectExpression(table, renderedJsonIn(table, seen), '')
}

function renderedJsonIn(table: RenderedTable, column: string): string {
  return `(select ${column} from ${cacheTables[table]} f where ${joinsRendered(table)})`
}

/** The same for many rows, where faces are joined: `from` names the table, and what else there is. */
export function renderedRowsSql(
  table: RenderedTable,
  audience: Audience,
  from: string,
  rest: string,
  extra = '',
): string {
  return `select ${objectExpression(table, `f.${columnFor(audience)}`, extra)} as json
    from ${from} left join ${cacheTables[table]} f on ${joinsRendered(table)} ${rest}`
}

function objectExpression(table: RenderedTable, renderedJson: string, extra: string): string {
  const identity = `'{"id":"' || ${table}.hid || '","uuid":"' || ${table}.uuid || '",'`
  return `(${[identity, ...(extra ? [extra] : []), renderedJson, "'}'"].join(' || ')})`
}

function columnFor(audience: Audience): 'own' | 'others' {
  return audience === 'owner' ? 'own' : 'others'
}

function joinsRendered(table: RenderedTable): string {
  return `f.id = ${table}.id and f.shape = ${schemaHashes[table]}`
}

const store = {
  systems: createStore('systems'),
  members: createStore('members'),
  groups: createStore('groups'),
}

function createStore(table: RenderedTable) {
  return statement<'id' | 'own' | 'others'>(`
     insert into ${cacheTables[table]} (id, shape, own, others)
     values (:id, ${schemaHashes[table]}, :own, :others)
     on conflict (id) do update
     set shape = excluded.shape, own = excluded.own, others = excluded.others`)
}
