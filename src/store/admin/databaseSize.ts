import { sql } from 'drizzle-orm'
import { query } from '../../db/query'
import type { Db } from '../../db/types'

/** Returns the size of the database in bytes. */
export async function readDatabaseSize(db: Db): Promise<number> {
  return (await size(db).get({}))?.bytes ?? 0
}

// SQL text, because the builder cannot select without a table.
const size = query(
  (_, __, { databaseSize }) => sql<{ bytes: number }>`select ${databaseSize} as bytes`,
)
