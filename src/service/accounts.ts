import { eq } from 'drizzle-orm'
import type { Db } from '../db/handle'
import { statement } from '../db/statement'
import { accounts } from '../db/tables'
import { error } from '../model/errors'
import type { Deps } from './deps'
import { tell } from './outbox'

export interface Account {
  id: string
  system_id: number
  autoproxy_enabled: boolean
}

export async function linkAccount(deps: Deps, systemId: number, account: string): Promise<void> {
  await deps.transact((tx) => insertAccount(deps, tx, systemId, account))
}

/** Whether the account was linked to this system. */
export async function unlinkAccount(
  deps: Deps,
  systemId: number,
  account: string,
): Promise<boolean> {
  return deps.transact(async (tx) => {
    const linked = await findAccount(tx, account)
    if (linked?.system_id !== systemId) return false
    await removeAccount(deps, tx, linked)
    return true
  })
}

/** Unlinks at its owner's wish, whatever system it is linked to. */
export async function forgetAccount(deps: Deps, account: string): Promise<void> {
  await deps.transact(async (tx) => removeAccount(deps, tx, await getAccount(tx, account)))
}

/** Lets autoproxy speak for this account, or not. */
export async function patchAccount(
  deps: Deps,
  account: string,
  patch: { autoproxy_enabled: boolean },
): Promise<Account> {
  return deps.transact(async (tx) => {
    const patched = await tx
      .update(accounts)
      .set(patch)
      .where(eq(accounts.id, account))
      .returning()
      .all()
    if (!patched[0]) throw error('systemNotFound')
    return patched[0]
  })
}

export async function listAccounts(db: Db, systemId: number): Promise<Account[]> {
  return await db
    .select()
    .from(accounts)
    .where(eq(accounts.system_id, systemId))
    .orderBy(accounts.id)
    .all()
}

export async function getAccount(db: Db, account: string): Promise<Account> {
  const found = await findAccount(db, account)
  if (!found) throw error('systemNotFound')
  return found
}

export async function findAccount(db: Db, account: string): Promise<Account | null> {
  const found = await byId(db).get(account)
  return found && { ...found, autoproxy_enabled: found.autoproxy_enabled === 1 }
}

/** Links within a transaction. Linking twice changes nothing; somebody else's is a conflict. */
export async function insertAccount(
  deps: Deps,
  tx: Db,
  systemId: number,
  account: string,
): Promise<void> {
  const linked = await findAccount(tx, account)
  if (linked?.system_id === systemId) return
  if (linked) throw error('conflict', 'the account is linked to another system')
  await tx.insert(accounts).values({ id: account, system_id: systemId })
  await tell(tx, deps.now(), {
    system_id: systemId,
    type: 'LINK_ACCOUNT',
    subject: account,
    data: null,
  })
}

async function removeAccount(deps: Deps, tx: Db, { id, system_id }: Account): Promise<void> {
  await tx.delete(accounts).where(eq(accounts.id, id))
  await tell(tx, deps.now(), { system_id, type: 'UNLINK_ACCOUNT', subject: id, data: null })
}

/** Links an account that a file names, unless it is somebody else's here. No event is told. */
export async function adoptAccount(
  tx: Db,
  systemId: number,
  { id, autoproxy_enabled }: { id: string; autoproxy_enabled?: boolean },
): Promise<'changed' | 'unchanged' | 'taken'> {
  const linked = await findAccount(tx, id)
  if (linked && linked.system_id !== systemId) return 'taken'
  const enabled = autoproxy_enabled ?? linked?.autoproxy_enabled ?? true
  if (linked?.autoproxy_enabled === enabled) return 'unchanged'
  const row = { id, system_id: systemId, autoproxy_enabled: enabled }
  await tx.insert(accounts).values(row).onConflictDoUpdate({ target: accounts.id, set: row })
  return 'changed'
}

const byId = statement<Omit<Account, 'autoproxy_enabled'> & { autoproxy_enabled: number }>(
  ['id'],
  'select * from accounts where id = :id',
)
