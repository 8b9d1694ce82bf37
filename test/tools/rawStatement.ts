import { type SQLWrapper, sql } from 'drizzle-orm'
import { query, type Statement } from '../../src/db/query'
import type { Db } from '../../src/db/types'

/** Prepares SQL text with `:name` placeholders, for tests that write rows as no request can. */
export function statement<Name extends string = never, Row = unknown>(
  text: string,
): (db: Db) => Statement<Name, Row> {
  const parts = text.split(/('(?:[^']|'')*'|"[^"]*"|(?<!:):[a-z]\w*)/)
  return query((_, values: Record<string, SQLWrapper>) =>
    sql.join(parts.map((part) => (/^:[a-z]/.test(part) ? values[part.slice(1)] : sql.raw(part)))),
  ) as (db: Db) => Statement<Name, Row>
}
