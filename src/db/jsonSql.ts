import { type ListAccess, listAccessRules } from '../model/privacy'
import type { Audience } from '../model/renderedJson'
import type { Dialect } from './dialect'

/** SQL fragments that assemble responses. */

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

/**
 * Result if rendered JSON is missing; differs from every response and from the null of a private
 * list.
 */
export const CACHE_MISS = ''

/** SQL for a JSON array of the rows of a query that selects each row's JSON as `json`. */
export function jsonListSql(dialect: Dialect, query: string): string {
  return `(select ${arrayOf(dialect)} from (${query}) rows)`
}

/** The same for rendered JSON; `CACHE_MISS` if a row has none. */
export function renderedListSql(dialect: Dialect, query: string): string {
  return `(select case when count(*) = count(json) then ${arrayOf(dialect)} else '${CACHE_MISS}' end
    from (${query}) rows)`
}

function arrayOf({ groupConcat }: Dialect): string {
  return `'[' || coalesce(${groupConcat('json')}, '') || ']'`
}
