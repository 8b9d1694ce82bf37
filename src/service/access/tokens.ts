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

/** Makes a token. A browser may share, but not give away more than a link for friends. */
export async function createToken(
  deps: Deps,
  viewer: Viewer,
  draft: TokenDraft,
): Promise<CreatedToken> {
  const systemId = requireSystem(viewer, actOf(draft.scope ?? 'full'))
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    await removeExpired(tx).run({ system: systemId, now: deps.now() })
    if (await scopeOf(tx).get({ system: systemId, name: draft.name }))
      throw error('conflict', 'there is a token of that name')
    return insertDraft(deps, tx, systemId, draft)
  })
}

/** The same in place of an older one of that name. A bot replaces only what it could have made. */
export async function replaceToken(
  deps: Deps,
  viewer: Viewer,
  draft: TokenDraft,
): Promise<CreatedToken> {
  const systemId = requireSystem(viewer, 'issue_tokens')
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    await removeExpired(tx).run({ system: systemId, now: deps.now() })
    await incrementCounter(tx, 'keys')
    const before = await scopeOf(tx).get({ system: systemId, name: draft.name })
    if (before && viewer.platform !== null && before.scope !== 'full')
      throw error('conflict', 'the token of that name was made for something else')
    return insertDraft(deps, tx, systemId, draft)
  })
}

function actOf(scope: Scope): Permission {
  return scope === 'watch' || scope === 'calendar' ? 'share' : 'issue_tokens'
}

export async function listTokens({ db, now }: Deps, viewer: Viewer): Promise<Token[]> {
  const rows = await ofSystem(db).all({ system: requireSystem(viewer, 'manage'), now: now() })
  return rows.map(decode)
}

/** Makes it useless at once, with its sessions and streams. Whether there was one of that name. */
export async function revokeToken(deps: Deps, viewer: Viewer, name: string): Promise<boolean> {
  const system = requireSystem(viewer, 'manage')
  return deps.transact({ system }, async (tx) => {
    await removeExpired(tx).run({ system, now: deps.now() })
    if (!(await removeToken(tx).get({ system, name }))) return false
    await incrementCounter(tx, 'keys')
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
