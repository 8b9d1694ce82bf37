import { randomInt } from 'node:crypto'
import { lockSystem } from '../../db/locks'
import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { error } from '../../model/errors'
import { requirePlatformAuthority, requireSystem, type Viewer } from '../../model/privacy'
import { type Instant, MINUTE } from '../../model/time'
import { insertAccount } from '../accounts'
import { requireEnabled } from '../admin/disableSystem'
import { requireExists } from '../deletion'
import type { Deps } from '../deps'
import { getSystemById } from '../systems'
import { oneTimeCodes } from './oneTimeCodes'

/**
 * Codes by which somebody known on one platform proves on another that they are the same: told to
 * the bot there, a code links their account.
 */

export interface LinkCode {
  code: string
  expires: Instant
}

/** None that looks like another, in either case and in any handwriting. */
const LETTERS = '34679ACDEFHJKMNPQRTVWXY'
const LENGTH = 8

const MAX_FAILURES = 5
const FAILURE_WINDOW = MINUTE

/** Makes a code, shown only here. With too many open ones the oldest goes. */
export async function createLinkCode(deps: Deps, viewer: Viewer): Promise<LinkCode> {
  const systemId = requireSystem(viewer, 'issue_tokens')
  const code = generateCode()
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    return { code, expires: await codes.keep(tx, systemId, code, deps.now()) }
  })
}

/** Links an account by a code, which is used up by it. Gives the system it was made for. */
export async function linkByCode(
  deps: Deps,
  viewer: Viewer,
  account: string,
  given: string,
): Promise<{ hid: string }> {
  requirePlatformAuthority(viewer, account)
  const linked = await deps.transact({ account }, async (tx) => {
    const now = deps.now()
    await requireFewFailures(tx, account, now)
    const code = await codes.take(tx, normalizeCode(given), now)
    if (code) {
      await lockSystem(tx, code.system_id)
      await requireEnabled(tx, code.system_id)
      await insertAccount(deps, tx, code.system_id, account)
      return getSystemById(tx, code.system_id)
    }
    // Must be kept, so it cannot be told by throwing here.
    await deleteFailures(tx).run({ until: now - FAILURE_WINDOW })
    await insertFailure(tx).run({ account, at: now })
    return null
  })
  if (!linked) throw error('systemNotFound')
  return linked
}

async function requireFewFailures(tx: Db, account: string, now: Instant): Promise<void> {
  const failed = await failuresOf(tx).all({ account, since: now - FAILURE_WINDOW })
  const decisive = failed.at(-MAX_FAILURES)
  if (!decisive) return
  const wait = Math.ceil((decisive.at + FAILURE_WINDOW - now) / 1000)
  throw error('tooManyRequests', 'too many wrong codes', Math.max(1, wait))
}

function generateCode(): string {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

/** People write codes down in their own way. */
function normalizeCode(code: string): string {
  return code.replace(/[\s-]/g, '').toUpperCase()
}

const codes = oneTimeCodes('link_codes')

const failuresOf = statement<'account' | 'since', { at: Instant }>(
  'select at from link_failures where account_id = :account and at > :since order by at',
)

const insertFailure = statement<'account' | 'at'>(
  'insert into link_failures (account_id, at) values (:account, :at)',
)

const deleteFailures = statement<'until'>('delete from link_failures where at <= :until')
