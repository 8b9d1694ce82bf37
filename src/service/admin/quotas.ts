import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { isVisible } from '../../db/visibility'
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
  const { all } = (await countAll(tx).get({})) ?? { all: 0 }
  if (all >= systems) throw error('forbidden', 'this server takes no more systems')
}

const countAll = statement<never, { all: number }>(
  ({ count }) => `select ${count()} as "all" from systems where ${isVisible('systems')}`,
)
