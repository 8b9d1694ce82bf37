import { findAnnounced } from '../../db/lease'
import { requireOperator, type Viewer } from '../../model/privacy'
import type { Deps } from '../deps'

/** Address on which a server of this machine serves the same data; null where none is known. */
export async function findLocalServer({ db }: Deps, viewer: Viewer): Promise<string | null> {
  requireOperator(viewer)
  return await findAnnounced(db)
}
