import { requireBot, requirePlatformAuthority, type Viewer } from '../model/privacy'
import type { System, SystemDraft } from '../model/system'
import { insertToken } from './access/insertToken'
import { insertAccount } from './accounts'
import { consumeInvite } from './admin/invites'
import { requireSystemQuota } from './admin/quotas'
import type { Deps } from './deps'
import { insertSystem } from './systems'

interface Registration {
  /** Account to link to the new system. */
  account: string | null
  tokenName: string
  /** Invite code of the operator, where one is required. */
  invite?: string | null
}

/** Creates a system, links an account to it, and returns its first token, which is not stored. */
export async function createSystem(
  deps: Deps,
  viewer: Viewer,
  draft: SystemDraft,
  { account, tokenName, invite = null }: Registration,
): Promise<{ system: System; token: string }> {
  const platform = viewer.isOperator ? null : requireBot(viewer)
  if (account !== null) requirePlatformAuthority(viewer, account)
  // With a quota, registrations run one at a time, so that the count is exact.
  const subject = deps.quotas.systems === null ? 'new' : 'registration'
  return deps.transact(subject, async (tx) => {
    if (!viewer.isOperator) {
      await requireSystemQuota(deps.quotas, tx)
      await consumeInvite(deps.quotas, tx, invite, deps.now())
    }
    const system = await insertSystem(tx, { ...draft, created: deps.now() }, {}, platform)
    if (account !== null) await insertAccount(deps, tx, system.id, account)
    return { system, token: await insertToken(deps, tx, system.id, tokenName) }
  })
}
