import { eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { accounts } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { requireEnabled, visibleSystems } from '../../db/visible'
import type { Account, LinkedAccount } from '../../model/access/account'
import { error } from '../../model/core/errors'
import type { StoreDeps } from '../core/storeDeps'
import { recordEvent } from '../events/recordEvent'

export async function accountsOf(db: Db, systemId: number): Promise<Account[]> {
  return await ofSystem(db).all({ system: systemId })
}

export async function findAccount(db: Db, account: string): Promise<Account | null> {
  return await byId(db).get({ id: account })
}

/** Returns an account with its system. Throws if it has none, or a disabled one. */
export async function getLinkedAccount(db: Db, account: string): Promise<LinkedAccount> {
  const row = await linkedById(db).get({ id: account })
  if (!row) throw error('systemNotFound')
  await requireEnabled(db, row.system_id)
  return row
}

/**
 * Links within a transaction. Does nothing if the account is linked to this system already; throws
 * a conflict if it is linked to another one.
 */
export async function insertAccount(
  deps: StoreDeps,
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

/** Unlinks within a transaction. */
export async function removeAccount(
  deps: StoreDeps,
  tx: Db,
  { id, system_id }: Account,
): Promise<void> {
  await deleteRow(tx).run({ id })
  await recordEvent(tx, deps.now(), { system_id, type: 'UNLINK_ACCOUNT', subject: id, data: null })
}

/** Links the planned accounts and applies their settings of the file. Returns whether any changed. */
export async function linkImported(
  deps: StoreDeps,
  tx: Db,
  systemId: number,
  named: readonly { id: string; autoproxy_enabled?: boolean }[],
  planned: readonly { id: string; linked: boolean }[],
): Promise<boolean> {
  const linked = new Set(planned.flatMap((entry) => (entry.linked ? entry.id : [])))
  let isChanged = false
  for (const { id, autoproxy_enabled } of named) {
    if (!linked.has(id)) continue
    const before = await findAccount(tx, id)
    if (!before) await insertAccount(deps, tx, systemId, id, true)
    const isEnabled = before?.autoproxy_enabled ?? true
    const isNew = autoproxy_enabled !== undefined && autoproxy_enabled !== isEnabled
    if (isNew) await setAutoproxyEnabled(tx, id, autoproxy_enabled)
    if (!before || isNew) isChanged = true
  }
  return isChanged
}

export function setAutoproxyEnabled(tx: Db, id: string, isEnabled: boolean): MaybePromise<unknown> {
  return setAutoproxy(tx).run({ id, enabled: Number(isEnabled) })
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
