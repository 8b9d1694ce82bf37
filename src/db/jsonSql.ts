import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Audience } from '../model/privacy'
import { type ListAccess, listAccessRules } from '../model/privacy'
import type { Dialect } from './dialect'
import {
  cachedSql,
  columnFor,
  joinCacheSql,
  type RenderedTable,
  type RowTable,
  rowIdOf,
} from './renderedJson'
import { visibleRows } from './visible'

/**
 * SQL text, because responses are assembled in SQL from rendered JSON, which saves half of the time. Where it is missing in the cache, the
 * result has a gap: the table and the ID of the row, and the number of characters that the rest of
 * the result replaces, between two characters that JSON never contains.
 */

const MARK = '\u0001'

export interface Gap {
  readonly table: RenderedTable
  readonly id: number
  readonly skipped: number
}

/** Byte that only JSON with gaps contains. */
export const GAP_MARK = MARK.charCodeAt(0)

const GAP = new RegExp(`${MARK}([a-zA-Z]+) (\\d+) (\\d+)${MARK}`, 'g')

export function gapsIn(text: string): Gap[] {
  return [...text.matchAll(GAP)].map(([, table, id, skipped]) => ({
    table: table as RenderedTable,
    id: Number(id),
    skipped: Number(skipped),
  }))
}

/** Replaces the gaps, in their order. */
export function fillGaps(text: string, fills: readonly string[]): string {
  let at = 0
  return text.replaceAll(GAP, () => fills[at++] ?? '')
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

function orGap(table: RenderedTable, json: SQLWrapper, skipped = sql`0`): SQL {
  return sql`coalesce(${json}, ${`${MARK}${table} `} || ${rowIdOf(table)} || ' ' || ${skipped} || ${MARK})`
}

/** SQL for the JSON object of a member with what the extension API adds to it. */
export function extendedMemberSql(
  dialect: Dialect,
  audience: Audience,
  from: 'joined' | 'own',
): SQL {
  const json = (table: 'members' | 'memberExts') =>
    from === 'joined' ? columnFor(table, audience) : cachedSql(table, columnFor(table, audience))
  const added = orGap('memberExts', dialect.asciiTail(json('memberExts'), sql`1`), sql`1`)
  return sql`'{"member":' || ${orGap('members', json('members'))} || ',' || ${added}`
}

/** SQL for a JSON array of such objects. */
export function extendedMemberListSql(dialect: Dialect, audience: Audience, rest: SQL): SQL {
  return jsonListSql(
    dialect,
    sql`select ${extendedMemberSql(dialect, audience, 'joined')} as json from ${visibleRows.members}
      ${joinCacheSql('members')} ${joinCacheSql('memberExts')} ${rest}`,
  )
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
