import { query } from '../../db/query'
import type { Db } from '../../db/types'
import { visibleSystems } from '../../db/visible'
import type { Quotas } from '../../model/access/quotas'
import { error } from '../../model/core/errors'

export async function requireSystemQuota(quotas: Quotas, tx: Db): Promise<void> {
  if (quotas.systems !== null && isSystemQuotaReached(quotas, await countVisibleSystems(tx)))
    throw error('forbidden', 'this server takes no more systems')
}

export function isSystemQuotaReached({ systems }: Quotas, count: number): boolean {
  return systems !== null && count >= systems
}

export async function countVisibleSystems(db: Db): Promise<number> {
  return (await countAll(db).get({}))?.count ?? 0
}

const countAll = query((db, _, { count }) =>
  db.select({ count: count().as('count') }).from(visibleSystems),
)
