import { lockSystem } from '../../db/locks'
import type { Db } from '../../db/types'
import { requireEnabled } from '../../db/visible'
import type { Account, LinkedAccount } from '../../model/access/account'
import { error } from '../../model/core/errors'
import { requirePlatformAuthority, requireSystem, type Viewer } from '../../model/core/privacy'
import { type ReportedReason, reportReason } from '../../model/core/reasonMessages'
import {
  accountsOf,
  findAccount,
  getLinkedAccount,
  insertAccount,
  removeAccount,
  setAutoproxyEnabled,
} from '../../store/access/accountRows'
import { requireExists } from '../../store/systems/deletion'
import type { Deps } from '../core/deps'

export async function linkAccount(deps: Deps, viewer: Viewer, account: string): Promise<void> {
  const systemId = requireSystem(viewer)
  requirePlatformAuthority(viewer, account)
  await deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    await insertAccount(deps, tx, systemId, account)
  })
}

/**
 * Returns false if the account is not linked to the caller's system. With `keepsLast` it throws for
 * the only account of the system, without which its owner may lose access.
 */
export async function unlinkAccount(
  deps: Deps,
  viewer: Viewer,
  account: string,
  keepsLast = false,
): Promise<boolean> {
  const systemId = requireSystem(viewer)
  requirePlatformAuthority(viewer, account)
  return deps.transact({ system: systemId }, async (tx) => {
    const linked = await findAccount(tx, account)
    if (linked?.system_id !== systemId) return false
    if (keepsLast && (await accountsOf(tx, systemId)).length === 1)
      throw error('conflict', 'it is the only account of the system')
    await removeAccount(deps, tx, linked)
    return true
  })
}

/** Unlinks an account from the system it is linked to, whichever that is. */
export async function deleteAccountLink(
  deps: Deps,
  viewer: Viewer,
  account: string,
): Promise<void> {
  requirePlatformAuthority(viewer, account)
  await deps.transact({ account }, async (tx) => {
    const row = await findAccount(tx, account)
    if (!row) throw error('systemNotFound')
    await lockSystem(tx, row.system_id)
    // Another transaction may have unlinked or relinked it while this one waited for the lock.
    const current = await findAccount(tx, account)
    if (current?.system_id !== row.system_id)
      throw error('conflict', 'the account was changed by another request')
    await requireEnabled(tx, row.system_id)
    await removeAccount(deps, tx, row)
  })
}

/** Enables or disables autoproxy for messages of this account. */
export async function patchAccount(
  deps: Deps,
  viewer: Viewer,
  account: string,
  patch: { autoproxy_enabled: boolean },
): Promise<LinkedAccount> {
  requirePlatformAuthority(viewer, account)
  return deps.transact({ account }, async (tx) => {
    await setAutoproxyEnabled(tx, account, patch.autoproxy_enabled)
    return getLinkedAccount(tx, account)
  })
}

export async function getAccount(
  { db }: Deps,
  viewer: Viewer,
  account: string,
): Promise<LinkedAccount> {
  requirePlatformAuthority(viewer, account)
  return getLinkedAccount(db, account)
}

export async function listAccounts({ db }: Deps, viewer: Viewer): Promise<Account[]> {
  return accountsOf(db, requireSystem(viewer, 'read'))
}

/**
 * Decides which accounts of an import file to link. A file proves nothing, so a new account is
 * linked only if the operator or a bot vouches for it.
 */
export async function planAccounts(
  db: Db,
  systemId: number | null,
  named: readonly { id: string }[],
  vouched: 'all' | ReadonlySet<string>,
): Promise<({ id: string; linked: boolean } & ReportedReason)[]> {
  const planned = []
  for (const { id } of named) {
    const linked = await findAccount(db, id)
    const isOwn = linked !== null && linked.system_id === systemId
    const isVouched = vouched === 'all' || vouched.has(id)
    if (isOwn) planned.push({ id, linked: true, ...reportReason('linked_already') })
    else if (linked) planned.push({ id, linked: false, ...reportReason('linked_elsewhere') })
    else if (isVouched) planned.push({ id, linked: true, ...reportReason('named_by_file') })
    else planned.push({ id, linked: false, ...reportReason('not_vouched') })
  }
  const names = new Set(named.map(({ id }) => id))
  for (const id of vouched === 'all' ? [] : vouched)
    if (!names.has(id)) planned.push({ id, linked: false, ...reportReason('not_named_by_file') })
  return planned
}
