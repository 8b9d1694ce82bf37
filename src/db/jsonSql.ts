import { type ListAccess, listAccessRules } from '../model/privacy'
import type { Audience } from '../model/renderedJson'
import { cachedSql, columnFor, joinCacheSql, type RenderedTable } from './renderedJson'
import type { TextDialect } from './textDialect'

/**
 * SQL fragments that assemble responses from rendered JSON. Where it is missing in the cache, the
 * result has a gap: the table and the ID of the row, and the number of characters that the rest of
 * the result replaces, between two characters that JSON never contains.
 */

const MARK = '\u0001'

export interface Gap {
  readonly table: RenderedTable
  readonly id: number
  readonly skipped: number
}

export function hasGaps(json: Uint8Array): boolean {
  return json.includes(MARK.charCodeAt(0))
}

const GAP = new RegExp(`${MARK}([a-z]+) (\\d+) (\\d+)${MARK}`, 'g')

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

/** SQL for the JSON object of a row. `column` is an expression. */
export function renderedObjectSql(table: RenderedTable, column: string): string {
  return orGap(table, cachedSql(table, column))
}

/** SQL for the JSON object of a row, with further members after its IDs. */
export function extendedObjectSql(
  dialect: TextDialect,
  table: RenderedTable,
  audience: Audience,
  extra: string,
): string {
  return withExtra(dialect, table, cachedSql(table, columnFor(audience)), extra)
}

/** SQL for a JSON array of such objects. `from` names the table and any further tables. */
export function renderedListSql(
  dialect: TextDialect,
  table: RenderedTable,
  audience: Audience,
  { from = table, rest, extra }: { from?: string; rest: string; extra?: string | undefined },
): string {
  const cached = `f.${columnFor(audience)}`
  const json = extra ? withExtra(dialect, table, cached, extra) : orGap(table, cached)
  return jsonListSql(dialect, `select ${json} as json from ${from} ${joinCacheSql(table)} ${rest}`)
}

function orGap(table: RenderedTable, json: string, skipped = '0'): string {
  return `coalesce(${json}, '${MARK}${table} ' || ${table}.id || ' ' || ${skipped} || '${MARK}')`
}

/** SQL for the JSON object of a row with further members after its IDs. */
function withExtra(
  { asciiTail }: TextDialect,
  table: RenderedTable,
  json: string,
  extra: string,
): string {
  const [hid, uuid] = [`${table}.hid`, `${table}.uuid`]
  const ids = `(length(${hid}) + length(${uuid}) + ${'{"id":"","uuid":"",'.length})`
  const fields = orGap(table, asciiTail(json, ids), ids)
  return `'{"id":"' || ${hid} || '","uuid":"' || ${uuid} || '",' || ${extra} || ${fields}`
}

/**
 * SQL for a list that a privacy level of `table` protects: null for other callers if it is private.
 */
export function ifListPublicSql(
  list: ListAccess,
  table: string,
  audience: Audience,
  json: string,
): string {
  return audience === 'owner'
    ? json
    : `case when ${table}.${listAccessRules[list].level} = 'public' then ${json} end`
}

/** SQL for a JSON array of the rows of a query that selects each row's JSON as `json`. */
export function jsonListSql({ groupConcat }: TextDialect, query: string): string {
  return `(select '[' || coalesce(${groupConcat('json')}, '') || ']' from (${query}) rows)`
}
