import { randomBytes } from 'node:crypto'
import { error } from '../../model/errors'
import { requireSystem, type Viewer } from '../../model/privacy'
import type { Instant } from '../../model/time'
import { requireEnabled } from '../admin/disableSystem'
import { requireExists } from '../deletion'
import type { Deps } from '../deps'
import { getSystemById } from '../systems'
import { oneTimeCodes } from './oneTimeCodes'

/** Links that let a browser in, once: made by the operator or a bot, for who they know. */

export interface LoginCode {
  code: string
  expires: Instant
}

export const loginCodes = oneTimeCodes('login_codes')

/** Makes the code of a login link, shown only here. */
export async function createLoginCode(deps: Deps, viewer: Viewer): Promise<LoginCode> {
  const systemId = requireSystem(viewer, 'issue_tokens')
  const code = randomBytes(32).toString('base64url')
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    await requireEnabled(tx, systemId)
    return { code, expires: await loginCodes.keep(tx, systemId, code, deps.now()) }
  })
}

/** Whom a link would let in as, so that the page can ask. Wrong, used and over are the same. */
export async function previewLogin(
  deps: Deps,
  _viewer: Viewer,
  code: string,
): Promise<{ name: string | null }> {
  const found = await loginCodes.find(deps.db, code, deps.now())
  if (!found) throw error('unauthorized')
  await requireEnabled(deps.db, found.system_id)
  const { name } = await getSystemById(deps.db, found.system_id)
  return { name }
}
