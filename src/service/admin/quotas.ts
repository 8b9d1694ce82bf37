import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { isVisible } from '../../db/visibility'
import { error } from '../../model/errors'
import { type Settings, settings } from '../../model/settings'

/** Limits of this server, and its registration mode. */
export interface Quotas {
  /** Maximum number of systems; null for no limit. */
  readonly systems: number | null
  /** Maximum number for a system that has no limit of its own. */
  readonly members: number
  readonly groups: number
  /** Maximum bytes of archived rows of one system. */
  readonly archive: number
  readonly registration: 'open' | 'closed' | 'invite'
}

/** Replaces the default limits of a system by those of the server. */
export function withQuotas<S extends Settings>(quotas: Quotas, stored: S): S {
  const { member_limit, group_limit } = settings.fields
  return {
    ...stored,
    member_limit:
      stored.member_limit === member_limit.defaultValue ? quotas.members : stored.member_limit,
    group_limit:
      stored.group_limit === group_limit.defaultValue ? quotas.groups : stored.group_limit,
  }
}

export async function requireSystemQuota({ systems }: Quotas, tx: Db): Promise<void> {
  if (systems === null) return
  const { all } = (await countAll(tx).get({})) ?? { all: 0 }
  if (all >= systems) throw error('forbidden', 'this server takes no more systems')
}

const countAll = statement<never, { all: number }>(
  ({ count }) => `select ${count()} as "all" from systems where ${isVisible('systems')}`,
)
