import type { Audience } from '../model/face'
import { type Gate, gates } from '../model/privacy'

/** Pieces of SQL that put answers together. */

/** What lies behind a gate of `table`: null for others when it is closed. */
export function behindGate(gate: Gate, table: string, audience: Audience, json: string): string {
  return audience === 'owner'
    ? json
    : `case when ${table}.${gates[gate].level} = 'public' then ${json} end`
}

/** What is read where a face is missing: neither an answer, nor the null of a closed gate. */
export const FACELESS = ''

/** A JSON array of the rows of a query that selects each row's JSON as `json`. */
export function listOf(query: string): string {
  return `(select ${joined} from (${query}))`
}

/** The same of rows with faces, unless one of them is missing. */
export function listOfFaces(query: string): string {
  return `(select case when count(*) = count(json) then ${joined} else '${FACELESS}' end
    from (${query}))`
}

const joined = `'[' || coalesce(group_concat(json), '') || ']'`

/** ISO 8601 of an instant in microseconds, as `formatInstant` writes it. */
export function isoOf(instant: string): string {
  const micros = `(((${instant}) % 1000000 + 1000000) % 1000000)`
  const date = `strftime('%Y-%m-%dT%H:%M:%S', ((${instant}) - ${micros}) / 1000000, 'unixepoch')`
  return `(${date} || rtrim(rtrim(printf('.%06d', ${micros}), '0'), '.') || 'Z')`
}
