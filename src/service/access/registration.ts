import type { Db } from '../../db/types'
import type { RegistrationMode } from '../../model/access/quotas'
import type { Device, OpenedSession } from '../../model/access/session'
import type { Platform } from '../../model/core/platform'
import { requireBot, requirePlatformAuthority, type Viewer } from '../../model/core/privacy'
import { privateByDefault } from '../../model/systems/settings'
import {
  privacyOf,
  type System,
  type SystemDraft,
  type Visibility,
} from '../../model/systems/system'
import { insertAccount } from '../../store/access/accountRows'
import { insertSession } from '../../store/access/sessionRows'
import { consumeSetupCode, removeSetupCodes } from '../../store/access/setupCodeRows'
import { insertToken } from '../../store/access/tokenRows'
import { updateSettings } from '../../store/systems/settingRows'
import { countSystems } from '../../store/systems/systemCount'
import { insertSystem } from '../../store/systems/systemRows'
import type { Deps } from '../core/deps'
import { consumeInvite } from './invites'
import { requireRegistration } from './requireRegistration'
import { isSystemQuotaReached, requireSystemQuota } from './systemQuota'

interface Registration {
  /** Account to link to the new system. */
  account: string | null
  tokenName: string
  /** Invite code of the operator, where one is required. */
  invite?: string | null
}

interface CreatedSystem {
  system: System
  /** First token of the system; only its hash is stored. */
  token: string
}

/** Creates a system, links an account to it, and returns its first token, which is not stored. */
export async function createSystem(
  deps: Deps,
  viewer: Viewer,
  draft: SystemDraft,
  { account, tokenName, invite = null }: Registration,
): Promise<CreatedSystem> {
  const platform = viewer.isOperator ? null : requireBot(viewer)
  if (account !== null) requirePlatformAuthority(viewer, account)
  // With a quota, registrations run one at a time, so that the count is exact.
  const subject = deps.quotas.systems === null ? 'new' : 'registration'
  return deps.transact(subject, async (tx) => {
    if (!viewer.isOperator) await requireRegistration(deps, tx, invite)
    const created = await insertWithToken(deps, tx, draft, { platform, tokenName })
    if (account !== null) await insertAccount(deps, tx, created.system.id, account)
    return created
  })
}

/** A system that a browser creates. */
export interface BrowserRegistration {
  draft: SystemDraft
  visibility: Visibility
  /** Code of a set-up link, with which the registration mode does not matter. */
  code: string | null
  invite: string | null
  device: Device
}

/** Name of the first token of a system that its owner creates without a bot. */
const FIRST_TOKEN = 'default'

/**
 * Creates a system in a browser and logs the browser in. Returns null for a missing, wrong, used or
 * expired code or invite, without saying which.
 */
export async function createSystemInBrowser(
  deps: Deps,
  { draft, visibility, code, invite, device }: BrowserRegistration,
): Promise<(CreatedSystem & { session: OpenedSession }) | null> {
  const { quotas } = deps
  // Of several valid set-up codes only one may create the first system.
  const subject = quotas.systems === null && code === null ? 'new' : 'registration'
  return deps.transact(subject, async (tx) => {
    const now = deps.now()
    await requireSystemQuota(quotas, tx)
    const isAllowed =
      code === null
        ? await consumeInvite(quotas.webRegistration, tx, invite, now)
        : await consumeSetupCode(tx, code, now)
    if (!isAllowed) return null
    const privacy = privacyOf(visibility)
    const created = await insertWithToken(
      deps,
      tx,
      { ...draft, ...privacy },
      { platform: null, tokenName: FIRST_TOKEN },
    )
    const { id } = created.system
    if (visibility !== 'public') await updateSettings(deps, tx, id, privateByDefault)
    const origin = { system_id: id, token_id: null, expires: null }
    return { ...created, session: await insertSession(tx, origin, device, now) }
  })
}

/** Returns what the dashboard may offer to a visitor. */
export async function getWebRegistration({ db, quotas }: Deps): Promise<{
  registration: RegistrationMode
  /** True if the server has no system yet. */
  needsSetup: boolean
}> {
  const count = await countSystems(db)
  const isFull = isSystemQuotaReached(quotas, count)
  return { registration: isFull ? 'closed' : quotas.webRegistration, needsSetup: count === 0 }
}

async function insertWithToken(
  deps: Deps,
  tx: Db,
  draft: SystemDraft,
  { platform, tokenName }: { platform: Platform | null; tokenName: string },
): Promise<CreatedSystem> {
  const system = await insertSystem(tx, { ...draft, created: deps.now() }, {}, platform)
  await removeSetupCodes(tx)
  return { system, token: await insertToken(deps, tx, system.id, tokenName) }
}
