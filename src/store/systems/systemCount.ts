import { query } from '../../db/query'
import type { Db } from '../../db/types'
import { visibleSystems } from '../../db/visible'

export async function countSystems(db: Db): Promise<number> {
  return (await countAll(db).get({}))?.count ?? 0
}

/** Returns whether this server has any system. */
export async function hasSystem(db: Db): Promise<boolean> {
  return (await anySystem(db).get({})) !== null
}

const countAll = query((db, _, { count }) =>
  db.select({ count: count().as('count') }).from(visibleSystems),
)

const anySystem = query((db) => db.select({ id: visibleSystems.id }).from(visibleSystems).limit(1))
