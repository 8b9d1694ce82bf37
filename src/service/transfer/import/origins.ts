import { and, eq, gt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../../db/query'
import { origins } from '../../../db/tables'
import { isImportCommitted } from '../../../db/visible'
import { error } from '../../../model/core/errors'
import { requireSystem, type Viewer } from '../../../model/core/privacy'
import type { Deps } from '../../core/deps'

export interface OriginPage {
  readonly rows: readonly { id: string; target: string }[]
  /** ID after which the next page begins; null at the end. */
  readonly next: string | null
}

/** Lists the IDs that the rows of a collection had in imported files, in their order. */
export async function listOrigins(
  { db }: Deps,
  viewer: Viewer,
  { limit, ...named }: { app: string; collection: string; after: string; limit: number },
): Promise<OriginPage> {
  const system = requireSystem(viewer, 'read_journal')
  if (named.app === '' || named.collection === '')
    throw error('badRequest', 'app and collection are required')
  const found = await originPage(db).all({ system, ...named, limit: limit + 1 })
  const rows = found.slice(0, limit)
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null }
}

const originPage = query(
  (db, values: Placeholders<'system' | 'app' | 'collection' | 'after' | 'limit'>) => {
    const { system_id, app, collection, source_id, target, import_id } = origins
    return db
      .select({ id: sql<string>`${source_id}`.as('id'), target })
      .from(origins)
      .where(
        and(
          eq(system_id, values.system),
          eq(app, values.app),
          eq(collection, values.collection),
          gt(source_id, values.after),
          isImportCommitted(import_id),
        ),
      )
      .orderBy(source_id)
      .limit(values.limit)
  },
)
