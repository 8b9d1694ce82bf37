import { sql } from 'drizzle-orm'
import { query } from '../../db/query'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import type { Deps } from '../core/deps'

/** Returns the size of the database in bytes. */
export async function measureSize({ db }: Deps, viewer: Viewer): Promise<number> {
  requireOperator(viewer)
  return (await size(db).get({}))?.bytes ?? 0
}

// SQL text, because the builder cannot select without a table.
const size = query(
  (_, __, { databaseSize }) => sql<{ bytes: number }>`select ${databaseSize} as bytes`,
)
