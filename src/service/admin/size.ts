import { requireOperator, type Viewer } from '../../model/core/privacy'
import { readDatabaseSize } from '../../store/admin/databaseSize'
import type { Deps } from '../core/deps'

/** Returns the size of the database in bytes. */
export async function measureSize({ db }: Deps, viewer: Viewer): Promise<number> {
  requireOperator(viewer)
  return readDatabaseSize(db)
}
