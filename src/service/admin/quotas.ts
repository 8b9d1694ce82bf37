import { query } from '../../db/query'
import type { Db } from '../../db/types'
import { visibleSystems } from '../../db/visible'
import { error } from '../../model/errors'

/** Limits of this server, and its registration mode. */
export interface Quotas {
  /** Maximum number of systems; null for no limit. */
  readonly systems: number | null
  /** Maximum number for a system without a limit in its settings. */
  readonly members: number
  readonly groups: number
  /** Maximum bytes of archived rows of one system. */
  readonly archive: number
  readonly registration: 'open' | 'closed' | 'invite'
}

export async function requireSystemQuota({ systems }: Quotas, tx: Db): Promise<void> {
  if (systems === null) return
  const { count } = (await countAll(tx).get({})) ?? { count: 0 }
  if (count >= systems) throw error('forbidden', 'this server takes no more systems')
}

const countAll = query((db, _, { count }) =>
  db.select({ count: count().as('count') }).from(visibleSystems),
)
