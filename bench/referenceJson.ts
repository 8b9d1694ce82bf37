import type { Entity } from '../src/model/entity'
import type { Field } from '../src/model/field'
import { type ListAccess, listAccessRules } from '../src/model/privacy'

/**
 * The v2 JSON of a row, built inside SQLite at each read, as the product did before rows carried
 * their faces: the mark of what it was. It says in SQL what `see` and `toV2` say in
 * TypeScript, from the same field tables. Texts here are SQL.
 */

/** Who looks: the owner, or everybody else. */
export type Audience = 'owner' | 'others'

/** The JSON object of a row of `table`. What is extra comes behind the identity, as key and SQL. */
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
      .map(([key, field]) => [key, seenValue(key, field, table, audience)]),
    ...(entity.levels.length > 0 ? [['privacy', privacyOf(entity, table, audience)]] : []),
  ]
  return `json_object(${pairs.map(([key, value]) => `'${key}', ${value}`).join(', ')})`
}

/** As the owner sees it when `viewer` (SQL) is the row's system, else as others do. */
export function jsonFor(
  viewer: string,
  system: string,
  make: (audience: Audience) => string,
): string {
  return `case when ${system} = ${viewer} then ${make('owner')} else ${make('others')} end`
}

/** What lies behind a gate of `table`: null for others when it is closed. */
export function jsonBehind(
  gate: ListAccess,
  table: string,
  audience: Audience,
  json: string,
): string {
  return audience === 'owner'
    ? json
    : `case when ${table}.${listAccessRules[gate].level} = 'public' then ${json} end`
}

/** A JSON array of the rows of a query that selects each row's JSON as `json`. */
export function jsonList(query: string): string {
  return `(select '[' || coalesce(group_concat(json), '') || ']' from (${query}))`
}

/** ISO 8601 of an instant in microseconds, as `formatInstant` writes it. */
export function isoOf(instant: string): string {
  const micros = `(((${instant}) % 1000000 + 1000000) % 1000000)`
  const date = `strftime('%Y-%m-%dT%H:%M:%S', ((${instant}) - ${micros}) / 1000000, 'unixepoch')`
  return `(${date} || rtrim(rtrim(printf('.%06d', ${micros}), '0'), '.') || 'Z')`
}

function seenValue(key: string, field: Field, table: string, audience: Audience): string {
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
  if (audience === 'others') return 'null'
  return `json_object(${levels.map((level) => `'${level}', ${table}.${level}`).join(', ')})`
}
