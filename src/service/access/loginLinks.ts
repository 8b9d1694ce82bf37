import { requireEnabled } from '../../db/visible'
import { requireSystem, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { loginCodes } from '../../store/access/oneTimeCodes'
import { generateUrlSecret } from '../../store/access/secrets'
import { requireExists } from '../../store/systems/deletion'
import { getSystemById } from '../../store/systems/systemRows'
import type { Deps } from '../core/deps'

// Links that log a browser in, once. The operator or a bot creates one for a system, or the system
// itself, for another device.

export interface LoginCode {
  code: string
  expires: Instant
}

/** Creates the code of a login link; only its hash is stored. */
export async function createLoginCode(deps: Deps, viewer: Viewer): Promise<LoginCode> {
  const systemId = requireSystem(viewer, 'manage')
  const code = generateUrlSecret()
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    await requireEnabled(tx, systemId)
    return { code, expires: await loginCodes.store(tx, systemId, code, deps.now()) }
  })
}

/**
 * Returns the name of the system that a link logs in to, so that the page can ask for confirmation.
 * Returns null for a wrong, used or expired code, without saying which.
 */
export async function previewLogin(
  deps: Deps,
  code: string,
): Promise<{ name: string | null } | null> {
  const row = await loginCodes.find(deps.db, code, deps.now())
  if (!row) return null
  await requireEnabled(deps.db, row.system_id)
  const { name } = await getSystemById(deps.db, row.system_id)
  return { name }
}
