import { and, eq, gt, isNull, lt, or, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createInserter } from '../../db/rows'
import { invites } from '../../db/tables'
import type { Db } from '../../db/types'
import type { RegistrationMode } from '../../model/access/quotas'
import { error } from '../../model/core/errors'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { generateCode, normalizeCode } from '../../store/access/humanCode'
import { hashSecret } from '../../store/access/secrets'
import type { Deps } from '../core/deps'

/** A code that allows the creation of systems where registration is by invitation, by bot or browser. */
export interface Invite {
  name: string
  created: Instant
  expires: Instant | null
  uses: number
  used: number
}

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
    if (await byName(tx).get({ name })) throw error('conflict', `the invite ${name} exists already`)
    await insert(tx, { name, uses, expires, used: 0, hash: hashSecret(code), created: deps.now() })
  })
  return code.replace(/(.{4})(?=.)/g, '$1-')
}

export async function listInvites({ db }: Deps, viewer: Viewer): Promise<Invite[]> {
  requireOperator(viewer)
  return await all(db).all({})
}

/** Returns false if there is no invite of that name. */
export async function revokeInvite(deps: Deps, viewer: Viewer, name: string): Promise<boolean> {
  requireOperator(viewer)
  return deps.transact('new', async (tx) => (await remove(tx).get({ name })) !== null)
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
  return (await use(tx).get({ hash: hashSecret(normalizeCode(code)), now })) !== null
}

const insert = createInserter(invites, ['name', 'uses', 'expires', 'used', 'hash', 'created'])

const { id, name, created, expires, uses, used } = invites

const all = query((db) =>
  db.select({ name, created, expires, uses, used }).from(invites).orderBy(id),
)

const byName = query((db, values: Placeholders<'name'>) =>
  db.select({ id }).from(invites).where(eq(name, values.name)),
)

const remove = query((db, values: Placeholders<'name'>) =>
  db.delete(invites).where(eq(name, values.name)).returning({ id }),
)

const use = query((db, { hash, now }: Placeholders<'hash' | 'now'>) =>
  db
    .update(invites)
    .set({ used: sql`${used} + 1` })
    .where(and(eq(invites.hash, hash), lt(used, uses), or(isNull(expires), gt(expires, now))))
    .returning({ id }),
)
