import { type ListAccess, listAccessRules } from '../model/privacy'
import type { Audience } from '../model/renderedJson'
import type { Dialect } from './dialect'

/** Pieces of SQL that put answers together. */

/** What lies behind a gate of `table`: null for others when it is closed. */
export function behindGate(
  gate: ListAccess,
  table: string,
  audience: Audience,
  json: string,
): string {
  return audience === 'owner'
    ? json
    : `case when ${table}.${listAccessRules[gate].level} = 'public' then ${json} end`
}

/** What is read where a face is missing: neither an answer, nor the null of a closed gate. */
export const FACELESS = ''

/** A JSON array of the rows of a query that selects each row's JSON as `json`. */
export function listOf(say: Dialect, query: string): string {
  return `(select ${listed(say)} from (${query}) rows)`
}

/** The same of rows with faces, unless one of them is missing. */
export function listOfFaces(say: Dialect, query: string): string {
  return `(select case when count(*) = count(json) then ${listed(say)} else '${FACELESS}' end
    from (${query}) rows)`
}

function listed({ joined }: Dialect): string {
  return `'[' || coalesce(${joined('json')}, '') || ']'`
}
