import { requireOperator, type Viewer } from '../../model/core/privacy'
import { DAY, type Instant } from '../../model/core/time'
import { generateUrlSecret, hashSecret } from '../../store/access/secrets'
import {
  deleteExpiredSetupCodes,
  findSetupCode,
  insertSetupCode,
} from '../../store/access/setupCodeRows'
import { hasSystem } from '../../store/systems/systemCount'
import type { Deps } from '../core/deps'

// Links that create the first system in a browser. They are valid while the server has no system.

export interface SetupCode {
  code: string
  expires: Instant
}

const LIFETIME = DAY

/** Creates the code of a set-up link; only its hash is stored. Returns null if there is a system. */
export async function createSetupCode(deps: Deps, viewer: Viewer): Promise<SetupCode | null> {
  requireOperator(viewer)
  const code = generateUrlSecret()
  return deps.transact('registration', async (tx) => {
    if (await hasSystem(tx)) return null
    const now = deps.now()
    const expires = now + LIFETIME
    await deleteExpiredSetupCodes(tx, now)
    await insertSetupCode(tx, hashSecret(code), expires)
    return { code, expires }
  })
}

/** Returns the expiry of a set-up code without consuming the code; null if it is not valid. */
export async function previewSetup(
  { db, now }: Deps,
  code: string,
): Promise<{ expires: Instant } | null> {
  return findSetupCode(db, hashSecret(code), now())
}
