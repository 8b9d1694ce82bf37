import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import {
  cachedSql,
  columnFor,
  joinCacheSql,
  type RenderedTable,
  type RowTable,
  rowIdOf,
} from '../../db/renderedJson'
import { extUsage, members } from '../../db/tables'
import { visibleRows } from '../../db/visible'
import type { Audience } from '../../model/core/privacy'
import { type ListAccess, listAccessRules } from '../../model/core/privacy'

/**
 * SQL text, because responses are assembled in SQL from rendered JSON, which saves half of the time. Where it is missing in the cache, the
 * result has a gap: the table and the ID of the row, and the number of characters that the rest of
 * the result replaces, between two characters that JSON never contains.
 */

const MARK = '\u0001'

/** Kinds of gaps. Lists show a member extension without a long description, the whole one has it. */
export type GapTable = RenderedTable | 'wholeMemberExts'

export interface Gap {
  readonly table: GapTable
  readonly id: number
  readonly skipped: number
}

/** Byte that only JSON with gaps contains. */
export const GAP_MARK = MARK.charCodeAt(0)

const GAP = new RegExp(`${MARK}([a-zA-Z]+) (\\d+) (\\d+)${MARK}`, 'g')

export function gapsIn(text: string): Gap[] {
  return [...text.matchAll(GAP)].map(([, table, id, skipped]) => ({
    table: table as GapTable,
    id: Number(id),
    skipped: Number(skipped),
  }))
}

/** Replaces the gaps, in their order. */
export function fillGaps(text: string, fills: readonly string[]): string {
  let index = 0
  return text.replaceAll(GAP, () => fills[index++] ?? '')
}

/** SQL for the JSON object of a row. `json` is an expression on its cache. */
export function renderedObjectSql(table: RenderedTable, json: SQLWrapper): SQL {
  return orGap(table, cachedSql(table, json))
}

/** SQL for the JSON object of a row, with further members after its IDs. */
export function extendedObjectSql(
  dialect: Dialect,
  table: RowTable,
  audience: Audience,
  extra: SQL,
): SQL {
  return withExtra(dialect, table, cachedSql(table, columnFor(table, audience)), extra)
}

/** SQL for a JSON array of such objects. `from` names the table and any further tables. */
export function renderedListSql(
  dialect: Dialect,
  table: RowTable,
  audience: Audience,
  {
    from = sql`${visibleRows[table]}`,
    rest,
    extra,
  }: { from?: SQL; rest: SQL; extra?: SQL | undefined },
): SQL {
  const cached = columnFor(table, audience)
  const json = extra ? withExtra(dialect, table, cached, extra) : orGap(table, cached)
  return jsonListSql(
    dialect,
    sql`select ${json} as json from ${from} ${joinCacheSql(table)} ${rest}`,
  )
}

function orGap(table: GapTable, json: SQLWrapper, skipped = sql`0`): SQL {
  const rowId = rowIdOf(table === 'wholeMemberExts' ? 'memberExts' : table)
  return sql`coalesce(${json}, ${`${MARK}${table} `} || ${rowId} || ' ' || ${skipped} || ${MARK})`
}

/** Beginning of the cached JSON of a member extension that has its whole description. */
const WHOLE = '{"about_excerpt":null,'

/** SQL for the JSON object of a member with what the extension API adds to it. */
export function extendedMemberSql({ asciiTail }: Dialect, audience: Audience): SQL {
  const column = columnFor('memberExts', audience)
  const whole = sql`case when ${column} like ${`${WHOLE}%`} then ${asciiTail(column, sql`${WHOLE.length}`)} end`
  const added = orGap('wholeMemberExts', cachedSql('memberExts', whole), sql`1`)
  const member = orGap('members', cachedSql('members', columnFor('members', audience)))
  return sql`'{"member":' || ${member} || ',' || ${added}`
}

/** Members in lists: those of version 2, or with what the extension API adds to them. */
export type MemberList = 'v2' | 'extended'

/** SQL for a JSON array of members. */
export function memberListSql(
  dialect: Dialect,
  list: MemberList,
  audience: Audience,
  rest: SQL,
): SQL {
  const member = orGap('members', columnFor('members', audience))
  if (list === 'v2') return listOfMembersSql(dialect, list, member, rest)
  const ext = dialect.asciiTail(columnFor('memberExts', audience), sql`1`)
  const json = sql`'{"member":' || ${member} || ',' || ${orGap('memberExts', ext, sql`1`)}`
  return listOfMembersSql(dialect, list, json, rest)
}

/** Number of members whose list is small, unless the extension API adds long texts. */
const FEW_MEMBERS = 24

/**
 * SQL condition that the list of the members of a system may have more bytes than a limit. `unknown`
 * counts for JSON that is not cached. Private members count for all callers: without looking at the
 * rows of members, the sum takes half of the time.
 */
export function isLargeListSql(
  dialect: Dialect,
  list: MemberList,
  audience: Audience,
  systemId: SQLWrapper,
  limit: number,
  unknown: number,
): SQL {
  const isOfSystem = sql`${members.system_id} = ${systemId}`
  const first = sql`(select 1 from ${members} where ${isOfSystem} limit ${FEW_MEMBERS + 1}) few`
  const hasMany = sql`(select count(*) from ${first}) > ${FEW_MEMBERS}`
  const { text_bytes, system_id } = extUsage
  const text = sql`(select ${text_bytes} from ${extUsage} where ${system_id} = ${systemId})`
  const maybe = list === 'v2' ? hasMany : sql`(${hasMany} or ${text} > ${limit})`
  const size = memberSizeSql(dialect, list, audience, unknown)
  const joined = sql`${members} ${joinMemberCachesSql(list)}`
  return sql`(${maybe} and (select sum(${size}) from ${joined} where ${isOfSystem}) > ${limit})`
}

/** SQL for a JSON array of the row IDs and sizes of members. */
export function memberSizesSql(
  dialect: Dialect,
  list: MemberList,
  audience: Audience,
  unknown: number,
  rest: SQL,
): SQL {
  const size = memberSizeSql(dialect, list, audience, unknown)
  const pair = sql`'[' || ${rowIdOf('members')} || ',' || ${size} || ']'`
  return listOfMembersSql(dialect, list, pair, rest)
}

function memberSizeSql(
  { size }: Dialect,
  list: MemberList,
  audience: Audience,
  unknown: number,
): SQL {
  const sizeOf = (table: RenderedTable) =>
    sql`coalesce(${size(columnFor(table, audience))}, ${unknown})`
  return list === 'v2' ? sizeOf('members') : sql`(${sizeOf('members')} + ${sizeOf('memberExts')})`
}

function listOfMembersSql(dialect: Dialect, list: MemberList, json: SQL, rest: SQL): SQL {
  return jsonListSql(dialect, sql`select ${json} as json from ${membersWithCacheSql(list)} ${rest}`)
}

function membersWithCacheSql(list: MemberList): SQL {
  return sql`${visibleRows.members} ${joinMemberCachesSql(list)}`
}

function joinMemberCachesSql(list: MemberList): SQL {
  const ext = list === 'extended' ? joinCacheSql('memberExts') : sql``
  return sql`${joinCacheSql('members')} ${ext}`
}

/** SQL for the JSON object of a row with further members after its IDs. */
function withExtra({ asciiTail }: Dialect, table: RowTable, json: SQLWrapper, extra: SQL): SQL {
  const { hid, uuid } = visibleRows[table]
  const ids = sql`(length(${hid}) + length(${uuid}) + ${'{"id":"","uuid":"",'.length})`
  const fields = orGap(table, asciiTail(json, ids), ids)
  return sql`'{"id":"' || ${hid} || '","uuid":"' || ${uuid} || '",' || ${extra} || ${fields}`
}

/**
 * SQL for a list that a privacy level of `table` protects: null for other callers if it is private.
 */
export function ifListPublicSql<L extends ListAccess>(
  list: L,
  levels: { readonly [K in (typeof listAccessRules)[L]['level']]: SQLWrapper },
  audience: Audience,
  json: SQL,
): SQL {
  if (audience === 'owner') return json
  const level = levels[listAccessRules[list].level as (typeof listAccessRules)[L]['level']]
  return sql`case when ${level} = 'public' then ${json} end`
}

/** SQL for a JSON array of the rows of a query that selects each row's JSON as `json`. */
export function jsonListSql({ groupConcat }: Dialect, query: SQL): SQL {
  return sql`(select '[' || coalesce(${groupConcat(sql`json`)}, '') || ']' from (${query}) rows)`
}
