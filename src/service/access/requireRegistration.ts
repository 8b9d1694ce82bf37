import type { Db } from '../../db/types'
import { error } from '../../model/core/errors'
import type { Deps } from '../core/deps'
import { consumeInvite } from './invites'
import { requireSystemQuota } from './systemQuota'

/** Throws unless a bot may create a system, and consumes the invite if one is required. */
export async function requireRegistration(
  deps: Deps,
  tx: Db,
  invite: string | null,
): Promise<void> {
  await requireSystemQuota(deps.quotas, tx)
  if (!(await consumeInvite(deps.quotas.registration, tx, invite, deps.now())))
    throw error('forbidden', 'a valid invite is needed')
}
