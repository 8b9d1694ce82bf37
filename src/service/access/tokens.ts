import { incrementCounter } from '../../db/changeCounters'
import { createDecoder } from '../../db/rows'
import { statement } from '../../db/statement'
import { error } from '../../model/errors'
import { requireSystem, type Viewer } from '../../model/privacy'
import type { Permission, Scope } from '../../model/scope'
import { type Token, type TokenDraft, token } from '../../model/token'
import { requireExists } from '../deletion'
import type { Deps } from '../deps'
import { type CreatedToken, insertDraft, removeToken } from './insertToken'

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
  const rows = await ofSystem(db).all({ system: requireSystem(viewer, 'manage'), now: now() })
  return rows.map(decode)
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

const decode = createDecoder(token)

const columns = Object.keys(token.fields).join()

const ofSystem = statement<'system' | 'now', Token>(`
   select ${columns} from tokens
   where system_id = :system and (expires is null or expires > :now) order by id`)

const scopeOf = statement<'system' | 'name', { scope: Scope }>(
  'select scope from tokens where system_id = :system and name = :name',
)

const removeExpired = statement<'system' | 'now'>(
  'delete from tokens where system_id = :system and expires <= :now',
)
