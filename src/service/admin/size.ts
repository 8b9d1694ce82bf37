import { statement } from '../../db/statement'
import { requireOperator, type Viewer } from '../../model/privacy'
import type { Deps } from '../deps'

/** Returns the size of the database in bytes. */
export async function measureSize({ db }: Deps, viewer: Viewer): Promise<number> {
  requireOperator(viewer)
  return (await size(db).get({}))?.bytes ?? 0
}

const size = statement<never, { bytes: number }>(
  ({ databaseSize }) => `select ${databaseSize} as bytes`,
)
