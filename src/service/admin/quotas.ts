import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { isVisible } from '../../db/visibility'
import { error } from '../../model/errors'
import { type Settings, settings } from '../../model/settings'

/** How much there may be on this server, and who may come. */
export interface Quotas {
  /** Systems in all; null for any number. */
  readonly systems: number | null
  /** What a system may have, unless it was given a limit of its own. */
  readonly members: number
  readonly groups: number
  /** Bytes of what imports keep aside for one system. */
  readonly archive: number
  readonly registration: 'open' | 'closed' | 'invite'
}

/** The limits of a system that has none of its own are those of the server. */
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
