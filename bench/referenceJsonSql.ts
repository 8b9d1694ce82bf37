import type { Entity } from '../src/model/core/entity'
import type { Field } from '../src/model/core/field'
import { type ListAccess, listAccessRules } from '../src/model/core/privacy'

/**
 * Builds the v2 JSON of a row inside SQLite at each read, as the server did before it cached
 * rendered JSON. The SQL does what `redact` and `toV2` do in TypeScript, from the same field tables.
 * Strings in this file are SQL.
 */

/** Viewer of a row: its owner or another caller. */
export type Audience = 'owner' | 'public'

/** Returns SQL for the JSON object of a row of `table`, with extra pairs of key and SQL after the IDs. */
export function jsonOf(
  entity: Entity,
  table: string,
  audience: Audience,
  extra: readonly [string, string][] = [],
): string {
  const pairs = [
    ...(entity.levels.length > 0
      ? [
          ['id', `${table}.hid`],
          ['uuid', `${table}.uuid`],
        ]
      : []),
    ...extra,
    ...entity.entries
      .filter(([, field]) => audience === 'owner' || field.ownerOnly !== 'absent')
      .map(([key, field]) => [key, redactedValue(key, field, table, audience)]),
    ...(entity.levels.length > 0 ? [['privacy', privacyOf(entity, table, audience)]] : []),
  ]
  return `json_object(${pairs.map(([key, value]) => `'${key}', ${value}`).join(', ')})`
}

/** Returns SQL for the owner's JSON if `viewer` is the system of the row, else for the public JSON. */
export function jsonFor(
  viewer: string,
  system: string,
  build: (audience: Audience) => string,
): string {
  return `case when ${system} = ${viewer} then ${build('owner')} else ${build('public')} end`
}

/** Returns SQL for JSON that a list access rule of `table` guards: null if it is hidden. */
export function guardedJson(
  rule: ListAccess,
  table: string,
  audience: Audience,
  json: string,
): string {
  return audience === 'owner'
    ? json
    : `case when ${table}.${listAccessRules[rule].level} = 'public' then ${json} end`
}

/** Returns SQL for the JSON array of a query that selects the JSON of each row as `json`. */
export function jsonList(query: string): string {
  return `(select '[' || coalesce(group_concat(json), '') || ']' from (${query}))`
}

/** Returns SQL for an instant in microseconds as ISO 8601, as `formatInstant` formats it. */
export function isoOf(instant: string): string {
  const micros = `(((${instant}) % 1000000 + 1000000) % 1000000)`
  const date = `strftime('%Y-%m-%dT%H:%M:%S', ((${instant}) - ${micros}) / 1000000, 'unixepoch')`
  return `(${date} || rtrim(rtrim(printf('.%06d', ${micros}), '0'), '.') || 'Z')`
}

function redactedValue(key: string, field: Field, table: string, audience: Audience): string {
  const value = plainValue(`${table}.${key}`, field)
  if (audience === 'owner') return value
  if (field.ownerOnly === 'null') return 'null'
  if (field.guard === undefined) return value
  const hidden = field.fallback
    ? `coalesce(${table}.${field.fallback}, ${table}.${key})`
    : field.kind === 'proxyTags'
      ? `json('[]')`
      : 'null'
  return `case when ${table}.${field.guard} = 'public' then ${value} else ${hidden} end`
}

function plainValue(column: string, { kind }: Field): string {
  switch (kind) {
    case 'flag':
      return `json(case ${column} when 1 then 'true' when 0 then 'false' end)`
    case 'timestamp':
      return isoOf(column)
    case 'proxyTags':
    case 'texts':
    case 'snowflakes':
      return `json(${column})`
    default:
      return column
  }
}

function privacyOf({ levels }: Entity, table: string, audience: Audience): string {
  if (audience === 'public') return 'null'
  return `json_object(${levels.map((level) => `'${level}', ${table}.${level}`).join(', ')})`
}
