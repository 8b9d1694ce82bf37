import type { Db } from '../../db/types'
import type { RegistrationMode } from '../../model/access/quotas'
import { error } from '../../model/core/errors'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { generateCode, normalizeCode } from '../../store/access/humanCode'
import {
  deleteInvite,
  hasInvite,
  type Invite,
  insertInvite,
  listInviteRows,
  useInvite,
} from '../../store/access/inviteRows'
import { hashSecret } from '../../store/access/secrets'
import type { Deps } from '../core/deps'

const LENGTH = 12

/** Creates a code; only its hash is stored. */
export async function createInvite(
  deps: Deps,
  viewer: Viewer,
  { name, uses, expires }: Pick<Invite, 'name' | 'uses' | 'expires'>,
): Promise<string> {
  requireOperator(viewer)
  const code = generateCode(LENGTH)
  await deps.transact('new', async (tx) => {
    if (await hasInvite(tx, name)) throw error('conflict', `the invite ${name} exists already`)
    const created = deps.now()
    await insertInvite(tx, { name, uses, expires, used: 0, hash: hashSecret(code), created })
  })
  return code.replace(/(.{4})(?=.)/g, '$1-')
}

export async function listInvites({ db }: Deps, viewer: Viewer): Promise<Invite[]> {
  requireOperator(viewer)
  return listInviteRows(db)
}

/** Returns false if there is no invite of that name. */
export async function revokeInvite(deps: Deps, viewer: Viewer, name: string): Promise<boolean> {
  requireOperator(viewer)
  return deps.transact('new', (tx) => deleteInvite(tx, name))
}

/**
 * Consumes the code in the transaction that creates a system, if the mode requires one. Returns
 * false if the code is missing, wrong, used up or expired; throws if no system may be created.
 */
export async function consumeInvite(
  mode: RegistrationMode,
  tx: Db,
  code: string | null,
  now: Instant,
): Promise<boolean> {
  if (mode === 'open') return true
  if (mode === 'closed') throw error('forbidden', 'this server takes no new systems')
  if (code === null) return false
  return useInvite(tx, hashSecret(normalizeCode(code)), now)
}
