import { randomBytes } from 'node:crypto'
import { loginCodes as loginCodesTable } from '../../db/tables'
import { requireEnabled } from '../../db/visible'
import { error } from '../../model/errors'
import { requireSystem, type Viewer } from '../../model/privacy'
import type { Instant } from '../../model/time'
import { requireExists } from '../deletion'
import type { Deps } from '../deps'
import { getSystemById } from '../systems'
import { oneTimeCodes } from './oneTimeCodes'

// Links that log a browser in, once. The operator or a bot creates one for a system.

export interface LoginCode {
  code: string
  expires: Instant
}

export const loginCodes = oneTimeCodes(loginCodesTable)

/** Creates the code of a login link; only its hash is stored. */
export async function createLoginCode(deps: Deps, viewer: Viewer): Promise<LoginCode> {
  const systemId = requireSystem(viewer, 'issue_tokens')
  const code = randomBytes(32).toString('base64url')
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    await requireEnabled(tx, systemId)
    return { code, expires: await loginCodes.store(tx, systemId, code, deps.now()) }
  })
}

/**
 * Returns the name of the system that a link logs in to, so that the page can ask for confirmation.
 * Wrong, used and expired codes give the same error.
 */
export async function previewLogin(deps: Deps, code: string): Promise<{ name: string | null }> {
  const found = await loginCodes.find(deps.db, code, deps.now())
  if (!found) throw error('unauthorized')
  await requireEnabled(deps.db, found.system_id)
  const { name } = await getSystemById(deps.db, found.system_id)
  return { name }
}
