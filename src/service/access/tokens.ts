import type { Db } from '../../db/handle'
import { createDecoder } from '../../db/rows'
import { statement } from '../../db/statement'
import { fillDefaults } from '../../model/entity'
import { error } from '../../model/errors'
import { requireSystem, type Viewer } from '../../model/privacy'
import type { Act, Scope } from '../../model/scope'
import { MAX_TOKENS, type Token, type TokenDraft, token } from '../../model/token'
import type { Deps } from '../deps'
import { refuseDeleted } from '../systems'
import { drawSecret, hashSecret } from './secrets'

export interface MadeToken extends Token {
  /** The token itself: shown this once, and kept nowhere. */
  secret: string
}

/** Makes a token. A browser may share, but not give away more than a link for friends. */
export async function createToken(
  deps: Deps,
  viewer: Viewer,
  draft: TokenDraft,
): Promise<MadeToken> {
  const systemId = requireSystem(viewer, actOf(draft.scope ?? 'full'))
  return deps.transact(async (tx) => {
    await refuseDeleted(tx, systemId)
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
): Promise<MadeToken> {
  const systemId = requireSystem(viewer, 'entrust')
  return deps.transact(async (tx) => {
    await refuseDeleted(tx, systemId)
    const before = await scopeOf(tx).get({ system: systemId, name: draft.name })
    if (before && viewer.platform !== null && before.scope !== 'full')
      throw error('conflict', 'the token of that name was made for something else')
    await removeExpired(tx).run({ system: systemId, now: deps.now() })
    return insertDraft(deps, tx, systemId, draft)
  })
}

function actOf(scope: Scope): Act {
  return scope === 'watch' || scope === 'calendar' ? 'share' : 'entrust'
}

/** A key to everything, as a new system gets one. */
export async function insertToken(
  deps: Deps,
  tx: Db,
  systemId: number,
  name: string,
): Promise<string> {
  return (await insertDraft(deps, tx, systemId, { name })).secret
}

/** Where there is one of that name, its sessions and streams end with it. */
async function insertDraft(
  deps: Deps,
  tx: Db,
  systemId: number,
  draft: TokenDraft,
): Promise<MadeToken> {
  await remove(tx).get({ system: systemId, name: draft.name })
  const { count } = (await countTokens(tx).get({ system: systemId })) ?? { count: 0 }
  if (count >= MAX_TOKENS) throw error('badRequest', `a system has at most ${MAX_TOKENS} tokens`)
  const secret = drawSecret()
  const row = { ...fillDefaults(token, draft), created: deps.now() }
  await insert(tx).run({
    system: systemId,
    hash: hashSecret(secret),
    name: row.name,
    scope: row.scope,
    created: row.created,
    expires: row.expires,
    private_members: Number(row.private_members),
  })
  return { ...row, secret }
}

export async function listTokens({ db, now }: Deps, viewer: Viewer): Promise<Token[]> {
  const rows = await ofSystem(db).all({ system: requireSystem(viewer, 'manage'), now: now() })
  return rows.map(decode)
}

/** Makes it useless at once, with its sessions and streams. Whether there was one of that name. */
export async function revokeToken(deps: Deps, viewer: Viewer, name: string): Promise<boolean> {
  const system = requireSystem(viewer, 'manage')
  return deps.transact(async (tx) => (await remove(tx).get({ system, name })) !== null)
}

const decode = createDecoder(token)

const columns = Object.keys(token.fields).join()

const insert = statement<
  'system' | 'hash' | 'name' | 'scope' | 'created' | 'expires' | 'private_members'
>(`
   insert into tokens (system_id, hash, name, scope, created, expires, private_members)
   values (:system, :hash, :name, :scope, :created, :expires, :private_members)`)

const ofSystem = statement<'system' | 'now', Token>(`
   select ${columns} from tokens
   where system_id = :system and (expires is null or expires > :now) order by id`)

const scopeOf = statement<'system' | 'name', { scope: Scope }>(
  'select scope from tokens where system_id = :system and name = :name',
)

const countTokens = statement<'system', { count: number }>(
  'select count(*) as count from tokens where system_id = :system',
)

const remove = statement<'system' | 'name', { id: number }>(
  'delete from tokens where system_id = :system and name = :name returning id',
)

const removeExpired = statement<'system' | 'now'>(
  'delete from tokens where system_id = :system and expires <= :now',
)
