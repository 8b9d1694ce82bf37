import { and, eq, gt, isNull, lte, or } from 'drizzle-orm'
import { incrementCounter } from '../../db/changeCounters'
import { type Placeholders, query } from '../../db/query'
import { tokens } from '../../db/tables'
import type { Token, TokenDraft } from '../../model/access/token'
import { error } from '../../model/core/errors'
import { type Permission, requireSystem, type Scope, type Viewer } from '../../model/core/privacy'
import { type CreatedToken, insertDraft, removeToken } from '../../store/access/insertToken'
import type { Deps } from '../core/deps'
import { requireExists } from '../systems/deletion'

/** Creates a token. A browser session may only create tokens for sharing: watch and calendar. */
export async function createToken(
  deps: Deps,
  viewer: Viewer,
  draft: TokenDraft,
): Promise<CreatedToken> {
  const systemId = requireSystem(viewer, permissionFor(draft.scope ?? 'full'))
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    await removeExpired(tx).run({ system: systemId, now: deps.now() })
    if (await scopeOf(tx).get({ system: systemId, name: draft.name }))
      throw error('conflict', 'a token of that name exists')
    return insertDraft(deps, tx, systemId, draft)
  })
}

/** Creates a token or replaces one of the same name. A bot may only replace tokens of full scope. */
export async function replaceToken(
  deps: Deps,
  viewer: Viewer,
  draft: TokenDraft,
): Promise<CreatedToken> {
  const systemId = requireSystem(viewer, 'issue_tokens')
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    await removeExpired(tx).run({ system: systemId, now: deps.now() })
    await incrementCounter(tx, 'credentials')
    const before = await scopeOf(tx).get({ system: systemId, name: draft.name })
    if (before && viewer.platform !== null && before.scope !== 'full')
      throw error('conflict', 'a token of that name exists with another scope')
    return insertDraft(deps, tx, systemId, draft)
  })
}

function permissionFor(scope: Scope): Permission {
  return scope === 'watch' || scope === 'calendar' ? 'share' : 'issue_tokens'
}

export async function listTokens({ db, now }: Deps, viewer: Viewer): Promise<Token[]> {
  return await ofSystem(db).all({ system: requireSystem(viewer, 'manage'), now: now() })
}

/** Revokes a token and ends its sessions and streams. Returns false if there is none of that name. */
export async function revokeToken(deps: Deps, viewer: Viewer, name: string): Promise<boolean> {
  const system = requireSystem(viewer, 'manage')
  return deps.transact({ system }, async (tx) => {
    await removeExpired(tx).run({ system, now: deps.now() })
    if (!(await removeToken(tx).get({ system, name }))) return false
    await incrementCounter(tx, 'credentials')
    return true
  })
}

const { system_id, expires } = tokens

const ofSystem = query((db, { system, now }: Placeholders<'system' | 'now'>) => {
  const { name, scope, created, last_used, private_members } = tokens
  return db
    .select({ name, scope, created, last_used, expires, private_members })
    .from(tokens)
    .where(and(eq(system_id, system), or(isNull(expires), gt(expires, now))))
    .orderBy(tokens.id)
})

const scopeOf = query((db, { system, name }: Placeholders<'system' | 'name'>) =>
  db
    .select({ scope: tokens.scope })
    .from(tokens)
    .where(and(eq(system_id, system), eq(tokens.name, name))),
)

const removeExpired = query((db, { system, now }: Placeholders<'system' | 'now'>) =>
  db.delete(tokens).where(and(eq(system_id, system), lte(expires, now))),
)
