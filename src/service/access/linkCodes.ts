import { lockSystem } from '../../db/locks'
import type { Db } from '../../db/types'
import { requireEnabled } from '../../db/visible'
import { error } from '../../model/core/errors'
import { requirePlatformAuthority, requireSystem, type Viewer } from '../../model/core/privacy'
import { type Instant, MINUTE } from '../../model/core/time'
import { insertAccount } from '../../store/access/accountRows'
import { generateCode, normalizeCode } from '../../store/access/humanCode'
import {
  deleteFailuresUntil,
  insertFailure,
  listFailureTimes,
} from '../../store/access/linkFailureRows'
import { linkCodes } from '../../store/access/oneTimeCodes'
import { requireExists } from '../../store/systems/deletion'
import { getSystemById } from '../../store/systems/systemRows'
import type { Deps } from '../core/deps'

// Codes that link an account of another platform: the owner creates one here and sends it from that
// account to the bot there.

export interface LinkCode {
  code: string
  expires: Instant
}

const LENGTH = 8

const MAX_FAILURES = 5
const FAILURE_WINDOW = MINUTE

/** Creates a code; only its hash is stored. Deletes the oldest code if too many are open. */
export async function createLinkCode(deps: Deps, viewer: Viewer): Promise<LinkCode> {
  const systemId = requireSystem(viewer, 'issue_tokens')
  const code = generateCode(LENGTH)
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    return { code, expires: await linkCodes.store(tx, systemId, code, deps.now()) }
  })
}

/** Links an account by a code, which is valid once. Returns the system that created the code. */
export async function linkByCode(
  deps: Deps,
  viewer: Viewer,
  account: string,
  codeText: string,
): Promise<{ hid: string }> {
  requirePlatformAuthority(viewer, account)
  const linked = await deps.transact({ account }, async (tx) => {
    const now = deps.now()
    await requireFewFailures(tx, account, now)
    const code = await linkCodes.consume(tx, normalizeCode(codeText), now)
    if (code) {
      await lockSystem(tx, code.system_id)
      await requireEnabled(tx, code.system_id)
      await insertAccount(deps, tx, code.system_id, account)
      return getSystemById(tx, code.system_id)
    }
    // The failure must be committed, so the error is thrown after the transaction.
    await deleteFailuresUntil(tx, now - FAILURE_WINDOW)
    await insertFailure(tx, account, now)
    return null
  })
  if (!linked) throw error('systemNotFound')
  return linked
}

async function requireFewFailures(tx: Db, account: string, now: Instant): Promise<void> {
  const failed = await listFailureTimes(tx, account, now - FAILURE_WINDOW)
  const oldest = failed.at(-MAX_FAILURES)
  if (oldest === undefined) return
  const wait = Math.ceil((oldest + FAILURE_WINDOW - now) / 1000)
  throw error('tooManyRequests', 'too many wrong codes', Math.max(1, wait))
}
