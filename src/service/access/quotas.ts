import { query } from '../../db/query'
import type { Db } from '../../db/types'
import { visibleSystems } from '../../db/visible'
import { error } from '../../model/core/errors'

/** Limits of this server, and its registration mode. */
export interface Quotas {
  /** Maximum number of systems; null for no limit. */
  readonly systems: number | null
  /** Maximum number for a system without a limit in its settings. */
  readonly members: number
  readonly groups: number
  /** Maximum bytes of archived rows of one system. */
  readonly archive: number
  /** Maximum bytes of text of one system in the tables of the extension API. */
  readonly extText: number
  /** Maximum bytes of pictures of one system. */
  readonly pictures: number
  /** Creation of systems by bots. */
  readonly registration: RegistrationMode
  /** Creation of systems in browsers. */
  readonly webRegistration: RegistrationMode
}

export type RegistrationMode = 'open' | 'closed' | 'invite'

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
