import { findAnnounced } from '../../db/lease'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import type { Deps } from '../core/deps'

/** Returns the address of a server on this machine that uses the same database; null if none is known. */
export async function findLocalServer({ db }: Deps, viewer: Viewer): Promise<string | null> {
  requireOperator(viewer)
  return await findAnnounced(db)
}
