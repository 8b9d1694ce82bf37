import type { Entity, Identity } from '../model/entity'
import { group } from '../model/group'
import { member } from '../model/member'
import { type Audience, schemaHash } from '../model/renderedJson'
import { system } from '../model/system'
import type { Db, Soon } from './handle'
import { statement } from './statement'

/**
 * Rows that carry their faces. Whatever changes a row, a trigger takes its face away; who knows the
 * new row puts the new face beside it, in the same transaction. So a face is right or not there.
 */
const faced = { systems: system, members: member, groups: group } as const

export type Faced = keyof typeof faced

const shapes = {
  systems: schemaHash(system),
  members: schemaHash(member),
  groups: schemaHash(group),
}

const faceTables = { systems: 'system_faces', members: 'member_faces', groups: 'group_faces' }

export const facedTables = Object.keys(faced) as Faced[]

export function faceTableOf(table: Faced): string {
  return faceTables[table]
}

export function entityOf(table: Faced): Entity {
  return faced[table]
}

/** Rendered JSON of a row, for its owner and for all other callers. */
export interface Faces {
  readonly own: string
  readonly others: string
}

/** Renders the JSON of a whole row; null where the database stores none. */
export function renderFaces({ render }: Db, table: Faced, row: object): Faces | null {
  if (!render) return null
  const entity = faced[table]
  return { own: render(entity, row, 'owner'), others: render(entity, row, 'others') }
}

/** Stores the rendered JSON of the row with that number. */
export function storeRendered(tx: Db, table: Faced, id: number, faces: Faces): Soon<unknown> {
  return store[table](tx).run({ id, ...faces })
}

/** Puts the faces of a whole row beside it, and gives its owner's. */
export async function storeFaces(
  tx: Db,
  table: Faced,
  row: { readonly id: number },
): Promise<string> {
  const faces = renderFaces(tx, table, row)
  if (!faces) return ''
  await storeRendered(tx, table, row.id, faces)
  return faces.own
}

/** The object that its owner sees of a row. */
export function spellOwn(
  db: Db,
  table: Faced,
  row: Identity,
  face = db.render?.(faced[table], row, 'owner') ?? '',
): string {
  return `{"id":"${row.hid}","uuid":"${row.uuid}",${face}}`
}

/** SQL for the object that an audience sees of a row of the table; null where its face is missing. */
export function objectSql(table: Faced, audience: Audience, extra = ''): string {
  return spellObject(table, faceIn(table, columnFor(audience)), extra)
}

/** The same where only the row tells whether its owner looks. */
export function objectSqlFor(table: Faced, isOwner: string): string {
  const seen = `case when ${isOwner} then ${columnFor('owner')} else ${columnFor('others')} end`
  return spellObject(table, faceIn(table, seen), '')
}

function faceIn(table: Faced, column: string): string {
  return `(select ${column} from ${faceTables[table]} f where ${isItsFace(table)})`
}

/** The same for many rows, where faces are joined: `from` names the table, and what else there is. */
export function objectsSql(
  table: Faced,
  audience: Audience,
  from: string,
  rest: string,
  extra = '',
): string {
  return `select ${spellObject(table, `f.${columnFor(audience)}`, extra)} as json
    from ${from} left join ${faceTables[table]} f on ${isItsFace(table)} ${rest}`
}

function spellObject(table: Faced, face: string, extra: string): string {
  const identity = `'{"id":"' || ${table}.hid || '","uuid":"' || ${table}.uuid || '",'`
  return `(${[identity, ...(extra ? [extra] : []), face, "'}'"].join(' || ')})`
}

function columnFor(audience: Audience): 'own' | 'others' {
  return audience === 'owner' ? 'own' : 'others'
}

function isItsFace(table: Faced): string {
  return `f.id = ${table}.id and f.shape = ${shapes[table]}`
}

const store = {
  systems: createStore('systems'),
  members: createStore('members'),
  groups: createStore('groups'),
}

function createStore(table: Faced) {
  return statement<'id' | 'own' | 'others'>(`
     insert into ${faceTables[table]} (id, shape, own, others)
     values (:id, ${shapes[table]}, :own, :others)
     on conflict (id) do update
     set shape = excluded.shape, own = excluded.own, others = excluded.others`)
}
