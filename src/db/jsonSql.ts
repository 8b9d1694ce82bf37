import { type ListAccess, listAccessRules } from '../model/privacy'
import type { Audience } from '../model/renderedJson'
import type { Dialect } from './dialect'

/** Pieces of SQL that put answers together. */

/** What lies behind a gate of `table`: null for others when it is closed. */
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

/** What is read where a face is missing: neither an answer, nor the null of a closed gate. */
export const CACHE_MISS = ''

/** A JSON array of the rows of a query that selects each row's JSON as `json`. */
export function jsonListSql(dialect: Dialect, query: string): string {
  return `(select ${listed(dialect)} from (${query}) rows)`
}

/** The same of rows with faces, unless one of them is missing. */
export function renderedListSql(dialect: Dialect, query: string): string {
  return `(select case when count(*) = count(json) then ${listed(dialect)} else '${CACHE_MISS}' end
    from (${query}) rows)`
}

function listed({ groupConcat }: Dialect): string {
  return `'[' || coalesce(${groupConcat('json')}, '') || ']'`
}
