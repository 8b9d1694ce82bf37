import { eq, sql } from 'drizzle-orm'
import { lockSystem } from '../../db/locks'
import { type Placeholders, query } from '../../db/query'
import { accounts } from '../../db/tables'
import type { Db } from '../../db/types'
import { requireEnabled, visibleSystems } from '../../db/visible'
import { error } from '../../model/core/errors'
import { requirePlatformAuthority, requireSystem, type Viewer } from '../../model/core/privacy'
import { recordEvent } from '../../store/events/recordEvent'
import type { Deps } from '../core/deps'
import { requireExists } from '../systems/deletion'

export interface Account {
  id: string
  system_id: number
  autoproxy_enabled: boolean
}

/** An account with the short ID of the system it is linked to. */
export interface LinkedAccount extends Account {
  system: string
}

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
    const found = await findAccount(tx, account)
    if (!found) throw error('systemNotFound')
    await lockSystem(tx, found.system_id)
    // Another transaction may have unlinked or relinked it while this one waited for the lock.
    const current = await findAccount(tx, account)
    if (current?.system_id !== found.system_id)
      throw error('conflict', 'the account was changed by another request')
    await requireEnabled(tx, found.system_id)
    await removeAccount(deps, tx, found)
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
    await setAutoproxy(tx).run({ id: account, enabled: Number(patch.autoproxy_enabled) })
    return getLinked(tx, account)
  })
}

export async function getAccount(
  { db }: Deps,
  viewer: Viewer,
  account: string,
): Promise<LinkedAccount> {
  requirePlatformAuthority(viewer, account)
  return getLinked(db, account)
}

export async function listAccounts({ db }: Deps, viewer: Viewer): Promise<Account[]> {
  return accountsOf(db, requireSystem(viewer, 'read'))
}

export async function accountsOf(db: Db, systemId: number): Promise<Account[]> {
  return await ofSystem(db).all({ system: systemId })
}

export async function findAccount(db: Db, account: string): Promise<Account | null> {
  return await byId(db).get({ id: account })
}

async function getLinked(db: Db, account: string): Promise<LinkedAccount> {
  const found = await linkedById(db).get({ id: account })
  if (!found) throw error('systemNotFound')
  await requireEnabled(db, found.system_id)
  return found
}

/**
 * Links within a transaction. Does nothing if the account is linked to this system already; throws
 * a conflict if it is linked to another one.
 */
export async function insertAccount(
  deps: Deps,
  tx: Db,
  systemId: number,
  account: string,
  imported = false,
): Promise<void> {
  const linked = await findAccount(tx, account)
  if (linked?.system_id === systemId) return
  if (linked) throw error('conflict', 'the account is linked to another system')
  await insertRow(tx).run({ account, system: systemId, imported: Number(imported) })
  await recordEvent(tx, deps.now(), {
    system_id: systemId,
    type: 'LINK_ACCOUNT',
    subject: account,
    data: null,
  })
}

async function removeAccount(deps: Deps, tx: Db, { id, system_id }: Account): Promise<void> {
  await deleteRow(tx).run({ id })
  await recordEvent(tx, deps.now(), { system_id, type: 'UNLINK_ACCOUNT', subject: id, data: null })
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
): Promise<{ id: string; linked: boolean; why: string }[]> {
  const planned = []
  for (const { id } of named) {
    const linked = await findAccount(db, id)
    const isOwn = linked !== null && linked.system_id === systemId
    const isVouched = vouched === 'all' || vouched.has(id)
    if (isOwn) planned.push({ id, linked: true, why: 'was linked already' })
    else if (linked) planned.push({ id, linked: false, why: 'is linked to another system here' })
    else if (isVouched) planned.push({ id, linked: true, why: 'is named by the file' })
    else planned.push({ id, linked: false, why: 'link it from that account' })
  }
  const names = new Set(named.map(({ id }) => id))
  for (const id of vouched === 'all' ? [] : vouched)
    if (!names.has(id)) planned.push({ id, linked: false, why: 'is not named by the file' })
  return planned
}

/** Links the planned accounts and applies their settings of the file. Returns whether any changed. */
export async function linkImported(
  deps: Deps,
  tx: Db,
  systemId: number,
  named: readonly { id: string; autoproxy_enabled?: boolean }[],
  planned: readonly { id: string; linked: boolean }[],
): Promise<boolean> {
  const linked = new Set(planned.flatMap((one) => (one.linked ? one.id : [])))
  let isChanged = false
  for (const { id, autoproxy_enabled } of named) {
    if (!linked.has(id)) continue
    const before = await findAccount(tx, id)
    if (!before) await insertAccount(deps, tx, systemId, id, true)
    const isEnabled = before?.autoproxy_enabled ?? true
    const isNew = autoproxy_enabled !== undefined && autoproxy_enabled !== isEnabled
    if (isNew) await setAutoproxy(tx).run({ id, enabled: Number(autoproxy_enabled) })
    if (!before || isNew) isChanged = true
  }
  return isChanged
}

const { id, system_id, autoproxy_enabled } = accounts

const byId = query((db, values: Placeholders<'id'>) =>
  db.select({ id, system_id, autoproxy_enabled }).from(accounts).where(eq(id, values.id)),
)

const ofSystem = query((db, { system }: Placeholders<'system'>) =>
  db.select().from(accounts).where(eq(system_id, system)).orderBy(id),
)

const linkedById = query((db, values: Placeholders<'id'>) => {
  const system = sql<string>`${visibleSystems.hid}`.as('system')
  return db
    .select({ id, system_id, autoproxy_enabled, system })
    .from(accounts)
    .innerJoin(visibleSystems, eq(visibleSystems.id, system_id))
    .where(eq(id, values.id))
})

const insertRow = query((db, values: Placeholders<'account' | 'system' | 'imported'>) =>
  db
    .insert(accounts)
    .values({ id: values.account, system_id: values.system, imported: values.imported }),
)

const setAutoproxy = query((db, values: Placeholders<'id' | 'enabled'>) =>
  db.update(accounts).set({ autoproxy_enabled: values.enabled }).where(eq(id, values.id)),
)

const deleteRow = query((db, values: Placeholders<'id'>) =>
  db.delete(accounts).where(eq(id, values.id)),
)
