import { error } from '../../../model/core/errors'
import { requireSystem, type Viewer } from '../../../model/core/privacy'
import { listOriginsAfter } from '../../../store/transfer/originRows'
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
  const origins = await listOriginsAfter(db, system, { ...named, limit: limit + 1 })
  const rows = origins.slice(0, limit)
  return { rows, next: origins.length > limit ? (rows.at(-1)?.id ?? null) : null }
}
