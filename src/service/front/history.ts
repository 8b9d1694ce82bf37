import { isOwner, requireListAccess, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import type { System } from '../../model/systems/system'
import { type PastSwitch, pageOfSwitches } from '../../store/front/pastSwitches'
import type { Deps } from '../core/deps'

/** Lists switches, newest first; only those before a time if one is given. */
export async function listSwitches(
  { db }: Deps,
  viewer: Viewer,
  of: System,
  { before, limit }: { before: Instant | null; limit: number },
): Promise<PastSwitch[]> {
  requireListAccess('history', of, isOwner(viewer, of.id))
  return pageOfSwitches(db, of.id, before ?? Infinity, limit, 'newest')
}
