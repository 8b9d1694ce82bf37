import { incrementCounter } from '../../db/changeCounters'
import type { Token, TokenDraft } from '../../model/access/token'
import { error } from '../../model/core/errors'
import { type Permission, requireSystem, type Scope, type Viewer } from '../../model/core/privacy'
import {
  type CreatedToken,
  deleteExpiredTokens,
  deleteToken,
  findScope,
  insertDraft,
  listValidTokens,
} from '../../store/access/tokenRows'
import { requireExists } from '../../store/systems/deletion'
import type { Deps } from '../core/deps'

/** Creates a token. A browser session may only create tokens for sharing: watch and calendar. */
export async function createToken(
  deps: Deps,
  viewer: Viewer,
  draft: TokenDraft,
): Promise<CreatedToken> {
  const systemId = requireSystem(viewer, permissionFor(draft.scope ?? 'full'))
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    await deleteExpiredTokens(tx, systemId, deps.now())
    if (await findScope(tx, systemId, draft.name))
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
    await deleteExpiredTokens(tx, systemId, deps.now())
    await incrementCounter(tx, 'credentials')
    const before = await findScope(tx, systemId, draft.name)
    if (before && viewer.platform !== null && before !== 'full')
      throw error('conflict', 'a token of that name exists with another scope')
    return insertDraft(deps, tx, systemId, draft)
  })
}

function permissionFor(scope: Scope): Permission {
  return scope === 'watch' || scope === 'calendar' ? 'share' : 'issue_tokens'
}

export async function listTokens({ db, now }: Deps, viewer: Viewer): Promise<Token[]> {
  return listValidTokens(db, requireSystem(viewer, 'manage'), now())
}

/** Revokes a token and ends its sessions and streams. Returns false if there is none of that name. */
export async function revokeToken(deps: Deps, viewer: Viewer, name: string): Promise<boolean> {
  const system = requireSystem(viewer, 'manage')
  return deps.transact({ system }, async (tx) => {
    await deleteExpiredTokens(tx, system, deps.now())
    if (!(await deleteToken(tx, system, name))) return false
    await incrementCounter(tx, 'credentials')
    return true
  })
}
