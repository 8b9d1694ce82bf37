import { isOwner, requireListAccess, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import type { System } from '../../model/systems/system'
import { type PastSwitch, pageOfSwitches } from '../../store/front/pastSwitches'
import type { Deps } from '../core/deps'

/** Lists switches, newest first; only those before a time if one is given. */
export async function listSwitches(
  { db }: Deps,
  viewer: Viewer,
  row: System,
  { before, limit }: { before: Instant | null; limit: number },
): Promise<PastSwitch[]> {
  requireListAccess('history', row, isOwner(viewer, row.id))
  return pageOfSwitches(db, row.id, before ?? Infinity, limit, 'newest')
}
