import type { Db } from '../../db/types'
import type { Quotas } from '../../model/access/quotas'
import { error } from '../../model/core/errors'
import { countSystems } from '../../store/systems/systemCount'

export async function requireSystemQuota(quotas: Quotas, tx: Db): Promise<void> {
  if (quotas.systems !== null && isSystemQuotaReached(quotas, await countSystems(tx)))
    throw error('forbidden', 'this server takes no more systems')
}

export function isSystemQuotaReached({ systems }: Quotas, count: number): boolean {
  return systems !== null && count >= systems
}
